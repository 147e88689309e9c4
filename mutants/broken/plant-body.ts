import { gzipSync } from 'node:zlib';
import { type BrokenStore, broken, brokenBy } from '../fleet.ts';
import { answering, answeringText, answeringValue, contentType, ownNamesIn, textOf } from '../helpers.ts';

/** The checks that fail if no 200 is a Plant. */
const NO_PLANT = [
  'auth/rejects-after-an-accepted-request',
  'ordinary/answers-a-plant',
  'state/answers-alternating-requests',
];

const noPlantText = brokenBy(NO_PLANT, answeringText);
const noPlantValue = brokenBy(NO_PLANT, answeringValue);

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
const unescaped = (name: string) => `{"name":"${name}"}`;

/** The value of a text that is JSON, unless it is a string. */
function parsedAgain(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? text : value;
  } catch {
    return text;
  }
}

/** What a word means in YAML 1.1. */
function meant(text: string | undefined): string | boolean | null | undefined {
  if (text === undefined || !/^(?:yes|no|on|off|true|false|null|~)$/i.test(text)) return text;
  return /^(?:null|~)$/i.test(text) ? null : /^(?:yes|on|true)$/i.test(text);
}

/** Stores whose 200 carries a body that is not one JSON value, or not a Plant. */
export const plantBody: readonly BrokenStore[] = [
  broken(
    'body-charset-of-request',
    'answers in the charset of the request',
    ['combinations/answers-unconstrained-plants'],
    answering((answer, _, request) =>
      /iso-8859-1/.test(contentType(request))
        ? { ...answer, body: Buffer.from(textOf(answer), 'latin1') }
        : answer,
    ),
  ),
  broken(
    'body-first-8-kib',
    'writes only the first 8 KiB of a response and takes them for all of it: write instead of write_all',
    ['unconstrained/answers-large-plants', 'invariants/answers'],
    (right) => ({
      send(answer, response, request) {
        const bytes = Buffer.from(answer.body ?? '');
        if (bytes.length < 8000) return right.send(answer, response, request);
        response.writeHead(answer.status, { ...answer.headers, 'content-length': bytes.length });
        response.write(bytes.subarray(0, 8000));
      },
    }),
  ),
  broken(
    'body-duplicates-as-array',
    'returns all values of a name or tag that occurs twice, as an array',
    ['combinations/answers-unconstrained-plants', 'invariants/200-is-a-plant'],
    answering((answer, plant, request) => {
      const names = ownNamesIn(request.body.toString());
      const values = (name: 'name' | 'tag') =>
        names.filter((one) => one === name).length > 1 ? { [name]: ['Aloe', plant[name]] } : {};
      return {
        ...answer,
        body: JSON.stringify({ name: plant.name, tag: plant.tag, ...values('name'), ...values('tag') }),
      };
    }),
  ),
  // Not one JSON value in valid UTF-8.
  noPlantText('body-empty', 'answers 200 with an empty body', () => ''),
  noPlantText('body-blank', 'answers 200 with white space', () => ' \n'),
  noPlantText('body-html', 'answers 200 with HTML that is labelled JSON', () => '<p>created</p>'),
  broken(
    'body-broken-escape',
    'turns \\\\u of a name or tag into \\u, which is not an escape unless four digits follow',
    ['invariants/200-is-a-plant', 'unconstrained/answers-hostile-names'],
    answeringText((text) => text.replaceAll('\\\\u', '\\u')),
  ),
  noPlantText(
    'body-two-values',
    'answers 200 with two JSON values, one per line',
    (text) => `${text}\n${text}`,
  ),
  noPlantText('body-debug-tail', 'appends a line of debug output to the body', (text) => `${text}\n-- 3 ms`),
  noPlantText('body-semicolon', 'appends a semicolon to the body', (text) => `${text};`),
  noPlantText('body-nul-tail', 'appends the NUL of a C string to the body', (text) => `${text}\0`),
  noPlantText(
    'body-guarded',
    'puts a guard against JSON hijacking before the body',
    (text) => `)]}',\n${text}`,
  ),
  noPlantText('body-jsonp', 'wraps the body in a JSONP callback', (text) => `callback(${text})`),
  noPlantText('body-trailing-comma', 'puts a comma before the closing brace', (text) =>
    text.replace(/}$/, ',}'),
  ),
  noPlantText(
    'body-single-quotes',
    'answers 200 with single-quoted JSON',
    (_, { name }) => `{'name': '${name}'}`,
  ),
  noPlantText('body-bare-names', 'answers 200 with unquoted property names', (text) =>
    text.replace('"name"', 'name'),
  ),
  noPlantText('body-nan', 'answers 200 with NaN in an additional property', (text) =>
    text.replace(/}$/, ',"price":NaN}'),
  ),
  noPlantText('body-undefined', 'answers 200 with undefined in an additional property', (text) =>
    text.replace(/}$/, ',"owner":undefined}'),
  ),
  noPlantText('body-truncated', 'answers 200 without the closing brace', (text) => text.slice(0, -1)),
  noPlantText('body-utf16', 'answers 200 in UTF-16', utf16),
  noPlantText('body-latin1', 'answers 200 with an additional property in Latin-1', (text) =>
    latin1(text.replace(/}$/, ',"kind":"B\u00e9gonia"}')),
  ),
  noPlantText('body-twice', 'answers 200 with JSON in a JSON string', (text) => JSON.stringify(text)),
  broken(
    'body-tag-reference',
    'returns a reference to the name in place of an equal tag',
    ['combinations/accepts-ordinary-plants', 'invariants/200-is-a-plant'],
    answeringValue(({ id, name, tag }) => ({
      id: Number(id),
      name,
      tag: tag === name ? { $ref: '$.name' } : tag,
    })),
  ),
  broken(
    'body-fixed-buffer',
    'truncates the body after 48 bytes',
    [
      'ordinary/accepts-tags-of-every-length',
      'unconstrained/answers-any-id',
      'unconstrained/answers-hostile-tags',
    ],
    answeringText((text) => text.slice(0, 48)),
  ),
  broken(
    'body-escaped-apostrophe',
    "escapes an apostrophe in the name as \\', which is not JSON",
    [
      'ordinary/accepts-names-of-many-kinds',
      'unconstrained/answers-hostile-names',
      'unconstrained/answers-hostile-tags',
    ],
    answeringText((text) => text.replaceAll("'", "\\'")),
  ),
  broken(
    'body-latin1-names',
    'answers in Latin-1 if the name is not ASCII',
    ['invariants/200-is-a-plant', 'unconstrained/answers-any-plant', 'unconstrained/answers-hostile-names'],
    answeringText((text, { name }) => (/[\u0080-\u00ff]/.test(name) ? latin1(text) : text)),
  ),
  broken(
    'body-parsed-again',
    'returns name and tag parsed if they are JSON',
    [
      'unconstrained/answers-any-plant',
      'unconstrained/answers-hostile-names',
      'unconstrained/answers-hostile-tags',
    ],
    answeringValue(({ name, tag }) => ({
      name: parsedAgain(name),
      ...(tag === undefined ? {} : { tag: parsedAgain(tag) }),
    })),
  ),
  broken(
    'body-counts-characters',
    'truncates the body if it has more bytes than characters',
    [
      'unconstrained/answers-hostile-names',
      'unconstrained/answers-hostile-tags',
      'unconstrained/answers-large-plants',
    ],
    answeringText((text) => Buffer.from(text).subarray(0, text.length)),
  ),
  broken(
    'body-raw-quotes',
    'does not escape a quote or backslash in the name (unconstrained plants only)',
    ['invariants/200-is-a-plant', 'unconstrained/answers-hostile-names'],
    answeringText((text, { name }) => (/["\\]/.test(name) ? unescaped(name) : text)),
  ),
  broken(
    'body-raw-controls',
    'does not escape a control character in the name (unconstrained plants only)',
    ['invariants/200-is-a-plant', 'unconstrained/answers-any-plant', 'unconstrained/answers-hostile-names'],
    answeringText((text, { name }) => (/\p{Cc}/u.test(name) && !/["\\]/.test(name) ? unescaped(name) : text)),
  ),
  broken(
    'body-long-escapes',
    'escapes an astral character in the name as \\U, which is not JSON',
    [
      'unconstrained/answers-hostile-names',
      'unconstrained/answers-hostile-tags',
      'unconstrained/answers-large-plants',
    ],
    answeringText((text) =>
      text.replace(/[\u{10000}-\u{10ffff}]/gu, (astral) => `\\U${astral.codePointAt(0)?.toString(16)}`),
    ),
  ),

  // One JSON value, but not a Plant.
  noPlantValue('plant-in-data', 'wraps the plant in data', ({ name, tag }) => ({ data: { name, tag } })),
  noPlantValue('plant-in-plant', 'wraps the plant in plant', ({ name, tag }) => ({ plant: { name, tag } })),
  noPlantValue('plant-in-array', 'answers 200 with the plant in an array', ({ name, tag }) => [
    { name, tag },
  ]),
  noPlantValue('plant-pairs', 'answers 200 with pairs of names and values', ({ name }) => [['name', name]]),
  noPlantValue('plant-null', 'answers 200 with null', () => null),
  noPlantValue('plant-true', 'answers 200 with true', () => true),
  noPlantValue('plant-id-only', 'answers 200 with only the id', ({ id }) => ({ id: Number(id) })),
  noPlantValue('plant-ok', 'answers 200 with {"ok": true}', () => ({ ok: true })),
  noPlantValue('plant-bare-name', 'answers 200 with the name as a JSON string', ({ name }) => name),
  noPlantValue(
    'plant-capitals',
    'answers 200 with Name and Tag instead of name and tag',
    ({ name, tag }) => ({ Name: name, Tag: tag }),
  ),
  noPlantValue('plant-error', 'answers 200 with an Error', () => ({ error: 0, message: 'created' })),
  broken(
    'body-raw-line-feed',
    'does not escape a line feed at the end of a name without a tag: in the regular expression for plain names, `$` also matches before it',
    ['combinations/answers-unconstrained-plants'],
    answeringText((text, { tag }) => (tag === undefined ? text.replace(/\\n(?="\})/, '\n') : text)),
  ),
  broken(
    'body-yaml-words',
    'returns words such as no and null as the values that they have in YAML',
    ['unconstrained/answers-hostile-names', 'unconstrained/answers-hostile-tags'],
    answeringValue(({ name, tag }) => ({ name: meant(name), tag: meant(tag) })),
  ),
  broken(
    'body-drops-name',
    'leaves name out of every response, as a serializer that does not know it does',
    ['auth/rejects-after-an-accepted-request', 'ordinary/answers-a-plant'],
    answeringValue(({ tag }) => ({ tag })),
  ),
  broken(
    'plant-name-missing-tagged',
    'leaves name out of the response if there is a tag',
    ['auth/rejects-after-an-accepted-request', 'ordinary/answers-a-plant', 'unconstrained/answers-any-id'],
    answeringValue(({ name, tag }) => (tag === undefined ? { name } : { tag })),
  ),
  noPlantValue('plant-name-null', 'answers 200 with null as name', ({ tag }) => ({ name: null, tag })),
  noPlantValue('plant-name-array', 'answers 200 with an array as name', ({ name, tag }) => ({
    name: [name],
    tag,
  })),
  noPlantValue(
    'plant-name-object',
    'answers 200 with an object as name, one member per language',
    ({ name, tag }) => ({ name: { en: name }, tag }),
  ),
  noPlantValue('plant-name-length', 'answers 200 with the length of the name as name', ({ name, tag }) => ({
    name: name.length,
    tag,
  })),
  broken(
    'plant-name-words',
    'splits a name that contains a space into an array',
    [
      'invariants/200-is-a-plant',
      'ordinary/accepts-names-of-many-kinds',
      'unconstrained/answers-hostile-names',
    ],
    answeringValue(({ name, tag }) => ({ name: name.includes(' ') ? name.split(' ') : name, tag })),
  ),
  broken(
    'plant-name-empty-null',
    'answers 200 with null as name if the name is empty, like Oracle',
    ['invariants/200-is-a-plant', 'unconstrained/answers-any-plant', 'unconstrained/answers-hostile-names'],
    answeringValue(({ name, tag }) => ({ name: name || null, tag })),
  ),
  broken(
    'plant-name-null-long',
    'answers 200 with null as name if the name is longer than 32 characters',
    [
      'invariants/200-is-a-plant',
      'ordinary/accepts-names-of-every-length',
      'unconstrained/answers-large-plants',
    ],
    answeringValue(({ name, tag }) => ({ name: name.length > 32 ? null : name, tag })),
  ),
  broken(
    'plant-tag-null',
    'answers 200 with null as tag if none was sent',
    ['ordinary/answers-a-plant', 'ordinary/accepts-any-property-order', 'state/answers-alternating-requests'],
    answeringValue(({ name, tag = null }) => ({ name, tag })),
  ),
  broken(
    'plant-tag-false',
    'answers 200 with false as tag if none was sent',
    ['ordinary/answers-a-plant', 'ordinary/accepts-any-property-order', 'state/answers-alternating-requests'],
    answeringValue(({ name, tag = false }) => ({ name, tag })),
  ),
  noPlantValue('plant-tag-array', 'answers 200 with an array as tag', ({ name, tag }) => ({
    name,
    tag: tag === undefined ? [] : [tag],
  })),
  broken(
    'plant-tag-object',
    'answers 200 with an object as tag',
    ['auth/rejects-after-an-accepted-request', 'ordinary/answers-a-plant', 'unconstrained/answers-any-id'],
    answeringValue(({ name, tag }) => ({ name, tag: tag && { label: tag } })),
  ),
  broken(
    'plant-tag-number',
    'answers 200 with a number as tag',
    ['auth/rejects-after-an-accepted-request', 'ordinary/answers-a-plant', 'unconstrained/answers-any-id'],
    answeringValue(({ name, tag }) => ({ name, tag: tag?.length })),
  ),
  broken(
    'plant-tag-null-long',
    'answers 200 with null as tag if the tag is longer than 15 characters',
    [
      'ordinary/accepts-tags-of-every-length',
      'unconstrained/answers-any-id',
      'unconstrained/answers-hostile-tags',
    ],
    answeringValue(({ name, tag }) => ({ name, tag: tag && tag.length > 15 ? null : tag })),
  ),

  // The right body, sent wrongly.
  broken(
    'body-says-gzip',
    'labels the body as gzip although it is not compressed',
    NO_PLANT,
    answering((answer) => ({ ...answer, headers: { ...answer.headers, 'content-encoding': 'gzip' } })),
  ),
  broken(
    'body-gzip-of-wrong-length',
    'compresses responses of 512 bytes and more, and keeps the Content-Length of the text',
    ['combinations/answers-unconstrained-plants'],
    (right) => ({
      send(answer, response, request) {
        const text = Buffer.from(answer.body ?? '');
        const isLong = answer.status === 200 && text.length >= 512;
        if (!isLong || !/gzip/.test(request.headers['accept-encoding']?.join() ?? ''))
          return right.send(answer, response, request);
        const headers = { 'content-length': String(text.length), 'content-encoding': 'gzip' };
        response.writeHead(200, { ...answer.headers, ...headers });
        response.end(gzipSync(text), () => request.message.socket.end());
      },
    }),
  ),
  broken(
    'body-gzip-with-length-of-text',
    'compresses every 200, keeps the Content-Length of the text, and keeps the connection open',
    ['invariants/answers'],
    (right) => ({
      send(answer, response, request) {
        if (answer.status !== 200 || !/gzip/.test(request.headers['accept-encoding']?.join() ?? ''))
          return right.send(answer, response, request);
        const text = Buffer.from(answer.body ?? '');
        const headers = { 'content-length': String(text.length), 'content-encoding': 'gzip' };
        response.writeHead(200, { ...answer.headers, ...headers });
        response.end(gzipSync(text).subarray(0, text.length));
      },
    }),
  ),
  broken(
    'body-cut-in-transit',
    'closes the connection in the middle of the body',
    ['invariants/200-is-a-plant', 'invariants/answers', 'invariants/accepts-ordinary-plants'],
    (right) => ({
      send(answer, response, request) {
        if (answer.status !== 200) return right.send(answer, response, request);
        const body = textOf(answer);
        response.writeHead(200, { ...answer.headers, 'content-length': String(body.length) });
        response.write(body.slice(0, 8), () => request.message.socket.end());
      },
    }),
  ),
];
