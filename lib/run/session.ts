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
import type { Check, Plants } from './check.ts';
import { concluded, elsewhere, skipped } from './conclude.ts';
import { anyFirstId, type CheckIds, Ids } from './ids.ts';
import { shortly } from './keep.ts';
import type { Latency } from './latency.ts';
import { COMPARISON, DEFAULTS, drawsOf, layOut, PREFLIGHT } from './plan.ts';
import { plantsFor } from './plants.ts';
import { inPool } from './pool.ts';
import { isSilence, preflight } from './preflight.ts';
import { tryProcedure } from './procedure.ts';
import { Drawing } from './property.ts';
import type { CheckResult, Failure, Stop } from './result.ts';
import { Sender, Stopped } from './sender.ts';
import { type Shard, WHOLE } from './shard.ts';
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
  /** Requests after which the run is cut off. */
  readonly maxRequests?: number | undefined;
  /** Whether the run is over with a failure of this check; by default it never is. */
  readonly bailsOn?: ((check: Check) => boolean) | undefined;
  /** The part of the run to carry out; by default all of it. */
  readonly shard?: Shard | undefined;
  readonly headers: readonly HeaderPair[];
  /** PEM certificates to trust beside the system's. */
  readonly ca?: string | undefined;
  readonly insecure?: boolean | undefined;
  /** Is told of every exchange as it happens, and of the check that it was sent for. */
  readonly onExchange?: ((exchange: Exchange, draft: Draft, during: string) => void) | undefined;
}

/** Who wants to hear of a run while it goes on. */
export interface Listeners {
  readonly onProgress?: ((requests: number) => void) | undefined;
  /** Is told of the first failure of each cause of a MUST or SHOULD, before it is made small. */
  readonly onFailure?: ((check: Check, failure: Failure) => void) | undefined;
}

/** Milliseconds that a run waits in all for a store that asks it to. */
const PATIENCE = 120_000;
/** Ids that are noted down one by one. */
const MOST_OTHERS = 10_000;
/** Milliseconds that a store which has stopped answering is given to come back. */
const COMEBACK = 5_000;

/** Requests without an answer, one after the other, after which a check waits for the store to come back. */
const GIVEN_UP = 500;

const BAILED: Stop = {
  kind: 'bailed',
  reason: 'the run was over with the first failure',
  remedy: 'run it without --bail to see all of them',
};

/** A check that is being carried out. */
interface Begun {
  readonly plants: Plants;
  readonly ids: CheckIds;
  readonly tally: Tally;
  readonly drawing: Drawing | undefined;
  seconds: number;
}

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
  private readonly onFailure: (check: Check, failure: Failure) => void;
  private readonly tools: Omit<Tools, 'ids' | 'enough'>;
  private readonly idsOf: (checkId: string) => CheckIds;
  private readonly ids: Ids;
  private readonly shard: Shard;
  private readonly turns: ReadonlyMap<string, number>;
  private readonly compared: CheckIds;
  private readonly clock: NodeJS.Timeout | undefined;
  private readonly limits: { lowest: bigint; highest: bigint };
  private readonly begun = new Map<Check, Begun>();
  private during: string = PREFLIGHT;
  private current: CheckIds;
  /** Before the checks begin, only silence is held against a store, and that where the store is to blame for it. */
  private readonly silences: (() => void)[] = [];
  private broken = 0;
  /** Requests without an answer since the last answer. */
  private unanswered = 0;
  private timeouts = 0;
  /** Whether a check was left untried because the run was stopped. */
  private unfinished = false;
  /** Whether a failure that ends the run was found in an exchange, whichever check it was sent for. */
  private bailed = false;

  constructor(
    contract: Contract,
    catalogue: readonly Check[],
    selected: (id: string) => boolean,
    options: SessionOptions,
    { onProgress = () => {}, onFailure = () => {} }: Listeners = {},
  ) {
    this.contract = contract;
    this.options = options;
    const range = ordinaryIds(contract.newPlant.shape);
    this.firstId = options.firstId ?? anyFirstId(range);
    this.ids = new Ids(range, this.firstId);
    this.shard = options.shard ?? WHOLE;
    this.idsOf = layOut(
      catalogue,
      { cases: options.cases, properties: contract.newPlant.shape.properties.size },
      this.ids,
      this.shard,
    );
    this.current = this.idsOf(PREFLIGHT);
    this.compared = this.idsOf(COMPARISON);
    this.limits = { lowest: this.firstId, highest: this.firstId };
    const { baseUrl, token, seed, concurrency, headers, rate, maxSeconds, maxRequests } = options;
    this.turns = new Map(catalogue.map(({ id }, turn) => [id, turn]));
    this.wire = new Wire(endpointOf(baseUrl, options), concurrency);
    this.onFailure = (check, failure) => {
      if (check.level !== 'OBSERVE') onFailure(check, failure);
    };
    this.standing = new Standing(
      catalogue.filter(({ id }) => selected(id)),
      this.onFailure,
    );
    this.sender = new Sender(this.wire, {
      token,
      headers,
      rate,
      maxRequests,
      patience: PATIENCE,
      anotherId: () => this.current.aside(),
      onExchange: (...seen) => this.see(...seen),
    });
    this.tools = {
      contract,
      sender: this.sender,
      token,
      seed,
      concurrency,
      onProgress: () => onProgress(this.sender.requests),
    };
    if (maxSeconds !== undefined) {
      this.clock = setTimeout(() => {
        this.halt({
          kind: 'limit',
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
  get createdIds(): { readonly lowest: bigint; readonly highest: bigint } {
    return this.limits;
  }

  /** Finds out whether the store can be judged at all. */
  async open(): Promise<void> {
    const plants = plantsFor(this.contract, this.options.seed, PREFLIGHT);
    const drafts = [1, 2, 3].map((): Draft => ({ body: { json: plants.plain() }, ordinary: true }));
    try {
      const { stop, advice } = await preflight(this.wire, this.sender, this.current, drafts);
      this.advice = advice;
      if (stop !== undefined) return this.halt(stop);
      for (const watch of this.silences) watch();
      if (this.broken > 0) await this.awaitComeback();
      // Every shard begins with the same request; it is counted in the first.
      if (this.shard.index > 0) this.sender.forget();
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

  /**
   * Carries one check on, whatever state the store is in, and one that draws at random for so many cases; undefined
   * where there is more of it to do.
   */
  async takeTurn(check: Check, most: number): Promise<CheckResult | undefined> {
    const silent = check.silent?.(this.contract);
    if (silent !== undefined) return skipped(check, 'document', silent);
    if (!this.isMine(check)) return elsewhere(check);
    const begun = this.begun.get(check) ?? this.begin(check);
    this.during = check.id;
    this.broken = 0;
    const started = performance.now();
    if (this.stop === undefined) {
      this.current = begun.ids;
      await this.attempt(check, begun, most);
    }
    begun.seconds += (performance.now() - started) / 1000;
    if (this.stop === undefined && begun.drawing?.ended === false) return undefined;
    this.begun.delete(check);
    const { stop, shard, unfinished } = this;
    const usual = Math.min(DEFAULTS.cases, this.options.cases);
    const result = concluded(check, begun.tally, begun.seconds, { stop, shard, usual, unfinished });
    if (result.verdict === 'untestable' && stop !== undefined) this.unfinished = true;
    return result;
  }

  /** Sends drafts that belong to no check; undefined where the run has ended. */
  async ask(drafts: readonly Draft[]): Promise<readonly Exchange[] | undefined> {
    this.during = COMPARISON;
    this.current = this.compared;
    const exchanges: Exchange[] = [];
    const { sender, concurrency } = this.tools;
    const id = this.compared.reserve(drafts.length);
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
    return skipped(check, 'user', 'left out by --only or --skip');
  }

  /** Closes every connection. */
  async close(): Promise<void> {
    clearTimeout(this.clock);
    await this.wire.close();
  }

  private begin(check: Check): Begun {
    const { test, id } = check;
    const { contract, options, shard } = this;
    const plants = plantsFor(contract, options.seed, id);
    const ids = this.idsOf(id);
    const tally =
      test.kind === 'standing'
        ? this.standing.tally(check)
        : new Tally((failure) => this.onFailure(check, failure));
    const drawing =
      test.kind === 'property'
        ? new Drawing(test, id, drawsOf(test.share, options.cases), plants, ids, shard)
        : undefined;
    const begun: Begun = { plants, ids, tally, drawing, seconds: 0 };
    this.begun.set(check, begun);
    return begun;
  }

  /** A shard has every so many of the cases that are drawn, and every so many of the other checks whole. */
  private isMine({ id, test }: Check): boolean {
    const { index, of } = this.shard;
    if (test.kind === 'standing') return true;
    if (test.kind === 'property') return index <= drawsOf(test.share, this.options.cases);
    return (this.turns.get(id) ?? 0) % of === index;
  }

  private async attempt(check: Check, { plants, ids, tally, drawing }: Begun, most: number): Promise<void> {
    const { test } = check;
    const bails = this.options.bailsOn?.(check) ?? false;
    const tools: Tools = {
      ...this.tools,
      ids,
      enough: () => this.bailed || (bails && tally.failed > 0) || this.unanswered >= GIVEN_UP,
    };
    try {
      if (test.kind === 'cases') await tryCases(test, plants, tools, tally);
      if (drawing !== undefined) await drawing.go(most, tools, tally);
      if (test.kind === 'procedure') await tryProcedure(test, plants, tools, tally);
      if (this.broken > 0) await this.awaitComeback();
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      this.stop ??= error.stop;
    }
    if (this.bailed || (bails && tally.failed > 0)) this.stop ??= BAILED;
  }

  private see(exchange: Exchange, draft: Draft, id: bigint): void {
    const { response } = exchange;
    this.options.onExchange?.(exchange, draft, this.during);
    const server = response?.headers.find(([name]) => name.toLowerCase() === 'server')?.[1];
    if (server !== undefined) this.server ??= shortly(server);
    if (exchange.kind === 'broken' && draft.beyond !== true) this.broken += 1;
    this.unanswered = exchange.kind === 'broken' ? this.unanswered + 1 : 0;
    if (exchange.kind === 'broken' && exchange.fault.kind === 'timeout') this.timedOut();
    if (this.during === PREFLIGHT && this.shard.index > 0) return;
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
    const { during } = this;
    const watch = () => {
      const failed = this.standing.watch(exchange, draft, during, () => this.ids.placeOf(id), this.tools);
      if (failed.some((check) => this.options.bailsOn?.(check) === true)) this.bailed = true;
    };
    if (during !== PREFLIGHT) watch();
    else if (isSilence(exchange)) this.silences.push(watch);
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
      const exchange = await this.sender.send(draft, this.current.aside());
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
