import type { Socket } from 'node:net';
import { json, type Received, type Rejection } from '../../reference/store.ts';
import { type BrokenStore, broken, brokenBy } from '../fleet.ts';
import {
  answering400,
  answering400With,
  authorization,
  BAD_ID,
  BAD_NAME,
  BAD_TAG,
  challenging,
  coded,
  debugPage,
  html,
  kindOf,
  NOT_AN_OBJECT,
  NOT_JSON,
  plain,
  rejected,
  seen,
  sending,
  tagless,
  textOf,
  withFreshState,
} from '../helpers.ts';

/** The checks that fail if no 400 is an Error, whatever is wrong with the body. */
const EVERY_400 = [
  'invalid/rejects-forms',
  'invalid/rejects-missing-body',
  'invalid/rejects-white-space-only',
];

const typed = (type: string | undefined) =>
  rejected((answer) => ({ ...answer, headers: type === undefined ? {} : { 'content-type': type } }));
const error = (value: unknown) => answering400With(({ message }) => ({ error: value, message }));
const message = (value: unknown) => answering400With(({ code }) => ({ error: code, message: value }));
const noErrorText = brokenBy(EVERY_400, (write: (text: string) => string | Uint8Array) =>
  rejected((answer) => ({ ...answer, body: write(textOf(answer)) })),
);
const noErrorValue = brokenBy(EVERY_400, answering400With);
const empty = (_: Rejection, { body }: Received) => body.length === 0;
const longBody = (_: Rejection, { body }: Received) => body.length > 60;

/** Stores whose 400 does not carry an Error. */
export const errors: readonly BrokenStore[] = [
  broken(
    'error-graphql',
    'answers 200 with data and errors to JSON that is not a NewPlant, as a GraphQL gateway does',
    ['invalid/rejects-missing-property', 'invalid/rejects-wrong-type'],
    answering400(
      json(200, { data: null, errors: [{ message: 'invalid' }] }),
      ({ code }) => code !== NOT_JSON,
    ),
  ),
  // Not an Error at all.
  broken('error-html', 'answers 400 with an HTML page', EVERY_400, answering400(html(400, 'Bad Request'))),
  broken(
    'error-html-firewall',
    'a firewall answers a body that looks like an attack with 400 and an HTML page',
    ['unconstrained/answers-hostile-names', 'invariants/400-is-json'],
    sending((answer, { body }) =>
      /<script|drop table |\.\.\//i.test(body.toString()) ? html(400, 'Request blocked') : answer,
    ),
  ),
  broken(
    'error-debug-page',
    'answers 400 with a debug page of 90 kB that is labelled JSON',
    EVERY_400,
    answering400({ ...debugPage(400), headers: { 'content-type': 'application/json' } }),
  ),
  broken('error-plain', 'answers 400 with plain text', EVERY_400, answering400(plain(400, 'Bad Request'))),
  broken('error-empty', 'answers 400 without a body', EVERY_400, answering400({ status: 400 })),
  broken(
    'error-negotiated',
    'answers 400 to a body that is not JSON as its framework does: XML if Accept prefers it, nothing if it is unusual',
    ['invariants/400-is-an-error', 'invalid/rejects-non-json'],
    rejected(
      (answer, _, { headers }) => {
        const accept = headers.accept?.[0] ?? '';
        if (accept.includes('/xml'))
          return { ...answer, headers: { 'content-type': 'application/xml' }, body: '<error/>' };
        const { headers: __, ...bare } = answer;
        return accept === '' || /\*\/\*|application\/json/.test(accept)
          ? json(400, { title: '400 Bad Request' })
          : { ...bare, body: '' };
      },
      ({ code }) => code === NOT_JSON,
    ),
  ),
  broken(
    'error-several-messages',
    'answers 400 with an array as message if several properties are missing or wrong',
    ['invalid/rejects-any-defect', 'invariants/400-is-an-error'],
    answering400With(
      ({ code }) => ({ error: code, message: ['name is wrong', 'id is wrong'] }),
      (_, request) => {
        const { fields, value } = seen(request);
        const isWrong = (name: string, kind: string) => kindOf(fields.get(name)) !== kind;
        const wrong = [
          isWrong('id', 'integer'),
          isWrong('name', 'string'),
          fields.has('tag') && isWrong('tag', 'string'),
        ];
        return value instanceof Map && wrong.filter(Boolean).length > 1;
      },
    ),
  ),
  broken(
    'error-empty-again',
    'answers 400 without a body to all but the first rejection of a connection',
    ['invalid/rejects-any-defect', 'invariants/400-is-an-error'],
    withFreshState(() => {
      const rejectedOn = new WeakSet<Socket>();
      return rejected((answer, _, { message: { socket } }) => {
        if (rejectedOn.has(socket)) return { ...answer, body: '' };
        rejectedOn.add(socket);
        return answer;
      });
    }),
  ),
  broken(
    'error-substatus',
    'error is a fraction if more than one property is wrong',
    ['invalid/rejects-missing-property', 'invariants/400-is-an-error'],
    answering400With(
      ({ code, message }) => ({ error: code + 0.2, message }),
      (_, request) => {
        const { value, id, fields } = seen(request);
        const isText = (name: string) => typeof fields.get(name) === 'string';
        return (
          value instanceof Map &&
          [id === undefined, !isText('name'), fields.has('tag') && !isText('tag')].filter(Boolean).length > 1
        );
      },
    ),
  ),
  noErrorText('error-empty-json', 'answers 400 with an empty body and the content type of JSON', () => ''),
  noErrorValue('error-empty-object', 'answers 400 with {}', () => ({})),
  noErrorValue('error-null', 'answers 400 with null', () => null),
  noErrorValue('error-text', 'answers 400 with a JSON string', ({ message }) => message),
  noErrorValue(
    'error-nested',
    'answers 400 with an Error nested in a property error',
    ({ code, message }) => ({ error: { error: code, message } }),
  ),
  noErrorValue('error-array', 'answers 400 with an Error in an array', ({ code, message }) => [
    { error: code, message },
  ]),
  noErrorValue('error-json-api', 'answers 400 with a JSON:API error', ({ code, message }) => ({
    errors: [{ status: '400', code: `${code}`, detail: message }],
  })),
  broken(
    'error-problem',
    'answers 400 with problem details (RFC 9457)',
    EVERY_400,
    answering400({
      ...json(400, { type: 'about:blank', title: 'Bad Request', status: 400 }),
      headers: { 'content-type': 'application/problem+json' },
    }),
  ),
  noErrorValue('error-fastify', 'answers 400 with a Fastify error', ({ message }) => ({
    statusCode: 400,
    error: 'Bad Request',
    message,
  })),
  noErrorValue('error-fastapi', 'answers 400 with a FastAPI error', ({ message }) => ({
    detail: [{ loc: ['body'], msg: message, type: 'value_error' }],
  })),
  noErrorText('error-truncated', 'answers 400 with truncated JSON', (text) => text.slice(0, -2)),
  noErrorText('error-utf16', 'answers 400 with JSON in UTF-16', (text) => Buffer.from(text, 'utf16le')),
  noErrorText('error-single-quotes', 'answers 400 with single-quoted JSON', (text) =>
    text.replaceAll('"', "'"),
  ),
  noErrorValue(
    'error-capitals',
    'answers 400 with properties called Error and Message',
    ({ code, message }) => ({ Error: code, Message: message }),
  ),
  broken(
    'error-quotes-input',
    'answers 400 with a message that quotes the input without escaping it',
    ['invalid/rejects-non-json', 'invalid/rejects-truncated-json', 'invalid/rejects-white-space-only'],
    rejected((answer, _, { body }) => ({
      ...answer,
      body: `{"error":400,"message":"not a plant: ${body}"}`,
    })),
  ),

  // Wrong content type.
  broken(
    'error-problem-type',
    'answers 400 with Content-Type: application/problem+json',
    EVERY_400,
    typed('application/problem+json'),
  ),
  broken('error-plain-type', 'answers 400 with Content-Type: text/plain', EVERY_400, typed('text/plain')),
  broken('error-html-type', 'answers 400 with Content-Type: text/html', EVERY_400, typed('text/html')),
  broken('error-no-type', 'answers 400 without a Content-Type', EVERY_400, typed(undefined)),

  // One wrong member.
  broken('error-code-string', 'answers 400 with "400" as error', EVERY_400, error('400')),
  broken('error-code-name', 'answers 400 with a word as error', EVERY_400, error('invalid_plant')),
  broken('error-code-fraction', 'answers 400 with 400.1 as error', EVERY_400, error(400.1)),
  broken('error-code-null', 'answers 400 with null as error', EVERY_400, error(null)),
  broken('error-code-true', 'answers 400 with true as error', EVERY_400, error(true)),
  broken('error-code-missing', 'answers 400 without error', EVERY_400, error(undefined)),
  broken('error-code-array', 'answers 400 with an array as error', EVERY_400, error([400])),
  broken('error-code-2-31', 'answers 400 with 2^31 as error, beyond int32', EVERY_400, error(2 ** 31)),
  broken(
    'error-code-under',
    'answers 400 with -2^31 - 1 as error, beyond int32',
    EVERY_400,
    error(-(2 ** 31) - 1),
  ),
  noErrorValue(
    'error-code-time',
    'answers 400 with the time in milliseconds as error, beyond int32',
    ({ message }) => ({ error: Date.now(), message }),
  ),
  broken(
    'error-code-unsigned',
    'answers 400 with an unsigned 32-bit code as error, beyond int32',
    EVERY_400,
    error(0x80070057),
  ),
  broken('error-message-missing', 'answers 400 without message', EVERY_400, message(undefined)),
  broken('error-message-null', 'answers 400 with null as message', EVERY_400, message(null)),
  broken('error-message-number', 'answers 400 with 400 as message', EVERY_400, message(400)),
  noErrorValue(
    'error-message-array',
    'answers 400 with an array of strings as message, like class-validator',
    ({ code, message }) => ({ error: code, message: [message] }),
  ),
  noErrorValue(
    'error-message-object',
    'answers 400 with an object as message, one member per property',
    ({ code, message }) => ({ error: code, message: { body: message } }),
  ),
  broken('error-message-false', 'answers 400 with false as message', EVERY_400, message(false)),

  // Only sometimes.
  broken(
    'error-html-syntax',
    'answers 400 with HTML if the body is not JSON',
    EVERY_400,
    answering400(html(400, 'SyntaxError'), coded(NOT_JSON)),
  ),
  broken(
    'error-html-no-body',
    'answers 400 with HTML if there is no body',
    ['invariants/400-is-an-error', 'invariants/400-is-json', 'invalid/rejects-missing-body'],
    answering400(html(400, 'Bad Request'), empty),
  ),
  broken(
    'error-plain-not-object',
    'answers 400 with plain text if the body is not an object',
    ['invariants/400-is-json', 'invalid/rejects-deep-nesting', 'invalid/rejects-non-objects'],
    answering400(plain(400, 'an object is expected'), coded(NOT_AN_OBJECT)),
  ),
  broken(
    'error-errors-validation',
    'answers 400 with a list of errors if a property is wrong',
    ['invalid/rejects-fractional-id', 'invalid/rejects-numeric-string-id', 'invalid/answers-huge-numbers'],
    answering400With(({ message }) => ({ errors: [message] }), coded(BAD_ID, BAD_NAME, BAD_TAG)),
  ),
  broken(
    'error-message-null-tag',
    'answers 400 with null as message if tag is wrong',
    ['invariants/400-is-an-error', 'invalid/rejects-null', 'invalid/rejects-wrong-type'],
    answering400With(({ code }) => ({ error: code, message: null }), coded(BAD_TAG)),
  ),
  broken(
    'error-code-string-name',
    'answers 400 with a string as error if name is wrong',
    [
      'invalid/rejects-inherited-property',
      'invalid/rejects-missing-property',
      'invalid/answers-huge-numbers',
    ],
    answering400With(({ message }) => ({ error: 'name', message }), coded(BAD_NAME)),
  ),
  broken(
    'error-code-value',
    'answers 400 with the length of the body divided by 7 as error if id is wrong',
    ['invalid/rejects-fractional-id', 'invalid/rejects-numeric-string-id', 'invalid/answers-huge-numbers'],
    answering400With(
      ({ message }, request) => ({ error: seen(request).text.length / 7, message }),
      coded(BAD_ID),
    ),
  ),
  broken(
    'error-plain-tagless',
    'answers 400 with plain text if there is no tag',
    [
      'invalid/rejects-fractional-id',
      'invalid/rejects-missing-property',
      'invalid/rejects-numeric-string-id',
    ],
    answering400(plain(400, 'no'), (_, request) => seen(request).fields.size > 0 && tagless(seen(request))),
  ),
  broken(
    'error-truncated-long',
    'answers 400 with truncated JSON if the body is longer than 60 bytes',
    ['invalid/rejects-non-json', 'invalid/rejects-several-values', 'invalid/answers-huge-numbers'],
    rejected((answer) => ({ ...answer, body: textOf(answer).slice(0, 16) }), longBody),
  ),
  broken(
    'error-message-array-name',
    'answers 400 with an array as message if the name contains an apostrophe, hyphen or digit',
    ['invariants/400-is-an-error', 'invalid/rejects-any-defect', 'invalid/rejects-any-wrong-type'],
    answering400With(
      ({ code, message }) => ({ error: code, message: message.split(' ') }),
      (_, request) => /['\d-]/.test(seen(request).name),
    ),
  ),
  broken(
    'error-plain-credential',
    'answers a missing or wrong token with 400 and plain text',
    ['invariants/400-is-an-error', 'invariants/400-is-json'],
    challenging(() => plain(400, 'a bearer token is required')),
  ),
  broken(
    'error-code-credential',
    'answers a missing or wrong token with 400 and an OAuth error',
    ['invariants/400-is-an-error'],
    challenging(() => json(400, { error: 'invalid_token', message: 'a bearer token is required' })),
  ),
  broken(
    'error-code-malformed-bearer',
    'answers Bearer without exactly one token with 400 and an OAuth error',
    ['invariants/400-is-an-error'],
    challenging((request) =>
      /^bearer(?: *$| +\S+ )/i.test(authorization(request) ?? '')
        ? json(400, { error: 'invalid_request', error_description: 'one token is required' })
        : undefined,
    ),
  ),
];
