import type { Contract } from '../../../contract/contract.ts';
import { stringsOf } from '../../../contract/shape.ts';
import { type Defect, type DefectKind, defectsOf } from '../../../payloads/defects.ts';
import { type Json, JsonObject, write } from '../../../payloads/json.ts';
import type { RequestState } from '../../../payloads/model/dimension.ts';
import { multipart, notJson, notUtf8, randomBytes } from '../../../payloads/texts.ts';
import { isInvalid } from '../../../payloads/validity.ts';
import type { Wording } from '../../wording/wording.ts';
import type { Candidate, CandidateClass, Sweep } from '../candidates.ts';

/** The class of the bodies that no JSON parser accepts. */
export const NOT_JSON = 'not JSON';
const NOT_UTF8 = 'not UTF-8';

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
      words: value === undefined ? nameOf(defect) : valueWords(property ?? '', value),
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

const valueWords = (property: string, value: Json): Wording => {
  const text = inWords(value);
  return { clause: `${property} is ${text}`, noun: `${text} as ${property}` };
};

/** Strings with more characters are described by their length, as JSON Schema counts it: in code points. */
const MAX_QUOTED = 24;

function inWords(value: Json): string {
  const only = /^\[(?:(-?\d+)|"[^"]*")\]$/.exec(shown(value));
  if (only !== null) return `an array of one ${only[1] === undefined ? 'string' : 'number'}`;
  if (shown(value).startsWith('{"value":')) return 'an object that holds the value';
  if (/^"-?\d{16,}"$/.test(shown(value))) return 'a numeric string beyond 2^53';
  const { length } = typeof value === 'string' ? [...value] : [];
  if (typeof value !== 'string' || length <= MAX_QUOTED) return shown(value);
  const isAscii = [...value].every((character) => character < '\u0080');
  return `a string of ${length} characters${isAscii ? '' : ' that are not ASCII'}`;
}

const nameOf = ({ name, property }: Defect): Wording => ({
  clause: name.startsWith('no ') ? `${property ?? 'a property'} is missing` : clauseOf(name),
  noun: name.startsWith('no ') ? `a plant without ${property ?? 'a property'}` : nounOf(name),
});

const isAboutProperty = (name: string) => /^(?:id|name|tag) /.test(name) || name.startsWith('everything ');
export const clauseOf = (name: string) =>
  isAboutProperty(name)
    ? name.replace(/^(\S+) (spelled|nested|inherited)/, '$1 is $2')
    : `the body is ${name}`;
export function nounOf(name: string): string {
  if (!isAboutProperty(name)) return bodyNoun(name);
  const [, property = '', limit] = /^(\S+) is ((?:above|below|at) .*)$/.exec(name) ?? [];
  if (limit !== undefined) return `${/^[aeiou]/i.test(property) ? 'an' : 'a'} ${property} ${limit}`;
  return name.replace(/^(\S+) is (.*)$/, '$2 as $1');
}

/** Names of types as the titles of defects have them. */
const TYPES: Readonly<Record<string, string>> = {
  null: 'null',
  'a boolean': 'a boolean',
  'a number': 'a number',
  'a number with a fraction': 'a fraction',
  'a numeric string': 'a numeric string',
  'a string': 'a string',
  'an array': 'an array',
  'an object': 'an object',
};

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
    const way = name.includes('white space') ? 'spaced' : absent;
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
    words: { clause, noun: name === 'no body' ? 'requests without a body' : bodyNoun(name) },
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
    words: { clause: `the body contains ${name}` },
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
    : /^(?:truncated|without|followed|twice|preceded|missing)/.test(name)
      ? `JSON ${name}`
      : `${name} as the body`;

function classesOf(properties: readonly string[], strings: readonly string[]): CandidateClass[] {
  const one = (id: string, noun: string, clause: string, topic = id): CandidateClass => ({
    id,
    words: { noun, clause },
    topic,
  });
  const types = [...new Set(Object.values(TYPES))];
  return [
    one('any', 'any body that is not a NewPlant', 'the body is not a NewPlant', 'any'),
    one(NOT_JSON, 'any body that is not JSON', 'the body is not JSON', 'text'),
    one('object', 'any JSON object', 'the body is an object but not a NewPlant', 'object'),
    one('wrong type', 'any type for every property', 'a property has the wrong type', 'types'),
    one('absent', 'a plant without its required properties', 'a required property is missing', 'absent'),
    one(
      'not an object',
      'a JSON value that is not an object',
      'the body is JSON but not an object',
      'not an object',
    ),
    ...properties.flatMap((name) => [
      one(`wrong ${name}`, `any type as ${name}`, `${name} has the wrong type`, name),
      one(`lacking ${name}`, `a plant without ${name}`, `${name} is missing`, name),
      one(`absent ${name}`, `a plant without ${name}`, `${name} is missing`, name),
    ]),
    ...properties.flatMap((name) => [
      one(`other than a number ${name}`, `anything but a number as ${name}`, `${name} is not a number`, name),
      one(`any string ${name}`, `any string as ${name}`, `${name} is a string`, name),
      one(
        `falsy ${name}`,
        `a falsy value as ${name}`,
        `${name} is null, false, 0 or another falsy value`,
        name,
      ),
      one(`missing ${name}`, `a plant without ${name}`, `${name} is missing`, name),
      one(`other-name ${name}`, `${name} in another case`, `${name} is spelled in another case`, name),
      one(
        `spaced ${name}`,
        `${name} with white space in the property name`,
        `${name} is spelled with white space`,
        name,
      ),
      one(`nested ${name}`, `${name} nested one level down`, `${name} is nested one level down`, name),
      one(
        `inherited ${name}`,
        `${name} inherited through __proto__`,
        `${name} is inherited through __proto__`,
        name,
      ),
      ...types.map(
        (type): CandidateClass => ({
          ...one(`${type} ${name}`, `${type} as ${name}`, `${name} is ${type}`, name),
          some: ({ words: { noun = '' } }) => {
            const example = noun.slice(0, noun.lastIndexOf(' as '));
            return {
              noun: `${type} such as ${example} as ${name}`,
              clause: `${name} is ${type} such as ${example}`,
            };
          },
        }),
      ),
    ]),
    one('other-name', 'property names in another case', 'a property name is in another case', 'other-name'),
    one('nested', 'properties nested one level down', 'the properties are nested one level down', 'nested'),
    one(
      'inherited',
      'properties inherited through __proto__',
      'properties are inherited through __proto__',
      'nested',
    ),
    one('spaced', 'property names with white space', 'a property name has white space around it', 'spaced'),
    one('missing', 'a plant without a required property', 'a required property is missing', 'absent'),
    ...types.map((type) => one(type, `${type} as any property`, `a property is ${type}`, `type ${type}`)),
    one('body array', 'an array as the body', 'the body is an array', 'not an object'),
    one('body string', 'a string as the body', 'the body is a JSON string', 'not an object'),
    one('body null', 'null as the body', 'the body is null', 'not an object'),
    one('body a boolean', 'a boolean as the body', 'the body is a boolean', 'not an object'),
    one('body a number', 'a number as the body', 'the body is a number', 'not an object'),
    one('truncated', 'truncated JSON', 'the JSON text is truncated', 'text'),
    one('more', 'a JSON value followed by something else', 'something follows the JSON value', 'text'),
    one('empty', 'an empty body', 'the body is empty or white space', 'text'),
    one('none', 'requests without a body', 'there is no body', 'text'),
    one('form', 'a form as the body', 'the body is a form', 'text'),
    one(NOT_UTF8, 'a body that is not valid UTF-8', 'the body is not valid UTF-8', 'bytes'),
    one(`${NOT_UTF8} string`, 'a string in invalid UTF-8', 'a string is not valid UTF-8', 'bytes'),
    ...strings.map((name) =>
      one(`${NOT_UTF8} in ${name}`, `${name} in invalid UTF-8`, `${name} is not valid UTF-8`, 'bytes'),
    ),
  ];
}
