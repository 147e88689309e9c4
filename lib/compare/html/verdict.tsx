import type { ComponentChildren } from 'preact';
import { counted, grouped, Icon, inline } from '../../report/html/text.tsx';
import type { Comparison } from '../comparison.ts';
import { differing, verdictOf } from '../table.ts';
import { questionsOf } from './behaviour.tsx';
import { type Told, VERDICTS } from './parts.tsx';

const WORDS = Object.keys(VERDICTS) as Told[];

const countsOf = ({ columns }: Comparison): Readonly<Record<Told, number>> => {
  const count = (word: Told) => columns.filter((column) => verdictOf(column) === word).length;
  return {
    conformant: count('conformant'),
    partial: count('partial'),
    'not conformant': count('not conformant'),
    'could not be judged': count('could not be judged'),
    'not run': count('not run'),
  };
};

const were = (count: number) => (count === 1 ? 'was' : 'were');

/** What was found, in one sentence. */
export function sentenceOf(comparison: Comparison): string {
  const all = comparison.columns.length;
  const counts = countsOf(comparison);
  const [good, bad] = [counts.conformant, counts['not conformant']];
  const { partial } = counts;
  if (good + bad + partial === 0) return `None of ${counted(all, 'store')} could be judged.`;
  if (partial === all)
    return `${all === 2 ? 'Both' : `All ${all}`} stores passed what was checked; checks were left out.`;
  if (good === all) return all === 2 ? 'Both stores are conformant.' : `All ${all} stores are conformant.`;
  const [unjudged, left] = [counts['could not be judged'], counts['not run']];
  const be = (count: number) => (count === 1 ? 'is' : 'are');
  return `${[
    ...(good === 0 && partial === 0 ? [`None of ${counted(all, 'store')} is conformant`] : []),
    ...(good > 0 ? [`${good} of ${counted(all, 'store')} ${be(good)} conformant`] : []),
    ...(partial > 0 ? [`${partial} of ${counted(all, 'store')} passed what was checked`] : []),
    ...(bad > 0 && partial > 0 ? [`${bad} ${be(bad)} not conformant`] : []),
    ...(bad > 0 && partial === 0 && good > 0 ? [`${bad} ${be(bad)} not`] : []),
    ...(unjudged > 0 ? [`${unjudged} could not be judged`] : []),
    ...(left > 0 ? [`${left} ${were(left)} not run`] : []),
  ].join('; ')}.`;
}

/** The result in one sentence, and in numbers what there is to be seen further down. */
export function Verdict({ comparison }: { readonly comparison: Comparison }) {
  const { columns, checks, differential, suite, strict } = { ...comparison, ...comparison.options };
  const counts = countsOf(comparison);
  const questions = questionsOf(comparison);
  const kinds = differential === null ? 0 : differential.disagreements.length + differential.more;
  return (
    <section class="verdict" aria-label="Result">
      <h1>{sentenceOf(comparison)}</h1>
      <p class="gate">
        {counted(columns.length, 'store')} side by side, held to the same document by the same checks of{' '}
        {inline(suite.name, 80)} {inline(suite.version, 40)}
        {strict ? ', where a SHOULD that fails counts as well' : ''}.
      </p>
      <p class="outcomes">
        {WORDS.filter((word) => counts[word] > 0).map((word) => (
          <span key={word} class={`word ${VERDICTS[word]}`}>
            <Icon name={VERDICTS[word]} /> {counts[word]} {word}
          </span>
        ))}
      </p>
      <ul class="tiles">
        <Tile to="checks" count={differing(comparison).length} of={checks.length}>
          checks did not come out alike
        </Tile>
        <Tile
          to="behaviour"
          count={questions.filter(({ ways }) => ways.length > 1).length}
          of={questions.length}
        >
          questions that the interface leaves open have different answers
        </Tile>
        {differential !== null && (
          <Tile to="disagreements" count={kinds}>
            {kinds === 1 ? 'kind' : 'kinds'} of disagreement among {grouped(differential.payloads)} generated
            payloads
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
}: {
  readonly to: string;
  readonly count: number;
  readonly of?: number;
  readonly children: ComponentChildren;
}) => (
  <li>
    <a href={`#${to}`}>
      <strong>{grouped(count)}</strong>
      {of === undefined ? ' ' : ` of ${grouped(of)} `}
      <span>{children}</span>
    </a>
  </li>
);
