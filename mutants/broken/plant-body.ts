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
    [],
    writing(() => ''),
  ),
  broken(
    'body-blank',
    'a 200 carries a Plant: the body is white space',
    [],
    writing(() => ' \n'),
  ),
  broken(
    'body-html',
    'a 200 carries a Plant: HTML called JSON',
    [],
    writing(() => '<p>created</p>'),
  ),
  broken(
    'body-two-values',
    'nothing after the value: two values, a line each',
    [],
    writing((text) => `${text}\n${text}`),
  ),
  broken(
    'body-debug-tail',
    'nothing after the value: a line of debugging',
    [],
    writing((text) => `${text}\n-- 3 ms`),
  ),
  broken(
    'body-semicolon',
    'nothing after the value: a semicolon',
    [],
    writing((text) => `${text};`),
  ),
  broken(
    'body-nul-tail',
    'nothing after the value: the NUL of a C string',
    [],
    writing((text) => `${text}\0`),
  ),
  broken(
    'body-guarded',
    'the body is JSON: a guard against hijacking before it',
    [],
    writing((text) => `)]}',\n${text}`),
  ),
  broken(
    'body-jsonp',
    'the body is JSON: wrapped in a callback',
    [],
    writing((text) => `callback(${text})`),
  ),
  broken(
    'body-trailing-comma',
    'the body is JSON: a comma before the brace',
    [],
    writing((text) => text.replace(/}$/, ',}')),
  ),
  broken(
    'body-single-quotes',
    'the body is JSON: in single quotes',
    [],
    writing((_, { name }) => `{'name': '${name}'}`),
  ),
  broken(
    'body-bare-names',
    'the body is JSON: property names without quotes',
    [],
    writing((text) => text.replace('"name"', 'name')),
  ),
  broken(
    'body-nan',
    'the body is JSON: NaN in a further property',
    [],
    writing((text) => text.replace(/}$/, ',"price":NaN}')),
  ),
  broken(
    'body-undefined',
    'the body is JSON: undefined in a further property',
    [],
    writing((text) => text.replace(/}$/, ',"owner":undefined}')),
  ),
  broken(
    'body-truncated',
    'the body is JSON: it lacks its end',
    [],
    writing((text) => text.slice(0, -1)),
  ),
  broken('body-utf16', 'the body is UTF-8: UTF-16', [], writing(utf16)),
  broken(
    'body-latin1',
    'the body is UTF-8: a further property in Latin-1',
    [],
    writing((text) => latin1(text.replace(/}$/, ',"kind":"B\u00e9gonia"}'))),
  ),
  broken(
    'body-twice',
    'a 200 carries a Plant: JSON in a JSON string',
    [],
    writing((text) => JSON.stringify(text)),
  ),
  broken(
    'body-fixed-buffer',
    'the body is JSON: cut off only where it is longer than 48 bytes',
    [],
    writing((text) => text.slice(0, 48)),
  ),
  broken(
    'body-escaped-apostrophe',
    "the body is JSON: \\' only where the name has an apostrophe",
    [],
    writing((text) => text.replaceAll("'", "\\'")),
  ),
  broken(
    'body-latin1-names',
    'the body is UTF-8: Latin-1 only where the name is not ASCII',
    [],
    writing((text, { name }) => (/[\u0080-\u00ff]/.test(name) ? latin1(text) : text)),
  ),
  broken(
    'body-counts-characters',
    'the body is JSON: cut off only where it has more bytes than characters',
    [],
    writing((text) => Buffer.from(text).subarray(0, text.length)),
  ),
  broken(
    'body-raw-quotes',
    'the body is JSON: a quote or backslash in the name is not escaped (only in the whole shape)',
    [],
    writing((text, { name }) => (/["\\]/.test(name) ? unescaped(name) : text)),
  ),
  broken(
    'body-raw-controls',
    'the body is JSON: a control character in the name is not escaped (only in the whole shape)',
    [],
    writing((text, { name }) => (/\p{Cc}/u.test(name) && !/["\\]/.test(name) ? unescaped(name) : text)),
  ),
  broken(
    'body-long-escapes',
    'the body is JSON: \\U only where the name has an astral character',
    [],
    writing((text) =>
      text.replace(/[\u{10000}-\u{10ffff}]/gu, (astral) => `\\U${astral.codePointAt(0)?.toString(16)}`),
    ),
  ),

  // One JSON value, and not a Plant.
  broken(
    'plant-in-data',
    'the body is a Plant: wrapped in data',
    [],
    saying(({ name, tag }) => ({ data: { name, tag } })),
  ),
  broken(
    'plant-in-plant',
    'the body is a Plant: wrapped in plant',
    [],
    saying(({ name, tag }) => ({ plant: { name, tag } })),
  ),
  broken(
    'plant-in-array',
    'the body is a Plant: an array of one',
    [],
    saying(({ name, tag }) => [{ name, tag }]),
  ),
  broken(
    'plant-pairs',
    'the body is a Plant: pairs of names and values',
    [],
    saying(({ name }) => [['name', name]]),
  ),
  broken(
    'plant-null',
    'the body is a Plant: null',
    [],
    saying(() => null),
  ),
  broken(
    'plant-true',
    'the body is a Plant: true',
    [],
    saying(() => true),
  ),
  broken(
    'plant-id-only',
    'name is required: only the id',
    [],
    saying(({ id }) => ({ id: Number(id) })),
  ),
  broken(
    'plant-ok',
    'name is required: only ok',
    [],
    saying(() => ({ ok: true })),
  ),
  broken(
    'plant-bare-name',
    'the body is a Plant: just the name',
    [],
    saying(({ name }) => name),
  ),
  broken(
    'plant-capitals',
    'the property is called name: Name',
    [],
    saying(({ name, tag }) => ({ Name: name, Tag: tag })),
  ),
  broken(
    'plant-error',
    'a 200 carries a Plant: an Error',
    [],
    saying(() => ({ error: 0, message: 'created' })),
  ),
  broken(
    'plant-name-missing-tagged',
    'name is required: absent only where there is a tag',
    [],
    saying(({ name, tag }) => (tag === undefined ? { name } : { tag })),
  ),
  broken(
    'plant-name-null',
    'name is a string: null',
    [],
    saying(({ tag }) => ({ name: null, tag })),
  ),
  broken(
    'plant-name-array',
    'name is a string: an array',
    [],
    saying(({ name, tag }) => ({ name: [name], tag })),
  ),
  broken(
    'plant-name-object',
    'name is a string: an object by language',
    [],
    saying(({ name, tag }) => ({ name: { en: name }, tag })),
  ),
  broken(
    'plant-name-length',
    'name is a string: its length',
    [],
    saying(({ name, tag }) => ({ name: name.length, tag })),
  ),
  broken(
    'plant-name-words',
    'name is a string: an array only where it has a space',
    [],
    saying(({ name, tag }) => ({ name: name.includes(' ') ? name.split(' ') : name, tag })),
  ),
  broken(
    'plant-name-empty-null',
    'name is a string: null only where it is empty, as Oracle has it',
    [],
    saying(({ name, tag }) => ({ name: name || null, tag })),
  ),
  broken(
    'plant-name-null-long',
    'name is a string: null only where it is longer than 32',
    [],
    saying(({ name, tag }) => ({ name: name.length > 32 ? null : name, tag })),
  ),
  broken(
    'plant-tag-null',
    'tag is a string where present: null where none was sent',
    [],
    saying(({ name, tag = null }) => ({ name, tag })),
  ),
  broken(
    'plant-tag-false',
    'tag is a string where present: false where none was sent',
    [],
    saying(({ name, tag = false }) => ({ name, tag })),
  ),
  broken(
    'plant-tag-array',
    'tag is a string where present: an array',
    [],
    saying(({ name, tag }) => ({ name, tag: tag === undefined ? [] : [tag] })),
  ),
  broken(
    'plant-tag-object',
    'tag is a string where present: an object',
    [],
    saying(({ name, tag }) => ({ name, tag: tag && { label: tag } })),
  ),
  broken(
    'plant-tag-number',
    'tag is a string where present: its number',
    [],
    saying(({ name, tag }) => ({ name, tag: tag?.length })),
  ),
  broken(
    'plant-tag-null-long',
    'tag is a string where present: null only where it is longer than 15',
    [],
    saying(({ name, tag }) => ({ name, tag: tag && tag.length > 15 ? null : tag })),
  ),

  // Right in the body, wrong in what carries it.
  broken(
    'body-says-gzip',
    'the body is one JSON value: said to be gzip, and is not',
    [],
    answering((answer) => ({ ...answer, headers: { ...answer.headers, 'content-encoding': 'gzip' } })),
  ),
  broken(
    'body-cut-in-transit',
    'the body is one JSON value: the connection is cut in its middle',
    [],
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
