import { sum } from '../../collections.ts';
import { countToJudge } from '../../run/result/verdict.ts';
import { counted } from '../../text.ts';
import type { RecordedResult, RunRecord } from '../record/record.ts';
import { shownText } from './format-text.ts';

/** The outcomes of a run in words, with their colour on a terminal and their icon on a page. */
export const OUTCOMES = {
  conformant: { words: 'conformant', colour: 'green', icon: 'pass' },
  partial: { words: 'partial', colour: 'yellow', icon: 'observed' },
  nonconformant: { words: 'not conformant', colour: 'red', icon: 'fail' },
  undetermined: { words: 'could not be judged', colour: 'magenta', icon: 'untestable' },
} as const;

/** Returns the verdict in a few words: `conformant`, `passed the selected checks: 3 of 56 MUST`. */
export function headlineOf(record: RunRecord): string {
  if (record.outcome !== 'partial') return OUTCOMES[record.outcome].words;
  return record.ciResult.exitCode === 2
    ? 'nothing was judged'
    : `passed the selected checks: ${checkedOf(record)}`;
}

export const inUpperCase = (headline: string): string =>
  headline.replace(/^[^:]+/, (words) => words.toUpperCase());

function checkedOf({ summary, options }: RunRecord): string {
  const of = (level: 'MUST' | 'SHOULD') => {
    const count = summary[level];
    return `${countToJudge(count)} of ${sum(Object.values(count), (one) => one)} ${level}`;
  };
  return options.strict ? `${of('MUST')}, ${of('SHOULD')}` : of('MUST');
}

/** What to do if a filter leaves nothing to judge. */
export const NOTHING_JUDGED =
  '--only and --skip exclude every MUST check that sends requests; select at least one, or SHOULD checks with --strict (invariants/* only judge the exchanges of other checks)';

export const deselected = ({ results }: Pick<RunRecord, 'results'>): readonly RecordedResult[] =>
  results.filter(({ blockedBy }) => blockedBy === 'user');

/** Says why the run could not be judged, or not completely; undefined if it could. */
export function unjudged({ ciResult, stop, summary }: RunRecord): string | undefined {
  const asAsked = stop?.kind === 'limit' || stop?.kind === 'bailed';
  if (stop !== null && (!asAsked || ciResult.exitCode === 3))
    return `${shownText(stop.reason)}; ${stop.remedy}`;
  if (ciResult.exitCode === 2) return NOTHING_JUDGED;
  if (ciResult.exitCode !== 3) return undefined;
  const { untestable } = summary.MUST;
  return untestable === 0
    ? 'some checks of the catalogue were not run'
    : `${counted(untestable, 'MUST check')} could not be tested`;
}
