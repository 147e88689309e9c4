import { setTimeout as sleep } from 'node:timers/promises';
import type { Contract } from '../contract/contract.ts';
import { answered } from '../judge/rules.ts';
import type { Draft } from '../payloads/case.ts';
import { ordinaryIds } from '../payloads/plants.ts';
import { endpointOf } from '../wire/endpoint.ts';
import type { Exchange, HeaderPair } from '../wire/exchange.ts';
import { Wire } from '../wire/wire.ts';
import { judged, type Tools } from './attempt.ts';
import { type Tried, tryCases } from './cases.ts';
import type { Check, Untestable } from './check.ts';
import { anyFirstId, Ids } from './ids.ts';
import { plantsFor } from './plants.ts';
import { isSilence, preflight } from './preflight.ts';
import { type Noted, tryProcedure } from './procedure.ts';
import { tryProperty } from './property.ts';
import type { CheckResult, Stop, Verdict } from './result.ts';
import { Sender, Stopped } from './sender.ts';
import { Standing } from './standing.ts';

export interface SessionOptions {
  /** The part of the URL that stands before /plants. */
  readonly baseUrl: string;
  readonly token: string;
  readonly seed: number;
  /** The first id that is sent; by default anywhere in the ordinary range. */
  readonly firstId?: bigint | undefined;
  /** Cases of a generated check of share 1. */
  readonly cases: number;
  /** Requests at a time. */
  readonly concurrency: number;
  /** Milliseconds for a connection, and for a whole answer. */
  readonly timeout: number;
  readonly rate?: number | undefined;
  /** Seconds after which the run is cut off. */
  readonly maxSeconds?: number | undefined;
  readonly headers: readonly HeaderPair[];
  /** PEM certificates to trust beside the system's. */
  readonly ca?: string | undefined;
  readonly insecure?: boolean | undefined;
}

/** Milliseconds that a run waits in all for a store that asks it to. */
const PATIENCE = 120_000;
/** Milliseconds that a store which has stopped answering is given to come back. */
const COMEBACK = 5_000;

const NOTHING: Tried = { cases: 0, failed: 0, failures: [] };

/** One run against one store: holds the connections, and carries out checks one after the other. */
export class Session {
  readonly firstId: bigint;
  stop: Stop | undefined;
  advice: string | undefined;
  /** The Server header of the first answer. */
  server: string | undefined;
  /** Plants that the store said it created. */
  created = 0;
  private readonly contract: Contract;
  private readonly options: SessionOptions;
  private readonly wire: Wire;
  private readonly sender: Sender;
  private readonly standing: Standing;
  private readonly tools: Tools;
  private readonly clock: NodeJS.Timeout | undefined;
  private readonly limits: { lowest: bigint; highest: bigint };
  private during = 'preflight';
  private broken = 0;
  private timeouts = 0;

  constructor(
    contract: Contract,
    checks: readonly Check[],
    options: SessionOptions,
    onProgress: (requests: number) => void = () => {},
  ) {
    this.contract = contract;
    this.options = options;
    const range = ordinaryIds(contract.newPlant.shape);
    this.firstId = options.firstId ?? anyFirstId(range);
    const ids = new Ids(range, this.firstId);
    this.limits = { lowest: this.firstId, highest: this.firstId };
    const { baseUrl, token, seed, concurrency, headers, rate, maxSeconds } = options;
    this.wire = new Wire(endpointOf(baseUrl, options), concurrency);
    this.standing = new Standing(checks);
    this.sender = new Sender(this.wire, {
      token,
      headers,
      rate,
      patience: PATIENCE,
      anotherId: () => ids.aside(),
      onExchange: (...seen) => this.see(...seen),
    });
    this.tools = {
      contract,
      sender: this.sender,
      ids,
      token,
      seed,
      concurrency,
      onProgress: () => onProgress(this.sender.requests),
    };
    if (maxSeconds !== undefined) {
      this.clock = setTimeout(() => {
        this.halt({
          kind: 'cut-off',
          reason: `the run was cut off after ${maxSeconds} s`,
          remedy: 'give it longer with --max-seconds',
        });
      }, maxSeconds * 1000).unref();
    }
  }

  get requests(): number {
    return this.sender.requests;
  }

  /** The ids of the plants that the store said it created. */
  get ids(): { readonly lowest: bigint; readonly highest: bigint } {
    return this.limits;
  }

  /** Finds out whether the store can be judged at all. */
  async open(): Promise<void> {
    const plants = plantsFor(this.contract, this.options.seed, 'preflight');
    const drafts = [1, 2, 3].map((): Draft => ({ body: { json: plants.plain() }, ordinary: true }));
    const { wire, sender, tools } = this;
    try {
      const { stop, advice } = await preflight(wire, sender, tools.ids, drafts);
      this.advice = advice;
      if (stop !== undefined) this.halt(stop);
      else if (this.broken > 0) await this.awaitComeback();
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      this.stop ??= error.stop;
    }
  }

  /** Ends the run: nothing more is sent, and what is on its way is given up. */
  halt(stop: Stop): void {
    this.stop ??= stop;
    this.sender.halt(this.stop);
    void this.wire.close();
  }

  /** Carries one check out, whatever state the store is in. */
  async carryOut(check: Check): Promise<CheckResult> {
    const started = performance.now();
    const silent = check.silent?.(this.contract);
    const seconds = () => (performance.now() - started) / 1000;
    if (silent !== undefined)
      return this.result(check, 'skipped', NOTHING, 0, {
        by: 'document',
        reason: silent,
      });
    this.during = check.id;
    this.broken = 0;
    if (check.test.kind === 'standing') {
      const tally = this.standing.tally(check.id);
      if (tally.cases === 0 && this.stop === undefined) {
        return this.result(check, 'skipped', tally, 0, { by: 'store', reason: check.test.lacking });
      }
      if (tally.cases === 0 || (tally.failed === 0 && this.stop !== undefined))
        return this.untestable(check, tally, 0);
      return this.result(check, tally.failed > 0 ? 'fail' : 'pass', tally, 0);
    }
    if (this.stop !== undefined) return this.untestable(check, NOTHING, 0);
    try {
      const tried = await this.attempt(check);
      if (this.broken > 0) await this.awaitComeback();
      if (tried.cases === 0 && tried.blocked === undefined) {
        if (check.test.kind !== 'cases') throw new Error(`${check.id} made no request`);
        return this.result(check, 'skipped', tried, 0, {
          by: 'document',
          reason: 'the document admits no such request',
        });
      }
      return this.result(check, verdictOf(check, tried), tried, seconds(), blockedOf(tried.blocked));
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      this.stop ??= error.stop;
      return this.untestable(check, NOTHING, seconds());
    }
  }

  /** A check that the user left out. */
  leaveOut(check: Check): CheckResult {
    return this.result(check, 'skipped', NOTHING, 0, { by: 'user', reason: 'left out by --only or --skip' });
  }

  /** Closes every connection. */
  async close(): Promise<void> {
    clearTimeout(this.clock);
    await this.wire.close();
  }

  private attempt(check: Check): Promise<Tried & { noted?: Noted }> {
    const { test, id } = check;
    const plants = plantsFor(this.contract, this.options.seed, id);
    switch (test.kind) {
      case 'cases':
        return tryCases(test, plants, this.tools);
      case 'property':
        return tryProperty(
          test,
          id,
          Math.max(1, Math.ceil(this.options.cases * test.share)),
          plants,
          this.tools,
        );
      case 'procedure':
        return tryProcedure(test, plants, this.tools);
      case 'standing':
        return Promise.resolve(this.standing.tally(id));
    }
  }

  private see(exchange: Exchange, draft: Draft, id: bigint): void {
    const { response } = exchange;
    this.server ??= response?.headers.find(([name]) => name.toLowerCase() === 'server')?.[1];
    if (exchange.kind === 'broken' && draft.beyond !== true) this.broken += 1;
    if (exchange.kind === 'broken' && exchange.fault.kind === 'timeout') this.timedOut();
    if (
      exchange.request.method === 'POST' &&
      response !== undefined &&
      response.status >= 200 &&
      response.status < 300
    ) {
      this.created += 1;
      if (id < this.limits.lowest) this.limits.lowest = id;
      if (id > this.limits.highest) this.limits.highest = id;
    }
    // Before the checks begin, only silence is held against a store.
    if (this.during === 'preflight' && !isSilence(exchange)) return;
    this.standing.watch(exchange, draft, this.during, this.tools);
  }

  /**
   * A store that leaves requests unanswered has failed already. What is still to be learnt does not justify
   * a whole timeout each: from the third on it is given many times what it usually takes.
   */
  private timedOut(): void {
    this.timeouts += 1;
    if (this.timeouts < 3) return;
    const usual = this.sender.latencies.filter((ms) => ms > 0).toSorted((a, b) => a - b);
    const median = usual[Math.floor(usual.length / 2)] ?? Number.POSITIVE_INFINITY;
    this.wire.hurry(Math.max(1000, median * 20));
  }

  /** After broken exchanges: waits until the store serves an ordinary plant again, and ends the run when it does not. */
  private async awaitComeback(): Promise<void> {
    const draft: Draft = {
      body: { json: plantsFor(this.contract, this.options.seed, 'comeback').plain() },
      beyond: true,
    };
    const deadline = Date.now() + COMEBACK;
    for (;;) {
      const exchange = await this.sender.send(draft, this.tools.ids.aside());
      if (judged(exchange, draft, [answered], this.tools) === undefined) return;
      if (Date.now() >= deadline) break;
      await sleep(250);
    }
    this.halt({
      kind: 'gone',
      reason: `the store stopped answering during ${this.during}, and did not come back within ${COMEBACK / 1000} s`,
      remedy: 'see what became of its process at that point; the request is in the failure of always/answers',
    });
  }

  private untestable(check: Check, tried: Tried, seconds: number): CheckResult {
    const { kind, reason } = this.stop ?? { kind: 'gone', reason: 'the run has ended' };
    return this.result(check, 'untestable', tried, seconds, { by: kind, reason });
  }

  private result(
    { id, level, statement, basis, hint }: Check,
    verdict: Verdict,
    { cases, failed, failures, noted = {} }: Tried & { readonly noted?: Noted },
    seconds: number,
    blocked?: CheckResult['blocked'],
  ): CheckResult {
    return {
      check: { id, level, statement, basis, hint },
      verdict,
      cases,
      failed,
      seconds,
      failures,
      observations: noted,
      ...(blocked === undefined ? {} : { blocked }),
    };
  }
}

const blockedOf = (blocked: Untestable | undefined): CheckResult['blocked'] =>
  blocked === undefined ? undefined : { by: blocked.blockedBy, reason: blocked.message };

/** A failure stands whatever became of the control: it is what the control was to make sure could be seen. */
function verdictOf({ level }: Check, { failed, blocked }: Tried): Verdict {
  if (level === 'OBSERVE') return blocked === undefined ? 'observed' : 'untestable';
  if (failed > 0) return 'fail';
  return blocked === undefined ? 'pass' : 'untestable';
}
