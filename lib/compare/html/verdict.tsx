import type { ComponentChildren } from 'preact';
import { compact } from '../../collections.ts';
import { inline, ToneWord } from '../../report/formats/html/kit/text.tsx';
import { counted, withSeparators } from '../../text.ts';
import type { Comparison } from '../comparison.ts';
import { differing, sharedCauses, VERDICTS, verdictOf } from '../table.ts';
import { questionsOf } from './behaviour.tsx';

type Verdict = ReturnType<typeof verdictOf>;

const countOf = ({ columns }: Comparison, words: Verdict['words']): number =>
  columns.filter((column) => verdictOf(column).words === words).length;

export function sentenceOf(comparison: Comparison): string {
  const all = comparison.columns.length;
  const count = (words: Verdict['words']) => countOf(comparison, words);
  const [good, bad, partial] = [count('conformant'), count('not conformant'), count('partial')];
  if (good + bad + partial === 0) return `None of ${counted(all, 'store')} could be judged.`;
  if (partial === all)
    return `${all === 2 ? 'Both' : `All ${all}`} stores passed the selected checks; checks were skipped.`;
  if (good === all) return all === 2 ? 'Both stores are conformant.' : `All ${all} stores are conformant.`;
  const [unjudged, notRun] = [count('could not be judged'), count('not run')];
  const be = (count: number) => (count === 1 ? 'is' : 'are');
  return `${compact(
    good === 0 && partial === 0 && `None of ${counted(all, 'store')} is conformant`,
    good > 0 && `${good} of ${counted(all, 'store')} ${be(good)} conformant`,
    partial > 0 && `${partial} of ${counted(all, 'store')} passed the selected checks`,
    bad > 0 && partial > 0 && `${bad} ${be(bad)} not conformant`,
    bad > 0 && partial === 0 && good > 0 && `${bad} ${be(bad)} not`,
    unjudged > 0 && `${unjudged} could not be judged`,
    notRun > 0 && `${notRun} ${notRun === 1 ? 'was' : 'were'} not run`,
  ).join('; ')}.`;
}

export function Verdict({ comparison }: Readonly<{ comparison: Comparison }>) {
  const { columns, checks, differential, suite, strict } = { ...comparison, ...comparison.options };
  const counts = VERDICTS.map((verdict) => ({ ...verdict, count: countOf(comparison, verdict.words) }));
  const causes = sharedCauses(comparison);
  const several = causes.filter(({ stores }) => stores.length > 1).length;
  const questions = questionsOf(comparison);
  const disagreements = differential === null ? 0 : differential.disagreements.length + differential.more;
  return (
    <section class="verdict" aria-label="Result">
      <h1>{sentenceOf(comparison)}</h1>
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
        <Tile to="checks" count={differing(comparison).length} of={checks.length}>
          checks differ between the stores
        </Tile>
        <Tile
          to="behaviour"
          count={questions.filter(({ ways }) => ways.length > 1).length}
          of={questions.length}
        >
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
