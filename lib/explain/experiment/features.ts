import { compact } from '../../collections.ts';
import type { Contract } from '../../contract/contract.ts';
import { membersOf } from '../../members.ts';
import { write } from '../../payloads/json.ts';
import { WITH_BLANK_LINES, WITH_CARRIAGE_RETURNS } from '../../payloads/model/text.ts';
import { ID } from '../../payloads/plants.ts';
import { withSeparators } from '../../text.ts';
import { type Condition, thereIs, thereIsNo } from '../explanation/condition.ts';
import { ID_WITH_EXPONENT } from '../values/ids.ts';
import {
  WITH_CARRIAGE_RETURNS_IN_TEXT,
  WITH_ESCAPED_NAMES,
  WITH_ESCAPES,
  WITH_LINE_FEED_AT_END,
  WITH_LOWER_CASE_ESCAPES,
  WITH_UNDECLARED,
} from '../values/model.ts';
import { paddedTo } from '../values/sizes.ts';
import { ordinaryRequests } from './ordinary-requests.ts';

/** A feature that bodies with different defects may have in common. */
export interface Feature {
  readonly condition: Condition;
  readonly has: (body: string) => boolean;
  /** Further conditions without which the feature does not decide. */
  readonly besides?: readonly Condition[];
  /** Adds the feature to a body that lacks it, without changing anything else. */
  readonly add?: (body: string) => string;
  /** The condition says what is wrong with the bodies. */
  readonly isOfDefect?: true;
  /** Whether a body with other fresh values may well have the feature, or lack it. */
  readonly isNear?: (body: string) => boolean;
  /** Above which number of bytes, and up to which, the limit lies, if the feature is about the size. */
  readonly limitBetween?: readonly [below: number, size: number];
  /** Above which id, and up to which, the limit lies, if the feature is about the magnitude of the id. */
  readonly idBetween?: readonly [below: number, id: number];
}

type HasSpelling = RegExp | ((body: string, contract: Contract) => boolean);

/** The names of the properties in a body that the document does not declare. */
const undeclaredIn = (body: string, { newPlant: { shape } }: Contract): readonly string[] =>
  Object.keys(membersOf(body)).filter((name) => !shape.properties.has(name));

/** The spellings that a condition may be about, and how to recognise them in a body. */
const SPELLINGS: Readonly<Record<string, HasSpelling>> = {
  [ID_WITH_EXPONENT]: /[:[,]\s*-?\d+(?:\.\d+)?[eE]/,
  [WITH_ESCAPES]: /\\u/,
  [WITH_ESCAPED_NAMES]: /\\u[\dA-Fa-f]{4}[^"]*"\s*:/,
  [WITH_LOWER_CASE_ESCAPES]: /\\u[\dA-F]*[a-f]/,
  [WITH_CARRIAGE_RETURNS_IN_TEXT]: /\r/,
  [WITH_LINE_FEED_AT_END]: /\n$/,
  [WITH_CARRIAGE_RETURNS]: /\r/,
  [WITH_BLANK_LINES]: /\r\n\r\n/,
  [WITH_UNDECLARED]: (body, contract) => undeclaredIn(body, contract).length > 0,
};

const spellingsIn = ({ clause = '', phrase = clause }: Condition): readonly HasSpelling[] =>
  compact(...phrase.split(/, | or /).map((one) => SPELLINGS[one]));

/**
 * If one of the conditions is about spellings, or about the order of the properties, returns it as a feature that
 * covers other bodies as well: some characters must always be escaped, and a parser reads all numbers alike.
 */
export function featureIn(conditions: readonly Condition[], contract: Contract): Feature | undefined {
  const condition = conditions.find((one) => one.hasOrder !== undefined || spellingsIn(one).length > 0);
  if (condition === undefined) return undefined;
  const { hasOrder } = condition;
  const known = spellingsIn(condition);
  const has = (body: string) =>
    hasOrder?.(Object.keys(membersOf(body))) ??
    known.some((spelling) => (spelling instanceof RegExp ? spelling.test(body) : spelling(body, contract)));
  const besides = conditions.filter((one) => one !== condition);
  return { condition, has, ...(besides.length === 0 ? {} : { besides }) };
}

/** Minimum number of bodies with the fault, and without it: fewer may be separated by coincidence. */
const MIN_SIDE = 4;
/** Maximum number, and fraction, of bodies that contradict the feature: another rule may apply to them. */
const [MAX_CONTRADICTIONS, MAX_CONTRADICTING_PART] = [2, 0.05];
/** At most this fraction of the failing bodies may lack the feature; if more do, there is a second fault. */
const MAX_UNEXPLAINED_PART = 0.1;

/** At least this fraction of the bodies must clearly have the feature, or lack it. */
const MIN_CLEAR_PART = 0.75;

type BodyResults = readonly (readonly [body: string, shows: boolean])[];

/** Finds the feature that separates bodies that show a fault from those that do not. */
export function separating(tries: BodyResults, contract: Contract): Feature | undefined {
  const shown = tries.filter(([, shows]) => shows).length;
  if (shown < MIN_SIDE || tries.length - shown < MIN_SIDE) return undefined;
  const clear = ({ isNear }: Feature) => tries.filter(([body]) => isNear?.(body) !== true);
  const contradicting = ({ has }: Feature, bodies: BodyResults) =>
    bodies.filter(([body, shows]) => has(body) !== shows).length;
  const unexplained = (feature: Feature) =>
    clear(feature).filter(([body, shows]) => shows && !feature.has(body)).length;
  const scored = [...featuresOf(contract), ...magnitudesIn(tries), ...sizesIn(tries)]
    .filter((feature) => clear(feature).length >= tries.length * MIN_CLEAR_PART)
    .map((feature) => ({
      feature,
      against: contradicting(feature, clear(feature)),
      inAll: contradicting(feature, tries),
    }));
  const [best] = scored.toSorted((a, b) => a.against - b.against || a.inAll - b.inAll);
  const allowed = Math.min(MAX_CONTRADICTIONS, tries.length * MAX_CONTRADICTING_PART);
  if (best === undefined || best.against > allowed) return undefined;
  return unexplained(best.feature) <= shown * MAX_UNEXPLAINED_PART ? best.feature : undefined;
}

/** The characters that a JSON string contains only as escapes (RFC 8259 section 7). */
const MUST_BE_ESCAPED = /["\\\p{Cc}]/u;

/** The number of properties of a body that are missing, or would make an ordinary plant invalid. */
function defectsIn(body: string, contract: Contract): number {
  const { shape, validate } = contract.newPlant;
  const [ordinary] = ordinaryRequests(contract);
  const good = membersOf(write(ordinary.plant, 1n));
  const members = membersOf(body);
  return [...shape.properties.keys()].filter((name) => {
    if (!Object.hasOwn(members, name)) return shape.required.has(name);
    // Compare doubles, not numerals: serialising the value could overflow the stack.
    return validate(() => undefined, { ...good, [name]: members[name] }).length > 0;
  }).length;
}

function featuresOf(contract: Contract): readonly Feature[] {
  const { shape } = contract.newPlant;
  const declared = [...shape.properties.keys()];
  const namesIn = (body: string) => Object.keys(membersOf(body));
  return [
    {
      condition: { phrase: WITH_UNDECLARED, topics: ['undeclared property'] },
      has: (body) => undeclaredIn(body, contract).length > 0,
    },
    {
      condition: {
        noun: 'properties nested one level down',
        clause: 'the properties are nested one level down',
        topics: ['missing'],
      },
      isOfDefect: true,
      has: (body) =>
        Object.values(membersOf(body)).some((value) =>
          declared.some((name) => Object.hasOwn(Object(value), name)),
        ),
    },
    {
      condition: { clause: 'more than one property is missing or wrong', topics: ['any body'] },
      // Some stores read no body as an empty object.
      has: (body) => body === '' || (body.trimStart().startsWith('{') && defectsIn(body, contract) > 1),
    },
    {
      condition: { clause: 'the body contains null', topics: ['null'] },
      has: (body) => /(?:^|[[:,])\s*null\s*(?:[\],}]|$)/.test(body),
    },
    {
      condition: { phrase: WITH_LINE_FEED_AT_END },
      has: (body) => body.endsWith('\n'),
      add: (body) => `${body}\n`,
    },
    {
      condition: { clause: 'the body contains a quotation mark', topics: ['quotes'] },
      has: (body) => body.includes('"'),
    },
    {
      condition: {
        clause: 'the body contains a quotation mark, a backslash or a control character',
        topics: ['quotes'],
      },
      has: (body) => MUST_BE_ESCAPED.test(body),
    },
    ...declared.flatMap((name): Feature[] => [
      { condition: thereIs(name), has: (body) => namesIn(body).includes(name) },
      {
        condition: thereIsNo(name),
        has: (body) => namesIn(body).length > 0 && !namesIn(body).includes(name),
      },
    ]),
  ];
}

/** Each number together with the next lower one. Limits lie between the two. */
function neighbours(numbers: readonly number[]): readonly (readonly [below: number, one: number])[] {
  const distinct = [...new Set(numbers)].toSorted((a, b) => a - b);
  return distinct.slice(1).map((one, index) => [distinct[index] ?? 0, one]);
}

/** Limits on ids that may separate the bodies: one between any two neighbouring ids. */
function magnitudesIn(tries: BodyResults): readonly Feature[] {
  const idInBody = (body: string): number => {
    const id = membersOf(body)[ID];
    return typeof id === 'number' ? id : Number.NaN;
  };
  const ids = tries.map(([body]) => idInBody(body));
  // A body without a numeric id says nothing about magnitudes.
  if (ids.some(Number.isNaN)) return [];
  return neighbours(ids).map(([below, id]) => ({
    condition: {
      clause: `${ID} is above about ${withSeparators(roundBetween(below, id))}`,
      property: ID,
      topics: ['large id'],
    },
    // The exact limit is unknown; take the lowest possible one.
    has: (body) => idInBody(body) > below,
    idBetween: [below, id],
  }));
}

function roundBetween(low: number, high: number): number {
  for (let unit = 10 ** Math.floor(Math.log10(Math.max(1, high))); unit >= 1; unit /= 10) {
    const round = Math.floor(high / unit) * unit;
    if (round >= low) return round;
  }
  return low;
}

/** Bytes by which the length of a fresh value may vary. */
export const FRESH_BYTES = 6;

function sizesIn(tries: BodyResults): readonly Feature[] {
  const sizeOf = (body: string) => Buffer.byteLength(body);
  return neighbours(tries.map(([body]) => sizeOf(body))).flatMap(([below, size]): Feature[] => {
    const isNear = (body: string) => Math.abs(sizeOf(body) - below) <= FRESH_BYTES;
    return [
      {
        condition: {
          clause: size === 1 ? 'the body is not empty' : `the body is longer than about ${below} bytes`,
          topics: ['size'],
        },
        // The exact limit is unknown; take the lowest possible one.
        has: (body) => sizeOf(body) > below,
        isNear,
        add: paddedTo(size),
        limitBetween: [below, size],
      },
      {
        condition: {
          clause: size === 1 ? 'the body is empty' : `the body is shorter than about ${size} bytes`,
        },
        has: (body) => sizeOf(body) < size,
        isNear,
        limitBetween: [below, size],
      },
    ];
  });
}
