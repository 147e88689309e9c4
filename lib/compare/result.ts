import { compact } from '../collections.ts';
import { counted } from '../text.ts';
import type { Comparison } from './comparison.ts';
import { verdictOf } from './table.ts';

type Verdict = ReturnType<typeof verdictOf>;

export const countOf = ({ columns }: Comparison, words: Verdict['words']): number =>
  columns.filter((column) => verdictOf(column).words === words).length;

/** Returns the result of a comparison in one sentence. */
export function resultSentence(comparison: Comparison): string {
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
