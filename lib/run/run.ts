import type { Contract } from '../contract/contract.ts';
import type { Draft } from '../payloads/case.ts';
import { requireOrdinary } from '../payloads/satisfiable.ts';
import type { Exchange } from '../wire/exchange.ts';
import type { Check, Level } from './check.ts';
import type { Latency } from './latency.ts';
import type { CheckResult, Stop, Verdict } from './result.ts';
import { Session, type SessionOptions } from './session.ts';

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

export const DEFAULTS = { cases: 120, concurrency: 24, timeout: 15_000 } as const;

/** The options of a run with everything that was left out. */
export interface Settled {
  readonly seed: number;
  readonly firstId: string;
  readonly cases: number;
  readonly concurrency: number;
  readonly timeout: number;
  readonly rate: number | null;
  readonly maxSeconds: number | null;
  readonly strict: boolean;
}

export type Outcome = 'conformant' | 'nonconformant' | 'undetermined';

export type Count = Readonly<Record<Verdict, number>>;
export type Summary = Readonly<Record<Level, Count>>;

export interface RunHeader {
  readonly document: Contract['document'];
  readonly target: { readonly name: string; readonly baseUrl: string };
  readonly options: Settled;
  readonly startedAt: string;
  /** The ids of the checks to come, in order. */
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
  /** How many plants the store said it created, and the span of the ids that were sent for them. */
  readonly created: {
    readonly plants: number;
    readonly lowestId: string;
    readonly highestId: string;
    /** Ids of those that lie anywhere, as a check wanted them; the first ten thousand. */
    readonly others?: readonly string[];
  };
}

export type RunEvent =
  | { readonly type: 'start'; readonly header: RunHeader }
  | { readonly type: 'check'; readonly id: string; readonly index: number }
  | { readonly type: 'progress'; readonly requests: number }
  | { readonly type: 'result'; readonly result: CheckResult }
  | { readonly type: 'end'; readonly footer: RunFooter };

/** A run with its seams open, for a host that carries the checks out one by one: a test runner. */
export interface OpenRun {
  readonly header: RunHeader;
  carryOut(check: Check): Promise<CheckResult>;
  /** Sends what belongs to no check. The answers in the order of the drafts; undefined where the run has ended. */
  ask(drafts: readonly Draft[]): Promise<readonly Exchange[] | undefined>;
  /** Ends the run early. What is left becomes untestable. */
  halt(stop: Stop): void;
  close(): Promise<RunFooter>;
}

/** Connects to the target and finds out whether it can be judged. A signal ends the run at any time from here on. */
export async function openRun(
  options: RunOptions,
  onProgress?: (requests: number) => void,
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
  const session = new Session(
    contract,
    catalogue.filter(({ id }) => selected(id)),
    settings,
    onProgress,
  );
  const { seed, cases, concurrency, timeout, rate = null, maxSeconds = null } = settings;
  const interrupt = () =>
    session.halt({ kind: 'cut-off', reason: 'the run was interrupted', remedy: 'run it again to the end' });
  if (signal?.aborted === true) interrupt();
  signal?.addEventListener('abort', interrupt, { once: true });
  await session.open();
  const results: CheckResult[] = [];
  return {
    header: {
      document: contract.document,
      target: { name: options.name ?? options.baseUrl, baseUrl: options.baseUrl },
      options: {
        seed,
        firstId: String(session.firstId),
        cases,
        concurrency,
        timeout,
        rate,
        maxSeconds,
        strict,
      },
      startedAt,
      planned: catalogue.map(({ id }) => id),
    },
    async carryOut(check) {
      const result = selected(check.id) ? await session.carryOut(check) : session.leaveOut(check);
      results.push(result);
      return result;
    },
    ask: (drafts) => session.ask(drafts),
    halt: (stop) => session.halt(stop),
    async close() {
      signal?.removeEventListener('abort', interrupt);
      await session.close();
      const summary = summarise(results);
      return {
        outcome: outcomeOf(summary, strict, session.stop !== undefined || results.length < catalogue.length),
        summary,
        server: session.server,
        stop: session.stop,
        advice: session.advice,
        requests: session.requests,
        seconds: (performance.now() - started) / 1000,
        latency: session.latency,
        waited: session.waited,
        created: {
          plants: session.created,
          lowestId: String(session.ids.lowest),
          highestId: String(session.ids.highest),
          ...(session.others.length === 0 ? {} : { others: session.others }),
        },
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
  const run = await openRun(options, onProgress, signal);
  try {
    queue.push({ type: 'start', header: run.header });
    for (const [index, check] of options.catalogue.entries()) {
      queue.push({ type: 'check', id: check.id, index });
      queue.push({ type: 'result', result: await run.carryOut(check) });
    }
  } finally {
    queue.push({ type: 'end', footer: await run.close() });
  }
}

function summarise(results: readonly CheckResult[]): Summary {
  const none = (): Record<Verdict, number> => ({ pass: 0, fail: 0, observed: 0, untestable: 0, skipped: 0 });
  const summary = { MUST: none(), SHOULD: none(), OBSERVE: none() };
  for (const { check, verdict } of results) summary[check.level][verdict] += 1;
  return summary;
}

function outcomeOf({ MUST, SHOULD }: Summary, strict: boolean, stopped: boolean): Outcome {
  if (MUST.fail > 0 || (strict && SHOULD.fail > 0)) return 'nonconformant';
  return stopped || MUST.untestable > 0 ? 'undetermined' : 'conformant';
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
