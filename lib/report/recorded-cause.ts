import type { Cause } from '../explain/cause.ts';
import type { Before } from '../run/check.ts';
import type { RunHeader } from '../run/run.ts';
import { curlOf } from './curl.ts';
import { causeFingerprint } from './fingerprint.ts';
import type { RecordedCause } from './record.ts';
import { sentAndReceived } from './recorded.ts';
import { type Redact, redactAll } from './redact.ts';

type Counterexample = NonNullable<RecordedCause['counterexample']>;

/** The record of a cause. */
export function recordedCause(cause: Cause, { target }: RunHeader, redact: Redact): RecordedCause {
  const { title, symptom, condition, advice, matters, ladders, example } = cause;
  const { level, kind, confirmed, checks } = cause;
  const seen = ({ exchange, template }: Before) =>
    sentAndReceived(exchange, template, target.baseUrl, redact);
  const counterexample = {
    ...(example.before.length === 0 ? {} : { before: example.before.map(seen) }),
    ...seen(example),
  };
  const what = redactAll({ title, symptom, condition, advice, matters, ladders }, redact);
  return {
    title: what.title,
    level,
    symptom: what.symptom,
    condition: what.condition,
    kind,
    confirmed,
    checks,
    advice: what.advice,
    matters: what.matters,
    ladders: what.ladders,
    steps: stepsOf(counterexample),
    answer: counterexample.response?.status ?? 'none',
    counterexample,
    fingerprint: causeFingerprint({ ...what, kind }),
  };
}

/** Shell lines that show the fault. */
const stepsOf = ({ request }: Counterexample): readonly string[] => [curlOf(request)];
