import type { ComponentChildren } from 'preact';
import { inline, ToneWord } from '../../report/formats/html/kit/text.tsx';
import { counted, withSeparators } from '../../text.ts';
import type { Comparison } from '../comparison.ts';
import { isAnsweredDifferently, questionsOf } from '../questions.ts';
import { countOf, resultSentence } from '../result.ts';
import { differing, sharedCauses, VERDICTS } from '../table.ts';

export function Verdict({ comparison }: Readonly<{ comparison: Comparison }>) {
  const { columns, checks, differential, suite, strict } = { ...comparison, ...comparison.options };
  const counts = VERDICTS.map((verdict) => ({ ...verdict, count: countOf(comparison, verdict.words) }));
  const causes = sharedCauses(comparison);
  const several = causes.filter(({ stores }) => stores.length > 1).length;
  const questions = questionsOf(comparison);
  const differ = differing(comparison).length;
  const disagreements = differential === null ? 0 : differential.disagreements.length + differential.more;
  return (
    <section class="verdict" aria-label="Result">
      <h1>{resultSentence(comparison)}</h1>
      <p class="ci-result">
        {counted(columns.length, 'store')} checked against the same document with {inline(suite.name, 80)}{' '}
        {inline(suite.version, 40)}
        {strict ? ' (strict: SHOULD failures count too)' : ''}.
      </p>
      <p class="outcomes">
        {counts
          .filter(({ count }) => count > 0)
          .map(({ words, icon, count }) => (
            <ToneWord tone={icon}>
              {count} {words}
            </ToneWord>
          ))}
      </p>
      <ul class="tiles">
        {causes.length > 0 && (
          <Tile to="causes" count={causes.length}>
            {causes.length === 1 ? 'cause' : 'causes'} of failed checks
            {several > 0 && `, ${several} shared by several stores`}
          </Tile>
        )}
        <Tile to="checks" count={differ} of={checks.length}>
          checks {differ === 1 ? 'differs' : 'differ'} between the stores
        </Tile>
        <Tile to="behaviour" count={questions.filter(isAnsweredDifferently).length} of={questions.length}>
          questions that the interface leaves open are answered differently
        </Tile>
        {differential !== null && (
          <Tile to="disagreements" count={disagreements}>
            {disagreements === 1 ? 'disagreement' : 'disagreements'} among{' '}
            {withSeparators(differential.payloads)} generated payloads
          </Tile>
        )}
      </ul>
    </section>
  );
}

const Tile = ({
  to,
  count,
  of,
  children,
}: Readonly<{ to: string; count: number; of?: number; children: ComponentChildren }>) => (
  <li>
    <a href={`#${to}`}>
      <strong>{withSeparators(count)}</strong>
      {of === undefined ? ' ' : ` of ${withSeparators(of)} `}
      <span>{children}</span>
    </a>
  </li>
);
