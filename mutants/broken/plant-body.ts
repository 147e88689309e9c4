import { type BrokenStore, broken } from '../fleet.ts';
import { answering, saying, textOf, writing } from '../helpers.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
const unescaped = (name: string) => `{"name":"${name}"}`;

/** The body of a 200 is not one JSON value, or not a Plant. */
export const plantBody: readonly BrokenStore[] = [
  // Not one JSON value in valid UTF-8.
  broken(
    'body-empty',
    'a 200 carries a Plant: the body is empty',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'serving/alternates'],
    writing(() => ''),
  ),
  broken(
    'body-blank',
    'a 200 carries a Plant: the body is white space',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'serving/alternates'],
    writing(() => ' \n'),
  ),
  broken(
    'body-html',
    'a 200 carries a Plant: HTML called JSON',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'serving/alternates'],
    writing(() => '<p>created</p>'),
  ),
  broken(
    'body-two-values',
    'nothing after the value: two values, a line each',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'serving/alternates'],
    writing((text) => `${text}\n${text}`),
  ),
  broken(
    'body-debug-tail',
    'nothing after the value: a line of debugging',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'serving/alternates'],
    writing((text) => `${text}\n-- 3 ms`),
  ),
  broken(
    'body-semicolon',
    'nothing after the value: a semicolon',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'serving/alternates'],
    writing((text) => `${text};`),
  ),
  broken(
    'body-nul-tail',
    'nothing after the value: the NUL of a C string',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'serving/alternates'],
    writing((text) => `${text}\0`),
  ),
  broken(
    'body-guarded',
    'the body is JSON: a guard against hijacking before it',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'serving/alternates'],
    writing((text) => `)]}',\n${text}`),
  ),
  broken(
    'body-jsonp',
    'the body is JSON: wrapped in a callback',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'serving/alternates'],
    writing((text) => `callback(${text})`),
  ),
  broken(
    'body-trailing-comma',
    'the body is JSON: a comma before the brace',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'serving/alternates'],
    writing((text) => text.replace(/}$/, ',}')),
  ),
  broken(
    'body-single-quotes',
    'the body is JSON: in single quotes',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'serving/alternates'],
    writing((_, { name }) => `{'name': '${name}'}`),
  ),
  broken(
    'body-bare-names',
    'the body is JSON: property names without quotes',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'serving/alternates'],
    writing((text) => text.replace('"name"', 'name')),
  ),
  broken(
    'body-nan',
    'the body is JSON: NaN in a further property',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'serving/alternates'],
    writing((text) => text.replace(/}$/, ',"price":NaN}')),
  ),
  broken(
    'body-undefined',
    'the body is JSON: undefined in a further property',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'serving/alternates'],
    writing((text) => text.replace(/}$/, ',"owner":undefined}')),
  ),
  broken(
    'body-truncated',
    'the body is JSON: it lacks its end',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'serving/alternates'],
    writing((text) => text.slice(0, -1)),
  ),
  broken(
    'body-utf16',
    'the body is UTF-8: UTF-16',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'serving/alternates'],
    writing(utf16),
  ),
  broken(
    'body-latin1',
    'the body is UTF-8: a further property in Latin-1',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'serving/alternates'],
    writing((text) => latin1(text.replace(/}$/, ',"kind":"B\u00e9gonia"}'))),
  ),
  broken(
    'body-twice',
    'a 200 carries a Plant: JSON in a JSON string',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'serving/alternates'],
    writing((text) => JSON.stringify(text)),
  ),
  broken(
    'body-fixed-buffer',
    'the body is JSON: cut off only where it is longer than 48 bytes',
    ['create/takes-tags-of-every-length', 'whole-shape/answers-any-id', 'whole-shape/answers-hostile-tags'],
    writing((text) => text.slice(0, 48)),
  ),
  broken(
    'body-escaped-apostrophe',
    "the body is JSON: \\' only where the name has an apostrophe",
    [
      'create/takes-names-of-many-kinds',
      'whole-shape/answers-hostile-names',
      'whole-shape/answers-hostile-tags',
    ],
    writing((text) => text.replaceAll("'", "\\'")),
  ),
  broken(
    'body-latin1-names',
    'the body is UTF-8: Latin-1 only where the name is not ASCII',
    ['always/200-is-a-plant', 'whole-shape/answers-any-plant', 'whole-shape/answers-hostile-names'],
    writing((text, { name }) => (/[\u0080-\u00ff]/.test(name) ? latin1(text) : text)),
  ),
  broken(
    'body-counts-characters',
    'the body is JSON: cut off only where it has more bytes than characters',
    [
      'whole-shape/answers-hostile-names',
      'whole-shape/answers-hostile-tags',
      'whole-shape/answers-large-plants',
    ],
    writing((text) => Buffer.from(text).subarray(0, text.length)),
  ),
  broken(
    'body-raw-quotes',
    'the body is JSON: a quote or backslash in the name is not escaped (only in the whole shape)',
    ['always/200-is-a-plant', 'whole-shape/answers-any-plant', 'whole-shape/answers-hostile-names'],
    writing((text, { name }) => (/["\\]/.test(name) ? unescaped(name) : text)),
  ),
  broken(
    'body-raw-controls',
    'the body is JSON: a control character in the name is not escaped (only in the whole shape)',
    ['always/200-is-a-plant', 'whole-shape/answers-any-plant', 'whole-shape/answers-hostile-names'],
    writing((text, { name }) => (/\p{Cc}/u.test(name) && !/["\\]/.test(name) ? unescaped(name) : text)),
  ),
  broken(
    'body-long-escapes',
    'the body is JSON: \\U only where the name has an astral character',
    [
      'whole-shape/answers-hostile-names',
      'whole-shape/answers-hostile-tags',
      'whole-shape/answers-large-plants',
    ],
    writing((text) =>
      text.replace(/[\u{10000}-\u{10ffff}]/gu, (astral) => `\\U${astral.codePointAt(0)?.toString(16)}`),
    ),
  ),

  // One JSON value, and not a Plant.
  broken(
    'plant-in-data',
    'the body is a Plant: wrapped in data',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'serving/alternates'],
    saying(({ name, tag }) => ({ data: { name, tag } })),
  ),
  broken(
    'plant-in-plant',
    'the body is a Plant: wrapped in plant',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'serving/alternates'],
    saying(({ name, tag }) => ({ plant: { name, tag } })),
  ),
  broken(
    'plant-in-array',
    'the body is a Plant: an array of one',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'serving/alternates'],
    saying(({ name, tag }) => [{ name, tag }]),
  ),
  broken(
    'plant-pairs',
    'the body is a Plant: pairs of names and values',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'serving/alternates'],
    saying(({ name }) => [['name', name]]),
  ),
  broken(
    'plant-null',
    'the body is a Plant: null',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'serving/alternates'],
    saying(() => null),
  ),
  broken(
    'plant-true',
    'the body is a Plant: true',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'serving/alternates'],
    saying(() => true),
  ),
  broken(
    'plant-id-only',
    'name is required: only the id',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'serving/alternates'],
    saying(({ id }) => ({ id: Number(id) })),
  ),
  broken(
    'plant-ok',
    'name is required: only ok',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'serving/alternates'],
    saying(() => ({ ok: true })),
  ),
  broken(
    'plant-bare-name',
    'the body is a Plant: just the name',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'serving/alternates'],
    saying(({ name }) => name),
  ),
  broken(
    'plant-capitals',
    'the property is called name: Name',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'serving/alternates'],
    saying(({ name, tag }) => ({ Name: name, Tag: tag })),
  ),
  broken(
    'plant-error',
    'a 200 carries a Plant: an Error',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'serving/alternates'],
    saying(() => ({ error: 0, message: 'created' })),
  ),
  broken(
    'plant-name-missing-tagged',
    'name is required: absent only where there is a tag',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'whole-shape/answers-any-id'],
    saying(({ name, tag }) => (tag === undefined ? { name } : { tag })),
  ),
  broken(
    'plant-name-null',
    'name is a string: null',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'serving/alternates'],
    saying(({ tag }) => ({ name: null, tag })),
  ),
  broken(
    'plant-name-array',
    'name is a string: an array',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'serving/alternates'],
    saying(({ name, tag }) => ({ name: [name], tag })),
  ),
  broken(
    'plant-name-object',
    'name is a string: an object by language',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'serving/alternates'],
    saying(({ name, tag }) => ({ name: { en: name }, tag })),
  ),
  broken(
    'plant-name-length',
    'name is a string: its length',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'serving/alternates'],
    saying(({ name, tag }) => ({ name: name.length, tag })),
  ),
  broken(
    'plant-name-words',
    'name is a string: an array only where it has a space',
    ['always/200-is-a-plant', 'create/takes-names-of-many-kinds', 'whole-shape/answers-hostile-names'],
    saying(({ name, tag }) => ({ name: name.includes(' ') ? name.split(' ') : name, tag })),
  ),
  broken(
    'plant-name-empty-null',
    'name is a string: null only where it is empty, as Oracle has it',
    ['always/200-is-a-plant', 'whole-shape/answers-any-plant', 'whole-shape/answers-hostile-names'],
    saying(({ name, tag }) => ({ name: name || null, tag })),
  ),
  broken(
    'plant-name-null-long',
    'name is a string: null only where it is longer than 32',
    ['always/200-is-a-plant', 'create/takes-names-of-every-length', 'whole-shape/answers-large-plants'],
    saying(({ name, tag }) => ({ name: name.length > 32 ? null : name, tag })),
  ),
  broken(
    'plant-tag-null',
    'tag is a string where present: null where none was sent',
    ['create/answers-a-plant', 'create/takes-properties-in-any-order', 'serving/alternates'],
    saying(({ name, tag = null }) => ({ name, tag })),
  ),
  broken(
    'plant-tag-false',
    'tag is a string where present: false where none was sent',
    ['create/answers-a-plant', 'create/takes-properties-in-any-order', 'serving/alternates'],
    saying(({ name, tag = false }) => ({ name, tag })),
  ),
  broken(
    'plant-tag-array',
    'tag is a string where present: an array',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'serving/alternates'],
    saying(({ name, tag }) => ({ name, tag: tag === undefined ? [] : [tag] })),
  ),
  broken(
    'plant-tag-object',
    'tag is a string where present: an object',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'whole-shape/answers-any-id'],
    saying(({ name, tag }) => ({ name, tag: tag && { label: tag } })),
  ),
  broken(
    'plant-tag-number',
    'tag is a string where present: its number',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'whole-shape/answers-any-id'],
    saying(({ name, tag }) => ({ name, tag: tag?.length })),
  ),
  broken(
    'plant-tag-null-long',
    'tag is a string where present: null only where it is longer than 15',
    ['create/takes-tags-of-every-length', 'whole-shape/answers-any-id', 'whole-shape/answers-hostile-tags'],
    saying(({ name, tag }) => ({ name, tag: tag && tag.length > 15 ? null : tag })),
  ),

  // Right in the body, wrong in what carries it.
  broken(
    'body-says-gzip',
    'the body is one JSON value: said to be gzip, and is not',
    ['auth/decides-each-request-alone', 'create/answers-a-plant', 'serving/alternates'],
    answering((answer) => ({ ...answer, headers: { ...answer.headers, 'content-encoding': 'gzip' } })),
  ),
  broken(
    'body-cut-in-transit',
    'the body is one JSON value: the connection is cut in its middle',
    ['always/200-is-a-plant', 'always/answers', 'always/creates-ordinary-plants'],
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
