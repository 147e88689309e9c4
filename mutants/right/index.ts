import type { RightStore } from '../fleet.ts';
import { answers, elsewhere } from './answers.ts';
import { identity } from './identity.ts';
import { limits } from './limits.ts';
import { load } from './load.ts';
import { parsers } from './parsers.ts';
import { refusals } from './refusals.ts';
import { transports } from './transports.ts';
import { uniqueness } from './uniqueness.ts';

/** The stores that the suite must not blame. */
export const rightStores: readonly RightStore[] = [
  ...refusals,
  ...answers,
  ...elsewhere,
  ...transports,
  ...identity,
  ...load,
  ...parsers,
  ...limits,
  ...uniqueness,
];
