import type { Contract } from '../contract/contract.ts';
import { EventLog } from '../event-log.ts';
import { requireOrdinary } from '../payloads/check-satisfiable.ts';
import type { RequestTemplate } from '../payloads/test-case.ts';
import { TOKEN_VARIABLE } from '../token-variable.ts';
import type { Exchange, HeaderPair } from '../wire/exchange.ts';
import { assembleRun, type RunParts } from './assemble-run.ts';
import type { Check, Level } from './check.ts';
import { DEFAULTS } from './defaults.ts';
import type { RequestInFlight } from './execute/last-requests.ts';
import { OUTSIDE_CHECKS, PREFLIGHT, plannedBatches } from './plan/plan.ts';
import { type Shard, WHOLE } from './plan/shard.ts';
import { plantsFor } from './plant-factory.ts';
import { preflight, type Readiness } from './preflight/preflight.ts';
import type { Cause, StatusCounts } from './result/cause.ts';
import type { CheckResult, Failure, Stop } from './result/result.ts';
import { cutShort, type Outcome, runOutcome, type Summary, summaryOf } from './result/verdict.ts';
import type { RunState } from './run-state.ts';
import type { Latency } from './send/latency.ts';
import { mapInPool } from './send/pool.ts';
import { diedTimes, type Restart } from './send/recovery.ts';
import { type RequestContext, requestContext } from './send/request-context.ts';

/** The options of one run, with the files that they name loaded, and the catalogue of checks. */
export interface LoadedOptions {
  readonly contract: Contract;
  readonly catalogue: readonly Check[];
  readonly selected?: ((id: string) => boolean) | undefined;
  /** The URL without /plants. */
  readonly baseUrl: string;
  /** Name of the target in reports; by default its URL. */
  readonly name?: string | undefined;
  readonly token: string;
  readonly tokenEnv?: string | undefined;
  /** By default a random one. */
  readonly seed?: number | undefined;
  /** The first id to send; by default a random ordinary one. */
  readonly firstId?: bigint | undefined;
  /** Number of cases of a random check of weight 1. */
  readonly cases?: number | undefined;
  /** Whether covering arrays contain every triple of values, not only every pair. */
  readonly thorough?: boolean | undefined;
  /** Maximum number of requests in flight; by default adapted to the latency. */
  readonly concurrency?: number | undefined;
  /** Milliseconds to connect, and again to receive a complete response. */
  readonly timeout?: number | undefined;
  readonly rate?: number | undefined;
  readonly maxSeconds?: number | undefined;
  readonly maxRequests?: number | undefined;
  /** Whether a failure of the given check ends the run; by default none does. */
  readonly bailsOn?: ((check: Check) => boolean) | undefined;
  readonly shard?: Shard | undefined;
  readonly headers?: readonly HeaderPair[] | undefined;
  /** PEM certificates to trust in addition to those of the system. */
  readonly ca?: string | undefined;
  readonly client?: { readonly cert: string; readonly key: string } | undefined;
  readonly insecure?: boolean | undefined;
  readonly strict?: boolean | undefined;
  /** Finds the causes of failures once all checks have ended. Not called without failures. */
  readonly findCauses?: FindCauses | undefined;
  /** Adds what the caller knows about the store to the reason for a stop. */
  readonly describeStop?: ((stop: Stop) => Stop) | undefined;
  /** Restarts the store if it died. Without it, the run ends when the store dies. */
  readonly restart?: Restart | undefined;
  /** Called with every exchange as it happens, and with the id of the check that sent it. */
  readonly onExchange?: ((exchange: Exchange, template: RequestTemplate, during: string) => void) | undefined;
}

export type RunSettings = ReturnType<typeof withDefaults>;

const withDefaults = (loaded: LoadedOptions) => ({
  ...loaded,
  selected: loaded.selected ?? (() => true),
  seed: loaded.seed ?? Math.floor(Math.random() * 2 ** 31),
  cases: loaded.cases ?? DEFAULTS.cases,
  thorough: loaded.thorough ?? false,
  concurrency: loaded.concurrency ?? DEFAULTS.concurrency,
  maxConcurrency: loaded.concurrency ?? DEFAULTS.maxConcurrency,
  timeout: loaded.timeout ?? DEFAULTS.timeout,
  shard: loaded.shard ?? WHOLE,
  headers: loaded.headers ?? [],
  strict: loaded.strict ?? false,
});

export interface Listeners {
  readonly onProgress?: ((requests: number) => void) | undefined;
  /** Called with the first failure of each problem of a MUST or SHOULD check, before it is shrunk. */
  readonly onFailure?: ((check: Check, failure: Failure) => void) | undefined;
}

/** What experiments need of a run whose checks have ended. */
export type ExplainableRun = Omit<OpenRun, 'runAll' | 'shortenTimeout' | 'close'>;

export type FindCauses = (results: readonly CheckResult[], run: ExplainableRun) => Promise<readonly Cause[]>;

export interface RecordedOptions {
  readonly seed: number;
  readonly firstId: string;
  readonly cases: number;
  /** Absent if the run was not thorough. */
  readonly thorough?: true;
  readonly concurrency: number;
  readonly timeout: number;
  readonly rate: number | null;
  readonly maxSeconds: number | null;
  readonly strict: boolean;
  readonly maxRequests: number | null;
  /** `2/3` is the second of three shards; null without shards. */
  readonly shard: string | null;
}

export interface RunHeader {
  readonly document: Contract['document'];
  readonly target: {
    readonly name: string;
    readonly baseUrl: string;
    readonly tokenEnv?: string;
  };
  readonly options: RecordedOptions;
  readonly startedAt: string;
  readonly planned: readonly string[];
}

export interface RunFooter {
  readonly outcome: Outcome;
  readonly summary: Summary;
  readonly server: string | undefined;
  readonly stop: Stop | undefined;
  readonly advice: string | undefined;
  readonly requests: number;
  readonly seconds: number;
  readonly latency: Latency | undefined;
  /** Seconds spent waiting at the store's request. */
  readonly waited: number;
  readonly closedMidRequest: number;
  /** Number of requests that failed at raised concurrency, and were resent at the usual one. */
  readonly failedWhenRaised: number;
  /** The plants that the store reported as created, and the exact ids that were sent for them. */
  readonly created: {
    readonly plants: number;
    /** In ascending order: `17` or `20..29`. */
    readonly ids: readonly string[];
    /** Number of plants whose ids are missing because there were too many to list. */
    readonly unlisted?: number;
  };
  /** Valid plants not judged because the store rejected their id or name as already in use. */
  readonly collisions: number;
}

export type RunEvent =
  | { readonly type: 'start'; readonly header: RunHeader }
  | { readonly type: 'check'; readonly id: string; readonly index: number }
  | { readonly type: 'progress'; readonly requests: number }
  | { readonly type: 'failure'; readonly id: string; readonly level: Level; readonly failure: Failure }
  | { readonly type: 'result'; readonly result: CheckResult }
  | { readonly type: 'causes'; readonly causes: readonly Cause[] }
  | { readonly type: 'end'; readonly footer: RunFooter };

/** A run that has reached the store. `runEvents` and the comparison call its methods in this order. */
export interface OpenRun {
  readonly header: RunHeader;
  readonly stop: Stop | undefined;
  readonly requests: number;
  /** The exchange in which the store accepted an ordinary plant at the start of the run. */
  readonly accepted: Exchange | undefined;
  /** Counts of the responses by status, including that to the last accepted plant. */
  readonly countsUntilLastAccepted: StatusCounts;
  readonly restarts: number;
  /** The requests that may have killed the store, the likeliest first; empty unless it died. */
  readonly inFlight: readonly RequestInFlight[];
  /** Runs the whole catalogue, in the order of `plannedBatches`. */
  runAll(begin?: (check: Check) => void): AsyncGenerator<CheckResult>;
  /**
   * Sends requests that belong to no check. Returns the exchanges in the order of the templates; undefined if
   * the run has ended.
   */
  sendOutsideChecks(
    templates: readonly RequestTemplate[],
    maxInFlight?: number,
  ): Promise<readonly Exchange[] | undefined>;
  shortenTimeout(atLeastMs: number): void;
  close(): Promise<RunFooter>;
}

/**
 * Begins a run: reaches the store, and finds out whether it can be judged.
 * @param signal ends the run when it is aborted
 */
export async function openRun(
  loaded: LoadedOptions,
  listeners: Listeners = {},
  signal?: AbortSignal,
): Promise<OpenRun> {
  requireOrdinary(loaded.contract);
  const started = performance.now();
  const startedAt = new Date().toISOString();
  const settings = withDefaults(loaded);
  const { catalogue, concurrency, maxSeconds } = settings;
  const parts = assembleRun(settings, listeners);
  const { state, sender, monitor } = parts;
  const outside = requestContext(OUTSIDE_CHECKS, parts.idsOf(OUTSIDE_CHECKS));
  const stopTimer = haltAfter(maxSeconds, state);
  const ignoreSignal = haltOnAbort(signal, state);
  const disconnect = async (known: string | undefined) => {
    ignoreSignal();
    const advice = known ?? (await closingAdvice(parts, outside));
    stopTimer();
    await parts.client.close();
    return advice;
  };
  const ready = await readinessOf(settings, parts).catch(async (error: unknown) => {
    await disconnect(undefined);
    throw error;
  });
  const results: CheckResult[] = [];
  return {
    header: headerOf(settings, parts.firstId, startedAt),
    accepted: ready.accepted,
    get countsUntilLastAccepted() {
      return monitor.statusCounts.untilLastAccepted;
    },
    get stop() {
      return state.stop;
    },
    get inFlight() {
      return state.stop?.kind === 'gone' ? monitor.last.inFlightAtLastAnswer : [];
    },
    get requests() {
      return sender.transport.requests;
    },
    get restarts() {
      return parts.recovery.restarts;
    },
    async *runAll(begin = () => {}) {
      const ended = new Set<string>();
      const isDistant = () => parts.client.concurrencyLimit > concurrency;
      for (const items of plannedBatches(catalogue, ({ id }) => ended.has(id), isDistant)) {
        const found = await parts.executor.runBatch(items, begin);
        results.push(...found);
        for (const result of found) {
          ended.add(result.check.id);
          yield result;
        }
      }
    },
    sendOutsideChecks(templates, maxInFlight = concurrency) {
      const id = outside.ids.reserve(templates.length);
      return state.unlessStopped(() => {
        // A request that kills the store would also break those in flight with it.
        const inFlight = parts.recovery.restarts > 0 ? 1 : maxInFlight;
        return mapInPool(templates, inFlight, (template, index) => sender.send(template, id(index), outside));
      });
    },
    shortenTimeout: (atLeastMs) => sender.transport.shortenTimeout(atLeastMs),
    async close() {
      if (parts.recovery.restarts > 0) state.end(diedTimes(parts.recovery.restarts));
      const advice = await disconnect(ready.advice);
      return footerOf(settings, parts, results, { advice, seconds: (performance.now() - started) / 1000 });
    },
  };
}

/** @returns a function that stops the timer */
function haltAfter(maxSeconds: number | undefined, state: RunState): () => void {
  if (maxSeconds === undefined) return () => {};
  const timer = setTimeout(() => state.halt(timeIsUp(maxSeconds)), maxSeconds * 1000).unref();
  return () => clearTimeout(timer);
}

/** @returns a function after which the signal has no effect */
function haltOnAbort(signal: AbortSignal | undefined, state: RunState): () => void {
  const interrupt = () => state.halt(INTERRUPTED);
  if (signal?.aborted === true) interrupt();
  signal?.addEventListener('abort', interrupt, { once: true });
  return () => signal?.removeEventListener('abort', interrupt);
}

/** Advice on how the store limits requests; may first send some ordinary plants to find out. */
const closingAdvice = ({ state, sender, monitor, probe }: RunParts, outside: RequestContext) =>
  monitor.limiter.advice(async () =>
    state.stop === undefined ? state.unlessStopped(() => sender.sendProbe(probe, outside)) : undefined,
  );

function footerOf(
  { catalogue, strict }: RunSettings,
  { state, client, sender, monitor, collisions }: RunParts,
  results: readonly CheckResult[],
  measured: Pick<RunFooter, 'advice' | 'seconds'>,
): RunFooter {
  const judged = results.map(({ check, verdict }) => ({ level: check.level, verdict }));
  const summary = summaryOf(judged);
  const isPartial = cutShort(state.stop, judged) || results.length < catalogue.length;
  const isFiltered = results.some(({ blocked }) => blocked?.by === 'user');
  const { plants, ids } = monitor.created;
  return {
    outcome: runOutcome(summary, strict, isPartial, isFiltered),
    summary,
    server: monitor.server,
    stop: state.stop,
    ...measured,
    requests: sender.transport.requests,
    latency: sender.transport.latency.summary,
    waited: sender.pace.waitedMs / 1000,
    closedMidRequest: client.closedMidRequest,
    failedWhenRaised: sender.transport.failedWhenRaised,
    created: { plants, ids: ids.text, ...(ids.dropped === 0 ? {} : { unlisted: ids.dropped }) },
    collisions: collisions.count,
  };
}

/** Determines whether the store can be judged at all; ends the run if not. */
async function readinessOf(
  { contract, seed, shard }: RunSettings,
  { state, client, sender, monitor, recovery, idsOf }: RunParts,
): Promise<Readiness> {
  const plants = plantsFor(contract, seed, PREFLIGHT);
  const templates = (['all', 'required', 'all'] as const).map(
    (properties): RequestTemplate => ({ body: { json: plants.plain(properties) }, ordinary: true }),
  );
  const context = requestContext(PREFLIGHT, idsOf(PREFLIGHT));
  recovery.enter(context);
  const readiness = await state.unlessStopped(async () => {
    const ready = await preflight(client, sender, context, templates, contract.basePaths);
    if (ready.stop !== undefined) {
      state.halt(ready.stop);
      return ready;
    }
    monitor.releasePreflight();
    if (context.broken > 0) await recovery.wait(context, sender);
    // Every shard begins with the same request; only the first shard counts it.
    if (shard.index > 0) sender.transport.resetCounts();
    return ready;
  });
  recovery.leave(context);
  return readiness ?? {};
}

const INTERRUPTED: Stop = {
  kind: 'cut-off',
  reason: 'the run was interrupted',
  remedy: 'run it again to the end',
};

const timeIsUp = (maxSeconds: number): Stop => ({
  kind: 'limit',
  reason: `the run ended after ${maxSeconds} s (--max-seconds)`,
  remedy: 'allow more with --max-seconds',
});

/** Minimum timeout for experiments: those on an unanswered request take a full timeout several times. */
const MIN_EXPERIMENT_TIMEOUT_MS = 400;

/**
 * Finds the causes of failures by experiments, once all checks have ended. Undefined if there is nothing to
 * explain.
 */
export async function causesOf(
  results: readonly CheckResult[],
  run: OpenRun,
  { findCauses }: Pick<LoadedOptions, 'findCauses'>,
): Promise<readonly Cause[] | undefined> {
  if (findCauses === undefined || results.every(({ verdict }) => verdict !== 'fail')) return undefined;
  run.shortenTimeout(MIN_EXPERIMENT_TIMEOUT_MS);
  return findCauses(results, run);
}

/** Carries out a run and yields its events. The last one is always `end`, whatever the store does. */
export async function* runEvents(loaded: LoadedOptions, signal?: AbortSignal): AsyncGenerator<RunEvent> {
  const log = new EventLog<RunEvent>();
  driveRun(loaded, log, signal).then(
    () => log.end(),
    (error: unknown) => log.end({ error }),
  );
  yield* log.drain();
}

const PROGRESS_INTERVAL_MS = 100;

async function driveRun(loaded: LoadedOptions, log: EventLog<RunEvent>, signal?: AbortSignal): Promise<void> {
  let reportedAt = 0;
  const onProgress = (requests: number) => {
    if (performance.now() - reportedAt < PROGRESS_INTERVAL_MS) return;
    reportedAt = performance.now();
    log.append({ type: 'progress', requests });
  };
  const onFailure = ({ id, level }: Check, failure: Failure) =>
    log.append({ type: 'failure', id, level, failure });
  const run = await openRun(loaded, { onProgress, onFailure }, signal);
  try {
    log.append({ type: 'start', header: run.header });
    let index = 0;
    const results: CheckResult[] = [];
    for await (const result of run.runAll(({ id }) => log.append({ type: 'check', id, index }))) {
      log.append({ type: 'result', result });
      results.push(result);
      index += 1;
    }
    const causes = await causesOf(results, run, loaded);
    if (causes !== undefined) log.append({ type: 'causes', causes });
  } finally {
    log.append({ type: 'end', footer: await run.close() });
  }
}

const headerOf = (settings: RunSettings, firstId: bigint, startedAt: string): RunHeader => {
  const { contract, catalogue, baseUrl, name = baseUrl, tokenEnv = TOKEN_VARIABLE } = settings;
  const { seed, cases, thorough, concurrency, timeout, strict, shard } = settings;
  return {
    document: contract.document,
    target: { name, baseUrl, ...(tokenEnv === TOKEN_VARIABLE ? {} : { tokenEnv }) },
    options: {
      seed,
      firstId: String(firstId),
      cases,
      ...(thorough ? { thorough } : {}),
      concurrency,
      timeout,
      rate: settings.rate ?? null,
      maxSeconds: settings.maxSeconds ?? null,
      maxRequests: settings.maxRequests ?? null,
      strict,
      shard: settings.shard === WHOLE ? null : `${shard.index + 1}/${shard.of}`,
    },
    startedAt,
    planned: catalogue.map(({ id }) => id),
  };
};
