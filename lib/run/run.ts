import type { Contract } from '../contract/contract.ts';
import { requireOrdinary } from '../payloads/satisfiable.ts';
import type { RequestTemplate } from '../payloads/test-case.ts';
import { TOKEN_VARIABLE } from '../token-variable.ts';
import type { Exchange } from '../wire/exchange.ts';
import type { Check, Level } from './check.ts';
import type { Suspect } from './execute/last-requests.ts';
import { DEFAULTS, plannedBatches, type WorkItem } from './plan/plan.ts';
import type { Cause } from './result/cause.ts';
import type { CheckResult, Failure, Stop } from './result/result.ts';
import { cutShort, type Outcome, outcomeOf, type Summary, summaryOf } from './result/verdict.ts';
import type { Latency } from './send/latency.ts';
import { type Listeners, Session, type SessionOptions } from './session.ts';

export interface RunOptions
  extends Omit<SessionOptions, 'seed' | 'cases' | 'concurrency' | 'maxConcurrency' | 'timeout' | 'headers'> {
  readonly contract: Contract;
  readonly catalogue: readonly Check[];
  /** Name of the target in reports; by default its URL. */
  readonly name?: string | undefined;
  /** The environment variable that contains the token. */
  readonly tokenEnv?: string | undefined;
  readonly seed?: number | undefined;
  readonly cases?: number | undefined;
  readonly concurrency?: number | undefined;
  readonly timeout?: number | undefined;
  readonly headers?: SessionOptions['headers'] | undefined;
  /** Whether a failed SHOULD makes the store nonconformant. */
  readonly strict?: boolean | undefined;
  /** Finds the causes of the failures once all checks have ended. Called only if there are any. */
  readonly explain?: FindCauses | undefined;
  /** Selects the checks to run; the others are skipped. */
  readonly selected?: ((id: string) => boolean) | undefined;
}

/** Finds causes by experiments, for which it sends requests that belong to no check. */
export type FindCauses = (
  results: readonly CheckResult[],
  run: Pick<RunHandle, 'sendOutsideChecks' | 'header' | 'requests' | 'served' | 'stop' | 'suspects'>,
) => Promise<readonly Cause[]>;

/** The options of a run with all defaults filled in. */
export interface Settled {
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
    /** The environment variable that contains the token, if it is not the usual one. */
    readonly tokenEnv?: string;
  };
  readonly options: Settled;
  readonly startedAt: string;
  /** The ids of the catalogue, in its order. */
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
  /** Seconds spent waiting because the store asked for it. */
  readonly waited: number;
  /** Connections that closed while a request was under way, which was then sent again. */
  readonly closedUnderRequests: number;
  /** The plants that the store reported as created, and the exact ids that were sent for them. */
  readonly created: {
    readonly plants: number;
    /** `17` or `20..29`, in ascending order. */
    readonly ids: readonly string[];
    /** Plants whose ids are missing because there were too many to list. */
    readonly unlisted?: number;
  };
  /** Valid plants that were not judged because the store rejected their id or name as already in use. */
  readonly collisions: number;
}

export type RunEvent =
  | { readonly type: 'start'; readonly header: RunHeader }
  | { readonly type: 'check'; readonly id: string; readonly index: number }
  | { readonly type: 'progress'; readonly requests: number }
  /** The first failure of a check with a new cause. */
  | { readonly type: 'failure'; readonly id: string; readonly level: Level; readonly failure: Failure }
  | { readonly type: 'result'; readonly result: CheckResult }
  /** What explains the failed checks, right before the end. */
  | { readonly type: 'causes'; readonly causes: readonly Cause[] }
  | { readonly type: 'end'; readonly footer: RunFooter };

/** A run for a host that executes the checks one by one, such as a test runner. */
export interface RunHandle {
  readonly header: RunHeader;
  /** Why the run ended early, if it did. */
  readonly stop: Stop | undefined;
  /** Requests sent so far. */
  readonly requests: number;
  /** Whether the store accepted an ordinary plant when the run began. */
  readonly served: boolean;
  /** The requests of which the store may have died, the likeliest first; none unless it did. */
  readonly suspects: readonly Suspect[];
  runCheck(check: Check): Promise<CheckResult>;
  /**
   * Runs the whole catalogue in planned order: cheap checks first, extra random cases in alternating batches.
   */
  runAll(begin?: (check: Check) => void): AsyncGenerator<CheckResult>;
  /**
   * Sends requests that belong to no check. Exchanges in the order of the templates; undefined if the run has
   * ended.
   */
  sendOutsideChecks(templates: readonly RequestTemplate[]): Promise<readonly Exchange[] | undefined>;
  /** Waits less long for answers from now on, as the usual time of an answer is known. */
  shortenTimeout(): void;
  /** Ends the run early. Checks that have not ended become untestable. */
  halt(stop: Stop): void;
  close(): Promise<RunFooter>;
}

/**
 * Connects to the target and finds out whether the run can begin.
 * @param signal ends the run when it is aborted
 */
export async function openRun(
  options: RunOptions,
  listeners?: Listeners,
  signal?: AbortSignal,
): Promise<RunHandle> {
  const { contract, catalogue, strict = false, selected = () => true } = options;
  requireOrdinary(contract);
  const started = performance.now();
  const startedAt = new Date().toISOString();
  const settings = {
    ...options,
    seed: options.seed ?? Math.floor(Math.random() * 2 ** 31),
    cases: options.cases ?? DEFAULTS.cases,
    concurrency: options.concurrency ?? DEFAULTS.concurrency,
    maxConcurrency: options.concurrency ?? DEFAULTS.maxConcurrency,
    timeout: options.timeout ?? DEFAULTS.timeout,
    headers: options.headers ?? [],
  };
  const session = new Session(contract, catalogue, selected, settings, listeners);
  const { seed, cases, concurrency, timeout, rate = null, maxSeconds = null, maxRequests = null } = settings;
  const { shard } = settings;
  const interrupt = () =>
    session.halt({ kind: 'cut-off', reason: 'the run was interrupted', remedy: 'run it again to the end' });
  if (signal?.aborted === true) interrupt();
  signal?.addEventListener('abort', interrupt, { once: true });
  await session.open().catch(async (error: unknown) => {
    signal?.removeEventListener('abort', interrupt);
    await session.close();
    throw error;
  });
  const results: CheckResult[] = [];
  const runBatch = async (items: readonly WorkItem[], begin?: (check: Check) => void) => {
    const found = await session.runBatch(items, begin);
    results.push(...found);
    return found;
  };
  return {
    header: {
      document: contract.document,
      target: targetOf(options),
      options: {
        seed,
        firstId: String(session.firstId),
        cases,
        ...(settings.thorough === true ? { thorough: true } : {}),
        concurrency,
        timeout,
        rate,
        maxSeconds,
        maxRequests,
        strict,
        shard: shard === undefined ? null : `${shard.index + 1}/${shard.of}`,
      },
      startedAt,
      planned: catalogue.map(({ id }) => id),
    },
    get stop() {
      return session.stop;
    },
    get suspects() {
      return session.suspects;
    },
    get requests() {
      return session.requests;
    },
    async runCheck(check) {
      for (;;) {
        const [result] = await runBatch([{ check, limit: Number.POSITIVE_INFINITY }]);
        if (result !== undefined) return result;
      }
    },
    async *runAll(begin) {
      const ended = new Set<string>();
      for (const items of plannedBatches(catalogue, ({ id }) => ended.has(id)))
        for (const result of await runBatch(items, begin)) {
          ended.add(result.check.id);
          yield result;
        }
    },
    served: session.served,
    sendOutsideChecks: (templates) => session.sendOutsideChecks(templates),
    shortenTimeout: () => session.shortenTimeout(),
    halt: (stop) => session.halt(stop),
    async close() {
      signal?.removeEventListener('abort', interrupt);
      await session.close();
      const judged = results.map(({ check, verdict }) => ({ level: check.level, verdict }));
      const summary = summaryOf(judged);
      const { created } = session;
      return {
        outcome: outcomeOf(
          summary,
          strict,
          cutShort(session.stop, judged) || results.length < catalogue.length,
          results.some(({ blocked }) => blocked?.by === 'user'),
        ),
        summary,
        server: session.server,
        stop: session.stop,
        advice: session.advice,
        requests: session.requests,
        seconds: (performance.now() - started) / 1000,
        latency: session.latency,
        waited: session.waited,
        closedUnderRequests: session.closedUnderRequests,
        created: {
          plants: created.plants,
          ids: created.ids.text,
          ...(created.ids.dropped === 0 ? {} : { unlisted: created.ids.dropped }),
        },
        collisions: session.collided,
      };
    },
  };
}

/**
 * The causes of the failed checks of a run, found by experiments once all checks have ended. Undefined if no check
 * failed, or if the options say not to explain failures.
 */
export async function findCauses(
  results: readonly CheckResult[],
  run: RunHandle,
  { explain }: Pick<RunOptions, 'explain'>,
): Promise<readonly Cause[] | undefined> {
  if (explain === undefined || results.every(({ verdict }) => verdict !== 'fail')) return undefined;
  run.shortenTimeout();
  return explain(results, run);
}

/** Runs every check and yields events as they happen. The last event is `end`, whatever the store does. */
export async function* runEvents(options: RunOptions, signal?: AbortSignal): AsyncGenerator<RunEvent> {
  const queue = new Queue<RunEvent>();
  const working = work(options, queue, signal).then(
    () => queue.end(),
    (error: unknown) => queue.fail(error),
  );
  yield* queue.drain();
  await working;
}

/** Least time between two `progress` events. */
const PROGRESS_INTERVAL_MS = 100;

async function work(options: RunOptions, queue: Queue<RunEvent>, signal?: AbortSignal): Promise<void> {
  let reportedAt = 0;
  const onProgress = (requests: number) => {
    if (performance.now() - reportedAt < PROGRESS_INTERVAL_MS) return;
    reportedAt = performance.now();
    queue.push({ type: 'progress', requests });
  };
  const onFailure = ({ id, level }: Check, failure: Failure) =>
    queue.push({ type: 'failure', id, level, failure });
  const run = await openRun(options, { onProgress, onFailure }, signal);
  try {
    queue.push({ type: 'start', header: run.header });
    let index = 0;
    const results: CheckResult[] = [];
    for await (const result of run.runAll(({ id }) => queue.push({ type: 'check', id, index }))) {
      queue.push({ type: 'result', result });
      results.push(result);
      index += 1;
    }
    const causes = await findCauses(results, run, options);
    if (causes !== undefined) queue.push({ type: 'causes', causes });
  } finally {
    queue.push({ type: 'end', footer: await run.close() });
  }
}

/** An unbounded queue between a synchronous producer and an asynchronous consumer. */
class Queue<T> {
  private readonly values: T[] = [];
  private done: { error?: unknown } | undefined;
  private wake: () => void = () => {};

  push(value: T): void {
    this.values.push(value);
    this.wake();
  }

  end(): void {
    this.done = {};
    this.wake();
  }

  fail(error: unknown): void {
    this.done = { error };
    this.wake();
  }

  async *drain(): AsyncGenerator<T> {
    for (;;) {
      yield* this.values.splice(0);
      if (this.values.length > 0) continue;
      if (this.done !== undefined) {
        if ('error' in this.done) throw this.done.error;
        return;
      }
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }
}

const targetOf = ({
  baseUrl,
  name = baseUrl,
  tokenEnv = TOKEN_VARIABLE,
}: Pick<RunOptions, 'baseUrl' | 'name' | 'tokenEnv'>): RunHeader['target'] => ({
  name,
  baseUrl,
  ...(tokenEnv === TOKEN_VARIABLE ? {} : { tokenEnv }),
});
