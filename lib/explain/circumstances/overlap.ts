import type { Search } from '../experiment/search.ts';
import type { Condition } from '../explanation/condition.ts';
import type { Explanation } from '../explanation/explanation.ts';
import { differences, PIECES, withParts } from '../explanation/request-parts.ts';
import { tryBesideOthers, tryUnderConcurrency } from './concurrency.ts';

/** Parts of a request that decide whether others are in flight with it, and for how long. */
const OVERLAP = [...PIECES, 'earlier requests'];

const isOfOverlap = ({ part = '' }: Condition): boolean => OVERLAP.includes(part);

/** Whether the condition requires a body in pieces, and another request that is in flight. */
export const mayOnlyOverlap = ({ request, conditions }: Explanation): boolean =>
  ['concurrent', 'pipelined'].includes(request.template.preceding?.connection ?? '') &&
  conditions.some(({ part = '' }) => PIECES.includes(part));

/** Finds whether a body in pieces matters only because others are in flight for as long as it arrives. */
export async function tryOverlap(found: Explanation, search: Search): Promise<Explanation | undefined> {
  const parts = differences(found.request, search.ordinary).filter(({ name }) => OVERLAP.includes(name));
  const alone = withParts(parts, search.ordinary, found.request);
  const others = (await tryBesideOthers(alone, search)) ?? (await tryUnderConcurrency(alone, search));
  return (
    others && {
      ...others,
      subject: found.subject,
      conditions: [...found.conditions.filter((one) => !isOfOverlap(one)), ...others.conditions],
      parts: found.parts.filter(({ name }) => !OVERLAP.includes(name)),
    }
  );
}
