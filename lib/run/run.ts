import type { Contract } from '../contract/contract.ts';
import type { Draft } from '../payloads/case.ts';
import { requireOrdinary } from '../payloads/satisfiable.ts';
import type { Exchange } from '../wire/exchange.ts';
import type { Check, Level } from './check.ts';
import type { Latency } from './latency.ts';
import { DEFAULTS, plannedTurns, type Turn } from './plan.ts';
import type { CheckResult, Failure, Stop } from './result.ts';
import { type Listeners, Session, type SessionOptions } from './session.ts';
import { cutShort, type Outcome, outcomeOf, type Summary, summaryOf } from './verdict.ts';

export interface RunOptions
  extends Omit<SessionOptions, 'seed' | 'cases' | 'concurrency' | 'timeout' | 'headers'> {
  readonly contract: Contract;
  readonly catalogue: readonly Check[];
  /** The name of the target in reports; by default its URL. */
  readonly name?: string | undefined;
  readonly seed?: number | undefined;
  readonly cases?: number | undefined;
  readonly concurrency?: number | undefined;
  readonly timeout?: number | undefined;
  readonly headers?: SessionOptions['headers'] | undefined;
  /** Whether a failed SHOULD makes the run nonconformant. */
  readonly strict?: boolean | undefined;
  /** Which checks to carry out; the others are skipped. */
  readonly selected?: ((id: string) => boolean) | undefined;
}

/** The options of a run with everything that was left out. */
export interface Settled {
  readonly seed: number;
  readonly firstId: string;
  readonly cases: number;
  /** Where it was. */
  readonly thorough?: true;
  readonly concurrency: number;
  readonly timeout: number;
  readonly rate: number | null;
  readonly maxSeconds: number | null;
  readonly strict: boolean;
  readonly maxRequests: number | null;
  /** `2/3`: the second of three parts; null for all of the run. */
  readonly shard: string | null;
}

export interface RunHeader {
  readonly document: Contract['document'];
  readonly target: { readonly name: string; readonly baseUrl: string };
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
  /** Seconds that were waited because the store asked for it. */
  readonly waited: number;
  /** Connections that were closed while a request was on its way, which was then sent once more. */
  readonly closedUnderRequests: number;
  /** How many plants the store said it created, and exactly the ids that were sent for them. */
  readonly created: {
    readonly plants: number;
    /** `17` or `20..29`, in ascending order. */
    readonly ids: readonly string[];
    /** Plants whose ids are not among them, as there were too many to list. */
    readonly unlisted?: number;
  };
  /** Valid plants that were rejected for an id or a name in use, and not judged for that. */
  readonly collisions: number;
}

export type RunEvent =
  | { readonly type: 'start'; readonly header: RunHeader }
  | { readonly type: 'check'; readonly id: string; readonly index: number }
  | { readonly type: 'progress'; readonly requests: number }
  /** A failure of a cause that the check has not failed for yet. */
  | { readonly type: 'failure'; readonly id: string; readonly level: Level; readonly failure: Failure }
  | { readonly type: 'result'; readonly result: CheckResult }
  | { readonly type: 'end'; readonly footer: RunFooter };

/** A run with its seams open, for a host that carries the checks out one by one: a test runner. */
export interface OpenRun {
  readonly header: RunHeader;
  /** What ended it early, if anything has. */
  readonly stop: Stop | undefined;
  carryOut(check: Check): Promise<CheckResult>;
  /** All of the catalogue, what is cheap first; checks that draw at random take turns. */
  carryOutAll(begin?: (check: Check) => void): AsyncGenerator<CheckResult>;
  /** Sends what belongs to no check. The answers in the order of the drafts; undefined where the run has ended. */
  ask(drafts: readonly Draft[]): Promise<readonly Exchange[] | undefined>;
  /** Ends the run early. What is left becomes untestable. */
  halt(stop: Stop): void;
  close(): Promise<RunFooter>;
}

/** Connects to the target and finds out whether it can be judged. A signal ends the run at any time from here on. */
export async function openRun(
  options: RunOptions,
  listeners?: Listeners,
  signal?: AbortSignal,
): Promise<OpenRun> {
  const { contract, catalogue, strict = false, selected = () => true } = options;
  requireOrdinary(contract);
  const started = performance.now();
  const startedAt = new Date().toISOString();
  const settings = {
    ...options,
    seed: options.seed ?? Math.floor(Math.random() * 2 ** 31),
    cases: options.cases ?? DEFAULTS.cases,
    concurrency: options.concurrency ?? DEFAULTS.concurrency,
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
  const takeTurns = async (turns: readonly Turn[], begin?: (check: Check) => void) => {
    const found = await session.takeTurns(turns, begin);
    results.push(...found);
    return found;
  };
  return {
    header: {
      document: contract.document,
      target: { name: options.name ?? options.baseUrl, baseUrl: options.baseUrl },
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
    async carryOut(check) {
      for (;;) {
        const [result] = await takeTurns([{ check, most: Number.POSITIVE_INFINITY }]);
        if (result !== undefined) return result;
      }
    },
    async *carryOutAll(begin) {
      const ended = new Set<string>();
      for (const turns of plannedTurns(catalogue, ({ id }) => ended.has(id)))
        for (const result of await takeTurns(turns, begin)) {
          ended.add(result.check.id);
          yield result;
        }
    },
    ask: (drafts) => session.ask(drafts),
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

/** Runs every check and tells of it as it happens. Ends with an `end` event, whatever the store does. */
export async function* events(options: RunOptions, signal?: AbortSignal): AsyncGenerator<RunEvent> {
  const queue = new Queue<RunEvent>();
  const working = work(options, queue, signal).then(
    () => queue.end(),
    (error: unknown) => queue.fail(error),
  );
  yield* queue.drain();
  await working;
}

/** Milliseconds from one `progress` event to the next, at least. */
const BETWEEN_PROGRESS = 100;

async function work(options: RunOptions, queue: Queue<RunEvent>, signal?: AbortSignal): Promise<void> {
  let told = 0;
  const onProgress = (requests: number) => {
    if (performance.now() - told < BETWEEN_PROGRESS) return;
    told = performance.now();
    queue.push({ type: 'progress', requests });
  };
  const onFailure = ({ id, level }: Check, failure: Failure) =>
    queue.push({ type: 'failure', id, level, failure });
  const run = await openRun(options, { onProgress, onFailure }, signal);
  try {
    queue.push({ type: 'start', header: run.header });
    let index = 0;
    for await (const result of run.carryOutAll(({ id }) => queue.push({ type: 'check', id, index }))) {
      queue.push({ type: 'result', result });
      index += 1;
    }
  } finally {
    queue.push({ type: 'end', footer: await run.close() });
  }
}

/** Hands values from a producer that cannot wait to a consumer that can. */
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
