import type { Contract } from '../contract/contract.ts';
import { requiredOf } from '../payloads/parameters.ts';
import { ordinaryIds } from '../payloads/plants.ts';
import type { RequestTemplate } from '../payloads/test-case.ts';
import { endpointOf } from '../wire/endpoint.ts';
import type { Exchange, HeaderPair } from '../wire/exchange.ts';
import { HttpClient } from '../wire/http-client.ts';
import type { Check } from './check.ts';
import { CheckExecutor } from './execute/check-executor.ts';
import { SEARCH_BUDGET_REQUESTS } from './execute/confirm.ts';
import { ExchangeMonitor } from './execute/exchange-monitor.ts';
import { Invariants } from './execute/invariants.ts';
import type { Suspect } from './execute/last-requests.ts';
import { anyFirstId, Ids } from './plan/ids.ts';
import { COLLISIONS, layOut, OUTSIDE_CHECKS, PREFLIGHT, type WorkItem } from './plan/plan.ts';
import { type Shard, WHOLE } from './plan/shard.ts';
import { plantsFor } from './plant-factory.ts';
import { preflight } from './preflight/preflight.ts';
import type { Created } from './result/created.ts';
import type { CheckResult, Failure, Stop } from './result/result.ts';
import { RunState } from './run-state.ts';
import { Collisions } from './send/collisions.ts';
import type { Latency } from './send/latency.ts';
import { inPool } from './send/pool.ts';
import { Recovery } from './send/recovery.ts';
import { type RequestContext, requestContext } from './send/request-context.ts';
import { Sender } from './send/sender.ts';

export interface SessionOptions {
  /** The URL without /plants. */
  readonly baseUrl: string;
  readonly token: string;
  readonly seed: number;
  /** The first id that is sent; by default a random one in the ordinary range. */
  readonly firstId?: bigint | undefined;
  /** Cases of a generated check of weight 1. */
  readonly cases: number;
  /** Whether covering arrays contain every triple of values, not only every pair. */
  readonly thorough?: boolean | undefined;
  /** Requests in flight at most. */
  readonly concurrency: number;
  /** The same if the store is distant. */
  readonly maxConcurrency: number;
  /** Milliseconds to connect, and to receive a complete response. */
  readonly timeout: number;
  readonly rate?: number | undefined;
  /** Seconds after which the run ends. */
  readonly maxSeconds?: number | undefined;
  /** Requests after which the run ends. */
  readonly maxRequests?: number | undefined;
  /** Whether a failure of this check ends the run; by default none does. */
  readonly bailsOn?: ((check: Check) => boolean) | undefined;
  /** The part of the run to execute; by default all of it. */
  readonly shard?: Shard | undefined;
  readonly headers: readonly HeaderPair[];
  /** PEM certificates to trust in addition to the system's. */
  readonly ca?: string | undefined;
  /** The client certificate and its private key, PEM. */
  readonly client?: { readonly cert: string; readonly key: string } | undefined;
  readonly insecure?: boolean | undefined;
  /** Adds what the caller knows of the store to the reason for which the run stops. */
  readonly explainStop?: ((stop: Stop) => Stop) | undefined;
  /** Called with every exchange as it happens, and the check that it was sent for. */
  readonly onExchange?: ((exchange: Exchange, template: RequestTemplate, during: string) => void) | undefined;
}

export interface Listeners {
  readonly onProgress?: ((requests: number) => void) | undefined;
  /** Called with the first failure of each cause of a MUST or SHOULD, before it is shrunk. */
  readonly onFailure?: ((check: Check, failure: Failure) => void) | undefined;
}

/** How long a run waits in total for a store that asks it to. */
const MAX_WAIT_MS = 300_000;

const BAILED: Stop = {
  kind: 'bailed',
  reason: 'nothing new was started after the first failure',
  remedy: 'run it without --bail to see all of them',
};

/** One run against one store: sets up its parts, and opens and closes it. */
export class Session {
  readonly firstId: bigint;
  advice: string | undefined;
  /** Whether the store accepted an ordinary plant when the run began. */
  served = false;
  private readonly contract: Contract;
  private readonly options: SessionOptions;
  private readonly state: RunState;
  /** An ordinary plant for a store that may not serve: the invariants leave it out. */
  private readonly probe: RequestTemplate;
  private readonly client: HttpClient;
  private readonly sender: Sender;
  private readonly collisions: Collisions;
  private readonly recovery: Recovery;
  private readonly monitor: ExchangeMonitor;
  private readonly executor: CheckExecutor;
  private readonly preflightContext: RequestContext;
  /** For requests that belong to no check. */
  private readonly ownContext: RequestContext;
  private readonly shard: Shard;
  private readonly clock: NodeJS.Timeout | undefined;

  constructor(
    contract: Contract,
    catalogue: readonly Check[],
    selected: (id: string) => boolean,
    options: SessionOptions,
    { onProgress = () => {}, onFailure = () => {} }: Listeners = {},
  ) {
    this.contract = contract;
    this.options = options;
    this.shard = options.shard ?? WHOLE;
    this.state = new RunState(options.explainStop);
    const { baseUrl, token, seed, cases, concurrency, thorough = false, maxSeconds } = options;
    const { shape } = contract.newPlant;
    const range = ordinaryIds(shape);
    this.firstId = options.firstId ?? anyFirstId(range);
    const ids = new Ids(ordinaryIds(shape, options.firstId), this.firstId);
    const idsOf = layOut(catalogue, { cases, properties: shape.properties.size, thorough }, ids, this.shard);
    this.preflightContext = requestContext(PREFLIGHT, idsOf(PREFLIGHT));
    this.ownContext = requestContext(OUTSIDE_CHECKS, idsOf(OUTSIDE_CHECKS));
    const judging = { contract, token };
    const ordinary = { body: { json: plantsFor(contract, seed, 'recovery').plain() } };
    // What an earlier request did to a connection says nothing about the store.
    this.probe = { ...ordinary, outsideContract: true, delivery: { freshConnection: true } };
    const recordFailure = (check: Check, failure: Failure) => {
      if (options.bailsOn?.(check) === true) this.state.end(BAILED);
      if (check.level !== 'OBSERVE') onFailure(check, failure);
    };
    const invariants = new Invariants(
      catalogue.filter(({ id }) => selected(id)),
      recordFailure,
    );
    const collisionIds = idsOf(COLLISIONS);
    this.collisions = new Collisions(
      () => plantsFor(contract, seed, COLLISIONS).plain(),
      () => collisionIds.aside(),
      options.firstId === undefined
        ? undefined
        : { firstId: options.firstId, otherFirstId: () => anyFirstId(range) },
    );
    this.client = new HttpClient(endpointOf(baseUrl, options), concurrency);
    this.state.signal.addEventListener('abort', () => void this.client.close(), { once: true });
    this.recovery = new Recovery(judging, this.state, this.probe);
    this.monitor = new ExchangeMonitor({
      judging,
      ids,
      firstId: this.firstId,
      shard: this.shard,
      invariants,
      recovery: this.recovery,
      onExchange: (exchange, template, during) => {
        onProgress(this.requests);
        options.onExchange?.(exchange, template, during);
      },
    });
    this.sender = new Sender(this.client, {
      collisions: this.collisions,
      token,
      ...addedToRequests(contract, options.headers),
      rate: options.rate,
      maxConcurrency: options.maxConcurrency,
      maxRequests: options.maxRequests,
      maxWaitMs: MAX_WAIT_MS,
      monitor: this.monitor,
      recovery: this.recovery,
      state: this.state,
      probe: this.probe,
    });
    this.executor = new CheckExecutor(
      {
        judging,
        client: this.client,
        sender: this.sender,
        monitor: this.monitor,
        recovery: this.recovery,
        state: this.state,
        seed,
        cases,
        concurrency,
        searchBudget: { left: SEARCH_BUDGET_REQUESTS },
        ordinary,
      },
      {
        contract,
        catalogue,
        selected,
        thorough,
        shard: this.shard,
        idsOf,
        invariants,
        onFailure: recordFailure,
      },
    );
    if (maxSeconds !== undefined) {
      this.clock = setTimeout(() => this.halt(timeIsUp(maxSeconds)), maxSeconds * 1000).unref();
    }
  }

  get stop(): Stop | undefined {
    return this.state.stop;
  }

  /** The Server header of the store. */
  get server(): string | undefined {
    return this.monitor.server;
  }

  get created(): Created {
    return this.monitor.created;
  }

  get requests(): number {
    return this.sender.requests;
  }

  /** The requests of which the store may have died, the likeliest first; none unless it did. */
  get suspects(): readonly Suspect[] {
    return this.stop?.kind === 'gone' ? this.monitor.last.suspects : [];
  }

  /** Seconds that the run waited because the store asked it to. */
  get waited(): number {
    return this.sender.waitedMs / 1000;
  }

  /** Valid plants that were rejected because their id or name was in use. */
  get collided(): number {
    return this.collisions.count;
  }

  /** Connections that were closed during a request, which was then sent again. */
  get closedUnderRequests(): number {
    return this.client.closedUnderRequests;
  }

  get latency(): Latency | undefined {
    return this.sender.latency.summary;
  }

  /** Finds out whether the store can be judged at all. */
  async open(): Promise<void> {
    const plants = plantsFor(this.contract, this.options.seed, PREFLIGHT);
    const templates = (['all', 'required', 'all'] as const).map(
      (properties): RequestTemplate => ({ body: { json: plants.plain(properties) }, ordinary: true }),
    );
    const context = this.preflightContext;
    this.recovery.enter(context);
    await this.state.unlessStopped(async () => {
      const { basePaths } = this.contract;
      const ready = await preflight(this.client, this.sender, context, templates, basePaths);
      const { stop, advice, served = false } = ready;
      this.advice = advice;
      this.served = served;
      if (stop !== undefined) return this.halt(stop);
      this.monitor.releasePreflight();
      if (context.broken > 0) await this.recovery.wait(context, this.sender);
      // Every shard begins with the same request; the first one counts it.
      if (this.shard.index > 0) this.sender.resetCounts();
    });
    this.recovery.leave(context);
  }

  /** Ends the run: sends nothing more, and gives up what is in flight. */
  halt(stop: Stop): void {
    this.state.halt(stop);
  }

  /**
   * Runs checks in parallel, and a generated one for as many cases as its item says.
   * @param onBegin called with each check as it begins
   * @returns the results in the order of the items; none for a check of which a part is left
   */
  runBatch(
    items: readonly WorkItem[],
    onBegin: (check: Check) => void = () => {},
  ): Promise<readonly CheckResult[]> {
    return this.executor.runBatch(items, onBegin);
  }

  /** Sends requests that belong to no check; undefined if the run has ended. */
  sendOutsideChecks(templates: readonly RequestTemplate[]): Promise<readonly Exchange[] | undefined> {
    const exchanges: Exchange[] = [];
    const id = this.ownContext.ids.reserve(templates.length);
    return this.state.unlessStopped(async () => {
      await inPool(templates.length, this.options.concurrency, async (index) => {
        const template = templates[index];
        if (template !== undefined)
          exchanges[index] = await this.sender.send(template, id(index), this.ownContext);
      });
      return exchanges;
    });
  }

  /** Closes every connection. */
  async close(): Promise<void> {
    this.advice ??= await this.monitor.limiter.advice(() => this.sendOne());
    clearTimeout(this.clock);
    await this.client.close();
  }

  private async sendOne(): Promise<Exchange | undefined> {
    if (this.stop !== undefined) return undefined;
    return this.state.unlessStopped(() => this.sender.sendProbe(this.probe, this.ownContext));
  }

  /** Waits less long for answers from now on, as the usual time of an answer is known. */
  shortenTimeout(): void {
    this.sender.shortenTimeout();
  }
}

/** Headers and query parameters of every request. The user's headers replace those that the document requires. */
function addedToRequests(contract: Contract, headers: readonly HeaderPair[]) {
  const required = requiredOf(contract);
  const isGiven = (name: string) => headers.some(([own]) => own.toLowerCase() === name.toLowerCase());
  return {
    headers: [...required.headers.filter(([name]) => !isGiven(name)), ...headers],
    query: required.query,
  };
}

const timeIsUp = (maxSeconds: number): Stop => ({
  kind: 'limit',
  reason: `the run ended after ${maxSeconds} s (--max-seconds)`,
  remedy: 'allow more with --max-seconds',
});
