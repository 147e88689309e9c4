import type { RequestState } from '../../../payloads/model/dimension.ts';
import type { Scale, Sweep } from '../candidates.ts';

const POINTS = [
  60, 70, 80, 100, 128, 200, 256, 512, 1000, 1025, 2000, 4000, 4097, 8000, 8193, 16000, 16385, 32000, 48000,
  60000,
];

/** Sizes of a body in bytes, by white space before its end. */
export const sizeSweep: Sweep = { part: 'body size', candidates: [], classes: [], scale: sizes() };

/** Makes a text that long, by white space before its end. */
export const paddedTo =
  (bytes: number) =>
  (text: string): string => {
    const missing = bytes - Buffer.byteLength(text);
    const end = text.lastIndexOf('}');
    return missing <= 0 || end < 0 ? text : `${text.slice(0, end)}${' '.repeat(missing)}${text.slice(end)}`;
  };

function sizes(): Scale {
  return {
    points: POINTS.map(BigInt),
    candidateAt: (point) => ({
      value: `${point} bytes`,
      words: { clause: `the body has ${point} bytes` },
      apply: (state: RequestState) => ({ ...state, edits: [...state.edits, paddedTo(Number(point))] }),
      classes: [],
    }),
    above: (point) => ({
      clause: `the body is longer than ${point} bytes`,
      isLarger: true,
      topics: ['size'],
      bytesAbove: Number(point),
    }),
    below: (point) => ({ clause: `the body is shorter than ${point} bytes` }),
    between: (first, last) => ({ clause: `the body has ${first} to ${last} bytes` }),
  };
}
