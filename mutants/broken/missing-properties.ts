import { Numeral, type Value } from '../../reference/json.ts';
import { type BrokenStore, broken, type Change } from '../fleet.ts';
import { reading, type Seen, tagged, tagless, taking } from '../helpers.ts';

/** Where a property that is absent is looked for. */
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

const oneDown = (property: string) => (fields: ReadonlyMap<string, Value>) =>
  [...fields]
    .flatMap(([, value]) => (value instanceof Map ? [value.get(property)] : []))
    .find((value) => value !== undefined);

const inherited = (property: string) => (fields: ReadonlyMap<string, Value>) => {
  const prototype = fields.get('__proto__');
  return prototype instanceof Map ? prototype.get(property) : undefined;
};

/** The properties of the query beside those of the body, as frameworks merge them. */
const withQuery = (value: Value, url: string): Value => {
  if (!(value instanceof Map)) return value;
  const query = new URL(url, 'http://store').searchParams;
  const merged = new Map<string, Value>();
  for (const [name, text] of query)
    merged.set(name, name === 'id' && /^\d+$/.test(text) ? new Numeral(text) : text);
  for (const [name, one] of value) merged.set(name, one);
  return merged;
};

/** A required property that is not there is not missed. */
export const missingProperties: readonly BrokenStore[] = [
  broken(
    'missing-id',
    'id is required: given by the store',
    ['refuse/inherited-property', 'refuse/missing-property', 'refuse/nested-property'],
    taking('id', 'absent'),
  ),
  broken(
    'missing-name',
    'name is required: a default',
    ['refuse/inherited-property', 'refuse/missing-property', 'refuse/nested-property'],
    taking('name', 'absent'),
  ),
  broken(
    'missing-id-tagged',
    'id is required: given by the store only where there is a tag',
    ['refuse/inherited-property', 'refuse/missing-property', 'refuse/nested-property'],
    taking('id', 'absent', tagged),
  ),
  broken(
    'missing-id-tagless',
    'id is required: given by the store only where there is no tag',
    ['refuse/inherited-property', 'refuse/missing-property', 'refuse/nested-property'],
    taking('id', 'absent', tagless),
  ),
  broken(
    'missing-id-long-name',
    'id is required: given by the store only where the name is longer than 20',
    ['refuse/any-defect'],
    taking('id', 'absent', ({ name }) => name.length > 20),
  ),
  broken(
    'missing-id-odd-name',
    'id is required: made from the name only where that has a digit, hyphen or apostrophe',
    ['refuse/any-defect'],
    taking('id', 'absent', ({ name }) => /[\d'-]/.test(name)),
  ),
  broken(
    'missing-name-tagless',
    'name is required: a default only where there is no tag',
    ['refuse/inherited-property', 'refuse/missing-property', 'refuse/nested-property'],
    taking('name', 'absent', tagless),
  ),
  broken(
    'missing-name-from-tag',
    'name is required: the tag stands in, only where there is one',
    ['refuse/inherited-property', 'refuse/missing-property', 'refuse/nested-property'],
    looking('name', (fields) => fields.get('tag')),
  ),
  broken(
    'missing-name-large-id',
    'name is required: a default only where the id is above 2^30',
    ['refuse/any-defect', 'refuse/nested-property', 'refuse/property-under-another-name'],
    taking('name', 'absent', ({ id }) => id !== undefined && id > 2n ** 30n),
  ),
  broken(
    'any-case',
    'id and name are required: bound without regard to case',
    ['refuse/any-defect', 'refuse/property-under-another-name', 'serving/after-a-barrage'],
    both((property) => looking(property, anyCase(property))),
  ),
  broken(
    'any-case-id',
    'id is required: ID and Id are bound to it',
    ['refuse/any-defect', 'refuse/property-under-another-name', 'serving/after-a-barrage'],
    looking('id', anyCase('id')),
  ),
  broken(
    'any-case-name',
    'name is required: Name is bound to it',
    ['refuse/any-defect', 'refuse/property-under-another-name', 'serving/after-a-barrage'],
    looking('name', anyCase('name')),
  ),
  broken(
    'any-case-name-tagless',
    'name is required: Name is bound to it only where there is no tag',
    ['refuse/any-defect', 'refuse/property-under-another-name'],
    looking('name', (fields, seen) => (tagless(seen) ? anyCase('name')(fields) : undefined)),
  ),
  broken(
    'one-down',
    'id and name are required: found one level down',
    ['refuse/inherited-property', 'refuse/nested-property', 'serving/after-a-barrage'],
    both((property) => looking(property, oneDown(property))),
  ),
  broken(
    'one-down-name',
    'name is required: found one level down',
    ['refuse/inherited-property', 'refuse/nested-property', 'serving/after-a-barrage'],
    looking('name', oneDown('name')),
  ),
  broken(
    'inherited',
    'id and name are required: inherited through __proto__',
    ['refuse/any-defect', 'refuse/inherited-property', 'serving/after-a-barrage'],
    both((property) => looking(property, inherited(property))),
  ),
  broken(
    'inherited-name',
    'name is required: inherited through __proto__',
    ['refuse/any-defect', 'refuse/inherited-property', 'serving/after-a-barrage'],
    looking('name', inherited('name')),
  ),
  broken(
    'query-merged',
    'a body is required: what it lacks is taken from the query',
    ['refuse/properties-in-the-query'],
    (right) => ({
      validate: (value, request) => right.validate(withQuery(value, request.message.url ?? ''), request),
    }),
  ),
  broken(
    'query-first',
    'the body is the plant: what the query says goes before it',
    ['refuse/properties-in-the-query'],
    (right) => ({
      validate(value, request) {
        const query = withQuery(new Map(), request.message.url ?? '');
        const merged = query instanceof Map && value instanceof Map ? new Map([...value, ...query]) : value;
        return right.validate(merged, request);
      },
    }),
  ),
];
