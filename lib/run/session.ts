import { setTimeout as sleep } from 'node:timers/promises';
import type { Contract } from '../contract/contract.ts';
import { answered } from '../judge/rules.ts';
import { type Draft, isOutsideContract } from '../payloads/case.ts';
import { requiredOf } from '../payloads/parameters.ts';
import { ordinaryIds } from '../payloads/plants.ts';
import { endpointOf } from '../wire/endpoint.ts';
import { type Exchange, type HeaderPair, isAborted } from '../wire/exchange.ts';
import { Wire } from '../wire/wire.ts';
import { type Judging, judged, type Tools } from './attempt.ts';
import { isAway, isFromGateway } from './away.ts';
import { lookInto, tryCases } from './cases.ts';
import type { Check, Plants } from './check.ts';
import { Collisions } from './collisions.ts';
import { concluded, elsewhere, skipped } from './conclude.ts';
import { confirm, SEARCH_BUDGET_REQUESTS } from './confirm.ts';
import { Created } from './created.ts';
import type { Errand } from './gate.ts';
import { anyFirstId, type CheckIds, Ids } from './ids.ts';
import { shortly } from './keep.ts';
import type { Latency } from './latency.ts';
import { Limiter } from './limiter.ts';
import { ordinariness } from './ordinariness.ts';
import { COLLISIONS, COMPARISON, DEFAULTS, drawsOf, layOut, PREFLIGHT, type Turn } from './plan.ts';
import { plantsFor, strengthOf } from './plants.ts';
import { inPool } from './pool.ts';
import { preflight } from './preflight.ts';
import { tryProcedure } from './procedure.ts';
import { Drawing } from './property.ts';
import type { CheckResult, Failure, Stop } from './result.ts';
import { Sender } from './sender.ts';
import { type Shard, WHOLE } from './shard.ts';
import { Standing } from './standing.ts';
import { Stopped } from './stopped.ts';
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
  /** Whether covering arrays hold every triple of values, not only every pair. */
  readonly thorough?: boolean | undefined;
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
  /** The PEM certificate to show the store, and its private key. */
  readonly client?: { readonly cert: string; readonly key: string } | undefined;
  readonly insecure?: boolean | undefined;
  /** Is told of every exchange as it happens, and of the check that it was sent for. */
  readonly onExchange?: ((exchange: Exchange, draft: Draft, during: string) => void) | undefined;
}

/** Who wants to hear of a run while it goes on. */
export interface Listeners {
  readonly onProgress?: ((requests: number) => void) | undefined;
  /** Called with the first failure of each cause of a MUST or SHOULD, before it is shrunk. */
  readonly onFailure?: ((check: Check, failure: Failure) => void) | undefined;
}

/** Milliseconds that a run waits in all for a store that asks it to. */
const PATIENCE = 120_000;
/** Milliseconds that a store which has stopped answering is given to come back. */
const RECOVERY = 5_000;

/** Requests without an answer, one after the other, after which a check waits for the store to come back. */
const GIVEN_UP = 500;

const BAILED: Stop = {
  kind: 'bailed',
  reason: 'nothing new was begun after the first failure',
  remedy: 'run it without --bail to see all of them',
};

/**
 * Checks that are carried out side by side, where a group of them can be. Most have a few cases, and a store that is
 * far away would wait for each of them.
 */
const SIDE_BY_SIDE = 8;
/** Checks that are named where the store stopped answering during several. */
const NAMED = 3;

/** A check that is being carried out. */
interface Begun {
  readonly check: Check;
  readonly plants: Plants;
  readonly errand: Errand;
  readonly tally: Tally;
  readonly drawing: Drawing | undefined;
  seconds: number;
  /** What ended the run while it was carried out. */
  stop: Stop | undefined;
}

/** One run against one store: holds the connections, and carries out checks. */
export class Session {
  readonly firstId: bigint;
  stop: Stop | undefined;
  advice: string | undefined;
  /** The Server header of the first answer. */
  server: string | undefined;
  readonly created: Created;
  private readonly contract: Contract;
  private readonly options: SessionOptions;
  private readonly wire: Wire;
  private readonly sender: Sender;
  private readonly collisions: Collisions;
  private readonly standing: Standing;
  private readonly onFailure: (check: Check, failure: Failure) => void;
  private readonly judging: Judging;
  private readonly selected: (id: string) => boolean;
  private readonly onProgress: () => void;
  private readonly idsOf: (checkId: string) => CheckIds;
  private readonly ids: Ids;
  private readonly shard: Shard;
  private readonly turns: ReadonlyMap<string, number>;
  private readonly compared: Errand;
  private readonly clock: NodeJS.Timeout | undefined;
  private readonly begun = new Map<Check, Begun>();
  /** On whose behalf requests may be on their way. */
  private readonly errands = new Set<Errand>();
  /** What came before the checks begin: held against a store like all else, once it is known that it can be judged. */
  private readonly beforehand: (() => void)[] = [];
  /** For failures that do not come again at once. */
  private readonly searchBudget = { left: SEARCH_BUDGET_REQUESTS };
  private readonly limiter = new Limiter();
  /** The wait for a store that is away, whether it comes back; one for all that it keeps waiting. */
  private recovering: Promise<boolean> | undefined;
  /** Requests without an answer since the last answer. */
  private unanswered = 0;
  private timeouts = 0;
  /** Whether a check was left untried because the run was stopped. */
  private unfinished = false;

  constructor(
    contract: Contract,
    catalogue: readonly Check[],
    selected: (id: string) => boolean,
    options: SessionOptions,
    { onProgress = () => {}, onFailure = () => {} }: Listeners = {},
  ) {
    this.contract = contract;
    this.options = options;
    const { firstId } = options;
    const range = ordinaryIds(contract.newPlant.shape);
    this.firstId = firstId ?? anyFirstId(range);
    this.ids = new Ids(ordinaryIds(contract.newPlant.shape, firstId), this.firstId);
    this.shard = options.shard ?? WHOLE;
    this.idsOf = layOut(
      catalogue,
      {
        cases: options.cases,
        properties: contract.newPlant.shape.properties.size,
        thorough: options.thorough,
      },
      this.ids,
      this.shard,
    );
    this.compared = this.errandOf(COMPARISON);
    this.created = new Created();
    const { baseUrl, token, concurrency, headers, rate, maxSeconds, maxRequests } = options;
    this.turns = new Map(catalogue.map(({ id }, turn) => [id, turn]));
    this.wire = new Wire(endpointOf(baseUrl, options), concurrency);
    this.judging = { contract, token };
    this.selected = selected;
    this.onProgress = () => onProgress(this.sender.requests);
    this.onFailure = (check, failure) => {
      if (this.options.bailsOn?.(check) === true) this.stop ??= BAILED;
      if (check.level !== 'OBSERVE') onFailure(check, failure);
    };
    this.standing = new Standing(
      catalogue.filter(({ id }) => selected(id)),
      this.onFailure,
    );
    const aside = this.idsOf(COLLISIONS);
    this.collisions = new Collisions(
      () => plantsFor(contract, options.seed, COLLISIONS).plain(),
      () => aside.aside(),
      firstId === undefined ? undefined : { firstId, elsewhere: () => anyFirstId(range) },
    );
    const required = requiredOf(contract);
    const isGiven = (name: string) => headers.some(([own]) => own.toLowerCase() === name.toLowerCase());
    this.sender = new Sender(this.wire, {
      collisions: this.collisions,
      token,
      // The user may know a better value than the document.
      headers: [...required.headers.filter(([name]) => !isGiven(name)), ...headers],
      query: required.query,
      rate,
      maxRequests,
      patience: PATIENCE,
      onExchange: (...seen) => this.see(...seen),
      control: () => this.control(),
      recovered: (...away) => this.whileAway(...away),
    });
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

  /** Valid plants that were rejected for an id or a name in use. */
  get collided(): number {
    return this.collisions.count;
  }

  /** Connections that were closed while a request was on its way, which was then sent once more. */
  get closedUnderRequests(): number {
    return this.wire.closedUnderRequests;
  }

  get latency(): Latency | undefined {
    return this.sender.latency.summary;
  }

  /** Finds out whether the store can be judged at all. */
  async open(): Promise<void> {
    const plants = plantsFor(this.contract, this.options.seed, PREFLIGHT);
    const drafts = [1, 2, 3].map((): Draft => ({ body: { json: plants.plain() }, ordinary: true }));
    const errand = this.errandOf(PREFLIGHT);
    this.errands.add(errand);
    try {
      const { stop, advice } = await preflight(this.wire, this.sender, errand, drafts);
      this.advice = advice;
      if (stop !== undefined) return this.halt(stop);
      for (const watch of this.beforehand) watch();
      if (errand.broken > 0) await this.awaitRecovery(errand);
      // Every shard begins with the same request; it is counted in the first.
      if (this.shard.index > 0) this.sender.forget();
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      this.stop ??= error.stop;
    }
    this.errands.delete(errand);
  }

  /** Ends the run: nothing more is sent, and what is on its way is given up. */
  halt(stop: Stop): void {
    this.stop ??= stop;
    this.sender.halt(this.stop);
    void this.wire.close();
  }

  /**
   * Carries checks on side by side, whatever state the store is in, and one that draws at random for so many cases.
   * @param onBegin is told of each as it begins
   * @returns the results, in the order of the turns; none for a check of which there is more to do
   */
  async takeTurns(
    turns: readonly Turn[],
    onBegin: (check: Check) => void = () => {},
  ): Promise<CheckResult[]> {
    const taken: (Begun | CheckResult)[] = [];
    await inPool(turns.length, SIDE_BY_SIDE, async (index) => {
      const turn = turns[index];
      if (turn === undefined) return;
      onBegin(turn.check);
      taken[index] = this.leftOut(turn.check) ?? (await this.takeTurn(turn));
    });
    const begun = taken.filter((one) => 'tally' in one);
    for (const { tally } of begun)
      tally.settle(begun.some((other) => other.tally !== tally && other.tally.guilty));
    for (const one of begun) await this.confirm(one);
    return taken.flatMap((one) => {
      if (!('tally' in one)) return [one];
      return one.stop === undefined && one.drawing?.ended === false ? [] : [this.conclude(one)];
    });
  }

  /** Sends drafts that belong to no check; undefined where the run has ended. */
  async ask(drafts: readonly Draft[]): Promise<readonly Exchange[] | undefined> {
    const exchanges: Exchange[] = [];
    const id = this.compared.ids.reserve(drafts.length);
    try {
      await inPool(drafts.length, this.options.concurrency, async (index) => {
        const draft = drafts[index];
        if (draft !== undefined) exchanges[index] = await this.sender.send(draft, id(index), this.compared);
      });
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      this.stop ??= error.stop;
    }
    return this.stop === undefined ? exchanges : undefined;
  }

  /** Closes every connection. */
  async close(): Promise<void> {
    this.advice ??= await this.limiter.advice(() => this.sendOne());
    clearTimeout(this.clock);
    await this.wire.close();
  }

  private leftOut(check: Check): CheckResult | undefined {
    if (!this.selected(check.id)) return skipped(check, 'user', 'left out by --only or --skip');
    const silent = check.silent?.(this.contract);
    if (silent !== undefined) return skipped(check, 'document', silent);
    return this.isMine(check) ? undefined : elsewhere(check);
  }

  private async takeTurn({ check, most }: Turn): Promise<Begun> {
    const begun = this.begun.get(check) ?? this.begin(check);
    const { errand } = begun;
    errand.broken = 0;
    errand.ordinariness = 2;
    this.errands.add(errand);
    const started = performance.now();
    if (this.stop === undefined) await this.attempt(begun, most);
    begun.seconds += (performance.now() - started) / 1000;
    begun.stop = this.stop;
    this.errands.delete(errand);
    return begun;
  }

  private begin(check: Check): Begun {
    const { test, id } = check;
    const { contract, options, shard } = this;
    const plants = plantsFor(contract, options.seed, id, strengthOf(options.thorough));
    const errand = this.errandOf(id);
    const tally =
      test.kind === 'standing'
        ? this.standing.tally(check)
        : new Tally((failure) => this.onFailure(check, failure));
    const drawing =
      test.kind === 'property' ? new Drawing(test, id, options.cases, plants, errand.ids, shard) : undefined;
    const begun: Begun = { check, plants, errand, tally, drawing, seconds: 0, stop: undefined };
    this.begun.set(check, begun);
    return begun;
  }

  private conclude({ check, tally, seconds, stop }: Begun): CheckResult {
    this.begun.delete(check);
    const { shard, unfinished } = this;
    const usual = Math.min(DEFAULTS.cases, this.options.cases);
    const result = concluded(check, tally, seconds, { stop, shard, usual, unfinished });
    if (result.verdict === 'untestable' && stop !== undefined) this.unfinished = true;
    return result;
  }

  private errandOf(id: string): Errand {
    return { id, ids: this.idsOf(id), broken: 0, away: 0, ordinariness: 2 };
  }

  /** A shard has every so many of the cases that are drawn, and every so many of the other checks whole. */
  private isMine({ id, test }: Check): boolean {
    const { index, of } = this.shard;
    if (test.kind === 'standing') return true;
    if (test.kind === 'property')
      return this.options.thorough === true || index <= drawsOf(test.share, this.options.cases);
    return (this.turns.get(id) ?? 0) % of === index;
  }

  private async attempt(
    { check: { test }, plants, errand, tally, drawing }: Begun,
    most: number,
  ): Promise<void> {
    const tools = this.toolsFor(errand, tally);
    try {
      if (test.kind === 'cases') await tryCases(test, plants, tools, tally);
      if (drawing !== undefined) await drawing.go(most, tools, tally);
      if (test.kind === 'procedure') await tryProcedure(test, plants, tools, tally);
      if (errand.broken > 0) await this.sender.alone(errand, () => this.afterwards(errand, tally));
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      this.stop ??= error.stop;
    }
  }

  /** Finds out when the failure that is shown first comes again. */
  private async confirm({ check: { test }, tally, errand }: Begun): Promise<void> {
    const { unconfirmed } = tally;
    if (unconfirmed === undefined || !('rules' in test) || this.stop !== undefined) return;
    try {
      tally.leadWith(await confirm(unconfirmed, test.rules, this.toolsFor(errand, tally)));
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      this.stop ??= error.stop;
    }
  }

  private toolsFor(errand: Errand, tally: Tally): Tools {
    const { seed, cases, concurrency } = this.options;
    const { searchBudget } = this;
    return {
      ...this.judging,
      searchBudget,
      control: () => this.ordinary(),
      resend: (draft, id) => this.sender.resend(draft, id, errand),
      recover: async () => void (await this.awaitRecovery(errand)),
      seed,
      cases,
      concurrency,
      atOnce: () => this.wire.atOnce,
      onUnbroken: (unseen) => tally.look(unseen),
      ids: errand.ids,
      latencies: this.sender.latency.sample,
      send: (draft, id, toBeAccepted) => this.sender.send(draft, id, errand, toBeAccepted),
      enough: () => this.stop !== undefined || this.unanswered >= GIVEN_UP,
    };
  }

  /** After broken exchanges: what state the store is in, and whose fault it was. */
  private async afterwards(errand: Errand, tally: Tally): Promise<void> {
    await this.awaitRecovery(errand);
    await lookInto(tally);
    if (tally.guilty) await this.awaitRecovery(errand);
  }

  private see(exchange: Exchange, draft: Draft, errand: Errand): void {
    const { response } = exchange;
    this.onProgress();
    this.options.onExchange?.(exchange, draft, errand.id);
    const server = response?.headers.find(([name]) => name.toLowerCase() === 'server')?.[1];
    if (server !== undefined) this.server ??= shortly(server);
    if (isAborted(exchange)) {
      this.created.note(exchange, draft);
      return;
    }
    if (!isOutsideContract(draft) && (exchange.kind === 'broken' || isFromGateway(exchange))) {
      errand.broken += 1;
      this.noteOrdinariness(errand, draft);
    }
    this.unanswered = exchange.kind === 'broken' ? this.unanswered + 1 : 0;
    if (exchange.kind === 'broken' && exchange.fault.kind === 'timeout') this.timedOut();
    if (errand.id === PREFLIGHT && this.shard.index > 0) return;
    this.created.note(exchange, draft);
    this.limiter.note(exchange, draft);
    const place = () => this.placeOf(exchange, draft);
    const watch = () => this.standing.watch(exchange, draft, errand.id, place, this.judging);
    if (errand.id !== PREFLIGHT) watch();
    else if (!isAway(exchange)) this.beforehand.push(watch);
  }

  /** Where a failure stands in the plan. Among requests without an answer the least ordinary comes first. */
  private placeOf(exchange: Exchange, draft: Draft): number {
    const rank =
      exchange.kind === 'broken' || isFromGateway(exchange) ? ordinariness(draft, this.contract) : 0;
    return rank * 2 ** 40 + this.ids.placeOf(exchange.request.freshId ?? this.firstId);
  }

  private noteOrdinariness(errand: Errand, draft: Draft): void {
    errand.ordinariness = Math.min(errand.ordinariness, ordinariness(draft, this.contract));
  }

  /** During what the store stopped answering; what is least ordinary is the likeliest cause. */
  private get unansweredChecks(): string {
    const ids = [...this.errands]
      .filter(({ broken, away }) => broken > 0 || away > 0)
      .sort((a, b) => a.ordinariness - b.ordinariness)
      .map(({ id }) => id);
    return `${ids.slice(0, NAMED).join(', ')}${ids.length > NAMED ? ' and others' : ''}`;
  }

  /**
   * A store that leaves requests unanswered has failed already. What is still to be learnt does not justify
   * a whole timeout each: from the third on it is given many times what it usually takes.
   */
  private timedOut(): void {
    this.timeouts += 1;
    if (this.timeouts < 3) return;
    this.wire.hurry(Math.max(1000, Math.round((this.latency?.median ?? Number.POSITIVE_INFINITY) * 20)));
  }

  /** An ordinary plant whose answer is judged like any other: it is sent while the store serves. */
  private ordinary(): Draft {
    return { body: { json: plantsFor(this.contract, this.options.seed, 'recovery').plain() } };
  }

  /** The same where the store may not serve: the standing checks leave its answer out. */
  private control(): Draft {
    return { ...this.ordinary(), beyond: true };
  }

  /** An ordinary plant that belongs to no check; undefined where the run has ended. */
  private async sendOne(): Promise<Exchange | undefined> {
    if (this.stop !== undefined) return undefined;
    try {
      return await this.sender.ask(this.control(), this.compared);
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      return undefined;
    }
  }

  /** While a request did not get as far as the store: waits until that is there again. Before the checks begin, it has to be. */
  private async whileAway(errand: Errand, draft: Draft): Promise<boolean> {
    if (errand.id === PREFLIGHT) return false;
    errand.away += 1;
    this.noteOrdinariness(errand, draft);
    try {
      return await this.awaitRecovery(errand);
    } finally {
      errand.away -= 1;
    }
  }

  /** Waits until the store serves an ordinary plant again, and ends the run when it does not. */
  private awaitRecovery(errand: Errand): Promise<boolean> {
    this.recovering ??= this.recover(errand).finally(() => {
      this.recovering = undefined;
    });
    return this.recovering;
  }

  private async recover(errand: Errand): Promise<boolean> {
    const deadline = Date.now() + RECOVERY;
    for (;;) {
      const draft = this.control();
      const exchange = await this.sender.ask(draft, errand);
      const isBack = judged(exchange, draft, [answered], this.judging) === undefined && !isAway(exchange);
      if (isBack) return true;
      if (Date.now() >= deadline) {
        this.halt(this.gone(isFromGateway(exchange)));
        return false;
      }
      await sleep(250);
    }
  }

  private gone(behindGateway: boolean): Stop {
    const within = `within ${RECOVERY / 1000} s`;
    return {
      kind: 'gone',
      reason: behindGateway
        ? `the gateway stopped reaching the store during ${this.unansweredChecks}, and did not reach it again ${within}`
        : `the store stopped answering during ${this.unansweredChecks}, and did not come back ${within}`,
      remedy:
        'see what became of its process at that point: always/answers or always/no-server-error has a request that it met then, the least ordinary of the last',
    };
  }
}
