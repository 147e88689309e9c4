import { setTimeout as sleep } from 'node:timers/promises';
import type { Contract } from '../contract/contract.ts';
import { answered } from '../judge/rules.ts';
import type { Draft } from '../payloads/case.ts';
import { JsonObject } from '../payloads/json.ts';
import { ordinaryIds } from '../payloads/plants.ts';
import { endpointOf } from '../wire/endpoint.ts';
import type { Exchange, HeaderPair } from '../wire/exchange.ts';
import { Wire } from '../wire/wire.ts';
import { judged, type Tools } from './attempt.ts';
import { tryCases } from './cases.ts';
import type { Check } from './check.ts';
import { anyFirstId, Ids } from './ids.ts';
import { shortly } from './keep.ts';
import type { Latency } from './latency.ts';
import { plantsFor } from './plants.ts';
import { inPool } from './pool.ts';
import { isSilence, preflight } from './preflight.ts';
import { tryProcedure } from './procedure.ts';
import { tryProperty } from './property.ts';
import type { CheckResult, Stop, Verdict } from './result.ts';
import { Sender, Stopped } from './sender.ts';
import { Standing } from './standing.ts';
import { Tally } from './tally.ts';

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
  /** Is told of every exchange as it happens, and of the check that it was sent for. */
  readonly onExchange?: ((exchange: Exchange, draft: Draft, during: string) => void) | undefined;
}

/** Milliseconds that a run waits in all for a store that asks it to. */
const PATIENCE = 120_000;
/** Ids that are noted down one by one. */
const MOST_OTHERS = 10_000;
/** Milliseconds that a store which has stopped answering is given to come back. */
const COMEBACK = 5_000;

/** One run against one store: holds the connections, and carries out checks one after the other. */
export class Session {
  readonly firstId: bigint;
  stop: Stop | undefined;
  advice: string | undefined;
  /** The Server header of the first answer. */
  server: string | undefined;
  /** Plants that the store said it created. */
  created = 0;
  /** The ids of those that were not sent a fresh one. */
  readonly others: string[] = [];
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

  /** Seconds that the store was waited for because it asked for it. */
  get waited(): number {
    return this.sender.waited / 1000;
  }

  get latency(): Latency | undefined {
    return this.sender.latency.summary;
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
    const silent = check.silent?.(this.contract);
    if (silent !== undefined) return skipped(check, new Tally(), 'document', silent);
    this.during = check.id;
    this.broken = 0;
    const started = performance.now();
    const tally = check.test.kind === 'standing' ? this.standing.tally(check) : new Tally();
    if (this.stop === undefined) await this.attempt(check, tally);
    return this.resultOf(check, tally, (performance.now() - started) / 1000);
  }

  /** Sends drafts that belong to no check; undefined where the run has ended. */
  async ask(drafts: readonly Draft[]): Promise<readonly Exchange[] | undefined> {
    this.during = 'comparison';
    const exchanges: Exchange[] = [];
    const { sender, ids, concurrency } = this.tools;
    const id = ids.reserve(drafts.length);
    try {
      await inPool(drafts.length, concurrency, async (index) => {
        const draft = drafts[index];
        if (draft !== undefined) exchanges[index] = await sender.send(draft, id(index));
      });
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      this.stop ??= error.stop;
    }
    return this.stop === undefined ? exchanges : undefined;
  }

  /** A check that the user left out. */
  leaveOut(check: Check): CheckResult {
    return skipped(check, new Tally(), 'user', 'left out by --only or --skip');
  }

  /** Closes every connection. */
  async close(): Promise<void> {
    clearTimeout(this.clock);
    await this.wire.close();
  }

  private async attempt(check: Check, tally: Tally): Promise<void> {
    const { test, id } = check;
    const { contract, tools, options } = this;
    const plants = plantsFor(contract, options.seed, id);
    try {
      if (test.kind === 'cases') await tryCases(test, plants, tools, tally);
      if (test.kind === 'property') {
        const count = Math.max(1, Math.ceil(options.cases * test.share));
        await tryProperty(test, id, count, plants, tools, tally);
      }
      if (test.kind === 'procedure') await tryProcedure(test, plants, tools, tally);
      if (this.broken > 0) await this.awaitComeback();
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      this.stop ??= error.stop;
    }
  }

  /** What has been found stands, whatever became of the run; what has not been tried to the end is no pass. */
  private resultOf(check: Check, tally: Tally, seconds: number): CheckResult {
    const { level, id, test } = check;
    const { cases, failed, blocked } = tally;
    if (failed > 0 && level !== 'OBSERVE') return result(check, 'fail', tally, seconds, blockedOf(blocked));
    if (this.stop !== undefined) {
      const { kind: by, reason } = this.stop;
      return result(check, 'untestable', tally, seconds, { by, reason });
    }
    if (blocked !== undefined) return result(check, 'untestable', tally, seconds, blockedOf(blocked));
    if (cases > 0) return result(check, level === 'OBSERVE' ? 'observed' : 'pass', tally, seconds);
    if (test.kind === 'standing') return skipped(check, tally, 'store', test.lacking);
    if (test.kind === 'cases')
      return skipped(check, tally, 'document', 'the document admits no such request');
    throw new Error(`${id} made no request`);
  }

  private see(exchange: Exchange, draft: Draft, id: bigint): void {
    const { response } = exchange;
    this.options.onExchange?.(exchange, draft, this.during);
    const server = response?.headers.find(([name]) => name.toLowerCase() === 'server')?.[1];
    if (server !== undefined) this.server ??= shortly(server);
    if (exchange.kind === 'broken' && draft.beyond !== true) this.broken += 1;
    if (exchange.kind === 'broken' && exchange.fault.kind === 'timeout') this.timedOut();
    if (
      exchange.request.method === 'POST' &&
      response !== undefined &&
      response.status >= 200 &&
      response.status < 300
    ) {
      this.created += 1;
      const own = ownIdOf(draft);
      if (own !== undefined && this.others.length < MOST_OTHERS) this.others.push(String(own));
      if (own === undefined && id < this.limits.lowest) this.limits.lowest = id;
      if (own === undefined && id > this.limits.highest) this.limits.highest = id;
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
    this.wire.hurry(Math.max(1000, (this.latency?.median ?? Number.POSITIVE_INFINITY) * 20));
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
      remedy:
        'see what became of its process at that point: always/answers has a request that it met then, one of the last',
    });
  }
}

/** The id that a request was given by its check, where that is not a fresh one. */
function ownIdOf({ body }: Draft): bigint | undefined {
  const id =
    body !== undefined && 'json' in body && body.json instanceof JsonObject ? body.json.get('id') : undefined;
  return typeof id === 'bigint' ? id : undefined;
}

const result = (
  { id, level, statement, basis, hint, test }: Check,
  verdict: Verdict,
  { cases, failed, failures, causes, noted }: Tally,
  seconds: number,
  blocked?: CheckResult['blocked'],
): CheckResult => ({
  check: { id, level, statement, basis, hint },
  kind: test.kind,
  verdict,
  cases,
  failed,
  seconds,
  failures,
  causes,
  observations: noted,
  ...(blocked === undefined ? {} : { blocked }),
});

const skipped = (check: Check, tally: Tally, by: string, reason: string): CheckResult =>
  result(check, 'skipped', tally, 0, { by, reason });

const blockedOf = (blocked: Tally['blocked']): CheckResult['blocked'] =>
  blocked === undefined ? undefined : { by: blocked.blockedBy, reason: blocked.message };
