import { Numeral, type Value } from '../../reference/json.ts';
import { answer, Rejection } from '../../reference/store.ts';
import { type Change, type RightStore, right } from '../fleet.ts';
import {
  contentType,
  html,
  insteadOf,
  nameOrTag,
  parsing,
  plain,
  rejecting,
  type Seen,
  sending,
} from '../helpers.ts';
import { rejectingEarly, serving } from './serving.ts';

const LARGE = 1024;

/** Every value inside a value, and every key. Iterative, because of deep nesting. */
function* within(whole: Value | undefined): Generator<{ value: Value; key?: string }> {
  const left: Value[] = whole === undefined ? [] : [whole];
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    yield { value };
    if (Array.isArray(value)) for (const item of value) left.push(item);
    if (!(value instanceof Map)) continue;
    for (const [key, member] of value) {
      yield { value: null, key };
      left.push(member);
    }
  }
}
const some = (seen: Seen, when: (inside: { value: Value; key?: string }) => boolean) => {
  for (const inside of within(seen.value)) if (when(inside)) return true;
  return false;
};
const someKey = (when: (key: string) => boolean) => (seen: Seen) =>
  some(seen, ({ key }) => key !== undefined && when(key));
const someString = (when: (text: string) => boolean) => (seen: Seen) =>
  some(seen, ({ value, key }) => when(key ?? (typeof value === 'string' ? value : '')));

/** What a firewall considers an attack; no ordinary name or tag matches. */
const HOSTILE =
  /<\/?[a-z!]|\$\{|\{\{|<%|\.\.[/\\]|['"]\s*(?:or|and)\b[^"]*=|;\s*(?:drop|select|delete)|\/etc\/|%00|%n|\0|\r\n[a-z-]+:|\|\s*\w+|`|\$\(/i;

/** The firewall stands in front: it ignores credentials and sees only text. */
const firewall = (answer: ReturnType<typeof html>): Change =>
  sending((usual, { body }) => (HOSTILE.test(body.toString()) ? answer : usual));

/** Connections whose next request is not answered. */
const silent = new WeakSet<object>();

/** Stores that reject large, deep or strange payloads: "Limits … unspecified", "Constraints … unspecified". */
export const sizes: readonly RightStore[] = [
  serving(
    'silent-after-413',
    'answers 413 to more than 64 KiB in chunks and then nothing on the same connection, as a proxy that has lost its place',
    {
      async meet(line, message, response) {
        if (!silent.has(message.socket)) await answer(line, message, response);
      },
      change: sending((usual, { body, headers, message }) => {
        if (body.length <= 65_536 || !('transfer-encoding' in headers)) return usual;
        silent.add(message.socket);
        return html(413, 'Payload Too Large');
      }),
    },
  ),
  serving(
    'early-413',
    'answers a Content-Length above 1 KiB with 413 in HTML before the body arrives, and closes the connection',
    {
      meet: rejectingEarly((_, { headers }) => {
        if (Number(headers['content-length']?.[0] ?? 0) > LARGE) throw new Rejection(413, 413, 'too large');
      }, true),
      change: insteadOf(413, () => html(413, 'Request Entity Too Large')),
    },
  ),
  right(
    'envoy-413',
    'answers a body of more than 4 KiB with 413 in plain text, also without a token',
    sending((usual, { body }) => (body.length > 4096 ? plain(413, 'Payload Too Large') : usual)),
  ),
  right(
    'oversized-502',
    'answers a body of more than 70,000 bytes with 502 in HTML: a gateway that cannot pass it on, and 64 KiB are the limit of what is judged',
    sending((usual, { body }) => (body.length > 70_000 ? html(502, 'Bad Gateway') : usual)),
  ),
  right(
    'white-space-413',
    'answers more than 1 KiB of white space with 413',
    rejecting(({ text }) => (text.match(/[ \t\r\n]/g)?.length ?? 0) > LARGE, 413),
  ),
  right(
    'names-of-255-bytes',
    'answers a name of more than 255 bytes in UTF-8 with 400, a tag of more than 64 with 422',
    (reference) => ({
      validate(value, request) {
        const plant = reference.validate(value, request);
        if (Buffer.byteLength(plant.name) > 255) throw new Rejection(400, 10, 'the name is too long');
        if (Buffer.byteLength(plant.tag ?? '') > 64) throw new Rejection(422, 11, 'the tag is too long');
        return plant;
      },
    }),
  ),
  right(
    'strings-of-5000',
    'answers strings longer than 5,000 characters with 413: Jackson has such a limit',
    rejecting(
      someString((text) => text.length > 5000),
      413,
    ),
  ),
  right(
    'numbers-of-30',
    'answers numbers longer than 30 characters with 400: Jackson has such a limit',
    rejecting((seen) => some(seen, ({ value }) => value instanceof Numeral && value.text.length > 30)),
  ),
  right(
    'few-keys',
    'answers more than 10 properties with 400: PHP and Django have such a limit',
    rejecting(({ fields }) => fields.size > 10),
  ),
  right(
    'short-keys',
    'answers property names longer than 50 characters with 422',
    rejecting(
      someKey((key) => key.length > 50),
      422,
    ),
  ),
  right(
    'plain-keys',
    'answers 400 to property names that contain anything but letters, digits, - and _',
    rejecting(someKey((key) => !/^[\w-]+$/.test(key))),
  ),
  right(
    'prototype-keys-400',
    'answers properties called __proto__ or constructor at any depth with 400, like Fastify',
    rejecting(someKey((key) => key === '__proto__' || key === 'constructor')),
  ),
  right(
    'flat',
    'answers 400 to a plant that contains an object or array',
    rejecting(({ fields }) =>
      [...fields.values()].some(
        (value) => typeof value === 'object' && value !== null && !(value instanceof Numeral),
      ),
    ),
  ),
  right(
    'undeclared-nulls-422',
    'answers an undeclared property that is null with 422',
    rejecting(
      ({ fields }) =>
        [...fields].some(([key, value]) => value === null && !['id', 'name', 'tag'].includes(key)),
      422,
    ),
  ),
  right(
    'names-in-another-case-400',
    'answers property names that differ only in case, like name and NAME, with 400',
    rejecting(({ fields }) => new Set([...fields.keys()].map((key) => key.toLowerCase())).size < fields.size),
  ),
  right(
    'composed-only',
    'answers a name that is not in NFC with 400, such a tag with 422',
    rejecting(({ name, tag }) => name.normalize('NFC') !== name || tag.normalize('NFC') !== tag),
  ),
  right(
    'no-format-characters',
    'answers invisible characters (directions, joiners, variation selectors) with 422',
    rejecting(nameOrTag(/[\p{Cf}\p{Mn}\p{Me}\p{Co}\p{Cn}]/u), 422),
  ),
  right(
    'latin-only',
    'answers 400 to letters that are not Latin',
    rejecting(nameOrTag(/(?!\p{Script=Latin})\p{L}/u)),
  ),
  right(
    'trimmed-only',
    'answers 400 to a name that begins with white space, or ends with any except a space',
    rejecting(({ name }) => /^\s|[^\S ]$/.test(name)),
  ),
  right(
    'safe-integers',
    'answers an id beyond 2^53 with 400: accepting it is a SHOULD',
    rejecting(({ id }) => id !== undefined && (id > 2n ** 53n - 1n || id < 1n - 2n ** 53n)),
  ),
  right(
    'ids-of-31-bits-404',
    'answers an id outside 0 to 2^31 - 1 with 404: there is no such shelf',
    rejecting(({ id }) => id !== undefined && (id < 0n || id > 2n ** 31n - 1n), 404),
  ),
  right(
    'utf-16-accepted',
    'accepts a body in UTF-16, like Jackson: RFC 8259 section 9 allows it',
    parsing(
      ({ request: { body } }) =>
        body.length > 3 && ((body[0] === 0xff && body[1] === 0xfe) || (body[1] === 0 && body[3] === 0)),
      ({ body, ...request }, steps) => {
        const text = new TextDecoder('utf-16le').decode(body);
        return steps.parse(Buffer.from(text), { body, ...request });
      },
    ),
  ),
  right(
    'empty-415',
    'answers an empty body with 415, whatever its content type',
    rejecting(({ request }) => request.body.length === 0 || contentType(request) === '', 415),
  ),

  // Firewalls.
  right(
    'waf-403',
    'answers strings that look like an attack with 403 in HTML, with or without a token',
    firewall(html(403, 'Request blocked')),
  ),
  right(
    'modsecurity-406',
    'answers strings that look like an attack with 406 in HTML, the default of older ModSecurity',
    firewall(html(406, 'Not Acceptable')),
  ),
  right(
    'waf-challenge-403',
    'answers strings that look like an attack with a browser challenge, closes the connection and forbids storing it',
    firewall({
      ...html(403, 'Just a moment...'),
      headers: {
        'content-type': 'text/html; charset=UTF-8',
        'cf-mitigated': 'challenge',
        'cache-control': 'private, max-age=0, no-store',
        connection: 'close',
      },
    }),
  ),
];
