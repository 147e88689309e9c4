import { json, type NewPlant } from '../../reference/store.ts';
import { type RightStore, right, rightBy } from '../fleet.ts';
import {
  answering,
  answeringHead,
  answeringText,
  answeringType,
  answeringValue,
  sending,
  textOf,
  withFreshState,
} from '../helpers.ts';

const also = (more: (plant: NewPlant) => Record<string, unknown>) =>
  answeringValue((plant) => ({ name: plant.name, tag: plant.tag, ...more(plant) }));
const answersAlso = rightBy(also);
const answersText = rightBy(answeringText);
const answersType = rightBy(answeringType);
const last = (member: string) => answeringText((text) => text.replace(/}$/, `,${member}}`));
const escaped = (text: string) =>
  text.replace(
    /"((?:[^"\\]|\\.)*)"/g,
    (_, inside: string) =>
      `"${[...(JSON.parse(`"${inside}"`) as string).split('')].map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`,
  );

/** Stores that answer with an unusual but valid Plant. */
export const answers: readonly RightStore[] = [
  // Its content.
  right(
    'id-echoed',
    'echoes the exact id: additional properties are allowed',
    answering((answer, { id }) => ({ ...answer, body: textOf(answer).replace(/}$/, `,"id":${id}}`) })),
  ),
  answersAlso('id-as-string', 'returns id as a string: the Plant schema does not declare it', ({ id }) => ({
    id: `${id}`,
  })),
  right(
    'id-given',
    "assigns the id itself: whether a store keeps the client's id is unspecified",
    withFreshState(() => {
      let given = 0;
      return also(() => {
        given += 1;
        return { id: given };
      });
    }),
  ),
  answersAlso('id-uuid', 'returns id as a UUID: the Plant schema does not declare it', () => ({
    id: '0b4c6a7e-6c1e-4b1c-9a44-6a1d7c2f0001',
  })),
  answersAlso('tag-empty', 'returns an empty tag if none was sent: it is a string', ({ tag = '' }) => ({
    tag,
  })),
  answersAlso(
    'tag-default',
    'returns a default tag if none was sent: it is a string',
    ({ tag = 'uncategorised' }) => ({ tag }),
  ),
  right(
    'tag-never',
    'never returns the tag: it is optional',
    answeringValue(({ name }) => ({ name })),
  ),
  answersAlso('name-changed', 'returns the name in capitals: echoing it is a SHOULD', ({ name }) => ({
    name: name.toUpperCase(),
  })),
  answersAlso(
    'more-fields',
    'returns additional fields: stored fields beyond the declared ones are unspecified',
    () => ({
      createdAt: '2024-02-30T00:00:00Z',
      price: null,
      stock: [1, [2]],
      _links: { self: { href: '/plants/1' } },
    }),
  ),
  answersAlso('error-fields', 'returns additional properties called error and message', () => ({
    error: null,
    message: 'created',
  })),
  right(
    'proto-field',
    'returns an additional property called __proto__',
    last('"__proto__":{"name":7,"tag":null}'),
  ),
  right(
    'huge-numerals',
    'returns additional numbers that no double can represent: JSON sets no limit',
    last('"revision":123456789012345678901234567890,"mass":1e999'),
  ),
  right(
    'deep-field',
    'returns an additional property nested 200 deep',
    last(`"history":${'['.repeat(200)}${']'.repeat(200)}`),
  ),
  answersAlso('large', 'returns an additional property of 256 KiB', () => ({
    description: 'lorem ipsum '.repeat(21_846),
  })),

  // Its text.
  answersText('pretty', 'pretty-prints JSON', (text) => JSON.stringify(JSON.parse(text), null, 2)),
  answersText(
    'tabs-and-returns',
    'writes JSON with tabs and CRLF',
    (text) => `\r\n${JSON.stringify(JSON.parse(text), null, '\t').replaceAll('\n', '\r\n')}\r\n`,
  ),
  answersText('trailing-newline', 'ends the body with a line feed: it is white space', (text) => `${text}\n`),
  answersText(
    'padded',
    'surrounds the body with white space',
    (text) => `${' '.repeat(1024)}${text}${' '.repeat(1024)}`,
  ),
  answersText('escaped', 'escapes every character, also in property names', escaped),
  answersText('escaped-slashes', 'escapes / and non-ASCII characters, like PHP', (text) =>
    text
      .replaceAll('/', '\\/')
      .replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  ),
  right(
    'tag-first',
    'puts tag before name',
    answeringValue(({ name, tag }) => ({ tag, name })),
  ),
  answersText(
    'bom',
    'puts a byte order mark before the body: sending none is a SHOULD',
    (text) => `\ufeff${text}`,
  ),

  // Its content type.
  answersType('charset', 'sends a charset parameter in Content-Type', 'application/json; charset=utf-8'),
  answersType(
    'type-capitals',
    'sends Content-Type in capitals, with spaces and a quoted charset',
    'APPLICATION/JSON ; charset="utf-8"',
  ),
  answersType(
    'type-semicolon',
    'ends Content-Type with a semicolon: RFC 9110 allows empty parameters',
    'application/json;',
  ),
  answersType(
    'type-parameters',
    'sends unknown parameters in Content-Type',
    'application/json;profile="a;b,c=\\"d";q=1',
  ),
  answersType('type-twice', 'sends the same Content-Type twice', ['application/json', 'application/json']),
  right(
    'many-headers',
    'sends many headers: cookies, Location, ETag, a 6 KiB policy',
    answeringHead(200, {
      location: '/plants/1',
      etag: 'W/"1"',
      vary: '*',
      link: '</plants/1>; rel=self',
      'set-cookie': ['a=1; HttpOnly', 'b=2', 'c=3'],
      'content-security-policy': `default-src ${'https://plants.example '.repeat(256)}`,
      'content-language': 'x-klingon',
      'retry-after': '3',
    }),
  ),
  answersType(
    'nosniff-charset-latin',
    'labels the body as Latin-1, which has no effect: JSON is UTF-8',
    'application/json; charset=iso-8859-1',
  ),
];

/** Stores with other methods and paths, which the document does not specify. */
export const otherTargets: readonly RightStore[] = [
  right('lists-plants', 'lists plants at GET /plants if authorised: unspecified', (reference) => ({
    route(request) {
      if (request.path !== '/plants' || !['GET', 'HEAD'].includes(request.method)) reference.route(request);
    },
    negotiate(request) {
      if (request.method === 'POST') reference.negotiate(request);
    },
    parse: (body, request) =>
      request.method === 'POST' ? reference.parse(body, request) : new Map([['name', '']]),
    validate: (value, request) =>
      request.method === 'POST' ? reference.validate(value, request) : { id: 0n, name: '' },
    create: (plant, request) =>
      request.method === 'POST' ? reference.create(plant, request) : json(200, []),
  })),
  right(
    'cors',
    'answers OPTIONS with 204 and CORS headers: a preflight never carries credentials',
    sending((answer, { method }) =>
      method === 'OPTIONS'
        ? {
            status: 204,
            headers: {
              'access-control-allow-origin': '*',
              'access-control-allow-headers': 'authorization, content-type',
              allow: 'POST, OPTIONS',
            },
          }
        : answer,
    ),
  ),
  right('any-path-case', 'serves /PLANTS and /plants/ like /plants: unspecified', (reference) => ({
    route: (request) => reference.route({ ...request, path: request.path.toLowerCase().replace(/\/$/, '') }),
  })),
  right(
    'slash-redirects',
    'redirects /plants/ to /plants: unspecified',
    sending((answer, { path }) =>
      path === '/plants/' ? { status: 308, headers: { location: '/plants' } } : answer,
    ),
  ),
  right(
    '501',
    'answers every method but POST with 501: RFC 9110 defines it for unrecognised methods',
    sending((answer, { method }) =>
      method === 'POST' ? answer : json(501, { error: 501, message: 'not implemented' }),
    ),
  ),
];
