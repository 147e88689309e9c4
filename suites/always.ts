import { statusOf } from '../lib/judge/reading.ts';
import {
  acceptsOrdinary,
  allowsSomething,
  answered,
  errorBody,
  errorMediaType,
  keepsCredential,
  keepsInternals,
  messageSaysSomething,
  noByteOrderMark,
  noServerError,
  plantBody,
  plantMediaType,
} from '../lib/judge/rules.ts';
import type { Draft } from '../lib/payloads/case.ts';
import type { Check, Test } from '../lib/run/check.ts';
import type { Exchange } from '../lib/wire/exchange.ts';
import { must, should } from './vocabulary.ts';

const whenever = (
  applies: (exchange: Exchange, draft: Draft) => boolean,
  lacking: string,
  ...rules: (Test & { kind: 'standing' })['rules']
): Test => ({
  kind: 'standing',
  applies,
  lacking,
  rules,
});

const ever = () => true;
const is400 = (exchange: Exchange) => statusOf(exchange) === 400 && exchange.request.method !== 'HEAD';
const created = ({ request, response }: Exchange) =>
  request.method === 'POST' && response?.status === 200 && /\/plants(?:\?|$)/.test(request.path);

/** What holds for every answer of the run, whatever was asked. */
export const always: readonly Check[] = [
  must(
    'always/answers',
    {
      statement: 'Every well-framed request of up to 64 KiB gets a whole answer.',
      basis: ['section 4, operation', 'RFC 9112 section 9.5'],
      hint: 'Look for a crash, a handler that never ends its answer, or a connection that is closed without one.',
    },
    whenever(ever, 'nothing was sent', answered),
  ),
  must(
    'always/no-server-error',
    {
      statement: 'No well-framed request of up to 64 KiB is answered 5xx.',
      basis: ['section 7', 'RFC 9110 section 15.6'],
      hint: 'Whatever a client sends is for the store to take or to refuse: find the exception behind the 5xx and answer 400.',
    },
    whenever(ever, 'nothing was sent', noServerError),
  ),
  must(
    'always/creates-ordinary-plants',
    {
      statement:
        'Every ordinary plant of the run is answered 200, whatever was sent before it and beside it.',
      basis: ['section 4, rule 1'],
      hint: 'The same plant is taken at other times: look for what the requests before it or beside it leave behind.',
    },
    whenever((_exchange, draft) => draft.ordinary === true, 'no ordinary plant was sent', acceptsOrdinary),
  ),
  must(
    'always/200-is-a-plant',
    {
      statement: 'Whenever a plant is created with 200, the answer is application/json and a Plant.',
      basis: ['section 4, rule 1', 'section 4, rule 2', 'section 4, success response'],
      hint: 'Answer a JSON object with name, a string; leave tag out where there is none, null is not a string.',
    },
    whenever(created, 'the store never answered 200', plantMediaType, plantBody),
  ),
  must(
    'always/400-is-json',
    {
      statement: 'Whenever the status is 400, the content type is application/json.',
      basis: ['section 4, error response', 'section 4, rule 3'],
      hint: 'Find the handler that answers in its own way (a parser, a router, a framework default) and give it the declared type.',
    },
    whenever(is400, 'the store never answered 400', errorMediaType),
  ),
  must(
    'always/400-is-an-error',
    {
      statement: 'Whenever the status is 400, the body is an Error: error an int32, message a string.',
      basis: ['section 4, rule 3', 'section 2, Error', 'section 7'],
      hint: 'Let every 400 go through one place that makes the Error: an integer in error, text in message.',
    },
    whenever(is400, 'the store never answered 400', errorBody),
  ),
  should(
    'always/message-says-something',
    {
      statement: 'The message of an Error is not empty.',
      basis: ['section 2, Error'],
      hint: 'Say what is wrong with the request.',
    },
    whenever(is400, 'the store never answered 400', messageSaysSomething),
  ),
  should(
    'always/keeps-internals-to-itself',
    {
      statement: 'No error shows a stack trace or a file path.',
      basis: ['section 2, Error', 'RFC 9110 section 17.13'],
      hint: 'Log the details and answer what the client did wrong.',
    },
    whenever(
      (exchange) => (statusOf(exchange) ?? 0) >= 400,
      'the store never answered an error',
      keepsInternals,
    ),
  ),
  should(
    'always/keeps-the-credential-to-itself',
    {
      statement: 'No answer repeats the credential.',
      basis: ['RFC 6750 section 5.3'],
      hint: 'Do not quote the Authorization header, neither in a message nor in a header.',
    },
    // What carried the token in its URL or body asked for it to be echoed.
    whenever(
      ({ request }) => request.method === 'POST' && !request.path.includes('token='),
      'nothing was sent',
      keepsCredential,
    ),
  ),
  should(
    'always/no-byte-order-mark',
    {
      statement: 'No JSON answer begins with a byte order mark.',
      basis: ['RFC 8259 section 8.1'],
      hint: 'Write UTF-8 without a byte order mark.',
    },
    whenever(
      (exchange) => (exchange.response?.body.length ?? 0) > 0,
      'there was no answer with a body',
      noByteOrderMark,
    ),
  ),
  should(
    'always/405-says-what-is-allowed',
    {
      statement: 'A 405 carries Allow.',
      basis: ['RFC 9110 section 15.5.6'],
      hint: 'Send Allow: POST with the 405.',
    },
    whenever((exchange) => statusOf(exchange) === 405, 'the store never answered 405', allowsSomething),
  ),
];
