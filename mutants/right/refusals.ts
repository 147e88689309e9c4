import { Refusal } from '../../reference/store.ts';
import { type Change, type RightStore, right } from '../fleet.ts';
import {
  BAD_TAG,
  coded,
  complaining,
  contentType,
  depthOf,
  html,
  NOT_JSON,
  plain,
  refused,
  refusing,
  refusingHead,
  type Seen,
  sending,
  textOf,
} from '../helpers.ts';

/** What is refused with 400 has another status, and whatever body that status brings. */
const under =
  (status: number, which = coded(1, 2, 3, 4, 5, 6)): Change =>
  (reference) => ({
    refuse: (refusal, request) => ({
      ...reference.refuse(refusal, request),
      status: which(refusal, request) ? status : refusal.status,
    }),
  });

const code = (code: number) => complaining(({ message }) => ({ error: code, message }));
const undeclared = ({ fields }: Seen) =>
  [...fields.keys()].some((name) => !['id', 'name', 'tag'].includes(name));
const either =
  (pattern: RegExp) =>
  ({ name, tag }: Seen) =>
    pattern.test(name) || pattern.test(tag);

/** Refusals in their own way. */
export const refusals: readonly RightStore[] = [
  right('malformed-422', 'malformed bodies get 422: conditions of 400 are not shown', under(422)),
  right('malformed-404', 'malformed bodies get 404: conditions of 400 are not shown', under(404)),
  right('malformed-403', 'malformed bodies get 403: conditions of 400 are not shown', under(403)),
  right('malformed-409', 'malformed bodies get 409: conditions of 400 are not shown', under(409)),
  right('malformed-418', 'malformed bodies get 418: other status codes are not shown', under(418)),
  right('malformed-422-html', 'malformed bodies get 422 in HTML: only a 400 is an Error', (reference) => ({
    refuse: (refusal, request) =>
      refusal.status === 400 ? html(422, 'Unprocessable') : reference.refuse(refusal, request),
  })),
  right('malformed-mixed', 'JSON that does not parse gets 400, a wrong tag 422', under(422, coded(BAD_TAG))),
  right(
    'malformed-empty-409',
    'bodies that do not parse get 409 without a body: only a 400 is an Error',
    (reference) => ({
      refuse: (refusal, request) =>
        refusal.code === NOT_JSON ? { status: 409 } : reference.refuse(refusal, request),
    }),
  ),
  right(
    'error-more',
    'a 400 has more members: nothing says that it has only two',
    complaining(({ code, message }) => ({
      error: code,
      message,
      errors: [],
      detail: null,
      'x-trace': { id: 7 },
    })),
  ),
  right('error-int32-max', 'error is 2^31 - 1: it is within int32', code(2 ** 31 - 1)),
  right('error-int32-min', 'error is -2^31: it is within int32', code(-(2 ** 31))),
  right('error-zero', 'error is 0: it is within int32', code(0)),
  right(
    'error-fraction-zero',
    'error is written 4.0e2: JSON Schema counts it as an integer',
    refused((answer, { message }) => ({
      ...answer,
      body: `{"message":${JSON.stringify(message)},"error":4.0e2}`,
    })),
  ),
  right(
    'error-unicode',
    'the message is neither English nor ASCII',
    complaining(({ code }) => ({ error: code, message: 'リクエストが不正です 🌱' })),
  ),
  right(
    'error-message-empty',
    'the message is empty: it is a string',
    complaining(({ code }) => ({ error: code, message: '' })),
  ),
  right(
    'error-pretty',
    'a 400 is written over lines, with a charset',
    refused((answer) => ({
      ...answer,
      headers: { 'content-type': 'application/json;charset=UTF-8' },
      body: `${JSON.stringify(JSON.parse(textOf(answer)), null, 4)}\r\n`,
    })),
  ),
  right('foreign-type-plain', '415 in plain text: only a 400 is an Error', (reference) => ({
    refuse: (refusal, request) =>
      refusal.status === 415 ? plain(415, 'Unsupported Media Type') : reference.refuse(refusal, request),
  })),
  right('foreign-type-400', 'a foreign media type gets 400, with an Error', under(400, coded(415))),

  right(
    'no-empty-names',
    'empty names are refused: constraints are not shown',
    refusing(({ fields }) => fields.get('name') === ''),
  ),
  right(
    'no-blank-names-422',
    'names of white space are refused with 422: constraints are not shown',
    refusing(({ fields, name }) => fields.has('name') && name.trim() === '', 422),
  ),
  right(
    'no-long-names',
    'names above 40 are refused: constraints are not shown',
    refusing(({ name }) => name.length > 40),
  ),
  right(
    'no-long-tags',
    'tags above 20 are refused with 422: constraints are not shown',
    refusing(({ tag }) => tag.length > 20, 422),
  ),
  right(
    'no-astral',
    'astral characters are refused: constraints are not shown',
    refusing(either(/[\u{10000}-\u{10ffff}]/u)),
  ),
  right(
    'no-control',
    'control characters are refused: constraints are not shown',
    refusing(either(/\p{Cc}/u)),
  ),
  right(
    'ascii-letters',
    'names of anything but ASCII letters, digits, spaces, hyphens, apostrophes are refused',
    refusing(({ name }) => name !== '' && !/^[A-Za-z][A-Za-z0-9 '-]*$/.test(name)),
  ),
  right(
    'lower-case-tags',
    'tags of anything but small letters are refused',
    refusing(({ fields, tag }) => typeof fields.get('tag') === 'string' && !/^[a-z]+$/.test(tag)),
  ),
  right('no-undeclared', 'undeclared properties are refused: not shown', refusing(undeclared)),
  right(
    'no-large-ids',
    'ids above 2^31 - 1 are refused: the range is not shown',
    refusing(({ id }) => id !== undefined && id > 2n ** 31n - 1n),
  ),
  right(
    'no-ids-below-1',
    'ids below 1 are refused: the range is not shown',
    refusing(({ id }) => id !== undefined && id < 1n),
  ),
  right(
    'no-deep',
    'nesting above 20 is refused, with 413',
    refusing(({ text }) => depthOf(text) > 20, 413),
  ),
  right('no-large-bodies', 'bodies above 2000 bytes get 413 in HTML: limits are not shown', (reference) => ({
    negotiate(request) {
      reference.negotiate(request);
      if (request.body.length > 2000) throw new Refusal(413, 413, 'the body is too large');
    },
    refuse: (refusal, request) =>
      refusal.status === 413 ? html(413, 'Too Large') : reference.refuse(refusal, request),
  })),
  right('no-bodies-above-1-kib', 'bodies above a kibibyte get 413: limits are not shown', (reference) => ({
    negotiate(request) {
      reference.negotiate(request);
      if (request.body.length > 1024) throw new Refusal(413, 413, 'the body is too large');
    },
  })),
  right(
    'no-parameters',
    'a content type with parameters gets 415: that it is taken is a SHOULD',
    refusingHead((request) => contentType(request).includes(';'), 415),
  ),
  right(
    'no-chunks',
    'a body without a length gets 411: that it is taken is a SHOULD',
    refusingHead(({ headers }) => headers['content-length'] === undefined, 411),
  ),
  right(
    'deprecated',
    'every answer carries Deprecation, Sunset, Warning: nothing forbids it',
    sending((answer) => ({
      ...answer,
      headers: {
        ...answer.headers,
        deprecation: '@1688169599',
        sunset: 'Sat, 31 Dec 2050 23:59:59 GMT',
        warning: '299 - "old"',
      },
    })),
  ),
];
