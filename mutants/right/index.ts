import type { RightStore } from '../fleet.ts';
import { answers, otherTargets } from './answers.ts';
import { connections } from './connections.ts';
import { credentials } from './credentials.ts';
import { dressing } from './dressing.ts';
import { headers } from './headers.ts';
import { identity } from './identity.ts';
import { limits } from './limits.ts';
import { load } from './load.ts';
import { parsers } from './parsers.ts';
import { rejections } from './rejections.ts';
import { repeats } from './repeats.ts';
import { sizes } from './sizes.ts';
import { stacks } from './stacks.ts';
import { targets } from './targets.ts';
import { transports } from './transports.ts';
import { uniqueness } from './uniqueness.ts';

/** The stores that the suite must not accuse. */
export const rightStores: readonly RightStore[] = [
  ...rejections,
  ...answers,
  ...otherTargets,
  ...transports,
  ...identity,
  ...load,
  ...parsers,
  ...limits,
  ...uniqueness,
  ...targets,
  ...headers,
  ...sizes,
  ...repeats,
  ...credentials,
  ...connections,
  ...dressing,
  ...stacks,
];
