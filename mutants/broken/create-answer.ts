import { type BrokenStore, broken } from '../fleet.ts';
import { answering, answeringHead, answeringType, lastIs, rejecting, tagged, tagless } from '../helpers.ts';

/** Stores that answer an ordinary plant with another status or content type, or reject it. */
export const createAnswer: readonly BrokenStore[] = [
  broken(
    'create-201',
    'answers 201 Created instead of 200',
    ['ordinary/answers-200', 'ordinary/accepts-escaped-strings', 'unconstrained/answers-any-id'],
    answeringHead(201),
  ),
  broken(
    'create-201-location',
    'answers 201 with Location instead of 200',
    ['ordinary/answers-200', 'ordinary/accepts-escaped-strings', 'unconstrained/answers-any-id'],
    answeringHead(201, { location: '/plants/1' }),
  ),
  broken(
    'create-202',
    'answers 202 Accepted instead of 200',
    ['ordinary/answers-200', 'ordinary/accepts-escaped-strings', 'unconstrained/answers-any-id'],
    answeringHead(202),
  ),
  broken(
    'create-203',
    'answers 203 instead of 200, like a transforming proxy',
    ['ordinary/answers-200', 'ordinary/accepts-escaped-strings', 'unconstrained/answers-any-id'],
    answeringHead(203),
  ),
  broken(
    'create-204',
    'answers 204 without a body instead of 200',
    ['ordinary/answers-200', 'ordinary/accepts-escaped-strings', 'unconstrained/answers-any-id'],
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
    ['ordinary/answers-200', 'ordinary/accepts-escaped-strings', 'unconstrained/answers-any-id'],
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

  broken(
    'create-no-type',
    'answers 200 without a Content-Type',
    ['ordinary/answers-json', 'state/answers-alternating-requests', 'unconstrained/answers-any-id'],
    answeringType(undefined),
  ),
  broken(
    'create-text-json',
    'answers 200 with Content-Type: text/json',
    ['ordinary/answers-json', 'state/answers-alternating-requests', 'unconstrained/answers-any-id'],
    answeringType('text/json'),
  ),
  broken(
    'create-text-plain',
    'answers 200 with Content-Type: text/plain',
    ['ordinary/answers-json', 'state/answers-alternating-requests', 'unconstrained/answers-any-id'],
    answeringType('text/plain'),
  ),
  broken(
    'create-text-html',
    'answers 200 with Content-Type: text/html',
    ['ordinary/answers-json', 'state/answers-alternating-requests', 'unconstrained/answers-any-id'],
    answeringType('text/html; charset=utf-8'),
  ),
  broken(
    'create-vendor-type',
    'answers 200 with a vendor media type',
    ['ordinary/answers-json', 'state/answers-alternating-requests', 'unconstrained/answers-any-id'],
    answeringType('application/vnd.plants.v1+json'),
  ),
  broken(
    'create-bare-json',
    'answers 200 with Content-Type: json',
    ['ordinary/answers-json', 'state/answers-alternating-requests', 'unconstrained/answers-any-id'],
    answeringType('json'),
  ),
  broken(
    'create-json-seq',
    'answers 200 with Content-Type: application/json-seq',
    ['ordinary/answers-json', 'state/answers-alternating-requests', 'unconstrained/answers-any-id'],
    answeringType('application/json-seq'),
  ),
  broken(
    'create-two-types',
    'answers 200 with two different Content-Type fields',
    ['ordinary/answers-json', 'state/answers-alternating-requests', 'unconstrained/answers-any-id'],
    answeringType(['text/html', 'application/json']),
  ),
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
  broken(
    'create-octets-large-id',
    'answers 200 with application/octet-stream if id is above 2^30',
    ['ordinary/answers-json', 'state/answers-alternating-requests', 'unconstrained/answers-any-id'],
    answeringType('application/octet-stream', ({ id }) => id > 2n ** 30n),
  ),

  broken(
    'rejects-tagged',
    'rejects plants with a tag',
    ['ordinary/answers-200', 'ordinary/accepts-escaped-strings', 'ordinary/accepts-ids-of-every-magnitude'],
    rejecting(tagged),
  ),
  broken(
    'rejects-tagless',
    'rejects plants without a tag',
    ['ordinary/answers-200', 'ordinary/accepts-any-property-order', 'state/answers-alternating-requests'],
    rejecting(tagless),
  ),
  broken(
    'rejects-apostrophe',
    'rejects names that contain an apostrophe, as if they were SQL injection',
    [
      'invariants/accepts-ordinary-plants',
      'ordinary/accepts-any-plant',
      'ordinary/accepts-names-of-many-kinds',
    ],
    rejecting(({ name }) => name.includes("'")),
  ),
  broken(
    'rejects-hyphen',
    'rejects names that contain a hyphen',
    [
      'invariants/accepts-ordinary-plants',
      'ordinary/accepts-any-plant',
      'ordinary/accepts-names-of-many-kinds',
    ],
    rejecting(({ name }) => name.includes('-')),
  ),
  broken(
    'rejects-digit',
    'rejects names that contain a digit',
    [
      'invariants/accepts-ordinary-plants',
      'ordinary/accepts-any-plant',
      'ordinary/accepts-names-of-many-kinds',
    ],
    rejecting(({ name }) => /\d/.test(name), 422),
  ),
  broken(
    'rejects-space',
    'rejects names that contain a space',
    [
      'invariants/accepts-ordinary-plants',
      'ordinary/accepts-any-plant',
      'ordinary/accepts-names-of-many-kinds',
    ],
    rejecting(({ name }) => name.includes(' ')),
  ),
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
    'rejects-long-pair',
    'rejects a name of over 25 characters with a tag of over 12: one column for both',
    ['ordinary/accepts-any-plant', 'ordinary/accepts-names-of-every-length'],
    rejecting(({ name, tag }) => name.length > 25 && tag.length > 12),
  ),
  broken(
    'rejects-lower-case',
    'rejects names that begin with a lower-case letter',
    [
      'invariants/accepts-ordinary-plants',
      'ordinary/accepts-any-plant',
      'ordinary/accepts-names-of-many-kinds',
    ],
    rejecting(({ name }) => /^[a-z]/.test(name)),
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
    ['ordinary/answers-200', 'ordinary/accepts-escaped-strings', 'ordinary/accepts-ids-of-every-magnitude'],
    rejecting(({ id }) => id !== undefined && id > 32_767n),
  ),
  broken(
    'rejects-float32',
    'rejects ids that a float32 cannot represent',
    ['ordinary/answers-200', 'ordinary/accepts-escaped-strings', 'ordinary/accepts-ids-of-every-magnitude'],
    rejecting(({ id }) => id !== undefined && Math.fround(Number(id)) !== Number(id)),
  ),
  broken(
    'rejects-even-id',
    'rejects even ids',
    ['invariants/accepts-ordinary-plants', 'ordinary/accepts-any-plant'],
    rejecting(({ id }) => id !== undefined && id % 2n === 0n),
  ),
  broken(
    'rejects-id-last',
    'rejects plants whose last property is id',
    ['ordinary/answers-200', 'ordinary/accepts-escaped-strings', 'ordinary/accepts-ids-of-every-magnitude'],
    rejecting(lastIs('id')),
  ),
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
