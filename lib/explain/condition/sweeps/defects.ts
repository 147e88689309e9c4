import type { Contract } from '../../../contract/contract.ts';
import { stringsOf } from '../../../contract/shape.ts';
import { type Defect, type DefectKind, defectsOf } from '../../../payloads/defects.ts';
import { type Json, JsonObject, write } from '../../../payloads/json.ts';
import type { RequestState } from '../../../payloads/model/dimension.ts';
import { multipart, notJson, notUtf8, randomBytes } from '../../../payloads/texts.ts';
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
  const defects = defectsOf(shape).filter(({ kind }) => kind !== 'beyond-format');
  const strings = stringsOf(shape);
  const candidates = [
    ...defects.flatMap((defect) => cellsOf(defect, contract, control)),
    ...notJson
      .filter((one) => !withBytes || one !== randomBytes)
      .map(({ name, apply }) => textCandidate(name, (state) => ({ ...state, defect: { corrupt: apply } }))),
    ...(withBytes ? [randomBytes, ...notUtf8(strings)] : []).map(({ name, apply }) =>
      bytesCandidate(name, (state) => ({ ...state, defect: { corrupt: apply } })),
    ),
    textCandidate(multipart.name, (state) => ({ ...state, defect: { corrupt: multipart.apply } })),
    textCandidate('no body', (state) => ({ ...state, defect: { noBody: true } })),
  ];
  const properties = [...new Set(defects.flatMap(({ property }) => property ?? []))];
  return { part: 'body', candidates: uniqueByValue(candidates), classes: classesOf(properties, strings) };
}

/** Whether a label is about bytes that are not UTF-8. */
export const isAboutBytes = (label: string, { newPlant: { shape } }: Contract): boolean =>
  [randomBytes, ...notUtf8(stringsOf(shape))].some(({ name }) => name === label);

const uniqueByValue = (candidates: readonly Candidate[]): readonly Candidate[] => [
  ...new Map(candidates.map((candidate) => [candidate.value, candidate])).values(),
];

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

const nameOf = ({ name, property }: Defect): Wording => ({
  clause: name.startsWith('no ') ? `${property ?? 'a property'} is missing` : clauseOf(name, property),
  noun: name.startsWith('no ') ? `a plant without ${property ?? 'a property'}` : nounOf(name, property),
  ...(property === undefined ? {} : { property }),
});

/** What the name of a defect says of a property, or of all of them. */
function saidOf(
  name: string,
  property = 'everything',
): readonly [property: string, said: string] | undefined {
  return name.startsWith(`${property} `) ? [property, name.slice(property.length + 1)] : undefined;
}

export function clauseOf(name: string, property?: string): string {
  const [subject, said = ''] = saidOf(name, property) ?? [];
  if (subject === undefined) return `the body is ${name}`;
  return `${subject} ${said.replace(/^(?=spelled|nested|inherited)/, 'is ')}`;
}

export function nounOf(name: string, property?: string): string {
  const [subject, said = ''] = saidOf(name, property) ?? [];
  if (subject === undefined) return bodyNoun(name);
  const [, limit] = /^is ((?:above|below|at) .*)$/.exec(said) ?? [];
  if (limit !== undefined) return `${withArticle(subject)} ${limit}`;
  return said.startsWith('is ') ? `${said.slice(3)} as ${subject}` : name;
}

const typeOf = ({ name }: Defect): string | undefined => TYPES[/ is (.+)$/.exec(name)?.[1] ?? ''];

const ABSENT: Partial<Record<DefectKind, string>> = {
  missing: 'missing',
  'other-name': 'other-name',
  nested: 'nested',
  inherited: 'inherited',
};

const FALSY = new Set(['null', 'false', '0', '""']);

function classesFor(defect: Defect, value: Json | undefined, required: readonly string[]): string[] {
  const { kind, property, name } = defect;
  if (kind === 'not-an-object') return ['not an object', notAnObjectClass(name)];
  const absent = ABSENT[kind];
  if (absent !== undefined) {
    const way = name.includes('white space') ? 'spaced' : name.includes('NUL') ? 'ended' : absent;
    const lacking = (property === undefined ? required : [property]).map((one) => `lacking ${one}`);
    return [
      'object',
      'absent',
      ...lacking,
      way,
      ...(property === undefined ? [] : [`absent ${property}`, `${way} ${property}`]),
    ];
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

function textCandidate(name: string, apply: (state: RequestState) => RequestState): Candidate {
  const kind = /truncated|without the closing/.test(name)
    ? 'truncated'
    : /followed|two values|twice/.test(name)
      ? 'more'
      : /white space only|no body|empty/.test(name)
        ? 'empty'
        : /form/.test(name)
          ? 'form'
          : 'other text';
  const isNone = name === 'no body' || name === 'empty';
  const clause =
    name === 'no body'
      ? 'there is no body'
      : `the body is ${name.startsWith('missing') ? 'JSON with ' : ''}${name}`;
  return {
    value: name,
    words: {
      clause,
      noun: name === 'no body' ? 'requests without a body' : bodyNoun(name),
      topics: [kind === 'more' ? 'more JSON' : 'not JSON'],
    },
    apply,
    label: name,
    classes: ['any', NOT_JSON, ...(kind === 'other text' ? [] : [kind]), ...(isNone ? ['none'] : [])],
  };
}

/** A body that is not UTF-8, which is likely to be JSON otherwise. */
function bytesCandidate(name: string, apply: (state: RequestState) => RequestState): Candidate {
  const [, place = '', property] = / (in (\w+)|in a property name)$/.exec(name) ?? [];
  return {
    value: name,
    words: { clause: `the body contains ${name}`, topics: ['not UTF-8'] },
    apply,
    label: name,
    classes: [
      'any',
      NOT_UTF8,
      ...(property === undefined ? [] : [`${NOT_UTF8} string`]),
      `${NOT_UTF8} ${place}`,
    ],
  };
}

const bodyNoun = (name: string) =>
  name === 'empty'
    ? 'an empty body'
    : /^(?:truncated|with|followed|twice|preceded|missing|closed)/.test(name)
      ? `JSON ${name}`
      : `${name} as the body`;
