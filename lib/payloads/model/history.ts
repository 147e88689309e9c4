import { admits, plainPlants } from '../admits.ts';
import { type Draft, nothing, type Predecessor } from '../case.ts';
import { freshId, withWords } from '../fresh.ts';
import { FreshText, JsonObject } from '../json.ts';
import { ID } from '../plants.ts';
import {
  anyOf,
  type Context,
  type Dimension,
  dimension,
  draftOf,
  type Making,
  soundOf,
  type Value,
} from './dimension.ts';
import { insideCharacter } from './message.ts';

/**
 * What a store has just been asked. An outcome depends on nothing but the request, and on which ids and names are in
 * use. It is the last dimension: what comes before resembles the whole request.
 */

type Before = (making: Making, context: Context) => Making | Draft;

const isMaking = (one: Making | Draft): one is Making => 'plant' in one;

const after = (
  name: string,
  before: Before,
  connection: Predecessor['connection'],
  rest: Partial<Value> = {},
): Value => ({
  name,
  apply: (making, context) => {
    const made = before(making, context);
    const predecessor: Predecessor = { draft: isMaking(made) ? draftOf(made) : made, connection };
    return { ...making, draft: { ...making.draft, after: predecessor } };
  },
  ...rest,
});

const newId = freshId(2n ** 20n, 2n ** 31n);
const newName = withWords((word) => `Before ${word(12)}`);

/** The plant with another id, or another name, as far as the document admits them. */
function changed(
  making: Making,
  { contract, pick }: Context,
  ...properties: readonly ('id' | 'name')[]
): Making {
  const values = { id: newId, name: newName } as const;
  const plant = properties.reduce((own, property) => own.with(property, values[property]), making.plant);
  return {
    ...making,
    plant: admits(contract, plant) ? plant : pick(plainPlants(contract, 'all')).with(ID, newId),
  };
}

/** A plant that has nothing in common with that of the request, sent as any client would. */
const another: Before = (making, context) =>
  draftOf({
    ...changed(
      { ...making, plant: context.pick(plainPlants(context.contract, 'all')) },
      context,
      'id',
      'name',
    ),
    draft: {},
    edits: [],
  });

const plain =
  (change: (making: Making) => Making): Before =>
  (making, context) =>
    change(soundOf(changed(making, context, 'id', 'name')));

const rejected = plain((making) => ({ ...making, defect: { json: new JsonObject([['tag', 'rejected']]) } }));
const unauthenticated = plain((making) => ({ ...making, credential: nothing }));
const aborted = (name: string, abort: NonNullable<Draft['abort']>): Value =>
  after(
    `after a request that was aborted ${name}`,
    plain((making) => ({ ...making, draft: { ...making.draft, abort } })),
    'other',
  );
/** Above what a store has to take, so that it may close the connection as well. */
const oversized = plain((making) => ({
  ...making,
  edits: [...making.edits, (text) => `${text}${' '.repeat(80 * 1024)}`],
  draft: { ...making.draft, beyond: true },
}));

/** A plant of another id, with the name in another form. */
const twin =
  (form: (text: string) => string): Before =>
  (making, context) => {
    const other = changed(making, context, 'id');
    const name = making.plant.get('name');
    const text =
      name instanceof FreshText ? name.map(form) : typeof name === 'string' ? form(name) : undefined;
    return text === undefined ? other : { ...other, plant: other.plant.with('name', text) };
  };

const sound: Before = (making) => soundOf(making);

/** What may come before any request. */
const BEFORE_ANY: readonly Value[] = [
  after('after another plant on the same connection', another, 'same'),
  after('after a rejected request on the same connection', rejected, 'same'),
  after('after a request without a token on the same connection', unauthenticated, 'same'),
  anyOf([
    aborted('within its name', () => 12),
    aborted('within a character', insideCharacter),
    aborted('before its last byte', (body) => body.length - 1),
    aborted('before its body', () => 0),
  ]),
  after('after an oversized request on the same connection', oversized, 'same'),
];

const first: Value = {
  name: 'as the first request of its connection',
  apply: (making) => ({
    ...making,
    draft: { ...making.draft, delivery: { ...making.draft.delivery, freshConnection: true } },
  }),
};

const OPTIONAL = { optional: true } as const;

/** Before a sound request: whether ids and names may be used twice is not shown. */
export const historyOfSound: Dimension = dimension('history', [
  first,
  ...BEFORE_ANY,
  anyOf([
    after(
      'after a plant with the same id',
      (making, context) => changed(making, context, 'name'),
      'same',
      OPTIONAL,
    ),
    after(
      'after a plant with the same name',
      (making, context) => changed(making, context, 'id'),
      'same',
      OPTIONAL,
    ),
  ]),
  anyOf([
    after(
      'after a twin of its name in the other case',
      twin((text) => text.toUpperCase()),
      'same',
      OPTIONAL,
    ),
    after(
      'after a twin of its name in another normal form',
      twin((text) => text.normalize('NFD')),
      'same',
      OPTIONAL,
    ),
  ]),
  after('after the same bytes', sound, 'same', OPTIONAL),
  after(
    'after the same bytes without a token',
    (making) => ({ ...making, credential: nothing }),
    'other',
    OPTIONAL,
  ),
  after('beside the same bytes', sound, 'beside', OPTIONAL),
  anyOf([
    after('beside a rejected request', rejected, 'beside'),
    after('beside a request without a token', unauthenticated, 'beside'),
  ]),
]);

/** Before a request that is to be rejected: the same one, but for what is wrong with it. */
export const historyOfWrong: Dimension = dimension('history', [
  first,
  ...BEFORE_ANY,
  anyOf([
    after('after the same request without its fault', sound, 'same'),
    after('after the same request without its fault, on another connection', sound, 'other'),
  ]),
  after('pipelined after the same request without its fault', sound, 'pipelined'),
  after('beside the same request without its fault', sound, 'beside'),
  after(
    'after a plant with the same id',
    (making, context) => soundOf(changed(making, context, 'name')),
    'other',
  ),
  after('after the same request', (making) => making, 'same'),
]);
