import type { Check } from '../lib/run/check.ts';
import { always } from './always.ts';
import { auth } from './auth.ts';
import { combinations } from './combinations.ts';
import { create } from './create.ts';
import { observations } from './observe.ts';
import { refuse } from './refuse.ts';
import { sequences } from './sequences.ts';
import { serving } from './serving.ts';
import { wholeShape } from './whole-shape.ts';

/**
 * Everything that is checked, in the order in which it is. What must be refused comes before the ids 0 and 1 are
 * used up: a store that takes `true` for 1 would refuse it as one that it knows. What holds for every answer is
 * decided last.
 */
export const catalogue: readonly Check[] = [
  ...create,
  ...refuse,
  ...wholeShape,
  ...auth,
  ...combinations,
  ...observations,
  ...sequences,
  ...serving,
  ...always,
];
