import { judgedOf } from '../run/verdict.ts';
import type { RunRecord } from './record.ts';

/** What became of the store, in a few words: `conformant`, `passed what was checked: 3 of 56 MUST`. */
export function headlineOf(record: Pick<RunRecord, 'outcome' | 'gate' | 'summary' | 'options'>): string {
  switch (record.outcome) {
    case 'conformant':
      return 'conformant';
    case 'nonconformant':
      return 'not conformant';
    case 'undetermined':
      return 'could not be judged';
    case 'partial':
      return record.gate.exitCode === 2
        ? 'nothing was judged'
        : `passed what was checked: ${checkedOf(record)}`;
  }
}

/** The same as a title that cannot be overlooked. */
export const loudly = (headline: string): string =>
  headline.replace(/^[^:]+/, (words) => words.toUpperCase());

/** How many of the checks that count were carried out in a run that left some out. */
function checkedOf({ summary, options }: Pick<RunRecord, 'summary' | 'options'>): string {
  const of = (level: 'MUST' | 'SHOULD') => {
    const count = summary[level];
    return `${judgedOf(count)} of ${Object.values(count).reduce((sum, one) => sum + one, 0)} ${level}`;
  };
  return options.strict ? `${of('MUST')}, ${of('SHOULD')}` : of('MUST');
}

/** What to do where a filter leaves nothing to judge. */
export const NOTHING_JUDGED =
  '--only and --skip leave no MUST check to judge; choose some that send requests (always/* judges what others send), or SHOULD checks with --strict';
