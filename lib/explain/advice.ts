import type { Check } from '../run/check.ts';
import type { Circumstance } from './circumstances.ts';
import type { Wanted } from './lab.ts';

/** What to do about a fault: the fix first, then how such a fault typically comes about. */
export function adviceFor(wanted: Wanted, found: Circumstance, check: Check | undefined): string {
  const { subject } = found;
  const about = [subject?.clause, subject?.noun].join(' ');
  const known = ADVICE.find(
    ({ symptom, subject: wants, kind }) =>
      symptom.test(wanted.words) &&
      (wants === undefined || wants.test(about)) &&
      (kind === undefined || kind === found.kind),
  );
  return known?.text ?? check?.hint ?? 'Compare the request with one that is answered correctly.';
}

interface Advice {
  readonly symptom: RegExp;
  readonly subject?: RegExp;
  readonly kind?: Circumstance['kind'];
  readonly text: string;
}

/** From special to general. */
const ADVICE: readonly Advice[] = [];
