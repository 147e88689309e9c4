import { Rejection } from '../../reference/store.ts';
import { type Change, type RightStore, right, rightBy } from '../fleet.ts';
import {
  adding,
  answering400,
  answering400With,
  BAD_TAG,
  coded,
  contentType,
  depthOf,
  html,
  insteadOf,
  NOT_JSON,
  nameOrTag,
  plain,
  rejected,
  rejecting,
  rejectingHead,
  type Seen,
  textOf,
  together,
  under,
} from '../helpers.ts';

const rejectingOver =
  (bytes: number): Change =>
  (reference) => ({
    negotiate(request) {
      reference.negotiate(request);
      if (request.body.length > bytes) throw new Rejection(413, 413, 'the body is too large');
    },
  });

const rejects = rightBy(rejecting);
const code = (code: number) => answering400With(({ message }) => ({ error: code, message }));
const undeclared = ({ fields }: Seen) =>
  [...fields.keys()].some((name) => !['id', 'name', 'tag'].includes(name));

/** Stores that reject with an unusual status or body, or for an unusual reason. */
export const rejections: readonly RightStore[] = [
  right('malformed-422', 'answers 422 to invalid bodies: when a 400 is due is unspecified', under(422)),
  right('malformed-404', 'answers 404 to invalid bodies: when a 400 is due is unspecified', under(404)),
  right('malformed-403', 'answers 403 to invalid bodies: when a 400 is due is unspecified', under(403)),
  right('malformed-409', 'answers 409 to invalid bodies: when a 400 is due is unspecified', under(409)),
  right('malformed-418', 'answers 418 to invalid bodies: other status codes are unspecified', under(418)),
  right(
    'malformed-422-html',
    'answers 422 in HTML to invalid bodies: only a 400 has to be an Error',
    insteadOf(400, () => html(422, 'Unprocessable')),
  ),
  right(
    'malformed-303',
    'redirects to its form instead of answering 400, also after an empty or long name: unspecified',
    together(
      rejecting(({ name }) => name === '' || name.length > 200),
      answering400({ ...html(303, 'See the form'), headers: { location: '/plants/new' } }),
    ),
  ),
  right(
    'malformed-mixed',
    'answers 400 to malformed JSON and 422 to a wrong tag',
    under(422, coded(BAD_TAG)),
  ),
  right(
    'malformed-empty-409',
    'answers 409 without a body to malformed JSON: only a 400 has to be an Error',
    answering400({ status: 409 }, coded(NOT_JSON)),
  ),
  right(
    'error-more',
    'answers 400 with additional members: nothing forbids them',
    answering400With(({ code, message }) => ({
      error: code,
      message,
      errors: [],
      detail: null,
      'x-trace': { id: 7 },
    })),
  ),
  right('error-int32-max', 'answers 400 with 2^31 - 1 as error: it is within int32', code(2 ** 31 - 1)),
  right('error-int32-min', 'answers 400 with -2^31 as error: it is within int32', code(-(2 ** 31))),
  right('error-zero', 'answers 400 with 0 as error: it is within int32', code(0)),
  right(
    'error-fraction-zero',
    'answers 400 with 4.0e2 as error: an integer in JSON Schema',
    rejected((answer, { message }) => ({
      ...answer,
      body: `{"message":${JSON.stringify(message)},"error":4.0e2}`,
    })),
  ),
  right(
    'error-unicode',
    'answers 400 with a message that is neither English nor ASCII',
    answering400With(({ code }) => ({ error: code, message: 'リクエストが不正です 🌱' })),
  ),
  right(
    'error-message-empty',
    'answers 400 with an empty message: it is a string',
    answering400With(({ code }) => ({ error: code, message: '' })),
  ),
  right(
    'error-pretty',
    'pretty-prints the body of a 400, with a charset',
    rejected((answer) => ({
      ...answer,
      headers: { 'content-type': 'application/json;charset=UTF-8' },
      body: `${JSON.stringify(JSON.parse(textOf(answer)), null, 4)}\r\n`,
    })),
  ),
  right(
    'foreign-type-plain',
    'answers 415 in plain text: only a 400 has to be an Error',
    insteadOf(415, () => plain(415, 'Unsupported Media Type')),
  ),
  right('foreign-type-400', 'answers another media type with 400 and an Error', under(400, coded(415))),

  rejects(
    'no-empty-names',
    'rejects empty names: constraints are unspecified',
    ({ fields }) => fields.get('name') === '',
  ),
  rejects(
    'no-blank-names-422',
    'rejects names of white space with 422: constraints are unspecified',
    ({ fields, name }) => fields.has('name') && name.trim() === '',
    422,
  ),
  rejects(
    'no-long-names',
    'rejects names longer than 40 characters: constraints are unspecified',
    ({ name }) => name.length > 40,
  ),
  rejects(
    'no-long-tags',
    'rejects tags longer than 20 characters with 422: constraints are unspecified',
    ({ tag }) => tag.length > 20,
    422,
  ),
  rejects(
    'no-astral',
    'rejects astral characters: constraints are unspecified',
    nameOrTag(/[\u{10000}-\u{10ffff}]/u),
  ),
  rejects('no-control', 'rejects control characters: constraints are unspecified', nameOrTag(/\p{Cc}/u)),
  rejects(
    'ascii-letters',
    'rejects names that contain anything but ASCII letters, digits, spaces, hyphens and apostrophes',
    ({ name }) => name !== '' && !/^[A-Za-z][A-Za-z0-9 '-]*$/.test(name),
  ),
  rejects('no-short-names', 'rejects names of one letter', ({ name }) => name.length === 1),
  rejects(
    'lower-case-tags',
    'rejects tags that contain anything but lower-case letters',
    ({ fields, tag }) => typeof fields.get('tag') === 'string' && !/^[a-z]+$/.test(tag),
  ),
  rejects('no-undeclared', 'rejects undeclared properties: unspecified', undeclared),
  rejects(
    'no-large-ids',
    'rejects ids above 2^31 - 1: the range is unspecified',
    ({ id }) => id !== undefined && id > 2n ** 31n - 1n,
  ),
  rejects(
    'no-ids-below-1',
    'rejects ids below 1: the range is unspecified',
    ({ id }) => id !== undefined && id < 1n,
  ),
  rejects('no-deep', 'rejects nesting deeper than 20 with 413', ({ text }) => depthOf(text) > 20, 413),
  right(
    'no-large-bodies',
    'answers bodies of more than 2000 bytes with 413 in HTML: limits are unspecified',
    together(
      rejectingOver(2000),
      insteadOf(413, () => html(413, 'Too Large')),
    ),
  ),
  right(
    'no-bodies-above-1-kib',
    'answers bodies of more than 1 KiB with 413: limits are unspecified',
    rejectingOver(1024),
  ),
  right(
    'no-parameters',
    'answers a content type with parameters with 415: accepting it is a SHOULD',
    rejectingHead((request) => contentType(request).includes(';'), 415),
  ),
  right(
    'no-chunks',
    'answers a body without Content-Length with 411: accepting it is a SHOULD',
    rejectingHead(({ headers }) => headers['content-length'] === undefined, 411),
  ),
  right(
    'deprecated',
    'sends Deprecation, Sunset and Warning with every response: nothing forbids it',
    adding({
      deprecation: '@1688169599',
      sunset: 'Sat, 31 Dec 2050 23:59:59 GMT',
      warning: '299 - "old"',
    }),
  ),
];
