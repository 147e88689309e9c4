import { wrongToken } from '../credentials.ts';
import { freshId, withWords } from '../fresh.ts';
import { FreshText, JsonObject } from '../json.ts';
import { ID } from '../plants.ts';
import { noCredential, type Preceding, type RequestTemplate } from '../test-case.ts';
import { isValid, plainPlants } from '../validity.ts';
import {
  anyOf,
  type Context,
  type Dimension,
  delivered,
  dimension,
  inGroup,
  optional,
  type Value,
  type ValueGroup,
} from './dimension.ts';
import { insideCharacter } from './message.ts';
import { type ModelRequest, madeValid, templateOf } from './model-request.ts';

/** Applied last, because the preceding request is made from the complete request. */

type MakePreceding = (request: ModelRequest, context: Context) => ModelRequest | RequestTemplate;

const isState = (one: ModelRequest | RequestTemplate): one is ModelRequest => 'plant' in one;

const OF_CONNECTIONS: Partial<Readonly<Record<Preceding['connection'], readonly ValueGroup[]>>> = {
  concurrent: ['overlapping', 'concurrent'],
  pipelined: ['overlapping', 'later on its connection'],
};

const after = (
  name: string,
  before: MakePreceding,
  connection: Preceding['connection'],
  ...groups: readonly ValueGroup[]
): Value => ({
  name,
  groups: [...(OF_CONNECTIONS[connection] ?? []), ...groups],
  apply: (request, context) => {
    const made = before(request, context);
    const preceding: Preceding = { template: isState(made) ? templateOf(made) : made, connection };
    return { ...request, template: { ...request.template, preceding } };
  },
});

const onSameConnection = (name: string, before: MakePreceding, ...groups: readonly ValueGroup[]): Value =>
  after(`${name} on the same connection`, before, 'same', 'later on its connection', ...groups);

const newId = freshId(2n ** 20n, 2n ** 31n);
const newName = withWords((word) => `Before ${word(12)}`);

/** The plant with a different id or name, if the document allows that. */
function changed(
  request: ModelRequest,
  { contract, sample }: Context,
  ...properties: readonly ('id' | 'name')[]
): ModelRequest {
  const values = { id: newId, name: newName } as const;
  const plant = properties.reduce((own, property) => own.with(property, values[property]), request.plant);
  return {
    ...request,
    plant: isValid(contract, plant) ? plant : sample(plainPlants(contract, 'all')).with(ID, newId),
  };
}

const anotherWith =
  (template: RequestTemplate) =>
  (request: ModelRequest, context: Context): ModelRequest => {
    const plant = context.sample(plainPlants(context.contract, 'all'));
    return {
      ...madeValid(changed({ ...request, plant }, context, 'id', 'name')),
      template,
      edits: [],
    };
  };
const another = anotherWith({});
const anotherInChunks = (chunks: 'trailer' | 'many') =>
  anotherWith({ framing: 'chunked', delivery: { chunks } });
/** An unrelated plant with the same tag, which need not be unique. */
const sameTag: MakePreceding = (request, context) => {
  const other = another(request, context);
  const tag = request.plant.get('tag');
  const plant = tag === undefined ? other.plant : other.plant.with('tag', tag);
  return isValid(context.contract, plant) ? { ...other, plant } : other;
};
const bodiless = (method: string): Value =>
  onSameConnection(`after ${method}`, () => ({ method }), 'right token without a body before');

const plain =
  (change: (request: ModelRequest) => ModelRequest): MakePreceding =>
  (request, context) =>
    change(madeValid(changed(request, context, 'id', 'name')));

const rejected = plain((request) => ({
  ...request,
  defect: { json: new JsonObject([['tag', 'rejected']]) },
}));
/** Ends within a character: a decoder that outlives the request waits for the rest. */
const cutInCharacter = plain((request) => ({
  ...request,
  plant: request.plant.with('name', 'é'),
  defect: { corrupt: (text) => Buffer.from(text).subarray(0, Buffer.from(text).indexOf(0xc3) + 1) },
}));
const unauthenticated = plain((request) => ({ ...request, credential: noCredential }));
const wronglyAuthenticated = plain((request) => ({
  ...request,
  credential: wrongToken('a random token of the same length'),
}));
const aborted = (name: string, abort: NonNullable<RequestTemplate['abort']>): Value =>
  after(
    `after a request aborted ${name}`,
    plain((request) => ({ ...request, template: { ...request.template, abort } })),
    'other',
    'aborted before',
  );
/** A body over 64 KiB, after which the store may also close the connection. */
const oversized = plain((request) => ({
  ...request,
  edits: [...request.edits, (text) => `${text}${' '.repeat(80 * 1024)}`],
  template: { ...request.template, outsideContract: true },
}));

const renamed =
  (form: (text: string) => string): MakePreceding =>
  (request, context) => {
    const other = changed(request, context, 'id');
    const name = request.plant.get('name');
    const text =
      name instanceof FreshText ? name.map(form) : typeof name === 'string' ? form(name) : undefined;
    return text === undefined ? other : { ...other, plant: other.plant.with('name', text) };
  };

/** A plant with the same id: without a tag if this plant has one, otherwise with a tag. */
const complement: MakePreceding = (request, context) => {
  const other = changed(request, context, 'name');
  const { plant } = other;
  const tagged = plant.get('tag') === undefined ? plant.with('tag', newName) : plant.without('tag');
  return isValid(context.contract, tagged) ? { ...other, plant: tagged } : other;
};

const upperCase = renamed((text) => text.toUpperCase());
const decomposed = renamed((text) => text.normalize('NFD'));

const valid: MakePreceding = madeValid;
/** With the same values, but rejected, so that the store has not created a plant with them. */
const withoutName: MakePreceding = (request) => ({
  ...madeValid(request),
  plant: request.plant.without('name'),
});
const withoutToken: MakePreceding = (request) => ({ ...request, credential: noCredential });

const abortedItself: MakePreceding = (request) => ({
  ...madeValid(request),
  template: { ...request.template, abort: (body) => body.length - 1 },
});

const sameId = (request: ModelRequest, context: Context) => changed(request, context, 'name');
const validWithSameId: MakePreceding = (request, context) => madeValid(sameId(request, context));
const sameName = (request: ModelRequest, context: Context) => changed(request, context, 'id');

const PLANT = ['right token before', 'plant before'] as const;

const BEFORE_ANY: readonly Value[] = [
  anyOf([
    onSameConnection('after another plant', another, ...PLANT),
    onSameConnection('after a plant with the same tag', sameTag, ...PLANT),
  ]),
  anyOf([
    onSameConnection('after a rejected request', rejected, 'right token before', 'rejected before'),
    onSameConnection('after a body cut off inside a character', cutInCharacter, 'right token before'),
  ]),
  anyOf([
    onSameConnection('after a request without a token', unauthenticated),
    onSameConnection('after a request with a wrong token', wronglyAuthenticated),
  ]),
  anyOf([
    aborted('inside the name', () => 12),
    aborted('inside a character', insideCharacter),
    aborted('before the last byte', (body) => body.length - 1),
    aborted('before the body', () => 0),
  ]),
  // If a server leaves bytes of a request unread, it takes them for the beginning of the next one.
  anyOf([
    onSameConnection('after a plant with a trailer', anotherInChunks('trailer'), ...PLANT),
    onSameConnection('after a plant in many chunks', anotherInChunks('many'), ...PLANT),
    onSameConnection('after a plant as text/plain', anotherWith({ contentType: 'text/plain' }), ...PLANT),
    bodiless('GET'),
    bodiless('HEAD'),
    bodiless('OPTIONS'),
  ]),
  onSameConnection('after an oversized request', oversized, ...PLANT),
];

const first = delivered('as the first request of its connection', { freshConnection: true });

/** Precedes a valid request: the interface does not say whether ids and names must be unique. */
export const historyOfValid: Dimension = dimension('history', [
  first,
  ...BEFORE_ANY,
  ...optional([
    anyOf([
      after('after a plant with the same id', sameId, 'same', 'same id'),
      after('after a plant with the same id that differs in having a tag', complement, 'same', 'same id'),
      after('after a plant with the same name', sameName, 'same'),
    ]),
    anyOf([
      after('after a plant whose name differs only in case', upperCase, 'same'),
      after('after a plant whose name differs only in normalization', decomposed, 'same'),
    ]),
    after('after the same request', valid, 'same', 'later on its connection', 'same id'),
    anyOf([
      after('after the same request without a token', withoutToken, 'other'),
      after('after a rejected request with the same id', withoutName, 'other'),
      onSameConnection('after a rejected plant with the same id', withoutName, 'rejected before'),
    ]),
    after('after the same request aborted before the last byte', abortedItself, 'other', 'aborted before'),
    anyOf([
      after('at the same time as the same request', valid, 'concurrent', 'same id in flight'),
      after('at the same time as a plant with the same id', sameId, 'concurrent', 'same id in flight'),
    ]),
  ]),
  anyOf([
    after('at the same time as a rejected request', rejected, 'concurrent'),
    after('at the same time as a request without a token', unauthenticated, 'concurrent'),
  ]),
]);

/** Precedes a request that must be rejected: mostly the same request, made valid. */
export const historyOfInvalid: Dimension = dimension('history', [
  first,
  ...BEFORE_ANY,
  ...inGroup('otherwise the same', [
    anyOf([
      after(
        'after a valid request that is otherwise the same',
        valid,
        'same',
        'later on its connection',
        ...PLANT,
      ),
      after('after a valid request that is otherwise the same, on another connection', valid, 'other'),
    ]),
    after('pipelined after a valid request that is otherwise the same', valid, 'pipelined', ...PLANT),
    after('at the same time as a valid request that is otherwise the same', valid, 'concurrent'),
  ]),
  after('after a plant with the same id', validWithSameId, 'other', 'same id'),
  after('after the same request', (request) => request, 'same', 'later on its connection', 'rejected before'),
]);
