import { json, type Received } from '../../reference/store.ts';
import { type BrokenStore, broken, type Change } from '../fleet.ts';
import {
  acceptingCredential,
  acceptingKind,
  answering400With,
  answeringText,
  authorization,
  comparingTokens,
  failing,
  kindOf,
  NOT_JSON,
  parsing,
  rejected,
  rejecting,
  type Seen,
  seen,
  sending,
  somePlant,
  tagless,
  unable,
  withFreshState,
} from '../helpers.ts';

const positionOf = ({ fields }: Seen, name: string) => [...fields.keys()].indexOf(name);
const comesBefore = (one: string, other: string) => (request: Seen) =>
  positionOf(request, one) >= 0 && positionOf(request, one) < positionOf(request, other);

/** Does not validate a body whose id was accepted before. */
const trustingKnownIds = withFreshState((): Change => {
  const known = new Set<bigint>();
  return (right) => ({
    ...parsing(({ id }) => id !== undefined && known.has(id), somePlant)(right),
    create(plant, request) {
      known.add(plant.id);
      return right.create(plant, request);
    },
  });
});

/** How many properties of a JSON object are missing or of another type. */
function defectsIn(request: Received): number {
  const { value, fields } = seen(request);
  if (!(value instanceof Map)) return 0;
  const kinds = ['id', 'name', 'tag'].map((name) => kindOf(fields.get(name)));
  const right = [['integer'], ['string'], ['string', 'absent']];
  return kinds.filter((kind, index) => right[index]?.includes(kind) !== true).length;
}

/** Closes the connection of a request whose body is too long, as if it were an attack. */
const floodGuard =
  (maxBytes: number): Change =>
  (right) => ({
    route(request) {
      if (Number(request.headers['content-length']?.[0] ?? 0) > maxBytes) {
        request.message.socket.destroy();
        throw new Error('the body is too long');
      }
      right.route(request);
    },
  });

/** Opens after rejections in a row, and answers the next request with 503. */
const circuitBreaker = (after: number) =>
  withFreshState((): Change => {
    let count = 0;
    return sending((answer, request) => {
      if (request.method !== 'POST' || answer.status === 401) return answer;
      if (count >= after) {
        count = 0;
        return json(503, { error: 503, message: 'the circuit is open' });
      }
      count = answer.status === 400 ? count + 1 : 0;
      return answer;
    });
  });

/** Faults of stores that people wrote by hand, who knew only the interface. */
export const handWritten: readonly BrokenStore[] = [
  broken(
    'token-table-is-an-object',
    'looks tokens up in an object, so names of inherited properties are valid tokens',
    ['auth/rejects-wrong-tokens'],
    acceptingCredential((request) =>
      /^bearer (?:constructor|__proto__|toString|valueOf)$/i.test(authorization(request) ?? ''),
    ),
  ),
  broken(
    'token-bytes-500',
    '500 to a non-ASCII token as long as the right one: it compares bytes, but checks the length in characters',
    ['combinations/rejects-invalid-credentials', 'invariants/no-server-error'],
    unable((request) => /^bearer (?=\S*[^\0-\x7f])\S{8,}$/i.test(authorization(request) ?? ''), 'fail'),
  ),
  comparingTokens(
    'token-last-six',
    'compares only the last six characters of the token',
    ['auth/rejects-wrong-tokens'],
    (given, token) => given.endsWith(token.slice(-6)),
  ),
  broken(
    'name-replacement-pattern',
    'puts the name into a template with String.replace, so $& in it breaks the JSON',
    ['unconstrained/answers-hostile-names'],
    answeringText((text, { name }) => text.replace(JSON.stringify(name), JSON.stringify(name))),
  ),
  broken(
    'accept-mirrored',
    'takes the Content-Type of the response from Accept',
    ['invariants/200-is-a-plant'],
    sending((answer, { headers }) => {
      const [type = ''] = (headers.accept?.[0] ?? '').split(/[,;]/);
      return answer.status !== 200 || type === '' || type.includes('*')
        ? answer
        : { ...answer, headers: { ...answer.headers, 'content-type': type.trim() } };
    }),
  ),
  broken(
    'invalid-error-200',
    'answers a body that is not a NewPlant with 200 and an Error',
    ['invalid/rejects-wrong-type'],
    rejected(
      (answer) => ({ ...answer, status: 200 }),
      ({ code }) => code !== NOT_JSON,
    ),
  ),
  broken(
    'tag-before-name-unchecked',
    'checks the type of tag only after name',
    ['combinations/rejects-invalid-bodies'],
    acceptingKind(
      'tag',
      ['integer', 'fraction', 'boolean', 'null', 'array', 'object'],
      comesBefore('tag', 'name'),
    ),
  ),
  broken(
    'name-before-id-400',
    'rejects a body in which name comes before id',
    ['ordinary/accepts-any-property-order'],
    rejecting(comesBefore('name', 'id')),
  ),
  broken(
    'id-inexact-500',
    '500 if a double cannot represent the id',
    ['unconstrained/answers-any-id'],
    failing(({ id }) => id !== undefined && BigInt(Number(id)) !== id),
  ),
  broken(
    'id-7-of-10-tagless-500',
    '500 if the id ends in 7 and there is no tag',
    ['ordinary/accepts-any-plant'],
    failing((request) => tagless(request) && request.id !== undefined && request.id % 10n === 7n),
  ),
  broken(
    'id-above-999999999-400',
    'rejects ids of ten digits',
    ['ordinary/accepts-ids-of-every-magnitude'],
    rejecting(({ id }) => id !== undefined && id > 999_999_999n),
  ),
  broken(
    'known-id-unvalidated',
    'does not validate a body whose id it knows',
    ['state/answers-any-sequence'],
    trustingKnownIds,
  ),
  broken(
    'drops-larger-bodies',
    'closes the connection without an answer when a body is larger than 16 KiB',
    ['invariants/answers'],
    floodGuard(16 * 1024),
  ),
  broken(
    'breaker-after-30',
    '503 after 30 rejected requests in a row',
    ['invalid/rejects-any-defect'],
    circuitBreaker(30),
  ),
  broken(
    'message-list',
    'answers 400 with a list as message if more than one property is wrong',
    ['invariants/400-is-an-error'],
    answering400With(
      ({ code, message }) => ({ error: code, message: [message] }),
      (_, request) => defectsIn(request) > 1,
    ),
  ),
];
