import { pick } from '../../collections.ts';
import type { SentRequest } from '../../run/check.ts';
import type { Cause } from '../../run/result/cause.ts';
import type { RunHeader } from '../../run/run.ts';
import { inShellOf, stepsOf } from '../reproduce/steps.ts';
import { bytesIn } from '../reproduce/untruncated-body.ts';
import { causeFingerprint } from './fingerprint.ts';
import type { Counterexample, RecordedCause, RecordedRequest } from './record.ts';
import { sentAndReceived } from './record-exchange.ts';
import { type Redact, redactAll } from './redact.ts';

/** Records a cause with the request that shows it. */
export function recordedCause(cause: Cause, { target }: RunHeader, redact: Redact): RecordedCause {
  const { matters, ladders, example, expected } = cause;
  const seen = ({ exchange, template }: SentRequest) =>
    sentAndReceived(exchange, template, target.baseUrl, redact);
  const counterexample = {
    ...(example.before.length === 0 ? {} : { before: example.before.map(seen) }),
    ...seen(example),
  };
  const { fingerprint, answer, ...what } = summarisedCause(cause, redact);
  return {
    ...what,
    ...redactAll({ matters, ladders, expected }, redact),
    steps: stepsOfCause(cause, counterexample).map((line) => inShellOf(line, target)),
    answer,
    counterexample,
    fingerprint,
  };
}

/** Records a cause without a request. */
export function summarisedCause(cause: Cause, redact: Redact): RecordedCause {
  const { kind, example } = cause;
  const redacted = redactAll(pick(cause, 'title', 'symptom', 'condition', 'advice'), redact);
  return {
    ...pick(cause, 'title', 'level', 'symptom', 'condition', 'kind', 'confirmed'),
    ...pick(cause, 'until', 'notExamined', 'checks'),
    ...redacted,
    matters: [],
    ladders: [],
    steps: [],
    answer: example.exchange.response?.status ?? 'none',
    fingerprint: causeFingerprint({ ...redacted, kind }),
  };
}

const stepsOfCause = (
  { example, keepsId, repeat, modulus, shownIn }: Cause,
  { request, before = [] }: Counterexample,
): readonly string[] =>
  stepsOf({
    request,
    freshId: keepsId ? undefined : sentIdIn(request),
    before: before.map((one, index) => ({
      request: one.request,
      freshId: sentIdIn(one.request),
      connection: example.before[index]?.connection ?? 'other',
    })),
    repeat,
    modulus,
    shownIn,
    unanswered: example.exchange.kind === 'broken' || example.exchange.response.truncated,
  });

/** The id in the body of a request, even if it is only a part of a number or of a form. */
function sentIdIn({ body }: RecordedRequest): bigint | undefined {
  const text = bytesIn(body).toString('latin1');
  const numeral = /\bid"?\s*[:=]\s*"?(-?\d+)/.exec(text)?.[1];
  return numeral === undefined ? undefined : BigInt(numeral);
}
