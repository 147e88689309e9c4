import { exactInteger } from '../../contract/numeral.ts';
import { freshId } from '../../payloads/fresh.ts';
import { type Json, Raw } from '../../payloads/json.ts';
import type { ModelRequest } from '../../payloads/model/model-request.ts';
import { ID } from '../../payloads/plants.ts';
import { withSeparators } from '../../text.ts';
import type { Condition } from '../explanation/condition.ts';
import type { Candidate, Scale, Sweep } from './candidates.ts';

const POWERS = [10, 15, 16, 17, 20, 23, 24, 26, 28, 29, 30, 31, 32, 33, 40, 48, 52, 53, 54, 60, 62].map(
  BigInt,
);

type IdClass = readonly [clause: string, has: (id: bigint) => boolean];

const PARITY: readonly IdClass[] = [
  ['is odd', (id) => id % 2n !== 0n],
  ['is even', (id) => id % 2n === 0n],
];

/** Classes of ids that programs treat alike. */
const CLASSES: readonly IdClass[] = [
  ...PARITY,
  ['cannot be represented by a 32-bit float', (id) => Math.fround(Number(id)) !== Number(id)],
  ['cannot be represented by a double', (id) => BigInt(Number(id)) !== id],
  ['is 0 or negative', (id) => id <= 0n],
  ['is negative', (id) => id < 0n],
  ['is negative and odd', (id) => id < 0n && id % 2n !== 0n],
];

const idCondition = (text: string, isAboutMagnitude = true): Condition => ({
  clause: `${ID} ${text}`,
  property: ID,
  ...(isAboutMagnitude ? { topics: ['large id'] } : {}),
});

const WITH_EXPONENT = 'is written with an exponent';
export const ID_WITH_EXPONENT = `${ID} ${WITH_EXPONENT}`;

/** What follows the digits of an id that is not written as plain digits: of a small one, and of a large one. */
const ENDS = ['e0', '.0', 'e8', '00000000.0'];

/** Classes of ids that are not written as plain digits, by what follows their digits, from broad to narrow. */
const WRITTEN: readonly (readonly [text: string, ends: readonly string[]])[] = [
  ['is written with an exponent or a decimal point', ENDS],
  [WITH_EXPONENT, ['e0', 'e8']],
  ['is written with a decimal point', ['.0', '00000000.0']],
  ['is above 2^53 and written with an exponent or a decimal point', ['e8', '00000000.0']],
  ['is above 2^53 and written with an exponent', ['e8']],
  ['is above 2^53 and written with a decimal point', ['00000000.0']],
];

/** A scale of magnitudes, with fresh ids at or slightly above each point. */
const MAGNITUDES: Scale = {
  points: POWERS.map((power) => 2n ** power),
  valueAt: (point) => `${point} and a little more`,
  // The last bits vary, so that a fault that depends on them shows now and then, rather than from some
  // magnitude on.
  apply: (request, point) => ({ ...request, plant: request.plant.with(ID, idsFrom(point)) }),
  above: (point) => idCondition(`is above ${bound(point)}`),
  exactly: (point) => {
    const power = powerNear(point);
    return power === undefined
      ? undefined
      : { ...candidateOf(String(power), power), condition: idCondition(`is ${bound(point)} or more`) };
  },
  withNegative: (limit, { clause = '' }) => {
    const larger = clause.replace(`${ID} is `, '');
    return [
      {
        condition: idCondition(`is beyond ±${bound(limit)}`),
        has: (id) => id > limit || -id > limit,
      },
      { condition: idCondition(`is 0, negative or ${larger}`), has: (id) => id > limit || id <= 0n },
      { condition: idCondition(`is negative or ${larger}`), has: (id) => id > limit || id < 0n },
    ];
  },
  below: (point) => idCondition(`is below ${bound(point)}`),
  between: (first, last) =>
    first === last
      ? { ...idCondition(`is ${bound(first)}`), isRepeated: true }
      : idCondition(`is between ${bound(first)} and ${bound(last)}`),
};

/** Ids between two others, written in place of the digits with which the id of a body begins. */
export function idsBetween(low: number, high: number): Sweep {
  const apply = (request: ModelRequest, point: bigint): ModelRequest => ({
    ...request,
    edits: [...request.edits, (text) => text.replace(ID_DIGITS, (_, name: string) => `${name}${point}`)],
  });
  const points = [low, high].map((id) => BigInt(Math.floor(id)));
  return { part: ID, candidates: [], classes: [], scale: { ...MAGNITUDES, points, apply, valueAt: String } };
}

const ID_DIGITS = new RegExp(`("${ID}"\\s*:\\s*)-?\\d+`);

/** Odd, and long enough that eight zeros more make it exceed 2^53. */
const ORDINARY = freshId(2n ** 30n + 1n, 2n ** 31n, 2n);

/** Values of an integer id. Small ids may all be in use, so most values are above 2^20. */
export const idSweep: Sweep = {
  part: ID,
  candidates: [
    candidateOf('odd', freshId(2n ** 21n + 1n, 2n ** 24n, 2n)),
    candidateOf('even', freshId(2n ** 21n, 2n ** 24n, 2n)),
    candidateOf('odd, above 2^24', freshId(2n ** 24n + 1n, 2n ** 26n, 2n)),
    candidateOf('a multiple of 256 above 2^24', freshId(2n ** 24n, 2n ** 26n, 256n)),
    candidateOf('a multiple of 256 near 2^31', freshId(2n ** 31n - 2n ** 23n, 2n ** 31n, 256n)),
    candidateOf('odd, near 2^31', freshId(2n ** 31n - 2n ** 21n + 1n, 2n ** 31n, 2n)),
    candidateOf('odd, above 2^53', freshId(2n ** 53n + 1n, 2n ** 62n, 2n)),
    candidateOf('a multiple of 4096 above 2^60', freshId(2n ** 60n, 2n ** 62n, 4096n)),
    candidateOf('negative', freshId(-(2n ** 31n), -(2n ** 20n), 256n)),
    candidateOf('negative and odd', freshId(-(2n ** 31n) + 1n, -(2n ** 20n), 2n)),
    candidateOf('below -2^53', freshId(-(2n ** 62n), -(2n ** 53n), 4096n)),
    candidateOf('below -2^53 and odd', freshId(-(2n ** 62n) + 1n, -(2n ** 53n), 2n)),
    candidateOf('0', 0n),
    ...ENDS.map(writtenWith),
  ],
  classes: [
    ...CLASSES.map((row) => ({ id: row[0], condition: idCondition(row[0], !PARITY.includes(row)) })),
    ...WRITTEN.map(([text]) => ({ id: text, condition: idCondition(text, false) })),
  ],
  scale: MAGNITUDES,
  closer: powersOfTwo,
};

const MAX_POWER = 8n;

/** Odd ids may fail only because they are not a multiple of 4, 8 or a higher power of 2. */
function powersOfTwo(shown: readonly Candidate[]): Sweep | undefined {
  const points = shown.flatMap(({ point }) => point ?? []);
  if (points.length === 0 || points.some((point) => point % 2n === 0n)) return undefined;
  const isNegative = points.every((point) => point < 0n);
  const [min, max] = isNegative ? [-(2n ** 31n), -(2n ** 20n)] : [2n ** 21n, 2n ** 24n];
  const powers = Array.from({ length: Number(MAX_POWER) }, (_, index) => 2n ** BigInt(index));
  const multiples = (power: bigint): IdClass => [
    `is ${isNegative ? 'negative and ' : ''}${power === 2n ? 'odd' : `not a multiple of ${power}`}`,
    (id) => id % power !== 0n,
  ];
  const classes = powers.map((power) => multiples(2n * power));
  return {
    part: ID,
    candidates: powers.map((power) =>
      candidateOf(`${power} times an odd number`, freshId(min + power, max, 2n * power), classes),
    ),
    classes: classes.map(([clause]) => ({ id: clause, condition: idCondition(clause, false) })),
  };
}

function candidateOf(value: string, json: Json, classes: readonly IdClass[] = CLASSES): Candidate {
  const number = BigInt(json instanceof Raw ? json.written(2n ** 21n + 7n) : String(json));
  return {
    value,
    condition: {
      ...idCondition(`is ${value}`),
      ...(typeof json === 'bigint' ? { isRepeated: true } : {}),
    },
    apply: (request) => ({ ...request, plant: request.plant.with(ID, json) }),
    classes: classes.filter(([, has]) => has(number)).map(([clause]) => clause),
    point: number,
  };
}

/** An id in digits with something after them, which is not a plain integer any more. */
function writtenWith(end: string): Candidate {
  const json = new Raw((id) => `${ORDINARY.written(id)}${end}`, ORDINARY.choices);
  const point = exactInteger(json.written(2n ** 30n + 7n)) ?? 0n;
  const written = WRITTEN.filter(([, ends]) => ends.includes(end)).map(([text]) => text);
  const text = written.at(-1) ?? '';
  return {
    value: text.replace('is ', ''),
    condition: idCondition(text, false),
    apply: (request) => ({ ...request, plant: request.plant.with(ID, json) }),
    classes: [...CLASSES.filter(([, has]) => has(point)).map(([clause]) => clause), ...written],
    point,
  };
}

/** The size of the range above a point from which ids are taken, so that each run sends different ones. */
const windowAt = (point: bigint): bigint => (point >> 10n) + 16n;

/** Returns a fresh id at or slightly above another one. */
export const idsFrom = (id: bigint): Raw => freshId(id, id + windowAt(id < 0n ? -id : id));

/** Whether a limit may lie here, given the highest point below it that was tried. */
const isNear = (limit: bigint, point: bigint): boolean =>
  limit >= point - 1n && limit <= point + windowAt(point);

const powerNear = (point: bigint): bigint | undefined =>
  POWERS.map((power) => 2n ** power).find((one) => isNear(one, point));

/** The wording of a limit: a power of two or a round number, if one is close to what was tried. */
function bound(point: bigint): string {
  const isClose = (limit: bigint) => isNear(limit, point);
  const power = POWERS.find((one) => isClose(2n ** one));
  if (power !== undefined) return `2^${power} (${2n ** power})`;
  const units = [...String(point)].map((_, index, digits) => 10n ** BigInt(digits.length - 1 - index));
  const round = units.flatMap((unit) => [point / unit, point / unit + 1n].map((digits) => digits * unit));
  return `about ${withSeparators(round.find(isClose) ?? point)}`;
}
