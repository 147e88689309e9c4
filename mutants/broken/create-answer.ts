import { type BrokenStore, broken, brokenBy } from '../fleet.ts';
import {
  answering,
  answeringHead,
  answeringType,
  lastIs,
  rejecting,
  tagged,
  tagless,
  unique,
} from '../helpers.ts';

/** The checks that fail if plants get another status than 200. */
const WRONG_STATUS = [
  'ordinary/answers-200',
  'ordinary/accepts-escaped-strings',
  'unconstrained/answers-any-id',
];
const wrongType = brokenBy(
  ['ordinary/answers-json', 'state/answers-alternating-requests', 'unconstrained/answers-any-id'],
  answeringType,
);
const rejectsSomeNames = brokenBy(
  [
    'invariants/accepts-ordinary-plants',
    'ordinary/accepts-any-plant',
    'ordinary/accepts-names-of-many-kinds',
  ],
  rejecting,
);
/** The checks that fail if most ordinary plants are rejected. */
const MOST_PLANTS = [
  'ordinary/answers-200',
  'ordinary/accepts-escaped-strings',
  'ordinary/accepts-ids-of-every-magnitude',
];

/** Stores that answer an ordinary plant with another status or content type, or reject it. */
export const createAnswer: readonly BrokenStore[] = [
  broken('create-201', 'answers 201 Created instead of 200', WRONG_STATUS, answeringHead(201)),
  broken(
    'create-201-location',
    'answers 201 with Location instead of 200',
    WRONG_STATUS,
    answeringHead(201, { location: '/plants/1' }),
  ),
  broken('create-202', 'answers 202 Accepted instead of 200', WRONG_STATUS, answeringHead(202)),
  broken(
    'create-203',
    'answers 203 instead of 200, like a transforming proxy',
    WRONG_STATUS,
    answeringHead(203),
  ),
  broken(
    'create-204',
    'answers 204 without a body instead of 200',
    WRONG_STATUS,
    answering(() => ({ status: 204 })),
  ),
  broken(
    'create-303',
    'redirects to the new plant with 303',
    ['ordinary/answers-200', 'ordinary/accepts-escaped-strings'],
    answering(() => ({ status: 303, headers: { location: '/plants/1' } })),
  ),
  broken(
    'create-307',
    'redirects to the path with a trailing slash with 307',
    ['ordinary/answers-200', 'ordinary/accepts-escaped-strings'],
    answering(() => ({ status: 307, headers: { location: '/plants/' } })),
  ),
  broken(
    'create-201-tagged',
    'answers 201 if there is a tag',
    WRONG_STATUS,
    answering((answer, { tag }) => (tag === undefined ? answer : { ...answer, status: 201 })),
  ),
  broken(
    'create-202-long-name',
    'answers 202 if the name is longer than 24 characters',
    [
      'ordinary/accepts-names-of-every-length',
      'ordinary/accepts-names-of-many-kinds',
      'unconstrained/answers-hostile-names',
    ],
    answering((answer, { name }) => (name.length > 24 ? { ...answer, status: 202 } : answer)),
  ),
  broken(
    'create-204-tagless',
    'answers 204 if there is no tag',
    ['ordinary/answers-200', 'ordinary/accepts-any-property-order', 'state/answers-alternating-requests'],
    answering((answer, { tag }) => (tag === undefined ? { status: 204 } : answer)),
  ),

  wrongType('create-no-type', 'answers 200 without a Content-Type', undefined),
  wrongType('create-text-json', 'answers 200 with Content-Type: text/json', 'text/json'),
  wrongType('create-text-plain', 'answers 200 with Content-Type: text/plain', 'text/plain'),
  wrongType('create-text-html', 'answers 200 with Content-Type: text/html', 'text/html; charset=utf-8'),
  wrongType('create-vendor-type', 'answers 200 with a vendor media type', 'application/vnd.plants.v1+json'),
  wrongType('create-bare-json', 'answers 200 with Content-Type: json', 'json'),
  wrongType('create-json-seq', 'answers 200 with Content-Type: application/json-seq', 'application/json-seq'),
  wrongType('create-two-types', 'answers 200 with two different Content-Type fields', [
    'text/html',
    'application/json',
  ]),
  broken(
    'create-plain-hyphen',
    'answers 200 with text/plain if the name contains a hyphen',
    [
      'invariants/200-is-a-plant',
      'ordinary/accepts-names-of-many-kinds',
      'unconstrained/answers-hostile-names',
    ],
    answeringType('text/plain', ({ name }) => name.includes('-')),
  ),
  wrongType(
    'create-octets-large-id',
    'answers 200 with application/octet-stream if id is above 2^30',
    'application/octet-stream',
    ({ id }) => id > 2n ** 30n,
  ),

  broken(
    'rejects-nine-digits',
    'rejects ids of nine digits, which it takes for social security numbers',
    ['ordinary/accepts-ids-of-every-magnitude'],
    rejecting(({ text }) => /"id"\s*:\s*\d{9}(?!\d)/.test(text)),
  ),
  broken('rejects-tagged', 'rejects plants with a tag', MOST_PLANTS, rejecting(tagged)),
  broken(
    'rejects-tagless',
    'rejects plants without a tag',
    ['ordinary/answers-200', 'ordinary/accepts-any-property-order', 'state/answers-alternating-requests'],
    rejecting(tagless),
  ),
  broken(
    'rejects-five-words',
    'rejects names of five words or more',
    ['ordinary/accepts-names-of-many-kinds'],
    rejecting(({ name }) => name.split(' ').length > 4),
  ),
  broken(
    'rejects-tag-null',
    'rejects the tags null, true, false and none',
    ['ordinary/accepts-tags-of-every-length'],
    rejecting(({ fields }) => /^(?:null|true|false|none)$/.test(String(fields.get('tag')))),
  ),
  broken(
    'rejects-known-tag',
    'has a unique index on tag',
    ['combinations/accepts-ordinary-plants'],
    unique(({ tag }) => tag ?? Symbol('none')),
  ),
  broken(
    'crash-known-tag',
    'has a unique index on tag, and does not handle its violation',
    ['invariants/no-server-error'],
    unique(({ tag }) => tag ?? Symbol('none'), 500),
  ),
  rejectsSomeNames(
    'rejects-apostrophe',
    'rejects names that contain an apostrophe, as if they were SQL injection',
    ({ name }) => name.includes("'"),
  ),
  rejectsSomeNames('rejects-hyphen', 'rejects names that contain a hyphen', ({ name }) => name.includes('-')),
  rejectsSomeNames('rejects-digit', 'rejects names that contain a digit', ({ name }) => /\d/.test(name), 422),
  rejectsSomeNames('rejects-space', 'rejects names that contain a space', ({ name }) => name.includes(' ')),
  broken(
    'rejects-space-at-the-end',
    'rejects names that end with a space',
    ['invariants/accepts-ordinary-plants', 'ordinary/accepts-names-of-many-kinds'],
    rejecting(({ name }) => name.endsWith(' ')),
  ),
  broken(
    'rejects-space-at-the-end-untagged',
    'rejects names that end with a space if there is no tag',
    ['ordinary/accepts-names-of-many-kinds'],
    rejecting((one) => one.name.endsWith(' ') && tagless(one)),
  ),
  broken(
    'rejects-like-injection',
    'rejects names in which an apostrophe and a space are followed by or, and, or union',
    ['invariants/accepts-ordinary-plants', 'ordinary/accepts-names-of-many-kinds'],
    rejecting(({ name }) => /' (?:or|and|union) /.test(name)),
  ),
  broken(
    'rejects-long-pair',
    'rejects a name of over 25 characters with a tag of over 12: one column for both',
    ['ordinary/accepts-any-plant', 'ordinary/accepts-names-of-every-length'],
    rejecting(({ name, tag }) => name.length > 25 && tag.length > 12),
  ),
  rejectsSomeNames('rejects-lower-case', 'rejects names that begin with a lower-case letter', ({ name }) =>
    /^[a-z]/.test(name),
  ),
  broken(
    'rejects-over-30',
    'rejects names longer than 30 characters',
    [
      'invariants/accepts-ordinary-plants',
      'ordinary/accepts-any-plant',
      'ordinary/accepts-names-of-every-length',
    ],
    rejecting(({ name }) => name.length > 30),
  ),
  broken(
    'rejects-under-4',
    'rejects names shorter than 4 characters',
    ['invariants/accepts-ordinary-plants', 'ordinary/accepts-names-of-every-length'],
    rejecting(({ name }) => name.length > 0 && name.length < 4),
  ),
  broken(
    'rejects-long-tag',
    'rejects tags longer than 12 characters',
    ['ordinary/accepts-escaped-strings', 'ordinary/accepts-ids-of-every-magnitude'],
    rejecting(({ tag }) => tag.length > 12),
  ),
  broken(
    'rejects-int16',
    'rejects ids that do not fit in 16 bits',
    MOST_PLANTS,
    rejecting(({ id }) => id !== undefined && id > 32_767n),
  ),
  broken(
    'rejects-float32',
    'rejects ids that a float32 cannot represent',
    MOST_PLANTS,
    rejecting(({ id }) => id !== undefined && Math.fround(Number(id)) !== Number(id)),
  ),
  broken(
    'rejects-even-id',
    'rejects even ids',
    ['invariants/accepts-ordinary-plants', 'ordinary/accepts-any-plant'],
    rejecting(({ id }) => id !== undefined && id % 2n === 0n),
  ),
  broken(
    'rejects-digit-zero',
    'rejects ids that contain the digit 0, which it takes for the end of the number',
    ['ordinary/accepts-ids-of-every-magnitude'],
    rejecting(({ id = 1n }) => `${id}`.includes('0')),
  ),
  broken('rejects-id-last', 'rejects plants whose last property is id', MOST_PLANTS, rejecting(lastIs('id'))),
  broken(
    'rejects-70-bytes',
    '413 if the body is longer than 70 bytes',
    [
      'ordinary/accepts-escaped-property-names',
      'ordinary/accepts-escaped-strings',
      'ordinary/accepts-names-of-every-length',
    ],
    rejecting(({ text, fields }) => text.length > 70 && fields.has('name'), 413),
  ),
];
