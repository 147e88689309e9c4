import { Numeral, type Value } from '../../reference/json.ts';
import { type BrokenStore, broken, type Change } from '../fleet.ts';
import { parsing, reading, together, unique } from '../helpers.ts';

/** Ids that earlier runs have left in the store. */
const EARLIER_IDS = Array.from({ length: 3001 }, (_, index) => BigInt(index - 1000));

/** Converts an invalid id to an integer, and rejects it only if that id already exists. */
const rejectingKnownIds = (
  convert: (value: Value | undefined) => Value | undefined,
  before: readonly bigint[],
): Change =>
  together(
    reading('id', convert),
    unique(({ id }) => id, 409, before),
  );

const numeralOf = (value: Value | undefined) =>
  typeof value === 'string' && /^\s*-?\d+\s*$/.test(value)
    ? new Numeral(String(BigInt(value.trim())))
    : value;

const truncated = (value: Value | undefined) =>
  value instanceof Numeral && value.text.includes('.') ? new Numeral(value.text.replace(/\..*$/, '')) : value;

/** Stores that accept invalid ids, which goes unnoticed where the resulting id already exists. */
export const knownIds: readonly BrokenStore[] = [
  broken(
    'known-id-boolean',
    'accepts true as id 1 and false as id 0; 409 if the id exists',
    ['invalid/rejects-wrong-type'],
    rejectingKnownIds(
      (value) => (typeof value === 'boolean' ? new Numeral(String(Number(value))) : value),
      [],
    ),
  ),
  broken(
    'known-id-null',
    'accepts null as id 0; 409 if the id exists',
    ['invalid/rejects-null'],
    rejectingKnownIds((value) => (value === null ? new Numeral('0') : value), []),
  ),
  broken(
    'known-id-numeral',
    'accepts "7" as id 7; 409 if an earlier run has created that id',
    ['invalid/rejects-numeric-string-id'],
    rejectingKnownIds(numeralOf, EARLIER_IDS),
  ),
  broken(
    'known-id-fraction',
    'accepts 7.5 as id 7; 409 if an earlier run has created that id',
    ['invalid/rejects-fractional-id'],
    rejectingKnownIds(truncated, EARLIER_IDS),
  ),
  broken(
    'known-id-form',
    'accepts a form; 409 if an earlier run has created its id',
    ['invalid/rejects-forms'],
    together(
      parsing(
        ({ text }) => /^id=\d+&name=/.test(text),
        ({ body }) => {
          const form = new URLSearchParams(body.toString());
          return new Map<string, Value>([
            ['id', new Numeral(form.get('id') ?? '1')],
            ['name', form.get('name') ?? ''],
          ]);
        },
      ),
      unique(({ id }) => id, 409, EARLIER_IDS),
    ),
  ),
];
