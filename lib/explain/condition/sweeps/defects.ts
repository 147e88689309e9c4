import type { Contract } from '../../../contract/contract.ts';
import { stringsOf } from '../../../contract/shape.ts';
import { compact } from '../../../list.ts';
import { type Defect, type DefectKind, defectsOf, mustBeRejected } from '../../../payloads/defects.ts';
import { type Json, JsonObject, write } from '../../../payloads/json.ts';
import { multipart, notJson, notUtf8, randomBytes } from '../../../payloads/malformed.ts';
import type { RequestState } from '../../../payloads/model/dimension.ts';
import { isInvalid } from '../../../payloads/validity.ts';
import { type Topic, type Wording, withArticle } from '../../wording/wording.ts';
import type { Candidate, Sweep } from '../candidates.ts';
import { classesOf, NOT_JSON, NOT_UTF8, TYPES } from './defect-classes.ts';

/**
 * Everything that can be wrong with a body, one value at a time.
 * @param withBytes whether to include bytes that are not UTF-8: only some stores reject them
 */
export function defectSweep(contract: Contract, control: JsonObject, withBytes = false): Sweep {
  const { shape } = contract.newPlant;
  const defects = defectsOf(shape).filter(mustBeRejected);
  const strings = stringsOf(shape);
  const candidates = [
    ...defects.flatMap((defect) => cellsOf(defect, contract, control)),
    ...notJson
      .filter((one) => !withBytes || one !== randomBytes)
      .map(({ name, apply }) => textCandidate(name, { corrupt: apply })),
    ...(withBytes ? [randomBytes, ...notUtf8(strings)] : []).map(({ name, apply }) =>
      bytesCandidate(name, { corrupt: apply }),
    ),
    textCandidate(multipart.name, { corrupt: multipart.apply }),
    textCandidate('no body', { noBody: true }),
  ];
  const properties = [...new Set(defects.flatMap(({ property }) => property ?? []))];
  const unique = new Map(candidates.map((candidate) => [candidate.value, candidate])).values();
  return { part: 'body', candidates: [...unique], classes: classesOf(properties, strings) };
}

/** Whether a label is about bytes that are not UTF-8. */
export const isAboutBytes = (label: string, { newPlant: { shape } }: Contract): boolean =>
  [randomBytes, ...notUtf8(stringsOf(shape))].some(({ name }) => name === label);

type BodyDefect = NonNullable<RequestState['defect']>;

const MAX_SHOWN = 40;

const shown = (json: Json): string => {
  const text = write(json, 7n);
  const characters = [...text];
  return characters.length > MAX_SHOWN ? `${characters.slice(0, MAX_SHOWN).join('')}…` : text;
};

function cellsOf(defect: Defect, contract: Contract, control: JsonObject): Candidate[] {
  const { property } = defect;
  const values = defect.typical(control).filter((json) => isInvalid(contract, json));
  return values.map((json): Candidate => {
    const value = property !== undefined && json instanceof JsonObject ? json.get(property) : undefined;
    const classes = ['any', ...classesFor(defect, value, [...contract.newPlant.shape.required])];
    return {
      value: values.length === 1 ? defect.name : `${defect.name}: ${shown(value ?? json)}`,
      words: {
        ...(value === undefined ? nameOf(defect) : valueWords(property ?? '', value)),
        topics: TOPICS[defect.kind],
      },
      apply: (state) => withJson(state, rebuilt(json, control, state.plant, property)),
      classes,
      label: defect.name,
    };
  });
}

const withJson = (state: RequestState, json: Json): RequestState =>
  json instanceof JsonObject ? { ...state, plant: json } : { ...state, defect: { json } };

/** The defect in another plant, if it is one of a property; its order and other properties may matter. */
function rebuilt(json: Json, control: JsonObject, plant: JsonObject, property: string | undefined): Json {
  if (property === undefined || !(json instanceof JsonObject) || plant === control) return json;
  const value = json.get(property);
  if (value !== undefined) return plant.with(property, value);
  const added = json.members.filter(([name]) => control.get(name) === undefined);
  return new JsonObject([...plant.without(property).members, ...added]);
}

/** What defects are about. */
const TOPICS: Readonly<Record<DefectKind, readonly Topic[]>> = {
  'not-an-object': ['not an object'],
  missing: ['missing'],
  'other-name': ['other name', 'missing'],
  nested: ['missing'],
  inherited: ['inherited'],
  null: ['null', 'wrong type'],
  fraction: ['wrong type'],
  numeral: ['wrong type'],
  'wrong-type': ['wrong type'],
  constraint: [],
  'beyond-format': [],
};

const valueWords = (property: string, value: Json): Wording => {
  const text = inWords(value);
  return { clause: `${property} is ${text}`, noun: `${text} as ${property}`, property };
};

/** Strings with more characters are described by their length, as JSON Schema counts it: in code points. */
const MAX_QUOTED = 24;

function inWords(value: Json): string {
  if (/^\[(?:-?\d+|"[^"]*")\]$/.test(shown(value))) return 'an array that holds the value';
  if (shown(value).startsWith('{"value":')) return 'an object that holds the value';
  if (/^"-?\d{16,}"$/.test(shown(value))) return 'a numeric string beyond 2^53';
  const { length } = typeof value === 'string' ? [...value] : [];
  if (typeof value !== 'string' || length <= MAX_QUOTED) return shown(value);
  const isAscii = [...value].every((character) => character < '\u0080');
  return `a string of ${length} characters${isAscii ? '' : ' that are not ASCII'}`;
}

function nameOf({ name, property }: Defect): Wording {
  const words = wordsOfDefect(name, property);
  if (!name.startsWith('no ')) return words;
  const missing = property ?? 'a property';
  return { ...words, clause: `${missing} is missing`, noun: `a plant without ${missing}` };
}

/** A defect in words, from its name. */
export function wordsOfDefect(name: string, property?: string): Wording {
  const about = property === undefined ? {} : { property };
  const subject = property ?? 'everything';
  if (!name.startsWith(`${subject} `))
    return { clause: `the body is ${name}`, noun: bodyNoun(name), ...about };
  const rest = name.slice(subject.length + 1);
  const [, limit] = /^is ((?:above|below|at) .*)$/.exec(rest) ?? [];
  const instead = rest.startsWith('is ') ? `${rest.slice(3)} as ${subject}` : name;
  return {
    clause: `${subject} ${rest.replace(/^(?=spelled|nested|inherited)/, 'is ')}`,
    noun: limit === undefined ? instead : `${withArticle(subject)} ${limit}`,
    ...about,
  };
}

const typeOf = ({ name }: Defect): string | undefined => TYPES[/ is (.+)$/.exec(name)?.[1] ?? ''];

/** Defects by which a property is not where it should be. */
const ABSENT: readonly DefectKind[] = ['missing', 'other-name', 'nested', 'inherited'];

const FALSY = new Set(['null', 'false', '0', '""']);

function classesFor(defect: Defect, value: Json | undefined, required: readonly string[]): string[] {
  const { kind, property, name } = defect;
  if (kind === 'not-an-object') return ['not an object', notAnObjectClass(name)];
  if (ABSENT.includes(kind)) {
    const way = name.includes('white space') ? 'spaced' : name.includes('NUL') ? 'ended' : kind;
    const lacking = (property === undefined ? required : [property]).map((one) => `lacking ${one}`);
    const own = property === undefined ? [] : [`absent ${property}`, `${way} ${property}`];
    return ['object', 'absent', ...lacking, way, ...own];
  }
  const type = typeOf(defect);
  if (property === undefined || type === undefined) return [`constraint ${property ?? ''}`];
  const isString = type === 'a string' || type === 'a numeric string';
  return [
    'object',
    'wrong type',
    `wrong ${property}`,
    ...(type === 'a fraction' || type === 'a number' ? [] : [`other than a number ${property}`]),
    type,
    ...(value !== undefined && FALSY.has(shown(value)) ? [`falsy ${property}`] : []),
    ...(isString ? [`any string ${property}`] : []),
    `${type} ${property}`,
  ];
}

const notAnObjectClass = (name: string) =>
  `body ${name.startsWith('an array') ? 'array' : name.startsWith('a string') ? 'string' : name}`;

/** Kinds of texts that are not JSON, by their names. */
const KIND_PATTERNS: readonly (readonly [kind: string, has: RegExp])[] = [
  ['truncated', /truncated|without the closing/],
  ['more', /followed|two values|twice/],
  ['empty', /white space only|no body|empty/],
  ['form', /form/],
];

function textCandidate(name: string, defect: BodyDefect): Candidate {
  const kind = KIND_PATTERNS.find(([, has]) => has.test(name))?.[0];
  const isAbsent = name === 'no body';
  return {
    value: name,
    words: {
      clause: isAbsent
        ? 'there is no body'
        : `the body is ${name.startsWith('missing') ? 'JSON with ' : ''}${name}`,
      noun: isAbsent ? 'requests without a body' : bodyNoun(name),
      topics: [kind === 'more' ? 'more JSON' : 'not JSON'],
    },
    apply: (state) => ({ ...state, defect }),
    label: name,
    classes: ['any', NOT_JSON, ...compact(kind), ...(isAbsent || name === 'empty' ? ['none'] : [])],
  };
}

/** A body that is not UTF-8, which is likely to be JSON otherwise. */
function bytesCandidate(name: string, defect: BodyDefect): Candidate {
  const [, place = '', property] = / (in (\w+)|in a property name)$/.exec(name) ?? [];
  const ofString = property === undefined ? [] : [`${NOT_UTF8} string`];
  return {
    value: name,
    words: { noun: name, clause: `the body contains ${name}`, topics: ['not UTF-8'] },
    apply: (state) => ({ ...state, defect }),
    label: name,
    classes: ['any', NOT_UTF8, ...ofString, `${NOT_UTF8} ${place}`],
  };
}

const bodyNoun = (name: string) =>
  name === 'empty'
    ? 'an empty body'
    : /^(?:truncated|with|followed|twice|preceded|missing|closed)/.test(name)
      ? `JSON ${name}`
      : `${name} as the body`;
