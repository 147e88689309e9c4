import { type BrokenStore, broken } from '../fleet.ts';
import { answering, heading, lastIs, refusing, tagged, tagless, typing } from '../helpers.ts';

/** A created plant is answered with another status, or under another content type. */
export const createAnswer: readonly BrokenStore[] = [
  broken('create-201', 'status is 200: 201 Created', [], heading(201)),
  broken(
    'create-201-location',
    'status is 200: 201 with Location',
    [],
    heading(201, { location: '/plants/1' }),
  ),
  broken('create-202', 'status is 200: 202 Accepted', [], heading(202)),
  broken('create-203', 'status is 200: 203, as from a transforming proxy', [], heading(203)),
  broken(
    'create-204',
    'status is 200: 204 without a body',
    [],
    answering(() => ({ status: 204 })),
  ),
  broken(
    'create-303',
    'status is 200: 303 to the new plant',
    [],
    answering(() => ({ status: 303, headers: { location: '/plants/1' } })),
  ),
  broken(
    'create-307',
    'status is 200: 307 to a path with a slash',
    [],
    answering(() => ({ status: 307, headers: { location: '/plants/' } })),
  ),
  broken(
    'create-201-tagged',
    'status is 200: 201 only where there is a tag',
    [],
    answering((answer, { tag }) => (tag === undefined ? answer : { ...answer, status: 201 })),
  ),
  broken(
    'create-202-long-name',
    'status is 200: 202 only where the name is longer than 24',
    [],
    answering((answer, { name }) => (name.length > 24 ? { ...answer, status: 202 } : answer)),
  ),
  broken(
    'create-204-tagless',
    'status is 200: 204 only where there is no tag',
    [],
    answering((answer, { tag }) => (tag === undefined ? { status: 204 } : answer)),
  ),

  broken('create-no-type', 'content type is application/json: none', [], typing(undefined)),
  broken('create-text-json', 'content type is application/json: text/json', [], typing('text/json')),
  broken('create-text-plain', 'content type is application/json: text/plain', [], typing('text/plain')),
  broken(
    'create-text-html',
    'content type is application/json: text/html',
    [],
    typing('text/html; charset=utf-8'),
  ),
  broken(
    'create-vendor-type',
    'content type is application/json: a vendor type',
    [],
    typing('application/vnd.plants.v1+json'),
  ),
  broken('create-bare-json', 'content type is application/json: just json', [], typing('json')),
  broken(
    'create-json-seq',
    'content type is application/json: a longer type',
    [],
    typing('application/json-seq'),
  ),
  broken(
    'create-two-types',
    'content type is application/json: two fields that differ',
    [],
    typing(['text/html', 'application/json']),
  ),
  broken(
    'create-plain-hyphen',
    'content type is application/json: text/plain only where the name has a hyphen',
    [],
    typing('text/plain', ({ name }) => name.includes('-')),
  ),
  broken(
    'create-octets-large-id',
    'content type is application/json: octet-stream only where id is above 2^30',
    [],
    typing('application/octet-stream', ({ id }) => id > 2n ** 30n),
  ),

  broken('refuses-tagged', 'an ordinary plant is taken: refused only with a tag', [], refusing(tagged)),
  broken('refuses-tagless', 'an ordinary plant is taken: refused only without a tag', [], refusing(tagless)),
  broken(
    'refuses-apostrophe',
    'an ordinary plant is taken: refused only with an apostrophe, as if it were SQL',
    [],
    refusing(({ name }) => name.includes("'")),
  ),
  broken(
    'refuses-hyphen',
    'an ordinary plant is taken: refused only with a hyphen in the name',
    [],
    refusing(({ name }) => name.includes('-')),
  ),
  broken(
    'refuses-digit',
    'an ordinary plant is taken: refused only with a digit in the name',
    [],
    refusing(({ name }) => /\d/.test(name), 422),
  ),
  broken(
    'refuses-space',
    'an ordinary plant is taken: refused only with a space in the name',
    [],
    refusing(({ name }) => name.includes(' ')),
  ),
  broken(
    'refuses-lower-case',
    'an ordinary plant is taken: refused only where the name begins in lower case',
    [],
    refusing(({ name }) => /^[a-z]/.test(name)),
  ),
  broken(
    'refuses-over-30',
    'an ordinary plant is taken: refused only where the name is longer than 30',
    [],
    refusing(({ name }) => name.length > 30),
  ),
  broken(
    'refuses-under-4',
    'an ordinary plant is taken: refused only where the name is shorter than 4',
    [],
    refusing(({ name }) => name.length > 0 && name.length < 4),
  ),
  broken(
    'refuses-long-tag',
    'an ordinary plant is taken: refused only where the tag is longer than 12',
    [],
    refusing(({ tag }) => tag.length > 12),
  ),
  broken(
    'refuses-int16',
    'an ordinary plant is taken: id is kept in 16 bits',
    [],
    refusing(({ id }) => id !== undefined && id > 32_767n),
  ),
  broken(
    'refuses-float32',
    'an ordinary plant is taken: refused only where a float32 does not keep the id',
    [],
    refusing(({ id }) => id !== undefined && Math.fround(Number(id)) !== Number(id)),
  ),
  broken(
    'refuses-even-id',
    'an ordinary plant is taken: refused only where the id is even',
    [],
    refusing(({ id }) => id !== undefined && id % 2n === 0n),
  ),
  broken(
    'refuses-id-last',
    'the order of properties means nothing: refused only where id comes last',
    [],
    refusing(lastIs('id')),
  ),
  broken(
    'refuses-70-bytes',
    'an ordinary plant is taken: 413 only where the body is longer than 70 bytes',
    [],
    refusing(({ text, fields }) => text.length > 70 && fields.has('name'), 413),
  ),
];
