import type { Check } from '../lib/run/check.ts';
import { always } from './always.ts';
import { auth } from './auth.ts';
import { create } from './create.ts';
import { observations } from './observe.ts';
import { refuse } from './refuse.ts';
import { serving } from './serving.ts';
import { wholeShape } from './whole-shape.ts';

/** Everything that is checked, in the order in which it is. What holds for every answer is decided last. */
export const catalogue: readonly Check[] = [
  ...create,
  ...wholeShape,
  ...refuse,
  ...auth,
  ...observations,
  ...serving,
  ...always,
];
