import { compact } from '../../collections.ts';
import type { Contract } from '../../contract/contract.ts';
import { stringsOf } from '../../contract/shape.ts';
import { type Defect, type DefectKind, defectsOf, mustBeRejected } from '../../payloads/defects.ts';
import { type Json, JsonObject, Raw, write } from '../../payloads/json.ts';
import { type Edit, multipart, notJson, notUtf8, randomBytes } from '../../payloads/malformed.ts';
import type { BodyDefect, ModelRequest } from '../../payloads/model/model-request.ts';
import { isInvalid } from '../../payloads/validity.ts';
import { type Condition, type Topic, withArticle } from '../explanation/condition.ts';
import { firstValue } from '../symptom/body.ts';
import type { Candidate, Sweep } from './candidates.ts';
import { classesOf, IN_ARRAY, NOT_JSON, NOT_UTF8, type TypeName, UNPARSABLE } from './defect-classes.ts';
import { NOT_ASCII } from './strings.ts';

/** A body that is not JSON. */
export const TRUNCATED: BodyDefect = { corrupt: (text) => text.slice(0, -1) };

/**
 * Tries every defect of a body, one value at a time. Only some stores reject bytes that are not UTF-8.
 * @param withFormats whether to try values that only the format of a property excludes, too
 */
export function defectSweep(
  contract: Contract,
  control: JsonObject,
  withBytes = false,
  withFormats = false,
): Sweep {
  const { shape } = contract.newPlant;
  const defects = defectsOf(shape).filter((one) => withFormats || mustBeRejected(one));
  const strings = stringsOf(shape);
  const text = write(control, 7n);
  const candidates = [
    ...defects.flatMap((defect) => defectCandidates(defect, contract, control)),
    ...notJson.filter((one) => !withBytes || one !== randomBytes).map((one) => textCandidate(one, text)),
    ...(withBytes ? [randomBytes, ...notUtf8(strings)] : []).map(bytesCandidate),
    textCandidate(multipart, text),
    NO_BODY,
  ];
  const properties = [...new Set(defects.flatMap(({ property }) => property ?? []))];
  const unique = new Map(candidates.map((candidate) => [candidate.value, candidate])).values();
  const known = new Set(candidates.flatMap(({ classes }) => classes));
  return { part: 'body', candidates: [...unique], classes: classesOf(properties, strings, known) };
}

export const isAboutBytes = (label: string, { newPlant: { shape } }: Contract): boolean =>
  [randomBytes, ...notUtf8(stringsOf(shape))].some(({ name }) => name === label);

const MAX_SHOWN = 40;

/** An id with as many digits as fresh ids have: a store may round a fraction next to it. */
const LONG_ID = 1028506807n;

const shown = (json: Json): string => {
  const short = write(json, 7n);
  const text = short.startsWith('7.') && json instanceof Raw ? write(json, LONG_ID) : short;
  const characters = [...text];
  return characters.length > MAX_SHOWN ? `${characters.slice(0, MAX_SHOWN).join('')}…` : text;
};

function defectCandidates(defect: Defect, contract: Contract, control: JsonObject): Candidate[] {
  const { property } = defect;
  const values = defect.typical(control).filter((json) => isInvalid(contract, json));
  return values.map((json): Candidate => {
    const value = property !== undefined && json instanceof JsonObject ? json.get(property) : undefined;
    const classes = ['any', ...classesFor(defect, json, [...contract.newPlant.shape.required])];
    return {
      value: values.length === 1 ? defect.name : `${defect.name}: ${shown(value ?? json)}`,
      condition: {
        ...wordsOf(defect, value, json),
        topics: TOPICS[defect.kind],
      },
      apply: (request) => withJson(request, rebuilt(json, control, request.plant, property)),
      classes,
      label: defect.name,
    };
  });
}

const withJson = (request: ModelRequest, json: Json): ModelRequest =>
  json instanceof JsonObject ? { ...request, plant: json } : { ...request, defect: { json } };

/** Puts a defect of a property into another plant, whose other properties, and their order, may matter. */
function rebuilt(json: Json, control: JsonObject, plant: JsonObject, property: string | undefined): Json {
  if (property === undefined || !(json instanceof JsonObject) || plant === control) return json;
  const value = json.get(property);
  if (value !== undefined) return plant.with(property, value);
  const added = json.members.filter(([name]) => control.get(name) === undefined);
  return new JsonObject([...plant.without(property).members, ...added]);
}

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

function wordsOf({ name, kind, property }: Defect, value: Json | undefined, json: Json): Condition {
  if (property === undefined) return wordsOfDefect(name === 'an array' ? arrayWords(json) : name);
  if (value === undefined && kind === 'missing')
    return { clause: `${property} is missing`, noun: `a plant without ${property}`, property };
  if (value === undefined) return wordsOfDefect(name, property);
  const text = wordedValue(value);
  const content = text === WITH_LONE_SURROGATE ? { contained: 'a lone surrogate' } : {};
  return { clause: `${property} is ${text}`, noun: `${text} as ${property}`, property, ...content };
}

/** A store that takes one array for a plant may well reject another. */
const arrayWords = (json: Json): string =>
  Array.isArray(json) && json.length === 0 ? 'an empty array' : `an array such as ${shown(json)}`;

/** Whether a value is an array with a single number, string or plant. */
const holdsOne = (value: Json | undefined): boolean =>
  Array.isArray(value) && /^\[(?:-?\d+|"[^"]*"|\{.*)\]$/.test(write(value, 7n)) && value.length === 1;

/** The type of the single element of an array. */
function nounOfOnly(value: Json): string {
  const text = write(value, 7n);
  return text.startsWith('["') ? 'string' : text.startsWith('[{') ? 'plant' : 'integer';
}

/** Longer strings are described by their length in code points, as JSON Schema counts it. */
const MAX_QUOTED = 24;

const WITH_LONE_SURROGATE = 'a string with a lone surrogate';

function wordedValue(value: Json): string {
  if (holdsOne(value)) return `an array of one ${nounOfOnly(value)}`;
  if (/\\ud[89a-f]/i.test(shown(value))) return WITH_LONE_SURROGATE;
  if (shown(value).startsWith('{"value":')) return 'an object that holds the value';
  if (/^"-?\d{16,}"$/.test(shown(value))) return 'a numeric string beyond 2^53';
  const { length } = typeof value === 'string' ? [...value] : [];
  if (typeof value !== 'string' || length <= MAX_QUOTED) return shown(value);
  return `a string of ${length} characters${NOT_ASCII.test(value) ? ' that are not ASCII' : ''}`;
}

/** Returns the words for a defect, derived from its name. */
export function wordsOfDefect(name: string, property?: string): Condition {
  const about = property === undefined ? {} : { property };
  const subject = property ?? 'everything';
  if (!name.startsWith(`${subject} `))
    return { clause: `the body is ${name}`, noun: bodyNoun(name), ...about };
  const words = name.slice(subject.length + 1);
  const [, limit] = /^is ((?:above|below|at) .*)$/.exec(words) ?? [];
  const instead = words.startsWith('is not ')
    ? `${withArticle(subject)} that ${words}`
    : words.startsWith('is ')
      ? `${words.slice(3)} as ${subject}`
      : property === undefined
        ? `a plant with all properties ${words}`
        : name;
  return {
    clause: `${subject} ${words.replace(/^(?=spelled|nested|inherited)/, 'is ')}`,
    noun: limit === undefined ? instead : `${withArticle(subject)} ${limit}`,
    ...about,
  };
}

/** The type of a value of the wrong type; undefined for other defects. */
function wrongTypeOf(kind: DefectKind, value: Json | undefined): TypeName | undefined {
  if (kind === 'null') return 'null';
  if (kind === 'fraction') return 'a fraction';
  if (kind === 'numeral') return 'a numeric string';
  return kind === 'wrong-type' ? typeOf(value) : undefined;
}

function typeOf(value: Json | undefined): TypeName {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'a boolean';
  if (typeof value === 'string' || (value instanceof Raw && value.written(1n).startsWith('"')))
    return 'a string';
  if (Array.isArray(value)) return 'an array';
  return value instanceof JsonObject ? 'an object' : 'a number';
}

/** Defects in which a property is not in its place. */
const ABSENT: readonly DefectKind[] = ['missing', 'other-name', 'nested', 'inherited'];

const FALSY = new Set(['null', 'false', '0', '""']);

function classesFor({ kind, property }: Defect, json: Json, required: readonly string[]): string[] {
  if (!(json instanceof JsonObject))
    return ['not an object', ...(holdsOne(json) ? [IN_ARRAY] : []), `body ${typeOf(json)}`];
  if (ABSENT.includes(kind)) {
    const way = wayOfAbsence(kind, property, json);
    const without = (property === undefined ? required : [property]).map((one) => `without ${one}`);
    const own = property === undefined ? [] : ['absent', way].map((one) => `${one} ${property}`);
    return ['object', 'absent', ...without, way, ...own];
  }
  if (kind === 'beyond-format') return [`beyond ${property}`];
  const value = property === undefined ? undefined : json.get(property);
  const type = wrongTypeOf(kind, value);
  if (property === undefined || type === undefined) return [`constraint ${property ?? ''}`];
  const text = shown(value ?? null);
  const ofProperty = compact(
    'wrong',
    type !== 'a fraction' && type !== 'a number' && 'other than a number',
    value !== undefined && FALSY.has(text) && 'falsy',
    ...(type === 'a fraction' ? fractionKinds(text) : []),
    (type === 'a string' || type === 'a numeric string') && 'any string',
    type,
  ).map((one) => `${one} ${property}`);
  return ['object', 'wrong type', type, ...(holdsOne(value) ? [IN_ARRAY] : []), ...ofProperty];
}

/** A fraction that exceeds an integer by less than this counts as close to it. */
const CLOSE = 0.001;

function fractionKinds(text: string): readonly string[] {
  const distance = Math.abs(Number(text));
  return compact(
    text.startsWith('-') && 'a negative fraction',
    /e/i.test(text) && 'a fraction with an exponent',
    distance < 1 && 'a fraction between -1 and 1',
    distance > 2 ** 31 && 'a fraction beyond int32',
    distance > 1 && distance % 1 < CLOSE && 'a fraction close to an integer',
  );
}

function wayOfAbsence(kind: DefectKind, property: string | undefined, { members }: JsonObject): string {
  if (kind === 'nested' && members.some(([, value]) => Array.isArray(value))) return 'listed';
  if (kind !== 'other-name' || property === undefined) return kind;
  const names = members.map(([name]) => name);
  if (names.some((name) => name.trim() === property)) return 'spaced';
  return names.includes(`${property}\0`) ? 'ended' : 'other-name';
}

type TextKind = 'truncated' | 'more' | 'empty' | 'form';

/** The kind of text that is sent instead of JSON, inferred from how it differs from the text of the plant. */
function kindOfText(sent: string | Uint8Array, plant: string): TextKind | undefined {
  if (typeof sent !== 'string') return undefined;
  if (sent.trim() === '') return 'empty';
  if (sent.startsWith(plant)) return 'more';
  if (sent.startsWith('{') && firstValue(sent) === undefined) return 'truncated';
  return /^(?:\w+=|--)/.test(sent) ? 'form' : undefined;
}

function textCandidate({ name, apply }: Edit, plant: string): Candidate {
  const sent = apply(plant);
  const kind = kindOfText(sent, plant);
  return {
    value: name,
    condition: {
      clause: name.startsWith('without ') ? name.replace('without', 'the body lacks') : `the body is ${name}`,
      noun: bodyNoun(name),
      topics: [kind === 'more' ? 'more JSON' : 'not JSON'],
    },
    apply: (request) => ({ ...request, defect: { corrupt: apply } }),
    label: name,
    classes: ['any', NOT_JSON, ...(sent === '' ? ['none'] : [UNPARSABLE]), ...compact(kind)],
  };
}

const NO_BODY: Candidate = {
  value: 'no body',
  condition: { clause: 'there is no body', noun: 'requests without a body', topics: ['not JSON'] },
  apply: (request) => ({ ...request, defect: { noBody: true } }),
  label: 'no body',
  classes: ['any', NOT_JSON, 'empty', 'none'],
};

/** A body that is not UTF-8, but would otherwise be JSON. */
function bytesCandidate({ name, apply }: Edit): Candidate {
  const [, where = '', property] = / (in (\w+)|in a property name)$/.exec(name) ?? [];
  const ofString = property === undefined ? [] : [`${NOT_UTF8} string`];
  return {
    value: name,
    condition: {
      noun: name,
      clause: `the body contains ${name}`,
      topics: ['not UTF-8'],
      otherProperties: compact(property),
    },
    apply: (request) => ({ ...request, defect: { corrupt: apply } }),
    label: name,
    classes: ['any', NOT_UTF8, ...ofString, `${NOT_UTF8} ${where}`],
  };
}

function bodyNoun(name: string): string {
  if (name === 'empty') return 'an empty body';
  if (name === 'white space only') return `a body of ${name}`;
  const isOfJson = /^(?:truncated|with|followed|twice|preceded|closed)/.test(name);
  return isOfJson ? `JSON ${name}` : `${name} as the body`;
}
