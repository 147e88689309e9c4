import { json, type Received, type Refusal } from '../../reference/store.ts';
import { type BrokenStore, broken } from '../fleet.ts';
import {
  answering400,
  BAD_ID,
  BAD_NAME,
  BAD_TAG,
  challenging,
  coded,
  complaining,
  html,
  NOT_AN_OBJECT,
  NOT_JSON,
  plain,
  refused,
  seen,
  tagless,
  textOf,
} from '../helpers.ts';

const typed = (type: string | undefined) =>
  refused((answer) => ({ ...answer, headers: type === undefined ? {} : { 'content-type': type } }));
const error = (value: unknown) => complaining(({ message }) => ({ error: value, message }));
const message = (value: unknown) => complaining(({ code }) => ({ error: code, message: value }));
const written = (write: (text: string) => string | Uint8Array) =>
  refused((answer) => ({ ...answer, body: write(textOf(answer)) }));
const empty = (_: Refusal, { body }: Received) => body.length === 0;
const longBody = (_: Refusal, { body }: Received) => body.length > 60;

/** A 400 does not carry an Error. */
export const errors: readonly BrokenStore[] = [
  // In no respect.
  broken(
    'error-html',
    'a 400 carries an Error: a page of HTML',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    answering400(html(400, 'Bad Request')),
  ),
  broken(
    'error-plain',
    'a 400 carries an Error: plain text',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    answering400(plain(400, 'Bad Request')),
  ),
  broken(
    'error-empty',
    'a 400 carries an Error: nothing',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    answering400({ status: 400 }),
  ),
  broken(
    'error-empty-json',
    'a 400 carries an Error: nothing, called JSON',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    written(() => ''),
  ),
  broken(
    'error-empty-object',
    'a 400 carries an Error: {}',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    complaining(() => ({})),
  ),
  broken(
    'error-null',
    'a 400 carries an Error: null',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    complaining(() => null),
  ),
  broken(
    'error-text',
    'a 400 carries an Error: a JSON string',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    complaining(({ message }) => message),
  ),
  broken(
    'error-nested',
    'a 400 carries an Error: nested in error',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    complaining(({ code, message }) => ({ error: { error: code, message } })),
  ),
  broken(
    'error-array',
    'a 400 carries an Error: an array of one',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    complaining(({ code, message }) => [{ error: code, message }]),
  ),
  broken(
    'error-json-api',
    'a 400 carries an Error: as JSON:API has it',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    complaining(({ code, message }) => ({ errors: [{ status: '400', code: `${code}`, detail: message }] })),
  ),
  broken(
    'error-problem',
    'a 400 carries an Error: a problem of RFC 9457',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    answering400({
      ...json(400, { type: 'about:blank', title: 'Bad Request', status: 400 }),
      headers: { 'content-type': 'application/problem+json' },
    }),
  ),
  broken(
    'error-fastify',
    'a 400 carries an Error: as Fastify has it',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    complaining(({ message }) => ({ statusCode: 400, error: 'Bad Request', message })),
  ),
  broken(
    'error-fastapi',
    'a 400 carries an Error: as FastAPI has it',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    complaining(({ message }) => ({ detail: [{ loc: ['body'], msg: message, type: 'value_error' }] })),
  ),
  broken(
    'error-truncated',
    'a 400 carries an Error: cut off',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    written((text) => text.slice(0, -2)),
  ),
  broken(
    'error-utf16',
    'a 400 carries an Error: in UTF-16',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    written((text) => Buffer.from(text, 'utf16le')),
  ),
  broken(
    'error-single-quotes',
    'a 400 carries an Error: in single quotes',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    written((text) => text.replaceAll('"', "'")),
  ),
  broken(
    'error-capitals',
    'a 400 carries an Error: Error and Message',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    complaining(({ code, message }) => ({ Error: code, Message: message })),
  ),
  broken(
    'error-quotes-input',
    'a 400 carries an Error: the input is quoted, and not escaped',
    ['refuse/garbage', 'refuse/truncated', 'refuse/white-space-only'],
    refused((answer, _, { body }) => ({ ...answer, body: `{"error":400,"message":"not a plant: ${body}"}` })),
  ),

  // In its content type.
  broken(
    'error-problem-type',
    'the content type of a 400 is application/json: problem+json',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    typed('application/problem+json'),
  ),
  broken(
    'error-plain-type',
    'the content type of a 400 is application/json: text/plain',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    typed('text/plain'),
  ),
  broken(
    'error-html-type',
    'the content type of a 400 is application/json: text/html',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    typed('text/html'),
  ),
  broken(
    'error-no-type',
    'the content type of a 400 is application/json: none',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    typed(undefined),
  ),

  // In one member.
  broken(
    'error-code-string',
    'error is an integer: "400"',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    error('400'),
  ),
  broken(
    'error-code-name',
    'error is an integer: a name',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    error('invalid_plant'),
  ),
  broken(
    'error-code-fraction',
    'error is an integer: 400.1',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    error(400.1),
  ),
  broken(
    'error-code-null',
    'error is an integer: null',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    error(null),
  ),
  broken(
    'error-code-true',
    'error is an integer: true',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    error(true),
  ),
  broken(
    'error-code-missing',
    'error is required: absent',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    error(undefined),
  ),
  broken(
    'error-code-array',
    'error is an integer: an array',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    error([400]),
  ),
  broken(
    'error-code-2-31',
    'error fits in 32 bits: 2^31',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    error(2 ** 31),
  ),
  broken(
    'error-code-under',
    'error fits in 32 bits: -2^31 - 1',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    error(-(2 ** 31) - 1),
  ),
  broken(
    'error-code-time',
    'error fits in 32 bits: milliseconds',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    complaining(({ message }) => ({ error: Date.now(), message })),
  ),
  broken(
    'error-code-unsigned',
    'error fits in 32 bits: unsigned',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    error(0x80070057),
  ),
  broken(
    'error-message-missing',
    'message is required: absent',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    message(undefined),
  ),
  broken(
    'error-message-null',
    'message is a string: null',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    message(null),
  ),
  broken(
    'error-message-number',
    'message is a string: 400',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    message(400),
  ),
  broken(
    'error-message-array',
    'message is a string: an array of strings, as class-validator has it',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    complaining(({ code, message }) => ({ error: code, message: [message] })),
  ),
  broken(
    'error-message-object',
    'message is a string: an object by property',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    complaining(({ code, message }) => ({ error: code, message: { body: message } })),
  ),
  broken(
    'error-message-false',
    'message is a string: false',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    message(false),
  ),

  // Only sometimes.
  broken(
    'error-html-syntax',
    'a 400 carries an Error: HTML only where the body is not JSON',
    ['refuse/form', 'refuse/no-body', 'refuse/white-space-only'],
    answering400(html(400, 'SyntaxError'), coded(NOT_JSON)),
  ),
  broken(
    'error-html-no-body',
    'a 400 carries an Error: HTML only where there is no body',
    ['always/400-is-an-error', 'always/400-is-json', 'refuse/no-body'],
    answering400(html(400, 'Bad Request'), empty),
  ),
  broken(
    'error-plain-not-object',
    'a 400 carries an Error: plain text only where the body is no object',
    ['always/400-is-json', 'refuse/deeply-nested', 'refuse/not-an-object'],
    answering400(plain(400, 'an object is expected'), coded(NOT_AN_OBJECT)),
  ),
  broken(
    'error-errors-validation',
    'a 400 carries an Error: a list only where a property is wrong',
    ['refuse/fraction', 'refuse/numeral-in-a-string', 'refuse/survives-huge-numbers'],
    complaining(({ message }) => ({ errors: [message] }), coded(BAD_ID, BAD_NAME, BAD_TAG)),
  ),
  broken(
    'error-message-null-tag',
    'message is a string: null only where the tag is wrong',
    ['always/400-is-an-error', 'refuse/null', 'refuse/wrong-type'],
    complaining(({ code }) => ({ error: code, message: null }), coded(BAD_TAG)),
  ),
  broken(
    'error-code-string-name',
    'error is an integer: a string only where the name is wrong',
    ['refuse/inherited-property', 'refuse/missing-property', 'refuse/survives-huge-numbers'],
    complaining(({ message }) => ({ error: 'name', message }), coded(BAD_NAME)),
  ),
  broken(
    'error-code-value',
    'error is an integer: the wrong id itself only where the id is wrong',
    ['refuse/fraction', 'refuse/numeral-in-a-string', 'refuse/survives-huge-numbers'],
    complaining(({ message }, request) => ({ error: seen(request).text.length / 7, message }), coded(BAD_ID)),
  ),
  broken(
    'error-plain-tagless',
    'a 400 carries an Error: plain text only where there is no tag',
    ['refuse/fraction', 'refuse/missing-property', 'refuse/numeral-in-a-string'],
    answering400(plain(400, 'no'), (_, request) => seen(request).fields.size > 0 && tagless(seen(request))),
  ),
  broken(
    'error-truncated-long',
    'a 400 carries an Error: cut off only where the body is longer than 60 bytes',
    ['refuse/garbage', 'refuse/several-values', 'refuse/survives-huge-numbers'],
    refused((answer) => ({ ...answer, body: textOf(answer).slice(0, 16) }), longBody),
  ),
  broken(
    'error-message-array-name',
    'message is a string: an array only where the name has an apostrophe, hyphen or digit',
    ['always/400-is-an-error', 'refuse/any-defect', 'refuse/any-wrong-type'],
    complaining(
      ({ code, message }) => ({ error: code, message: message.split(' ') }),
      (_, request) => /['\d-]/.test(seen(request).name),
    ),
  ),
  broken(
    'error-plain-credential',
    'a 400 carries an Error: plain text only for a missing or wrong token',
    ['always/400-is-an-error', 'always/400-is-json'],
    challenging(() => plain(400, 'bearer token needed')),
  ),
  broken(
    'error-code-credential',
    'a 400 carries an Error: an OAuth error only for a missing or wrong token',
    ['always/400-is-an-error'],
    challenging(() => json(400, { error: 'invalid_token', message: 'bearer token needed' })),
  ),
];
