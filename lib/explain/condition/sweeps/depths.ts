import { nestedArrays } from '../../../payloads/json.ts';
import type { Sweep } from '../candidates.ts';

/** Arrays with more levels than people write. */
export const DEEP = /\[{30,}/;

/** Limits of recursion in common runtimes lie between these. */
const POINTS = [1, 30, 64, 100, 128, 300, 512, 600, 1000, 1024, 3000, 6000, 15_000, 30_000];

/** Levels of arrays as the value of an undeclared property. */
export const depthSweep = (property: string): Sweep => ({
  part: 'nesting',
  candidates: [],
  classes: [],
  scale: {
    points: POINTS.map(BigInt),
    candidateAt: (point) => ({
      value: `${point} levels`,
      words: { clause: `the body is nested ${point} levels deep` },
      apply: (state) => ({ ...state, plant: state.plant.with(property, nestedArrays(Number(point))) }),
      classes: [],
    }),
    above: (point) => ({ clause: `the body is nested more than ${point} levels deep`, topics: ['depth'] }),
    below: (point) => ({ clause: `the body is nested fewer than ${point} levels deep` }),
    between: (first, last) => ({
      clause: `the body is nested ${first} to ${last} levels deep`,
      topics: ['depth'],
    }),
  },
});
