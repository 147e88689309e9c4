import { setTimeout as sleep } from 'node:timers/promises';
import { respondsCompletely } from '../../judge/rules.ts';
import type { RequestTemplate } from '../../payloads/test-case.ts';
import { counted } from '../../text.ts';
import { type Exchange, isTimeout } from '../../wire/exchange.ts';
import { type JudgeContext, judged } from '../execute/apply-rules.ts';
import { PREFLIGHT } from '../plan/plan.ts';
import type { Stop } from '../result/result.ts';
import type { RunState } from '../run-state.ts';
import { ordinariness } from './ordinariness.ts';
import { isServed, type Outage } from './outage.ts';
import type { RequestContext } from './request-context.ts';
import { didNotReachStore, isFromGateway } from './unreachable.ts';

/** How long a store that has stopped answering has to come back. */
const MAX_RECOVERY_MS = 5_000;
const POLL_INTERVAL_MS = 250;
/** How often a gateway may report that it did not reach a store that served just before and just after. */
const MAX_INTERRUPTIONS = 3;
/** How often a store may stop listening during requests, because it reloads or someone else restarts it. */
const MAX_RELOADS = 1;
/** The checks leave most restarts to the experiments that explain why the store dies. */
const MAX_RESTARTS_IN_CHECKS = 25;
const MAX_RESTARTS = 120;
/** Maximum total time that restarts may take. */
const MAX_RESTART_MS = 90_000;
const MAX_NAMED_CHECKS = 3;
/** If closing idle connections ended this many timeouts, the store serves only one connection at a time. */
const MIN_ENDED_BY_CLOSING_IDLE = 2;

/** Restarts a store that has ended, and waits for it. Resolves to false if it had not ended. */
export type Restart = () => Promise<boolean>;

/** Sends a single request, ignoring exclusive access. */
interface Prober {
  sendProbe(template: RequestTemplate, context: RequestContext): Promise<Exchange>;
  closeIdleConnections(): Promise<void>;
  /** Sends one request at a time from now on, over one connection. */
  useOneConnection(): void;
}

type RecoveryOutcome = 'at once' | 'later' | 'gone';

/** Waits for a store that has stopped answering, and ends the run if it does not come back. */
export class Recovery {
  private readonly judging: JudgeContext;
  private readonly state: RunState;
  private readonly probe: RequestTemplate;
  private readonly contexts = new Set<RequestContext>();
  /** A single wait, shared by all requests that are held up. */
  private waiting: Promise<RecoveryOutcome> | undefined;
  private interruptions = 0;
  private reloads = 0;
  private endedByClosingIdle = 0;
  private backSince = 0;
  restarts = 0;
  private restartMs = 0;
  private readonly restart: Restart | undefined;

  /** @param probe an ordinary plant that the invariants ignore */
  constructor(judging: JudgeContext, state: RunState, probe: RequestTemplate, restart?: Restart) {
    this.restart = restart;
    this.judging = judging;
    this.state = state;
    this.probe = probe;
  }

  /** Begins to watch the requests of a context. Earlier failures are forgotten. */
  enter(context: RequestContext): void {
    context.broken = 0;
    context.ordinariness = 2;
    this.contexts.add(context);
  }

  leave(context: RequestContext): void {
    this.contexts.delete(context);
  }

  recordBroken(context: RequestContext, template: RequestTemplate): void {
    context.broken += 1;
    this.recordOrdinariness(context, template);
  }

  /**
   * Waits for a store that a request did not reach, or that stopped listening; not in the preflight.
   * @param sentAt when the request was sent, on the clock of `performance.now()`
   * @returns whether to send it again: not if the store often goes away, or a gateway often fails to reach it
   */
  async whileAway(
    exchange: Exchange,
    sentAt: number,
    context: RequestContext,
    template: RequestTemplate,
    prober: Prober,
  ): Promise<boolean> {
    if (context.id === PREFLIGHT) return false;
    context.away += 1;
    this.recordOrdinariness(context, template);
    try {
      const isNew = this.waiting === undefined;
      if (isNew && exchange.wentAway && sentAt > this.backSince) this.reloads += 1;
      const outcome = await this.wait(context, prober);
      this.backSince = performance.now();
      if (isNew && outcome === 'at once') this.interruptions += 1;
      if (outcome === 'gone') return false;
      if (exchange.wentAway) return this.reloads <= MAX_RELOADS;
      return this.interruptions <= MAX_INTERRUPTIONS || !isFromGateway(exchange);
    } finally {
      context.away -= 1;
    }
  }

  /** Ends the checks if most requests time out, the store sends too much, or it still serves nothing. */
  async duringOutage(outage: Outage, context: RequestContext, prober: Prober): Promise<void> {
    if (outage.mostTimeOut) return this.state.endChecks(answersTooLittle(outage));
    if (outage.answersTooMuch) return this.state.endChecks(answersTooMuch(outage));
    const { unservedInRow } = outage;
    const outcome = await this.wait(context, prober, isServed, (last) =>
      this.state.endChecks(servesNothing(last, unservedInRow)),
    );
    if (outcome !== 'gone') outage.markServed();
  }

  /**
   * Waits until the store serves an ordinary plant; ends the run if it does not come back. Callers share one
   * wait, with the conditions of the first: it ends no later than a new one would.
   */
  wait(
    context: RequestContext,
    prober: Prober,
    isBack = (exchange: Exchange) =>
      judged(exchange, this.probe, [respondsCompletely], this.judging) === undefined &&
      !didNotReachStore(exchange),
    stop = (last: Exchange) => this.state.halt(this.gone(isFromGateway(last))),
  ): Promise<RecoveryOutcome> {
    this.waiting ??= this.poll(context, prober, isBack, stop).finally(() => {
      this.waiting = undefined;
    });
    return this.waiting;
  }

  private async poll(
    context: RequestContext,
    prober: Prober,
    isBack: (exchange: Exchange) => boolean,
    stop: (last: Exchange) => void,
  ): Promise<RecoveryOutcome> {
    let deadline = Date.now() + MAX_RECOVERY_MS;
    let isStarted = false;
    let hasClosedIdle = false;
    for (let isFirst = true; ; isFirst = false) {
      // Sent even while another check has exclusive access.
      const exchange = await prober.sendProbe(this.probe, context);
      if (isBack(exchange)) {
        if (hasClosedIdle) this.endedByClosingIdle += 1;
        if (this.endedByClosingIdle >= MIN_ENDED_BY_CLOSING_IDLE) prober.useOneConnection();
        return isFirst ? 'at once' : 'later';
      }
      // The store may serve one connection at a time, and wait for an idle one of ours.
      if (isTimeout(exchange) && !hasClosedIdle) {
        hasClosedIdle = true;
        await prober.closeIdleConnections();
        continue;
      }
      if (!isStarted && (await this.restartIfDead(exchange))) {
        isStarted = true;
        deadline = Date.now() + MAX_RECOVERY_MS;
      } else if (Date.now() >= deadline) {
        stop(exchange);
        return 'gone';
      } else await sleep(POLL_INTERVAL_MS);
    }
  }

  private async restartIfDead(exchange: Exchange): Promise<boolean> {
    const isDead = didNotReachStore(exchange) && !isFromGateway(exchange);
    if (this.restart === undefined || !isDead) return false;
    if (this.restarts >= MAX_RESTARTS || this.restartMs >= MAX_RESTART_MS) return false;
    const began = performance.now();
    if (!(await this.restart())) return false;
    this.restartMs += performance.now() - began;
    this.restarts += 1;
    if (this.restarts === MAX_RESTARTS_IN_CHECKS) this.state.endChecks(diedTooOften(this.restarts));
    return true;
  }

  private recordOrdinariness(context: RequestContext, template: RequestTemplate): void {
    context.ordinariness = Math.min(context.ordinariness, ordinariness(template, this.judging.contract));
  }

  private gone(behindGateway: boolean): Stop {
    const within = `within ${MAX_RECOVERY_MS / 1000} s`;
    const checks = this.brokenChecks;
    if (checks === PREFLIGHT && !behindGateway)
      return {
        kind: 'gone',
        reason: `the store accepts connections, but did not answer a single request ${within}`,
        remedy: 'look in its log for an exception, and make sure that the store listens at this port',
      };
    return {
      kind: 'gone',
      reason: behindGateway
        ? `the gateway stopped reaching the store during ${checks}, and did not reach it again ${within}`
        : `the store stopped answering during ${checks}, and did not come back ${within}`,
      remedy:
        'start it again and look in its log for what happened at that point; the causes show requests that were in flight then',
    };
  }

  /** The checks with unanswered requests, the likeliest culprit (the least ordinary request) first. */
  private get brokenChecks(): string {
    const ids = [...this.contexts]
      .filter(({ broken, away }) => broken > 0 || away > 0)
      .sort((a, b) => a.ordinariness - b.ordinariness)
      .map(({ id }) => id);
    if (ids.length === 0) return 'experiments';
    return `${ids.slice(0, MAX_NAMED_CHECKS).join(', ')}${ids.length > MAX_NAMED_CHECKS ? ' and others' : ''}`;
  }
}

/** Says why a run in which the store had to be restarted is no proof of conformance. */
export const diedTimes = (times: number): Stop => ({
  kind: 'unresponsive',
  reason: `the store died ${counted(times, 'time')} and was restarted`,
  remedy: 'find the reason in its output, fix it, then repeat the run',
});

const diedTooOften = (times: number): Stop => ({
  ...diedTimes(times),
  reason: `the store died ${counted(times, 'time')}, so the checks ended`,
});

const answersTooLittle = ({ timeouts, requests }: Outage): Stop => ({
  kind: 'unresponsive',
  reason: `too many requests timed out: ${timeouts} of ${requests}`,
  remedy: 'find out which requests it answers, for example with --concurrency 1, then repeat the run',
});

const answersTooMuch = (outage: Outage): Stop => ({
  kind: 'too-large',
  reason: `the responses are too large: ${howLarge(outage)}`,
  remedy: 'answer with the plant, or the error, and nothing else',
});

function howLarge(outage: Outage): string {
  const { tooLong, requests, completeResponses, averageBytes, averageHeadBytes } = outage;
  if (outage.answersTooLong) return `${tooLong} of ${requests} were too long to be read`;
  return outage.hasTooLargeHeads
    ? `${completeResponses} had ${Math.round(averageHeadBytes / 1e3)} kB of headers on average`
    : `${completeResponses} had ${(averageBytes / 1e6).toFixed(1)} MB on average`;
}

const servesNothing = ({ response }: Exchange, requests: number): Stop => {
  const how =
    response === undefined ? 'no response' : response.truncated ? 'an incomplete response' : response.status;
  return {
    kind: 'outage',
    reason: `the store no longer serves requests: the last ${counted(requests, 'request')} got ${how}, and an ordinary plant still got the same after ${MAX_RECOVERY_MS / 1000} s of retrying`,
    remedy: 'find out from its log why, then repeat the run',
  };
};
