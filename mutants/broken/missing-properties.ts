import { Numeral, type Value } from '../../reference/json.ts';
import { type BrokenStore, broken, brokenBy, type Change } from '../fleet.ts';
import {
  type Asked,
  acceptingKind,
  acceptingType,
  mediaType,
  reading,
  type Seen,
  tagged,
  tagless,
  withFreshState,
} from '../helpers.ts';

/** The checks that fail if a missing property is not noticed. */
const MISSING = [
  'invalid/rejects-inherited-property',
  'invalid/rejects-missing-property',
  'invalid/rejects-nested-property',
];
const acceptsMissing = brokenBy(MISSING, acceptingKind);
/** The checks that fail if a property is found under another name. */
const MISNAMED = [
  'invalid/rejects-any-defect',
  'invalid/rejects-misnamed-property',
  'state/accepts-among-many-rejections',
];

/** As the format JSON:API sends resources. */
const isDocument: Asked = (request) => mediaType(request) === 'application/vnd.api+json';

/** Looks elsewhere for a missing property. */
const looking = (
  property: string,
  look: (fields: ReadonlyMap<string, Value>, seen: Seen) => Value | undefined,
): Change => reading(property, (value, seen) => (value === undefined ? look(seen.fields, seen) : value));

const both =
  (make: (property: string) => Change): Change =>
  (right) => {
    const id = { ...right, ...make('id')(right) };
    return { ...id, ...make('name')(id) };
  };

const anyCase = (property: string) => (fields: ReadonlyMap<string, Value>) =>
  [...fields].find(([name]) => name.toLowerCase() === property)?.[1];

const firstIn = (values: readonly Value[], property: string): Value | undefined =>
  values
    .flatMap((value) => (value instanceof Map ? [value.get(property)] : []))
    .find((value) => value !== undefined);

const oneDown = (property: string) => (fields: ReadonlyMap<string, Value>) =>
  firstIn([...fields.values()], property);

const inItems = (property: string) => (fields: ReadonlyMap<string, Value>) =>
  firstIn(
    [...fields.values()].flatMap((value) => (Array.isArray(value) ? value : [])),
    property,
  );

const inherited = (property: string) => (fields: ReadonlyMap<string, Value>) => {
  const prototype = fields.get('__proto__');
  return prototype instanceof Map ? prototype.get(property) : undefined;
};

/** Merges `__proto__` of a body into the prototype of all objects, whatever becomes of the request. */
const polluted = withFreshState((): Change => {
  const prototype = new Map<string, Value>();
  return (right) => ({
    validate(value, request) {
      if (!(value instanceof Map)) return right.validate(value, request);
      const seen = new Map([...prototype, ...value]);
      const own = value.get('__proto__');
      if (own instanceof Map)
        for (const [name, one] of own) if (typeof one === 'string') prototype.set(name, one);
      return right.validate(seen, request);
    },
  });
});

/** Merges the query into the properties of the body, as some frameworks do. */
const withQuery = (value: Value, url: string): Value => {
  if (!(value instanceof Map)) return value;
  const query = new URL(url, 'http://store').searchParams;
  const merged = new Map<string, Value>();
  for (const [name, text] of query)
    merged.set(name, name === 'id' && /^\d+$/.test(text) ? new Numeral(text) : text);
  for (const [name, one] of value) merged.set(name, one);
  return merged;
};

/** Stores that do not notice a missing required property. */
export const missingProperties: readonly BrokenStore[] = [
  acceptsMissing('missing-id', 'assigns an id if there is none', 'id', 'absent'),
  broken(
    'missing-polluted',
    'lets __proto__ of a rejected body set the name of all later plants that have none',
    ['invalid/rejects-inherited-property'],
    polluted,
  ),
  acceptsMissing('missing-name', 'uses a default if name is missing', 'name', 'absent'),
  acceptsMissing(
    'missing-id-tagged',
    'assigns an id if there is none and there is a tag',
    'id',
    'absent',
    tagged,
  ),
  acceptsMissing(
    'missing-id-tagless',
    'assigns an id if there is neither id nor tag',
    'id',
    'absent',
    tagless,
  ),
  broken(
    'missing-id-long-name',
    'assigns an id if there is none and the name is longer than 20 characters',
    ['invalid/rejects-any-defect'],
    acceptingKind('id', 'absent', ({ name }) => name.length > 20),
  ),
  broken(
    'missing-id-odd-name',
    'assigns an id if there is none and the name contains a digit, hyphen or apostrophe',
    ['invalid/rejects-any-defect'],
    acceptingKind('id', 'absent', ({ name }) => /[\d'-]/.test(name)),
  ),
  acceptsMissing(
    'missing-name-tagless',
    'uses a default if name and tag are missing',
    'name',
    'absent',
    tagless,
  ),
  broken(
    'missing-name-from-tag',
    'uses the tag if name is missing',
    MISSING,
    looking('name', (fields) => fields.get('tag')),
  ),
  broken(
    'missing-name-large-id',
    'uses a default if name is missing and the id is above 2^30',
    ['invalid/rejects-any-defect', 'invalid/rejects-nested-property', 'invalid/rejects-misnamed-property'],
    acceptingKind('name', 'absent', ({ id }) => id !== undefined && id > 2n ** 30n),
  ),
  broken(
    'ends-at-nul',
    'reads a property name only up to a NUL',
    ['invalid/rejects-misnamed-property'],
    both((property) => looking(property, (fields) => fields.get(`${property}\0`))),
  ),
  broken(
    'any-case',
    'binds id and name case-insensitively',
    MISNAMED,
    both((property) => looking(property, anyCase(property))),
  ),
  broken('any-case-id', 'binds ID and Id to id', MISNAMED, looking('id', anyCase('id'))),
  broken('any-case-name', 'binds Name to name', MISNAMED, looking('name', anyCase('name'))),
  broken(
    'any-case-name-tagless',
    'binds Name to name if there is no tag',
    ['invalid/rejects-misnamed-property'],
    looking('name', (fields, seen) => (tagless(seen) ? anyCase('name')(fields) : undefined)),
  ),
  broken(
    'one-down',
    'finds id and name one level down',
    [
      'invalid/rejects-inherited-property',
      'invalid/rejects-nested-property',
      'state/accepts-among-many-rejections',
    ],
    both((property) => looking(property, oneDown(property))),
  ),
  broken(
    'one-down-in-array',
    'finds id and name in an object in an array, as if rows were expanded',
    ['invalid/rejects-nested-property'],
    both((property) => looking(property, inItems(property))),
  ),
  broken(
    'one-down-in-document',
    'unwraps data under application/vnd.api+json',
    ['invalid/rejects-nested-property'],
    (right) => ({
      ...acceptingType(isDocument)(right),
      validate(value, request) {
        const data = value instanceof Map && isDocument(request) ? value.get('data') : undefined;
        return right.validate(data ?? value, request);
      },
    }),
  ),
  broken(
    'one-down-name',
    'finds name one level down',
    [
      'invalid/rejects-inherited-property',
      'invalid/rejects-nested-property',
      'state/accepts-among-many-rejections',
    ],
    looking('name', oneDown('name')),
  ),
  broken(
    'inherited',
    'inherits id and name through __proto__',
    [
      'invalid/rejects-any-defect',
      'invalid/rejects-inherited-property',
      'state/accepts-among-many-rejections',
    ],
    both((property) => looking(property, inherited(property))),
  ),
  broken(
    'inherited-name',
    'inherits name through __proto__',
    [
      'invalid/rejects-any-defect',
      'invalid/rejects-inherited-property',
      'state/accepts-among-many-rejections',
    ],
    looking('name', inherited('name')),
  ),
  broken(
    'query-merged',
    'fills in properties that the body lacks from the query',
    ['invalid/rejects-properties-in-query'],
    (right) => ({
      validate: (value, request) => right.validate(withQuery(value, request.message.url ?? ''), request),
    }),
  ),
  broken(
    'query-first',
    'prefers properties of the query to those of the body',
    ['invalid/rejects-properties-in-query'],
    (right) => ({
      validate(value, request) {
        const query = withQuery(new Map(), request.message.url ?? '');
        const merged = query instanceof Map && value instanceof Map ? new Map([...value, ...query]) : value;
        return right.validate(merged, request);
      },
    }),
  ),
];
