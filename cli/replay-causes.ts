import { noLongerShows, symptomIn } from '../lib/explain/shows-again.ts';
import type { ExplainedChecks } from '../lib/report/baseline/deviations.ts';
import type { Answered, RecordedCause, RecordedResult, RunRecord } from '../lib/report/record/record.ts';
import { sentAndReceived } from '../lib/report/record/record-exchange.ts';
import { Recorder } from '../lib/report/record/recorder.ts';
import { redactor } from '../lib/report/record/redact.ts';
import { restoredExchange } from '../lib/report/reproduce/replay.ts';
import { replayOfCause } from '../lib/report/reproduce/replay-cause.ts';
import { shownText, visible } from '../lib/report/wording/format-text.ts';
import type { Check } from '../lib/run/check.ts';
import type { CauseKind } from '../lib/run/result/cause.ts';
import type { Stop } from '../lib/run/result/result.ts';
import { type LoadedOptions, runEvents } from '../lib/run/run.ts';
import { counted } from '../lib/text.ts';
import { TOKEN_IN_SHELL } from '../lib/token-variable.ts';

export interface Retried {
  readonly cause: ExplainedChecks;
  readonly verdict: 'fixed' | 'still fails' | 'not judged';
  /** The reason, if the verdict does not say everything. */
  readonly reason?: string;
  /** The current answer of the store, if a single request shows the cause. */
  readonly answer: Answered | undefined;
}

export type Retry = ReturnType<typeof retryOf>;

/** Retries each cause: sends the requests that show it or, if these are not enough, runs its checks. */
export function retryOf(causes: readonly ExplainedChecks[], record: RunRecord, loaded: LoadedOptions) {
  const planned = causes.map((cause) => ({ cause, checks: checksFor(cause, record, loaded) }));
  const catalogue = [...new Set(planned.flatMap(({ checks }) => checks))];
  const whole: LoadedOptions = {
    ...loaded,
    catalogue,
    ...{ selected: undefined, findCauses: undefined, shard: undefined, bailsOn: () => false },
  };
  return {
    loaded: whole,
    /** Calls `report` with each result as soon as it is known. Returns why it ended early, if it did. */
    async run(
      secrets: readonly string[],
      report: (one: Retried) => void,
      signal?: AbortSignal,
    ): Promise<Stop | undefined> {
      const answers = new Map<string, Retried['answer']>();
      const redact = redactor(secrets);
      const onExchange: LoadedOptions['onExchange'] = (exchange, template, during) =>
        void answers.set(during, sentAndReceived(exchange, template, loaded.baseUrl, redact));
      const recorder = new Recorder(secrets);
      const results = new Map<string, RecordedResult>();
      let unreported = planned;
      let stop: Stop | undefined;
      for await (const event of runEvents({ ...whole, onExchange }, signal)) {
        if (event.type === 'end') stop = event.footer.stop;
        const result = recorder.add(event);
        if (result === undefined) continue;
        results.set(result.id, result);
        const ended = unreported.filter(({ checks }) => checks.every(({ id }) => results.has(id)));
        unreported = unreported.filter((one) => !ended.includes(one));
        for (const { cause, checks } of ended) {
          const resultsOfCause = checks.flatMap(({ id }) => results.get(id) ?? []);
          const [failing] = results.get(idOf(cause))?.exchanges ?? [];
          report({ cause, ...judged(resultsOfCause, cause), answer: failing ?? answers.get(idOf(cause)) });
        }
      }
      for (const { cause } of unreported) report({ cause, ...judged([], cause), answer: undefined });
      return stop;
    },
  };
}

const idOf = ({ rank }: ExplainedChecks) => `cause/${rank}`;

/** Kinds of faults that may stay away by chance when their requests are sent again, so that checks run as well. */
const MAY_STAY_AWAY: readonly CauseKind[] = ['intermittent', 'under-concurrency', 'from-then-on'];

/** The requests of a cause as a check, and the checks that the cause explains, if the requests are not enough. */
function checksFor(one: ExplainedChecks, record: RunRecord, loaded: LoadedOptions): readonly Check[] {
  const { cause, level } = one;
  const named = new Set(cause.checks);
  const checks = loaded.catalogue.filter(({ id }) => named.has(id));
  const test = requestsOf(cause, checks, record, loaded);
  const about = { id: idOf(one), level, statement: cause.title, basis: [], hint: cause.advice };
  if (test !== undefined && !MAY_STAY_AWAY.includes(cause.kind)) return [{ ...about, test }];
  // An invariant may also fail because of other causes, so omit invariants if possible.
  const withoutInvariants = checks.filter((check) => check.test.kind !== 'invariant');
  return [
    ...(test === undefined ? [] : [{ ...about, test }]),
    ...(withoutInvariants.length === 0 ? checks : withoutInvariants),
  ];
}

/** Sends what shows a cause; undefined if the record does not say how to see it. */
function requestsOf(
  { kind, symptom, counterexample }: RecordedCause,
  checks: readonly Check[],
  record: RunRecord,
  { token, contract }: LoadedOptions,
) {
  if (kind === 'once' || counterexample === undefined) return undefined;
  const others = record.causes.map((other) => other.symptom).filter((other) => other !== symptom);
  return replayOfCause(counterexample, record, (template) => {
    const fault = { symptom, template, checks, others };
    const shown = symptomIn(restoredExchange(counterexample, template), fault, contract, TOKEN_IN_SHELL);
    return shown === undefined ? undefined : [noLongerShows(fault, token)];
  });
}

function judged(
  results: readonly RecordedResult[],
  one: ExplainedChecks,
): Pick<Retried, 'verdict' | 'reason'> {
  const failing = results.filter(({ verdict }) => verdict === 'fail');
  const ofCause = failing.find(({ id }) => id === idOf(one));
  if (ofCause !== undefined) {
    const [now] = ofCause.problems;
    const { symptom, answer } = one.cause;
    const isSameAnswer = (ofCause.exchanges[0]?.response?.status ?? 'none') === answer;
    const isOther = now !== undefined && now.problem !== symptom && !isSameAnswer;
    return { verdict: 'still fails', ...(isOther ? { reason: now.problem } : {}) };
  }
  const [failed] = failing;
  if (failed !== undefined) {
    // The checks of a cause may also fail because of other causes.
    const isSame = failing.some(({ exchanges }) =>
      exchanges.some(({ response }) => (response?.status ?? 'none') === one.cause.answer),
    );
    return isSame
      ? { verdict: 'still fails' }
      : { verdict: 'fixed', reason: `${failed.id} fails for another reason; run again` };
  }
  const other = results.find(({ verdict }) => verdict !== 'pass');
  if (other !== undefined || results.length === 0)
    return {
      verdict: 'not judged',
      reason: other?.reason ?? 'this version of the suite has no check for it',
    };
  return isProof(results, one) ? { verdict: 'fixed' } : { verdict: 'not judged', reason: NO_PROOF };
}

const NO_PROOF = 'its checks pass, but may have passed before; restart the store and run all checks again';

/** Whether passing results prove that a fault is gone: its own requests do, as do the checks if it always shows. */
const isProof = (results: readonly RecordedResult[], one: ExplainedChecks): boolean =>
  results.some(({ id }) => id === idOf(one)) ||
  one.cause.kind === 'always' ||
  (one.cause.kind === 'once' && one.cause.notExamined !== undefined);

export const fixedText = (verdicts: readonly Retried['verdict'][]): string =>
  `${verdicts.filter((one) => one === 'fixed').length} of ${counted(verdicts.length, 'cause')} fixed`;

export const retriedLine = ({ cause: { rank, cause }, verdict, reason }: Retried): string =>
  `${rank}. ${visible(cause.title)}: ${verdict}${reason === undefined ? '' : ` (${shownText(reason)})`}`;
