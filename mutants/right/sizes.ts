import { Numeral, type Value } from '../../reference/json.ts';
import { Refusal } from '../../reference/store.ts';
import { type Change, type RightStore, right } from '../fleet.ts';
import { contentType, html, parsing, plain, refusing, type Seen, sending } from '../helpers.ts';
import { rejectingEarly, serving } from './serving.ts';

const LARGE = 1024;

/** Every value inside a value, and the keys that lead to them: however deep, so without recursion. */
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
const either = (pattern: RegExp) => (seen: Seen) => pattern.test(seen.name) || pattern.test(seen.tag);

/** What a firewall takes for an attack; none of it is in an ordinary name or tag. */
const HOSTILE =
  /<\/?[a-z!]|\$\{|\{\{|<%|\.\.[/\\]|['"]\s*(?:or|and)\b[^"]*=|;\s*(?:drop|select|delete)|\/etc\/|%00|%n|\0|\r\n[a-z-]+:|\|\s*\w+|`|\$\(/i;

/** The firewall stands in front: it knows nothing of credentials, and sees text alone. */
const firewall = (answer: ReturnType<typeof html>): Change =>
  sending((said, { body }) => (HOSTILE.test(body.toString()) ? answer : said));

/** What is larger, deeper or stranger than a store wants: "Limits … not shown", "Constraints … not shown". */
export const sizes: readonly RightStore[] = [
  serving(
    'early-413',
    'a Content-Length above a kibibyte gets 413 in HTML before the body comes, and the end of the connection',
    {
      meet: rejectingEarly((_, { headers }) => {
        if (Number(headers['content-length']?.[0] ?? 0) > LARGE) throw new Refusal(413, 413, 'too large');
      }, true),
      change: (reference) => ({
        refuse: (refusal, request) =>
          refusal.status === 413 ? html(413, 'Request Entity Too Large') : reference.refuse(refusal, request),
      }),
    },
  ),
  right('envoy-413', 'a body above 4 KiB gets 413 in plain text, whoever sends it', (reference) => ({
    send: (answer, response, request) =>
      reference.send(
        request.body.length > 4096 ? plain(413, 'Payload Too Large') : answer,
        response,
        request,
      ),
  })),
  right(
    'white-space-413',
    'more than a kibibyte of white space around the tokens gets 413',
    refusing(({ text }) => (text.match(/[ \t\r\n]/g)?.length ?? 0) > LARGE, 413),
  ),
  right(
    'names-of-255-bytes',
    'a name above 255 bytes of UTF-8 gets 400, a tag above 64 gets 422',
    (reference) => ({
      validate(value, request) {
        const plant = reference.validate(value, request);
        if (Buffer.byteLength(plant.name) > 255) throw new Refusal(400, 10, 'the name is too long');
        if (Buffer.byteLength(plant.tag ?? '') > 64) throw new Refusal(422, 11, 'the tag is too long');
        return plant;
      },
    }),
  ),
  right(
    'strings-of-5000',
    'any string above 5,000 characters gets 413: Jackson has such a limit',
    refusing(
      someString((text) => text.length > 5000),
      413,
    ),
  ),
  right(
    'numbers-of-30',
    'any numeral above 30 characters gets 400: Jackson has such a limit',
    refusing((seen) => some(seen, ({ value }) => value instanceof Numeral && value.text.length > 30)),
  ),
  right(
    'few-keys',
    'more than 10 properties get 400: PHP and Django have such a limit',
    refusing(({ fields }) => fields.size > 10),
  ),
  right(
    'short-keys',
    'a property name above 50 characters gets 422',
    refusing(
      someKey((key) => key.length > 50),
      422,
    ),
  ),
  right(
    'plain-keys',
    'a property name of anything but letters, digits, - and _ gets 400',
    refusing(someKey((key) => !/^[\w-]+$/.test(key))),
  ),
  right(
    'prototype-keys-400',
    '__proto__ and constructor among the properties, at any depth, get 400, as Fastify has it',
    refusing(someKey((key) => key === '__proto__' || key === 'constructor')),
  ),
  right(
    'flat',
    'an object or array inside a plant gets 400',
    refusing(({ fields }) =>
      [...fields.values()].some(
        (value) => typeof value === 'object' && value !== null && !(value instanceof Numeral),
      ),
    ),
  ),
  right(
    'undeclared-nulls-422',
    'an undeclared property that is null gets 422',
    refusing(
      ({ fields }) =>
        [...fields].some(([key, value]) => value === null && !['id', 'name', 'tag'].includes(key)),
      422,
    ),
  ),
  right(
    'case-twins-400',
    'properties that differ in case alone, as name and NAME, get 400',
    refusing(({ fields }) => new Set([...fields.keys()].map((key) => key.toLowerCase())).size < fields.size),
  ),
  right(
    'composed-only',
    'a name that is not in normal form C gets 400, a tag 422',
    refusing(({ name, tag }) => name.normalize('NFC') !== name || tag.normalize('NFC') !== tag),
  ),
  right(
    'no-format-characters',
    'characters that cannot be seen (directions, joiners, variation selectors) get 422',
    refusing(either(/[\p{Cf}\p{Mn}\p{Me}\p{Co}\p{Cn}]/u), 422),
  ),
  right(
    'latin-only',
    'letters of other scripts than Latin get 400',
    refusing(either(/(?!\p{Script=Latin})\p{L}/u)),
  ),
  right(
    'trimmed-only',
    'white space before a name, and other white space than a space after it, gets 400',
    refusing(({ name }) => /^\s|[^\S ]$/.test(name)),
  ),
  right(
    'safe-integers',
    'an id beyond 2^53 gets 400: that it is accepted is a SHOULD',
    refusing(({ id }) => id !== undefined && (id > 2n ** 53n - 1n || id < 1n - 2n ** 53n)),
  ),
  right(
    'ids-of-31-bits-404',
    'an id outside 0 to 2^31 - 1 gets 404: there is no such shelf',
    refusing(({ id }) => id !== undefined && (id < 0n || id > 2n ** 31n - 1n), 404),
  ),
  right(
    'utf-16-accepted',
    'a body in UTF-16 is accepted, as Jackson does: RFC 8259 section 9 lets a parser accept other forms',
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
    'an empty body gets 415, whatever its content type',
    refusing(({ request }) => request.body.length === 0 || contentType(request) === '', 415),
  ),

  // Firewalls.
  right(
    'waf-403',
    'strings that look like an attack get 403 in HTML, with or without a token',
    firewall(html(403, 'Request blocked')),
  ),
  right(
    'modsecurity-406',
    'strings that look like an attack get 406 in HTML: the default of older ModSecurity',
    firewall(html(406, 'Not Acceptable')),
  ),
  right(
    'waf-challenge-403',
    'strings that look like an attack get a challenge for browsers, closed and never to be stored',
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
