import { nestedArrays, nestedObjects, type Raw } from '../../../payloads/json.ts';
import type { Sweep } from '../candidates.ts';

/** More levels than people write. */
const [DEEP_ARRAYS, DEEP_OBJECTS] = [/\[{30,}/, /(?:\{"[^"]{0,20}":){30,}/];

/** How JSON is nested. */
export interface Nesting {
  readonly levels: number;
  readonly nested: (levels: number) => Raw;
}

/** How a text is nested, if it is so more deeply than people write. */
export function nestingIn(text: string): Nesting | undefined {
  const [arrays] = DEEP_ARRAYS.exec(text) ?? [];
  if (arrays !== undefined) return { levels: arrays.length, nested: nestedArrays };
  const [objects] = DEEP_OBJECTS.exec(text) ?? [];
  return objects === undefined ? undefined : { levels: objects.split('{').length - 1, nested: nestedObjects };
}

/** Limits of recursion in common runtimes lie between these. */
const POINTS = [1, 30, 64, 100, 128, 300, 512, 600, 1000, 1024, 3000, 6000, 15_000, 30_000];

/** Levels as the value of an undeclared property. */
export const depthSweep = (property: string, { nested }: Nesting): Sweep => ({
  part: 'nesting',
  candidates: [],
  classes: [],
  scale: {
    points: POINTS.map(BigInt),
    candidateAt: (point) => ({
      value: `${point} levels`,
      words: { clause: `the body is nested ${point} levels deep` },
      apply: (state) => ({ ...state, plant: state.plant.with(property, nested(Number(point))) }),
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
