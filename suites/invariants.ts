import { statusOf } from '../lib/judge/reading.ts';
import {
  acceptsOrdinary,
  errorBody,
  errorMediaType,
  hasAllowHeader,
  isOfOtherOperation,
  leaksNoInternals,
  leaksNoToken,
  messageIsNotEmpty,
  noByteOrderMark,
  noServerError,
  plantBody,
  plantMediaType,
  respondsCompletely,
  sends100Continue,
} from '../lib/judge/rules.ts';
import type { RequestTemplate } from '../lib/payloads/test-case.ts';
import type { Check, Test } from '../lib/run/check.ts';
import type { Exchange } from '../lib/wire/exchange.ts';
import { must, should } from './define.ts';

const whenever = (
  applies: (exchange: Exchange, template: RequestTemplate) => boolean,
  absent: string,
  ...rules: (Test & { kind: 'invariant' })['rules']
): Test => ({
  kind: 'invariant',
  applies,
  absent,
  rules,
});

const always = () => true;
const is400 = (exchange: Exchange) => statusOf(exchange) === 400 && exchange.request.method !== 'HEAD';
const createdPlant = (exchange: Exchange) =>
  exchange.request.method === 'POST' &&
  statusOf(exchange) === 200 &&
  /\/plants(?:\?|$)/.test(exchange.request.path) &&
  !isOfOtherOperation(exchange);

export const invariantChecks: readonly Check[] = [
  must('invariants/answers', {
    statement: 'Every well-framed request of up to 64 KiB gets a complete response.',
    basis: ['section 4, operation', 'RFC 9112 section 9.5'],
    hint: 'Look for a crash, a handler that never ends its response, or a connection that is closed without a response.',
    test: whenever(always, 'nothing was sent', respondsCompletely),
  }),
  must('invariants/no-server-error', {
    statement: 'No well-framed request of up to 64 KiB is answered with 5xx.',
    basis: ['section 7', 'RFC 9110 section 15.6'],
    hint: 'Find the exception behind the 5xx; accept the request or answer 400.',
    test: whenever(always, 'nothing was sent', noServerError),
  }),
  must('invariants/accepts-ordinary-plants', {
    statement:
      'Every ordinary plant of the run is answered with 200, regardless of earlier and concurrent requests.',
    basis: ['section 4, rule 1'],
    hint: 'Look for state left behind by earlier or concurrent requests: the same plant is accepted at other times.',
    test: whenever(
      (_exchange, template) => template.ordinary === true,
      'no ordinary plant was sent',
      acceptsOrdinary,
    ),
  }),
  must('invariants/200-is-a-plant', {
    statement: 'Whenever a plant is created with 200, the response is a Plant as application/json.',
    basis: ['section 4, rule 1', 'section 4, rule 2', 'section 4, success response'],
    hint: 'Answer with a JSON object whose name is a string; omit tag if there is none, since null is not a string.',
    test: whenever(createdPlant, 'the store never answered with 200', plantMediaType, plantBody),
  }),
  must('invariants/400-is-json', {
    statement: 'Whenever the status is 400, the content type is application/json.',
    basis: ['section 4, error response', 'section 4, rule 3'],
    hint: 'Find the handler that responds differently (a parser, a router, a framework default), and make it send the declared type.',
    test: whenever(is400, 'the store never answered with 400', errorMediaType),
  }),
  must('invariants/400-is-an-error', {
    statement: 'Whenever the status is 400, the body is an Error: error an int32, message a string.',
    basis: ['section 4, rule 3', 'section 2, Error', 'section 7'],
    hint: 'Create the Error of every 400 in one place: an integer in error, text in message.',
    test: whenever(is400, 'the store never answered with 400', errorBody),
  }),
  should('invariants/message-is-not-empty', {
    statement: 'The message of an Error is not empty.',
    basis: ['section 2, Error'],
    hint: 'Say in the message what is wrong with the request.',
    test: whenever(is400, 'the store never answered with 400', messageIsNotEmpty),
  }),
  should('invariants/leaks-no-internals', {
    statement: 'No error response contains a stack trace or a file path.',
    basis: ['section 2, Error', 'RFC 9110 section 17.13'],
    hint: 'Log the details, and tell the client only what is wrong with the request.',
    test: whenever(
      (exchange) => (statusOf(exchange) ?? 0) >= 400,
      'the store never answered with an error',
      leaksNoInternals,
    ),
  }),
  should('invariants/leaks-no-token', {
    statement: 'No response contains the token.',
    basis: ['RFC 6750 section 5.3'],
    hint: 'Do not repeat the Authorization header in the body or a header of a response.',
    // A store may echo the URL, and with it a token in the query.
    test: whenever(
      ({ request }) => request.method === 'POST' && !request.path.includes('token='),
      'nothing was sent',
      leaksNoToken,
    ),
  }),
  should('invariants/no-byte-order-mark', {
    statement: 'No JSON response starts with a byte order mark.',
    basis: ['RFC 8259 section 8.1'],
    hint: 'Write UTF-8 without a byte order mark.',
    test: whenever(
      (exchange) => (exchange.response?.body.length ?? 0) > 0,
      'there was no response with a body',
      noByteOrderMark,
    ),
  }),
  should('invariants/answers-expectations', {
    statement:
      'A request with Expect: 100-continue is answered with 100 Continue or a final status before its body is sent.',
    basis: ['RFC 9110 section 10.1.1'],
    hint: 'Send 100 Continue as soon as the head has been read, or answer at once: otherwise, a client may wait a long time.',
    test: whenever(
      ({ request }) => request.delivery?.expectContinue === true,
      'no request had Expect: 100-continue',
      sends100Continue,
    ),
  }),
  should('invariants/405-carries-allow', {
    statement: 'A 405 has an Allow header.',
    basis: ['RFC 9110 section 15.5.6'],
    hint: 'Send Allow: POST with every 405.',
    test: whenever(
      (exchange) => statusOf(exchange) === 405,
      'the store never answered with 405',
      hasAllowHeader,
    ),
  }),
];
