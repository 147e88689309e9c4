import { Numeral, type Value } from '../../reference/json.ts';
import {
  type Answer,
  bearerToken,
  json,
  type NewPlant,
  type Received,
  type Refusal,
  type Steps,
} from '../../reference/store.ts';
import { type BrokenStore, broken, type Change } from '../fleet.ts';
import {
  authorization,
  challenging,
  coded,
  complaining,
  contentType,
  continuing,
  crowded,
  mediaType,
  NOT_JSON,
  ONE,
  reading,
  refusing,
  refusingHead,
  saying,
  sending,
  takingType,
  together,
  writing,
} from '../helpers.ts';

const naming = (name: (plant: NewPlant) => string) =>
  saying((plant) => ({ name: name(plant), tag: plant.tag }));
const tagging = (tag: (tag: string) => string | undefined) =>
  saying((plant) => ({ name: plant.name, tag: plant.tag === undefined ? undefined : tag(plant.tag) }));
const messaging = (
  say: (refusal: Refusal, request: Received) => string,
  codes?: (refusal: Refusal, request: Received) => boolean,
) => complaining((refusal, request) => ({ error: refusal.code, message: say(refusal, request) }), codes);

/** What is wrong with a body is answered with another status than 400. */
const refusingWith =
  (status: number): Change =>
  (right) => ({
    refuse: (refusal, request) => ({
      ...right.refuse(refusal, request),
      status: refusal.status === 400 ? status : refusal.status,
    }),
  });

/** A 401 has other headers. */
const challengedBy = (headers: Record<string, string>): Change =>
  challenging(() => json(401, { error: 401, message: 'a bearer token is needed' }, headers));

/** The credential is also found elsewhere than in the header, where there is none. */
const findingElsewhere =
  (find: (request: Received) => string | null | undefined) =>
  (right: Steps): Partial<Steps> => ({
    authenticate(request) {
      const found = authorization(request) === undefined ? find(request) : undefined;
      const headers = { ...request.headers, authorization: [`Bearer ${found}`] };
      right.authenticate(found ? { ...request, headers } : request);
    },
  });

const isForm = (request: Received) => mediaType(request) === 'application/x-www-form-urlencoded';
const form = ({ body }: Received) => new URLSearchParams(body.toString());
const accepts = ({ headers }: Received) =>
  (headers.accept ?? ['*/*']).flatMap((field) => field.split(',')).map((type) => type.trim());
const outside = (value: Value | undefined) =>
  value instanceof Numeral &&
  /^-?\d+$/.test(value.text) &&
  BigInt.asIntN(64, BigInt(value.text)) !== BigInt(value.text);
const trace =
  'TypeError: no\n    at validate (store.js:42:7)\n    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)';

/** Each goes against one SHOULD, and against no MUST. */
export const should: readonly BrokenStore[] = [
  // What is sent comes back equal.
  broken(
    'name-trimmed',
    'name comes back equal: trimmed, with inner white space made one',
    ['whole-shape/echoes-any-name'],
    naming(({ name }) => name.trim().replace(/\s+/g, ' ')),
  ),
  broken(
    'name-lower-case',
    'name comes back equal: in lower case',
    ['create/echoes-name', 'whole-shape/echoes-any-name'],
    naming(({ name }) => name.toLowerCase()),
  ),
  broken(
    'name-capitalised',
    'name comes back equal: with a capital',
    ['create/echoes-name', 'whole-shape/echoes-any-name'],
    naming(({ name }) => name.replace(/^./u, (first) => first.toUpperCase())),
  ),
  broken(
    'name-cut',
    'name comes back equal: cut after 32 characters',
    ['create/echoes-name', 'whole-shape/echoes-any-name'],
    naming(({ name }) => name.slice(0, 32)),
  ),
  broken(
    'name-composed',
    'name comes back equal: in NFC',
    ['whole-shape/echoes-any-name'],
    naming(({ name }) => name.normalize('NFC')),
  ),
  broken(
    'name-html',
    'name comes back equal: escaped for HTML, an apostrophe becomes &#39;',
    ['create/echoes-name', 'whole-shape/echoes-any-name'],
    naming(({ name }) => name.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`)),
  ),
  broken(
    'name-constant',
    'name comes back equal: always the same',
    ['create/echoes-name', 'whole-shape/echoes-any-name'],
    naming(() => 'Aloe'),
  ),
  broken(
    'name-of-another',
    'name comes back equal: that of another which is under way',
    ['create/echoes-name', 'create/echoes-tag', 'whole-shape/echoes-any-tag'],
    (right) => {
      let shared: Answer | undefined;
      const mixed: Change = () => ({
        create(plant, request) {
          shared = right.create(plant, request);
          return shared;
        },
        send: (answer, response, request) =>
          right.send((answer.status === 200 && shared) || answer, response, request),
      });
      return crowded(10, () => mixed)(right);
    },
  ),
  broken(
    'tag-dropped',
    'tag comes back equal: left out',
    ['create/echoes-tag', 'whole-shape/echoes-any-tag'],
    tagging(() => undefined),
  ),
  broken(
    'tag-upper-case',
    'tag comes back equal: in upper case',
    ['create/echoes-tag', 'whole-shape/echoes-any-tag'],
    tagging((tag) => tag.toUpperCase()),
  ),
  broken(
    'tag-cut',
    'tag comes back equal: cut after 10 characters',
    ['create/echoes-tag', 'whole-shape/echoes-any-tag'],
    tagging((tag) => tag.slice(0, 10)),
  ),

  // What NewPlant admits is taken.
  broken(
    'refuses-empty',
    'whole-shape payloads are taken: an empty name is refused',
    ['whole-shape/takes-any-name'],
    refusing(({ fields }) => fields.get('name') === ''),
  ),
  broken(
    'refuses-astral',
    'whole-shape payloads are taken: astral characters are refused',
    ['whole-shape/takes-any-name', 'whole-shape/takes-any-tag'],
    refusing(({ name, tag }) => /[\u{10000}-\u{10ffff}]/u.test(name + tag)),
  ),
  broken(
    'refuses-control',
    'whole-shape payloads are taken: control characters are refused',
    ['whole-shape/takes-any-name', 'whole-shape/takes-any-tag'],
    refusing(({ name, tag }) => /\p{Cc}/u.test(name + tag)),
  ),
  broken(
    'refuses-255',
    'whole-shape payloads are taken: a name longer than 255 is refused',
    ['whole-shape/takes-any-name'],
    refusing(({ name }) => name.length > 255),
  ),
  broken(
    'refuses-markup',
    'whole-shape payloads are taken: < and > are refused',
    ['whole-shape/takes-any-name'],
    refusing(({ name, tag }) => /[<>]/.test(name + tag)),
  ),
  broken(
    'refuses-31-bits',
    'ids above 2^31 are taken: refused',
    ['whole-shape/takes-ids-above-2^31'],
    refusing(({ id }) => id !== undefined && id >= 2n ** 31n && id <= 2n ** 53n),
  ),
  broken(
    'refuses-53-bits',
    'ids above 2^53 are taken: refused',
    ['whole-shape/takes-ids-above-2^53'],
    refusing(({ id }) => id !== undefined && id > 2n ** 53n && id < 2n ** 63n),
  ),
  broken(
    'refuses-negative',
    'whole-shape payloads are taken: a negative id is refused',
    ['whole-shape/takes-negative-ids'],
    refusing(({ id }) => id !== undefined && id < 0n),
  ),

  // HTTP and JSON as their standards have them.
  broken(
    'refuses-charset',
    'application/json; charset=utf-8 is taken: 415',
    ['create/takes-charset-parameter'],
    refusingHead((request) => contentType(request).includes(';'), 415),
  ),
  broken(
    'refuses-type-case',
    'Application/JSON is taken: 415',
    ['create/takes-media-type-in-any-case'],
    refusingHead((request) => /[A-Z]/.test(contentType(request).split(';')[0] ?? ''), 415),
  ),
  broken(
    'refuses-chunked',
    'a chunked body is taken: 411',
    ['create/takes-chunked-body'],
    refusingHead(({ headers }) => headers['content-length'] === undefined, 411),
  ),
  broken(
    'refuses-chunked-and-continues',
    'a chunked body is taken: 411, and 100 Continue before every answer',
    ['create/takes-chunked-body'],
    together(
      refusingHead(({ headers }) => headers['content-length'] === undefined, 411),
      continuing,
    ),
  ),
  broken(
    'refuses-accept',
    'Accept that allows JSON is answered: 406 where it is a range or has a quality',
    ['create/answers-whatever-accept-allows-json'],
    refusingHead(
      (request) => !accepts(request).some((type) => ['*/*', 'application/json'].includes(type)),
      406,
    ),
  ),
  broken(
    'answers-bom',
    'the answer holds no byte order mark: it does',
    ['always/no-byte-order-mark'],
    writing((text) => `\ufeff${text}`),
  ),
  broken(
    '405-no-allow',
    'a 405 carries Allow: none',
    ['always/405-says-what-is-allowed'],
    sending((answer) =>
      answer.status === 405 ? { ...answer, headers: { 'content-type': 'application/json' } } : answer,
    ),
  ),

  // How what is malformed is refused.
  broken('refuses-422', 'the refusal is 400: 422', ['refuse/with-status-400'], refusingWith(422)),
  broken('refuses-404', 'the refusal is 400: 404', ['refuse/with-status-400'], refusingWith(404)),
  broken(
    'takes-plain',
    'JSON under a foreign media type is refused: taken as text/plain',
    ['refuse/foreign-media-type'],
    takingType((request) => mediaType(request) === 'text/plain'),
  ),
  broken(
    'takes-form',
    'JSON under a foreign media type is refused: taken as a form',
    ['refuse/foreign-media-type'],
    takingType(isForm),
  ),
  broken(
    'takes-xml',
    'JSON under a foreign media type is refused: taken as XML',
    ['refuse/foreign-media-type'],
    takingType((request) => /\/xml$/.test(mediaType(request))),
  ),
  broken(
    'takes-any-type',
    'JSON under a foreign media type is refused: the type is not looked at',
    ['refuse/foreign-media-type'],
    takingType(() => true),
  ),
  broken(
    'takes-id-64',
    'an id outside int64 is refused: taken, and wrapped',
    ['refuse/id-beyond-int64'],
    reading('id', (id) => (outside(id) ? ONE : id)),
  ),
  broken(
    'takes-utf8',
    'invalid UTF-8 is refused: taken, with replacement characters',
    ['refuse/invalid-utf-8'],
    (right) => ({
      parse: (body, request) => right.parse(Buffer.from(body.toString()), request),
    }),
  ),
  broken(
    'message-empty',
    'the message is not empty: it is',
    ['always/message-says-something'],
    messaging(() => ''),
  ),
  broken(
    'message-trace',
    'the message carries no stack trace: it does',
    ['always/keeps-internals-to-itself'],
    messaging(() => trace),
  ),
  broken(
    'message-path',
    'the message carries no file path: it does',
    ['always/keeps-internals-to-itself'],
    messaging(({ message }) => `/srv/plants/lib/store.py, line 7: ${message}`),
  ),
  broken(
    'message-path-syntax',
    'the message carries no file path: a Windows path where the body is not JSON',
    ['always/keeps-internals-to-itself'],
    messaging(({ message }) => `C:\\plants\\Store.cs:line 7: ${message}`, coded(NOT_JSON)),
  ),
  broken(
    'message-credential',
    'the message never carries the credential: it does',
    ['always/keeps-the-credential-to-itself'],
    messaging(({ message }, request) => `${message} (token ${bearerToken(request)})`),
  ),

  // Bearer tokens.
  broken(
    'missing-404',
    'a missing token is answered 401 or 400: 404, as if there were nothing',
    ['auth/refuses-with-401'],
    challenging((request) =>
      authorization(request) === undefined ? json(404, { error: 404, message: 'not found' }) : undefined,
    ),
  ),
  broken(
    'refused-403',
    'a refused token is answered 401 or 400: 403',
    ['auth/refuses-with-401'],
    challenging((request) =>
      authorization(request) === undefined ? undefined : json(403, { error: 403, message: 'forbidden' }),
    ),
  ),
  broken('401-no-challenge', 'a 401 carries WWW-Authenticate: none', ['auth/challenges'], challengedBy({})),
  broken(
    '401-basic',
    'a 401 names Bearer: Basic only',
    ['auth/challenges'],
    challengedBy({ 'www-authenticate': 'Basic realm="plants"' }),
  ),
  broken(
    'scheme-case',
    'the scheme is matched without regard to case: only Bearer',
    ['auth/takes-scheme-in-any-case'],
    (right) => ({
      authenticate(request) {
        const exact = /^Bearer /.test(authorization(request) ?? '');
        right.authenticate(exact ? request : { ...request, headers: {} });
      },
    }),
  ),
  broken(
    'token-then-word',
    'the token is all that follows the scheme: only the first word is compared',
    ['auth/rejects-words-after-the-token'],
    (right) => ({
      authenticate(request) {
        const first = /^bearer +\S+/i.exec(authorization(request) ?? '')?.[0] ?? '';
        right.authenticate({ ...request, headers: { ...request.headers, authorization: [first] } });
      },
    }),
  ),
  broken(
    'token-in-query',
    'a token in the query is not enough: it is',
    ['auth/rejects-token-in-query'],
    findingElsewhere(({ message }) =>
      new URLSearchParams((message.url ?? '').split('?')[1]).get('access_token'),
    ),
  ),
  broken(
    'token-in-form',
    'a token in a form is not enough: it is',
    ['auth/rejects-token-in-form'],
    (right) => {
      const inForm = (request: Received) =>
        authorization(request) === undefined && isForm(request) && form(request).has('access_token');
      return {
        ...findingElsewhere((request) => (isForm(request) ? form(request).get('access_token') : undefined))(
          right,
        ),
        ...takingType(inForm)(right),
        parse(body, request) {
          if (!inForm(request)) return right.parse(body, request);
          const fields = new Map<string, Value>(form(request));
          const id = form(request).get('id') ?? '';
          return /^\d+$/.test(id) ? fields.set('id', new Numeral(id)) : fields;
        },
      };
    },
  ),
];
