import { json, type NewPlant } from '../../reference/store.ts';
import { type RightStore, right } from '../fleet.ts';
import { anew, answering, heading, saying, textOf, typing, writing } from '../helpers.ts';

const also = (more: (plant: NewPlant) => Record<string, unknown>) =>
  saying((plant) => ({ name: plant.name, tag: plant.tag, ...more(plant) }));
const last = (member: string) => writing((text) => text.replace(/}$/, `,${member}}`));
const escaped = (text: string) =>
  text.replace(
    /"((?:[^"\\]|\\.)*)"/g,
    (_, inside: string) =>
      `"${[...(JSON.parse(`"${inside}"`) as string).split('')].map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`,
  );

/** A Plant, in its own way. */
export const answers: readonly RightStore[] = [
  // What is in it.
  right(
    'id-echoed',
    'id comes back as it was sent, exact: further properties are allowed',
    answering((answer, { id }) => ({ ...answer, body: textOf(answer).replace(/}$/, `,"id":${id}}`) })),
  ),
  right(
    'id-as-string',
    'id comes back as a string: the Plant shape says nothing of it',
    also(({ id }) => ({ id: `${id}` })),
  ),
  right(
    'id-given',
    'id is given by the store: whether it is kept is not shown',
    anew(() => {
      let given = 0;
      return also(() => {
        given += 1;
        return { id: given };
      });
    }),
  ),
  right(
    'id-uuid',
    'id comes back as a UUID: the Plant shape says nothing of it',
    also(() => ({ id: '0b4c6a7e-6c1e-4b1c-9a44-6a1d7c2f0001' })),
  ),
  right(
    'tag-empty',
    'a tag that was not sent comes back empty: it is a string',
    also(({ tag = '' }) => ({ tag })),
  ),
  right(
    'tag-default',
    'a tag that was not sent comes back as a default: it is a string',
    also(({ tag = 'uncategorised' }) => ({ tag })),
  ),
  right(
    'tag-never',
    'tag never comes back: it is optional',
    saying(({ name }) => ({ name })),
  ),
  right(
    'name-changed',
    'name comes back in capitals: that it comes back equal is a SHOULD',
    also(({ name }) => ({ name: name.toUpperCase() })),
  ),
  right(
    'more-fields',
    'a Plant has more fields: stored fields beyond these are not shown',
    also(() => ({
      createdAt: '2024-02-30T00:00:00Z',
      price: null,
      stock: [1, [2]],
      _links: { self: { href: '/plants/1' } },
    })),
  ),
  right(
    'error-fields',
    'a Plant has further properties called error and message',
    also(() => ({ error: null, message: 'created' })),
  ),
  right(
    'proto-field',
    'a Plant has a further property called __proto__',
    last('"__proto__":{"name":7,"tag":null}'),
  ),
  right(
    'huge-numerals',
    'a Plant has further numerals that no double holds: JSON sets no limit',
    last('"revision":123456789012345678901234567890,"mass":1e999'),
  ),
  right(
    'deep-field',
    'a Plant has a further property 200 deep',
    last(`"history":${'['.repeat(200)}${']'.repeat(200)}`),
  ),
  right(
    'large',
    'a Plant has a further property of 256 KiB',
    also(() => ({ description: 'lorem ipsum '.repeat(21_846) })),
  ),

  // How it is written.
  right(
    'pretty',
    'JSON is written over lines',
    writing((text) => JSON.stringify(JSON.parse(text), null, 2)),
  ),
  right(
    'tabs-and-returns',
    'JSON is written with tabs and returns',
    writing((text) => `\r\n${JSON.stringify(JSON.parse(text), null, '\t').replaceAll('\n', '\r\n')}\r\n`),
  ),
  right(
    'trailing-newline',
    'a newline ends the body: it is white space',
    writing((text) => `${text}\n`),
  ),
  right(
    'padded',
    'white space surrounds the body',
    writing((text) => `${' '.repeat(1024)}${text}${' '.repeat(1024)}`),
  ),
  right('escaped', 'every character is escaped, in property names too', writing(escaped)),
  right(
    'escaped-slashes',
    'what PHP escapes is escaped: / and what is not ASCII',
    writing((text) =>
      text
        .replaceAll('/', '\\/')
        .replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
    ),
  ),
  right(
    'tag-first',
    'tag comes before name',
    saying(({ name, tag }) => ({ tag, name })),
  ),
  right(
    'bom',
    'a byte order mark comes first: that there is none is a SHOULD',
    writing((text) => `\ufeff${text}`),
  ),

  // How it is called.
  right('charset', 'the content type has a charset', typing('application/json; charset=utf-8')),
  right(
    'type-capitals',
    'the content type is in capitals, with spaces and a quoted charset',
    typing('APPLICATION/JSON ; charset="utf-8"'),
  ),
  right(
    'type-semicolon',
    'the content type ends with a semicolon: RFC 9110 lets parameters be empty',
    typing('application/json;'),
  ),
  right(
    'type-parameters',
    'the content type has parameters of its own',
    typing('application/json;profile="a;b,c=\\"d";q=1'),
  ),
  right(
    'type-twice',
    'the content type comes twice, the same both times',
    typing(['application/json', 'application/json']),
  ),
  right(
    'many-headers',
    'headers of every kind: cookies, Location, ETag, 6 KiB of policy',
    heading(200, {
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
  right(
    'nosniff-charset-latin',
    'the charset says Latin-1 and means nothing: JSON is UTF-8',
    typing('application/json; charset=iso-8859-1'),
  ),
];

/** What is said where nothing is shown. */
export const elsewhere: readonly RightStore[] = [
  right('lists-plants', 'GET /plants lists plants to whoever is authorised: not shown', (reference) => ({
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
    'OPTIONS gets 204 with CORS headers: a preflight never carries a credential',
    (reference) => ({
      send: (answer, response, request) =>
        reference.send(
          request.method === 'OPTIONS'
            ? {
                status: 204,
                headers: {
                  'access-control-allow-origin': '*',
                  'access-control-allow-headers': 'authorization, content-type',
                  allow: 'POST, OPTIONS',
                },
              }
            : answer,
          response,
          request,
        ),
    }),
  ),
  right('any-path-case', '/PLANTS and /plants/ are taken for /plants: not shown', (reference) => ({
    route: (request) => reference.route({ ...request, path: request.path.toLowerCase().replace(/\/$/, '') }),
  })),
  right('slash-redirects', '/plants/ redirects to /plants: not shown', (reference) => ({
    send: (answer, response, request) =>
      reference.send(
        request.path === '/plants/' ? { status: 308, headers: { location: '/plants' } } : answer,
        response,
        request,
      ),
  })),
  right(
    '501',
    'every method but POST gets 501: RFC 9110 has it for methods that are not known',
    (reference) => ({
      send(answer, response, request) {
        const said =
          request.method === 'POST' ? answer : json(501, { error: 501, message: 'not implemented' });
        reference.send(said, response, request);
      },
    }),
  ),
];
