import { nestedArrays, nestedObjects, type Raw } from '../../payloads/json.ts';
import type { ModelRequest } from '../../payloads/model/model-request.ts';
import type { Condition } from '../explanation/condition.ts';
import type { Scale, Sweep } from './candidates.ts';

/** Tries only the points of a scale. */
export const scaleSweep = (part: string, scale: Scale): Sweep => ({
  part,
  candidates: [],
  classes: [],
  scale,
});

const SIZES = [60, 70, 80, 100, 128, 200, 256, 512, 1000, 1025, 2000, 4000, 4097, 8000, 8193, 16000]
  .concat([16385, 32000, 48000, 60000])
  .map(BigInt);

/** Sizes of a body in bytes, reached by adding white space before its end. */
export const sizeSweep = sizesAmong(SIZES);

/** Sizes between that of a body and a larger one. */
export const sizesBetween = (from: number, to: number): Sweep => sizesAmong([BigInt(from), BigInt(to)]);

function sizesAmong(points: readonly bigint[]): Sweep {
  return scaleSweep('body size', {
    points,
    valueAt: (point) => `${point} bytes`,
    apply: (request, point) => ({ ...request, edits: [...request.edits, paddedTo(Number(point))] }),
    above: (point) => longerThan(Number(point)),
    below: (point) => ({ clause: `the body is shorter than ${point} bytes`, isSmaller: true }),
    between: (first, last) => ({ clause: `the body has ${first} to ${last} bytes` }),
  });
}

/** Rewords a limit for the size that bodies really have: a defect may come after the padding, and add to it. */
export function withRealSize(
  condition: Condition,
  request: ModelRequest,
  sizeOf: (request: ModelRequest) => number,
): Condition {
  const { bytesAbove } = condition;
  if (bytesAbove === undefined) return condition;
  return longerThan(sizeOf({ ...request, edits: [...request.edits, paddedTo(bytesAbove)] }));
}

const longerThan = (bytes: number): Condition => ({
  clause: `the body is longer than ${bytes} bytes`,
  isLarger: true,
  topics: ['size', 'body size'],
  bytesAbove: bytes,
});

export const canBePadded = (text: string): boolean => text.includes('}');

/** Pads the text of an object to this many bytes, with white space before its end. */
export const paddedTo =
  (bytes: number) =>
  (text: string): string => {
    const missing = bytes - Buffer.byteLength(text);
    const end = text.lastIndexOf('}');
    return missing <= 0 || end < 0 ? text : `${text.slice(0, end)}${' '.repeat(missing)}${text.slice(end)}`;
  };

/** Arrays or objects, nested in one another. */
interface Nesting {
  readonly levels: number;
  readonly nested: (levels: number) => Raw;
}

/** How a text is nested, if it is nested more deeply than anyone would write by hand. */
export function nestingIn(text: string): Nesting | undefined {
  const [arrays] = /\[{30,}/.exec(text) ?? [];
  if (arrays !== undefined) return { levels: arrays.length, nested: nestedArrays };
  const [objects] = /(?:\{"[^"]{0,20}":){30,}/.exec(text) ?? [];
  return objects === undefined ? undefined : { levels: objects.split('{').length - 1, nested: nestedObjects };
}

/** Returns the deepest level of arrays and objects in a text, whether or not it is JSON. */
export function depthIn(text: string): number {
  let [depth, deepest] = [0, 0];
  for (const character of text.replace(/"(?:[^"\\]|\\.)*"/g, '').replace(/[^[\]{}]/g, '')) {
    depth += character === '[' || character === '{' ? 1 : -1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

const MANY_DIGITS = /\d{30,}/;

/** Tries numbers of digits, if a text contains a number or numeral that is longer than any id. */
export function digitsSweep(text: string, subject: string): Sweep | undefined {
  const [digits] = MANY_DIGITS.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const withDigits = (count: number) => (json: string) => json.replace(MANY_DIGITS, '9'.repeat(count));
  const counts = [20, 30, 100, 300, 310, 1000, 3000].filter((count) => count < digits.length);
  return scaleSweep('digits', {
    points: [...counts, digits.length].map(BigInt),
    valueAt: (point) => `${point} digits`,
    apply: (request, point) => ({ ...request, edits: [...request.edits, withDigits(Number(point))] }),
    above: (point) => ({ clause: `${subject} has more than ${point} digits` }),
    below: (point) => ({ clause: `${subject} has fewer than ${point} digits` }),
    between: (first, last) => ({ clause: `${subject} has ${first} to ${last} digits` }),
  });
}

/** Converts levels in a property to levels in the body, where the plant itself is one. */
const inBody = (levels: bigint): bigint => levels + 1n;

/** Tries levels of nesting in the value of an undeclared property. */
export const depthSweep = (property: string, { nested }: Nesting): Sweep =>
  scaleSweep('nesting', {
    // The recursion limits of common runtimes lie between these.
    points: [1, 30, 64, 100, 128, 300, 512, 600, 1000, 1024, 3000, 6000, 15_000, 30_000].map(BigInt),
    valueAt: (point) => `${inBody(point)} levels`,
    apply: (request, point) => ({ ...request, plant: request.plant.with(property, nested(Number(point))) }),
    above: (point) => ({
      clause: `the body is nested more than ${inBody(point)} levels deep`,
      topics: ['depth'],
      levelsAbove: Number(inBody(point)),
    }),
    below: (point) => ({ clause: `the body is nested fewer than ${inBody(point)} levels deep` }),
    between: (first, last) => ({
      clause: `the body is nested ${inBody(first)} to ${inBody(last)} levels deep`,
      topics: ['depth'],
    }),
  });
