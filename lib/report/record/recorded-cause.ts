import { pick } from '../../collections.ts';
import type { SentRequest } from '../../run/check.ts';
import type { Cause } from '../../run/result/cause.ts';
import type { RunHeader } from '../../run/run.ts';
import { sentIdIn } from '../reproduce/similar-ids.ts';
import { inShellOf, stepsOf } from '../reproduce/steps.ts';
import { causeFingerprint } from './fingerprint.ts';
import type { Counterexample, RecordedCause } from './record.ts';
import { sentAndReceived } from './record-exchange.ts';
import { type Redact, redactAll } from './redact.ts';

/** Records a cause with the request that shows it. */
export function recordedCause(cause: Cause, { target }: RunHeader, redact: Redact): RecordedCause {
  const { matters, ladders, example, expected } = cause;
  const seen = ({ exchange, template }: SentRequest) =>
    sentAndReceived(exchange, template, target.baseUrl, redact);
  const { repeat, modulus, keepsId } = cause;
  const before = example.before.map((one) => ({
    ...seen(one),
    ...(one.connection === undefined ? {} : { connection: one.connection }),
  }));
  const counterexample = {
    ...(before.length === 0 ? {} : { before }),
    ...seen(example),
    ...(repeat.times === 1 && repeat.pauseMs === undefined ? {} : { repeat }),
    ...(modulus === undefined ? {} : { modulus }),
    ...(keepsId ? { keepsId } : {}),
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
    before: before.map(({ request: earlier, connection = 'other' }) => ({
      request: earlier,
      freshId: sentIdIn(earlier),
      connection,
    })),
    repeat,
    modulus,
    shownIn,
    unanswered: example.exchange.kind === 'broken' || example.exchange.response.truncated,
  });
