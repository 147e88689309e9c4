import { type BrokenStore, broken } from '../fleet.ts';
import { answering, heading, lastIs, refusing, tagged, tagless, typing } from '../helpers.ts';

/** A created plant is answered with another status, or under another content type. */
export const createAnswer: readonly BrokenStore[] = [
  broken(
    'create-201',
    'status is 200: 201 Created',
    ['create/answers-200', 'create/takes-escaped-values', 'whole-shape/answers-any-id'],
    heading(201),
  ),
  broken(
    'create-201-location',
    'status is 200: 201 with Location',
    ['create/answers-200', 'create/takes-escaped-values', 'whole-shape/answers-any-id'],
    heading(201, { location: '/plants/1' }),
  ),
  broken(
    'create-202',
    'status is 200: 202 Accepted',
    ['create/answers-200', 'create/takes-escaped-values', 'whole-shape/answers-any-id'],
    heading(202),
  ),
  broken(
    'create-203',
    'status is 200: 203, as from a transforming proxy',
    ['create/answers-200', 'create/takes-escaped-values', 'whole-shape/answers-any-id'],
    heading(203),
  ),
  broken(
    'create-204',
    'status is 200: 204 without a body',
    ['create/answers-200', 'create/takes-escaped-values', 'whole-shape/answers-any-id'],
    answering(() => ({ status: 204 })),
  ),
  broken(
    'create-303',
    'status is 200: 303 to the new plant',
    ['create/answers-200', 'create/takes-escaped-values', 'whole-shape/answers-any-id'],
    answering(() => ({ status: 303, headers: { location: '/plants/1' } })),
  ),
  broken(
    'create-307',
    'status is 200: 307 to a path with a slash',
    ['create/answers-200', 'create/takes-escaped-values', 'whole-shape/answers-any-id'],
    answering(() => ({ status: 307, headers: { location: '/plants/' } })),
  ),
  broken(
    'create-201-tagged',
    'status is 200: 201 only where there is a tag',
    ['create/answers-200', 'create/takes-escaped-values', 'whole-shape/answers-any-id'],
    answering((answer, { tag }) => (tag === undefined ? answer : { ...answer, status: 201 })),
  ),
  broken(
    'create-202-long-name',
    'status is 200: 202 only where the name is longer than 24',
    [
      'create/takes-names-of-every-length',
      'create/takes-names-of-many-kinds',
      'whole-shape/answers-hostile-names',
    ],
    answering((answer, { name }) => (name.length > 24 ? { ...answer, status: 202 } : answer)),
  ),
  broken(
    'create-204-tagless',
    'status is 200: 204 only where there is no tag',
    ['create/answers-200', 'create/takes-properties-in-any-order', 'serving/alternates'],
    answering((answer, { tag }) => (tag === undefined ? { status: 204 } : answer)),
  ),

  broken(
    'create-no-type',
    'content type is application/json: none',
    ['create/answers-json', 'serving/alternates', 'whole-shape/answers-any-id'],
    typing(undefined),
  ),
  broken(
    'create-text-json',
    'content type is application/json: text/json',
    ['create/answers-json', 'serving/alternates', 'whole-shape/answers-any-id'],
    typing('text/json'),
  ),
  broken(
    'create-text-plain',
    'content type is application/json: text/plain',
    ['create/answers-json', 'serving/alternates', 'whole-shape/answers-any-id'],
    typing('text/plain'),
  ),
  broken(
    'create-text-html',
    'content type is application/json: text/html',
    ['create/answers-json', 'serving/alternates', 'whole-shape/answers-any-id'],
    typing('text/html; charset=utf-8'),
  ),
  broken(
    'create-vendor-type',
    'content type is application/json: a vendor type',
    ['create/answers-json', 'serving/alternates', 'whole-shape/answers-any-id'],
    typing('application/vnd.plants.v1+json'),
  ),
  broken(
    'create-bare-json',
    'content type is application/json: just json',
    ['create/answers-json', 'serving/alternates', 'whole-shape/answers-any-id'],
    typing('json'),
  ),
  broken(
    'create-json-seq',
    'content type is application/json: a longer type',
    ['create/answers-json', 'serving/alternates', 'whole-shape/answers-any-id'],
    typing('application/json-seq'),
  ),
  broken(
    'create-two-types',
    'content type is application/json: two fields that differ',
    ['create/answers-json', 'serving/alternates', 'whole-shape/answers-any-id'],
    typing(['text/html', 'application/json']),
  ),
  broken(
    'create-plain-hyphen',
    'content type is application/json: text/plain only where the name has a hyphen',
    ['always/200-is-a-plant', 'create/takes-names-of-many-kinds', 'whole-shape/answers-hostile-names'],
    typing('text/plain', ({ name }) => name.includes('-')),
  ),
  broken(
    'create-octets-large-id',
    'content type is application/json: octet-stream only where id is above 2^30',
    ['create/answers-json', 'serving/alternates', 'whole-shape/answers-any-id'],
    typing('application/octet-stream', ({ id }) => id > 2n ** 30n),
  ),

  broken(
    'refuses-tagged',
    'an ordinary plant is taken: refused only with a tag',
    ['create/answers-200', 'create/takes-escaped-values', 'create/takes-ids-of-every-magnitude'],
    refusing(tagged),
  ),
  broken(
    'refuses-tagless',
    'an ordinary plant is taken: refused only without a tag',
    ['create/answers-200', 'create/takes-properties-in-any-order', 'serving/alternates'],
    refusing(tagless),
  ),
  broken(
    'refuses-apostrophe',
    'an ordinary plant is taken: refused only with an apostrophe, as if it were SQL',
    ['always/creates-ordinary-plants', 'create/takes-any-ordinary-plant', 'create/takes-names-of-many-kinds'],
    refusing(({ name }) => name.includes("'")),
  ),
  broken(
    'refuses-hyphen',
    'an ordinary plant is taken: refused only with a hyphen in the name',
    ['always/creates-ordinary-plants', 'create/takes-any-ordinary-plant', 'create/takes-names-of-many-kinds'],
    refusing(({ name }) => name.includes('-')),
  ),
  broken(
    'refuses-digit',
    'an ordinary plant is taken: refused only with a digit in the name',
    ['always/creates-ordinary-plants', 'create/takes-any-ordinary-plant', 'create/takes-names-of-many-kinds'],
    refusing(({ name }) => /\d/.test(name), 422),
  ),
  broken(
    'refuses-space',
    'an ordinary plant is taken: refused only with a space in the name',
    ['always/creates-ordinary-plants', 'create/takes-any-ordinary-plant', 'create/takes-names-of-many-kinds'],
    refusing(({ name }) => name.includes(' ')),
  ),
  broken(
    'refuses-space-at-the-end',
    'an ordinary plant is taken: refused only with a space at the end of the name',
    ['always/creates-ordinary-plants', 'create/takes-names-of-many-kinds'],
    refusing(({ name }) => name.endsWith(' ')),
  ),
  broken(
    'refuses-lower-case',
    'an ordinary plant is taken: refused only where the name begins in lower case',
    ['always/creates-ordinary-plants', 'create/takes-any-ordinary-plant', 'create/takes-names-of-many-kinds'],
    refusing(({ name }) => /^[a-z]/.test(name)),
  ),
  broken(
    'refuses-over-30',
    'an ordinary plant is taken: refused only where the name is longer than 30',
    [
      'always/creates-ordinary-plants',
      'create/takes-any-ordinary-plant',
      'create/takes-names-of-every-length',
    ],
    refusing(({ name }) => name.length > 30),
  ),
  broken(
    'refuses-under-4',
    'an ordinary plant is taken: refused only where the name is shorter than 4',
    ['always/creates-ordinary-plants', 'create/takes-names-of-every-length'],
    refusing(({ name }) => name.length > 0 && name.length < 4),
  ),
  broken(
    'refuses-long-tag',
    'an ordinary plant is taken: refused only where the tag is longer than 12',
    ['create/answers-200', 'create/takes-escaped-values', 'create/takes-ids-of-every-magnitude'],
    refusing(({ tag }) => tag.length > 12),
  ),
  broken(
    'refuses-int16',
    'an ordinary plant is taken: id is kept in 16 bits',
    ['create/answers-200', 'create/takes-escaped-values', 'create/takes-ids-of-every-magnitude'],
    refusing(({ id }) => id !== undefined && id > 32_767n),
  ),
  broken(
    'refuses-float32',
    'an ordinary plant is taken: refused only where a float32 does not keep the id',
    ['create/answers-200', 'create/takes-escaped-values', 'create/takes-ids-of-every-magnitude'],
    refusing(({ id }) => id !== undefined && Math.fround(Number(id)) !== Number(id)),
  ),
  broken(
    'refuses-even-id',
    'an ordinary plant is taken: refused only where the id is even',
    ['always/creates-ordinary-plants', 'create/takes-any-ordinary-plant'],
    refusing(({ id }) => id !== undefined && id % 2n === 0n),
  ),
  broken(
    'refuses-id-last',
    'the order of properties means nothing: refused only where id comes last',
    ['create/answers-200', 'create/takes-escaped-values', 'create/takes-ids-of-every-magnitude'],
    refusing(lastIs('id')),
  ),
  broken(
    'refuses-70-bytes',
    'an ordinary plant is taken: 413 only where the body is longer than 70 bytes',
    ['create/takes-escaped-names', 'create/takes-escaped-values', 'create/takes-names-of-every-length'],
    refusing(({ text, fields }) => text.length > 70 && fields.has('name'), 413),
  ),
];
