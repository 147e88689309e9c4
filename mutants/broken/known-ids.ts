import { Numeral, type Value } from '../../reference/json.ts';
import { type BrokenStore, broken, type Change } from '../fleet.ts';
import { parsing, reading, together, unique } from '../helpers.ts';

/** Ids that earlier runs have left behind. */
const LEFT = Array.from({ length: 3001 }, (_, index) => BigInt(index - 1000));

/** What is no id becomes one, and one that is known already is refused: for that, not for what it was. */
const knowing = (
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

/** Stores that take what they should refuse, and hide it by refusing ids that they know. */
export const knownIds: readonly BrokenStore[] = [
  broken(
    'known-id-boolean',
    'id is an integer: true is 1 and false is 0, and a known id gets 409',
    ['refuse/wrong-type'],
    knowing((value) => (typeof value === 'boolean' ? new Numeral(String(Number(value))) : value), []),
  ),
  broken(
    'known-id-null',
    'id is an integer: null is 0, and a known id gets 409',
    ['refuse/null'],
    knowing((value) => (value === null ? new Numeral('0') : value), []),
  ),
  broken(
    'known-id-numeral',
    'id is an integer: "7" is 7, and an id that an earlier run has left gets 409',
    ['refuse/numeral-in-a-string'],
    knowing(numeralOf, LEFT),
  ),
  broken(
    'known-id-fraction',
    'id is an integer: 7.5 is 7, and an id that an earlier run has left gets 409',
    ['refuse/fraction'],
    knowing(truncated, LEFT),
  ),
  broken(
    'known-id-form',
    'the body is JSON: a form will do, and an id that an earlier run has left gets 409',
    ['refuse/form'],
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
      unique(({ id }) => id, 409, LEFT),
    ),
  ),
];
