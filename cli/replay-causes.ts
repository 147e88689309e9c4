import { noLongerShows, symptomIn } from '../lib/explain/shows-again.ts';
import type { ExplainedChecks } from '../lib/report/baseline/deviations.ts';
import type { Answered, RecordedCause, RecordedResult, RunRecord } from '../lib/report/record/record.ts';
import { sentAndReceived } from '../lib/report/record/record-exchange.ts';
import { Recorder } from '../lib/report/record/recorder.ts';
import { redactor } from '../lib/report/record/redact.ts';
import { restoredExchange, templateFromRecord } from '../lib/report/reproduce/replay.ts';
import { shownText, visible } from '../lib/report/wording/format-text.ts';
import type { Check } from '../lib/run/check.ts';
import type { Stop } from '../lib/run/result/result.ts';
import { type RunPlan, runEvents } from '../lib/run/run.ts';
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

/** Retries each cause: sends its request or, if a single request does not show it, runs its checks. */
export function retryOf(causes: readonly ExplainedChecks[], record: RunRecord, plan: RunPlan) {
  const planned = causes.map((cause) => ({ cause, checks: checksFor(cause, record, plan) }));
  const catalogue = [...new Set(planned.flatMap(({ checks }) => checks))];
  const whole: RunPlan = {
    ...plan,
    catalogue,
    ...{ selected: undefined, findCauses: undefined, shard: undefined, bailsOn: () => false },
  };
  return {
    plan: whole,
    /** Calls `report` with each result as soon as it is known. Returns why it ended early, if it did. */
    async run(
      secrets: readonly string[],
      report: (one: Retried) => void,
      signal?: AbortSignal,
    ): Promise<Stop | undefined> {
      const answers = new Map<string, Retried['answer']>();
      const redact = redactor(secrets);
      const onExchange: RunPlan['onExchange'] = (exchange, template, during) =>
        void answers.set(during, sentAndReceived(exchange, template, plan.baseUrl, redact));
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
          report({ cause, ...judged(resultsOfCause, cause), answer: answers.get(idOf(cause)) });
        }
      }
      for (const { cause } of unreported) report({ cause, ...judged([], cause), answer: undefined });
      return stop;
    },
  };
}

const idOf = ({ rank }: ExplainedChecks) => `cause/${rank}`;

/** The request of a cause as a check or, if a single request does not show the cause, its checks. */
function checksFor(one: ExplainedChecks, record: RunRecord, plan: RunPlan): readonly Check[] {
  const { cause, level } = one;
  const named = new Set(cause.checks);
  const checks = plan.catalogue.filter(({ id }) => named.has(id));
  const request = requestOf(cause, checks, record, plan);
  if (request === undefined) {
    // An invariant may also fail because of other causes, so omit invariants if possible.
    const withoutInvariants = checks.filter(({ test }) => test.kind !== 'invariant');
    return withoutInvariants.length === 0 ? checks : withoutInvariants;
  }
  const { template, rule } = request;
  const cases = () => [{ label: 'the request of the cause', template }];
  const about = { id: idOf(one), level, statement: cause.title, basis: [], hint: cause.advice };
  return [{ ...about, test: { kind: 'cases', rules: [rule], cases } }];
}

/**
 * The request of a cause, with a rule that passes if the cause no longer shows; undefined if one request is
 * not enough.
 */
function requestOf(
  { kind, symptom, counterexample }: RecordedCause,
  checks: readonly Check[],
  record: RunRecord,
  { token, contract }: RunPlan,
) {
  if (kind !== 'always' || counterexample === undefined || counterexample.before !== undefined)
    return undefined;
  const template = templateFromRecord(counterexample.request, record);
  if (template === undefined) return undefined;
  const others = record.causes.map((other) => other.symptom).filter((other) => other !== symptom);
  const earlier = { symptom, template, checks, others };
  const isShown =
    symptomIn(restoredExchange(counterexample, template), earlier, contract, TOKEN_IN_SHELL) === symptom;
  return isShown ? { template, rule: noLongerShows(earlier, token) } : undefined;
}

function judged(
  results: readonly RecordedResult[],
  one: ExplainedChecks,
): Pick<Retried, 'verdict' | 'reason'> {
  const failing = results.filter(({ verdict }) => verdict === 'fail');
  const [failed] = failing;
  if (failed?.id === idOf(one)) {
    const [now] = failed.problems;
    const isOther = now !== undefined && now.problem !== one.cause.symptom;
    return { verdict: 'still fails', ...(isOther ? { reason: now.problem } : {}) };
  }
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
  return other === undefined && results.length > 0
    ? { verdict: 'fixed' }
    : { verdict: 'not judged', reason: other?.reason ?? 'this version of the suite has no check for it' };
}

export const fixedText = (verdicts: readonly Retried['verdict'][]): string =>
  `${verdicts.filter((one) => one === 'fixed').length} of ${counted(verdicts.length, 'cause')} fixed`;

export const retriedLine = ({ cause: { rank, cause }, verdict, reason }: Retried): string =>
  `${rank}. ${visible(cause.title)}: ${verdict}${reason === undefined ? '' : ` (${shownText(reason)})`}`;
