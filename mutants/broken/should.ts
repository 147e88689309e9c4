import type { IncomingMessage, Server } from 'node:http';
import { Numeral, type Value } from '../../reference/json.ts';
import {
  type Answer,
  bearerToken,
  json,
  type NewPlant,
  type Received,
  type Rejection,
  type Steps,
} from '../../reference/store.ts';
import { type BrokenStore, broken, brokenBy, type Change } from '../fleet.ts';
import {
  acceptingType,
  answering400With,
  answeringText,
  answeringValue,
  authorization,
  challenging,
  coded,
  contentType,
  continuing,
  mediaType,
  NOT_JSON,
  ONE,
  overlapping,
  reading,
  rejecting,
  rejectingHead,
  sending,
  together,
  under,
  withFreshState,
} from '../helpers.ts';
import { serving } from '../right/serving.ts';

/** Sends 100 Continue to some of the requests that wait for it. */
const continuingIf = (
  name: string,
  breaks: string,
  when: (message: IncomingMessage) => boolean,
): BrokenStore => {
  const setUp = (server: Server) =>
    server.on('checkContinue', (message, response) => {
      if (when(message)) response.writeContinue();
      server.emit('request', message, response);
    });
  const { start } = serving(name, breaks, { setUp });
  return { name, breaks, fails: ['invariants/answers-expectations'], start };
};

const naming = (name: (plant: NewPlant) => string) =>
  answeringValue((plant) => ({ name: name(plant), tag: plant.tag }));
const tagging = (tag: (tag: string) => string | undefined) =>
  answeringValue((plant) => ({
    name: plant.name,
    tag: plant.tag === undefined ? undefined : tag(plant.tag),
  }));
const changesName = brokenBy(['ordinary/echoes-name', 'unconstrained/echoes-any-name'], naming);
const changesTag = brokenBy(['ordinary/echoes-tag', 'unconstrained/echoes-any-tag'], tagging);
const rejectsName = brokenBy(['unconstrained/accepts-any-name'], rejecting);
const messaging = (
  say: (rejection: Rejection, request: Received) => string,
  codes?: (rejection: Rejection, request: Received) => boolean,
) =>
  answering400With(
    (rejection, request) => ({ error: rejection.code, message: say(rejection, request) }),
    codes,
  );

/** Answers 401 with other headers. */
const challengedBy = (headers: Record<string, string>): Change =>
  challenging(() => json(401, { error: 401, message: 'a bearer token is required' }, headers));

/** Without an Authorization header, also finds the token elsewhere. */
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

/** Stores that each break one SHOULD and no MUST. */
export const should: readonly BrokenStore[] = [
  // Values come back unchanged.
  broken(
    'name-trimmed',
    'trims the name and collapses white space in it',
    ['unconstrained/echoes-any-name'],
    naming(({ name }) => name.trim().replace(/\s+/g, ' ')),
  ),
  changesName('name-lower-case', 'answers with the name in lower case', ({ name }) => name.toLowerCase()),
  changesName('name-capitalised', 'answers with the name capitalised', ({ name }) =>
    name.replace(/^./u, (first) => first.toUpperCase()),
  ),
  changesName('name-cut', 'truncates the name after 32 characters', ({ name }) => name.slice(0, 32)),
  broken(
    'name-composed',
    'answers with the name in NFC',
    ['unconstrained/echoes-any-name'],
    naming(({ name }) => name.normalize('NFC')),
  ),
  changesName(
    'name-html',
    'answers with the name escaped for HTML: an apostrophe becomes &#39;',
    ({ name }) => name.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`),
  ),
  changesName('name-constant', 'answers with the same name always', () => 'Aloe'),
  broken(
    'name-of-another',
    'answers with the name of another request in progress',
    ['ordinary/echoes-name', 'ordinary/echoes-tag', 'unconstrained/echoes-any-tag'],
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
      return overlapping(10, () => mixed)(right);
    },
  ),
  changesTag('tag-dropped', 'leaves out the tag', () => undefined),
  changesTag('tag-upper-case', 'answers with the tag in upper case', (tag) => tag.toUpperCase()),
  changesTag('tag-cut', 'truncates the tag after 10 characters', (tag) => tag.slice(0, 10)),

  // Every valid NewPlant is accepted.
  rejectsName('rejects-empty', 'rejects an empty name', ({ fields }) => fields.get('name') === ''),
  broken(
    'rejects-astral',
    'rejects astral characters',
    ['unconstrained/accepts-any-name', 'unconstrained/accepts-any-tag'],
    rejecting(({ name, tag }) => /[\u{10000}-\u{10ffff}]/u.test(name + tag)),
  ),
  broken(
    'rejects-control',
    'rejects control characters',
    ['unconstrained/accepts-any-name', 'unconstrained/accepts-any-tag'],
    rejecting(({ name, tag }) => /\p{Cc}/u.test(name + tag)),
  ),
  rejectsName('rejects-255', 'rejects names longer than 255 characters', ({ name }) => name.length > 255),
  rejectsName('rejects-markup', 'rejects < and >', ({ name, tag }) => /[<>]/.test(name + tag)),
  broken(
    'rejects-31-bits',
    'rejects ids from 2^31 to 2^53',
    ['unconstrained/accepts-ids-above-2^31'],
    rejecting(({ id }) => id !== undefined && id >= 2n ** 31n && id <= 2n ** 53n),
  ),
  broken(
    'rejects-53-bits',
    'rejects ids above 2^53',
    ['unconstrained/accepts-ids-above-2^53'],
    rejecting(({ id }) => id !== undefined && id > 2n ** 53n && id < 2n ** 63n),
  ),
  broken(
    'rejects-negative',
    'rejects negative ids',
    ['unconstrained/accepts-negative-ids'],
    rejecting(({ id }) => id !== undefined && id < 0n),
  ),

  // HTTP and JSON follow their standards.
  broken(
    'rejects-charset',
    '415 to application/json; charset=utf-8',
    ['ordinary/accepts-charset-parameter'],
    rejectingHead((request) => contentType(request).includes(';'), 415),
  ),
  broken(
    'rejects-type-case',
    '415 to Application/JSON',
    ['ordinary/accepts-media-type-in-any-case'],
    rejectingHead((request) => /[A-Z]/.test(contentType(request).split(';')[0] ?? ''), 415),
  ),
  broken(
    'rejects-chunked',
    '411 to a chunked body',
    ['ordinary/accepts-chunked-body'],
    rejectingHead(({ headers }) => headers['content-length'] === undefined, 411),
  ),
  broken(
    'rejects-chunked-and-continues',
    '411 to a chunked body, and 100 Continue before every response',
    ['ordinary/accepts-chunked-body'],
    together(
      rejectingHead(({ headers }) => headers['content-length'] === undefined, 411),
      continuing,
    ),
  ),
  broken(
    'applies-range',
    'applies Range to the response to a POST, as functions that serve files do',
    ['ordinary/ignores-range'],
    sending((answer, { headers }) => {
      const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(headers.range?.[0] ?? '') ?? [];
      if (answer.status !== 200 || first === undefined) return answer;
      const whole = typeof answer.body === 'string' ? answer.body : '';
      if (Number(first) >= whole.length) return { status: 416, headers: {} };
      const body = whole.slice(Number(first), last === '' ? undefined : Number(last) + 1);
      return { ...answer, status: 206, body };
    }),
  ),
  broken(
    'rejects-accept',
    '406 if Accept allows JSON only by a range or with a quality value',
    ['ordinary/accepts-any-accept-that-allows-json'],
    rejectingHead(
      (request) => !accepts(request).some((type) => ['*/*', 'application/json'].includes(type)),
      406,
    ),
  ),
  broken(
    'answers-bom',
    'puts a byte order mark before the body',
    ['invariants/no-byte-order-mark'],
    answeringText((text) => `\ufeff${text}`),
  ),
  broken(
    '405-no-allow',
    'sends a 405 without Allow',
    ['invariants/405-carries-allow'],
    sending((answer) =>
      answer.status === 405 ? { ...answer, headers: { 'content-type': 'application/json' } } : answer,
    ),
  ),

  // How invalid bodies are rejected.
  broken('rejects-422', 'rejects with 422 instead of 400', ['invalid/answers-400'], under(422)),
  broken('rejects-404', 'rejects with 404 instead of 400', ['invalid/answers-400'], under(404)),
  broken(
    'takes-plain',
    'accepts JSON sent as text/plain',
    ['invalid/rejects-other-media-types'],
    acceptingType((request) => mediaType(request) === 'text/plain'),
  ),
  broken(
    'takes-form',
    'accepts JSON sent as a form',
    ['invalid/rejects-other-media-types'],
    acceptingType(isForm),
  ),
  broken(
    'takes-xml',
    'accepts JSON sent as XML',
    ['invalid/rejects-other-media-types'],
    acceptingType((request) => /\/xml$/.test(mediaType(request))),
  ),
  broken(
    'takes-any-type',
    'does not check the media type',
    ['invalid/rejects-other-media-types'],
    acceptingType(() => true),
  ),
  broken(
    'takes-id-64',
    'accepts an id outside int64, with overflow',
    ['invalid/rejects-id-beyond-int64'],
    reading('id', (id) => (outside(id) ? ONE : id)),
  ),
  broken(
    'takes-id-64-once',
    'accepts an id outside int64, cut off at its end, but each id only once',
    ['invalid/rejects-id-beyond-int64'],
    together(
      reading('id', (id) => (outside(id) ? ONE : id)),
      withFreshState(() => {
        const known = new Set<string>();
        return rejecting(({ text }) => {
          const id = /"id":(-?\d{19,})/.exec(text)?.[1];
          if (id === undefined) return false;
          if (known.has(id)) return true;
          known.add(id);
          return false;
        }, 409);
      }),
    ),
  ),
  broken(
    'takes-utf8',
    'accepts invalid UTF-8, with replacement characters',
    ['invalid/rejects-invalid-utf-8'],
    (right) => ({
      parse: (body, request) => right.parse(Buffer.from(body.toString()), request),
    }),
  ),
  continuingIf('http-never-continues', 'sends no 100 Continue and waits for the body', () => false),
  continuingIf(
    'http-continues-length-only',
    'sends 100 Continue only if the request has a Content-Length',
    ({ headers }) => headers['content-length'] !== undefined,
  ),
  broken(
    'message-empty',
    'answers 400 with an empty message',
    ['invariants/message-is-not-empty'],
    messaging(() => ''),
  ),
  broken(
    'message-trace',
    'puts a stack trace into the message',
    ['invariants/leaks-no-internals'],
    messaging(() => trace),
  ),
  broken(
    'message-path',
    'puts a file path into the message',
    ['invariants/leaks-no-internals'],
    messaging(({ message }) => `/srv/plants/lib/store.py, line 7: ${message}`),
  ),
  broken(
    'message-path-syntax',
    'puts a Windows path into the message if the body is not JSON',
    ['invariants/leaks-no-internals'],
    messaging(({ message }) => `C:\\plants\\Store.cs:line 7: ${message}`, coded(NOT_JSON)),
  ),
  broken(
    'message-credential',
    'puts the token into the message',
    ['invariants/leaks-no-token'],
    messaging(({ message }, request) => `${message} (token ${bearerToken(request)})`),
  ),

  // Bearer tokens.
  broken(
    'missing-404',
    'answers a missing token with 404, as if there were nothing',
    ['auth/answers-401'],
    challenging((request) =>
      authorization(request) === undefined ? json(404, { error: 404, message: 'not found' }) : undefined,
    ),
  ),
  broken(
    'answers-403',
    'answers an invalid token with 403',
    ['auth/answers-401'],
    challenging((request) =>
      authorization(request) === undefined ? undefined : json(403, { error: 403, message: 'forbidden' }),
    ),
  ),
  broken(
    '401-no-challenge',
    'sends a 401 without WWW-Authenticate',
    ['auth/answers-with-a-challenge'],
    challengedBy({}),
  ),
  broken(
    '401-basic',
    'answers 401 with a challenge for Basic only',
    ['auth/answers-with-a-challenge'],
    challengedBy({ 'www-authenticate': 'Basic realm="plants"' }),
  ),
  broken(
    'scheme-case',
    'matches the scheme case-sensitively',
    ['auth/accepts-scheme-in-any-case'],
    (right) => ({
      authenticate(request) {
        const exact = /^Bearer /.test(authorization(request) ?? '');
        right.authenticate(exact ? request : { ...request, headers: {} });
      },
    }),
  ),
  broken(
    'token-then-word',
    'ignores text after the token',
    ['auth/rejects-text-after-the-token'],
    (right) => ({
      authenticate(request) {
        const first = /^bearer +\S+/i.exec(authorization(request) ?? '')?.[0] ?? '';
        right.authenticate({ ...request, headers: { ...request.headers, authorization: [first] } });
      },
    }),
  ),
  broken(
    'token-in-query',
    'accepts the token in the query',
    ['auth/rejects-token-in-query'],
    findingElsewhere(({ message }) =>
      new URLSearchParams((message.url ?? '').split('?')[1]).get('access_token'),
    ),
  ),
  broken('token-in-form', 'accepts the token in a form', ['auth/rejects-token-in-form'], (right) => {
    const inForm = (request: Received) =>
      authorization(request) === undefined && isForm(request) && form(request).has('access_token');
    return {
      ...findingElsewhere((request) => (isForm(request) ? form(request).get('access_token') : undefined))(
        right,
      ),
      ...acceptingType(inForm)(right),
      parse(body, request) {
        if (!inForm(request)) return right.parse(body, request);
        const fields = new Map<string, Value>(form(request));
        const id = form(request).get('id') ?? '';
        return /^\d+$/.test(id) ? fields.set('id', new Numeral(id)) : fields;
      },
    };
  }),
];
