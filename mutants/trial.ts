import { catalogue, loadOptions, type RunOptions } from '../index.ts';
import { runEvents } from '../lib/run/run.ts';
import type { ConditionalStore } from './conditional/conditional.ts';
import type { BrokenStore, RightStore } from './fleet.ts';

type AnyStore = BrokenStore | RightStore | ConditionalStore;

/** The result of the suite for one store. */
export interface Trial {
  readonly name: string;
  readonly kind: 'broken' | 'conditional' | 'right';
  /** The number of conditions that a conditional store needs at the same time. */
  readonly strength?: number;
  /** Ids of the failed checks. */
  readonly failed: readonly string[];
  /** Ids of the checks that should have failed but did not. */
  readonly missed: readonly string[];
  /** MUST checks that failed or were untestable on a store that breaks no MUST. */
  readonly accused: readonly string[];
  readonly seconds: number;
}

export interface TrialOptions {
  readonly seed: number;
  /** Whether to run only the checks that are needed. */
  readonly quick: boolean;
  /** Whether to cover triples, for stores that need three conditions. */
  readonly thorough: boolean;
  /** The place of the store in the fleet, which decides what a quick trial of a right store sends. */
  readonly place: number;
}

const isShould = (id: string) => catalogue.find((check) => check.id === id)?.level === 'SHOULD';

/** Request timeouts in milliseconds. Broken stores may hang; right ones may be slow. */
const TIMEOUTS = { broken: 3000, right: 10_000 } as const;

/**
 * Runs the suite against one store of the fleet. A quick trial of a broken store runs the checks that must
 * fail; if they pass, it runs all, since some failures depend on the requests of other checks. A quick trial
 * of a right store runs one shard of the catalogue; the next store gets the next shard.
 */
export async function trial(store: AnyStore, { seed, quick, thorough, place }: TrialOptions): Promise<Trial> {
  if ('strength' in store) {
    const only = ['combinations/*', 'state/answers-any-sequence', 'invariants/*'];
    const first = await attempt(store, seed, { only, bail: true, thorough: thorough && store.strength > 2 });
    // If a fault needs several conditions, any of these checks may catch it.
    const last = first.failedMusts.length > 0 ? first : await attempt(store, seed, {});
    const missed = last.failedMusts.length > 0 ? [] : ['any MUST'];
    return { ...trialOf(store, last), strength: store.strength, missed };
  }
  if (!quick) return trialOf(store, await attempt(store, seed, {}));
  if (!('breaks' in store)) {
    const shard = { index: place % QUICK_SHARDS, of: QUICK_SHARDS };
    return trialOf(store, await attempt(store, seed, { cases: QUICK_CASES, shard }));
  }
  const only = [...store.fails.filter((id) => !id.startsWith('stop/')), 'invariants/*'];
  for (const fewer of [{ only }, { cases: 1 }]) {
    const first = trialOf(store, await attempt(store, seed, fewer));
    if (first.missed.length === 0) return first;
  }
  return trialOf(store, await attempt(store, seed, {}));
}

/** Number of random cases; enough to show that a right store is not accused of something obvious. */
const QUICK_CASES = 10;

/** In a quick proof, this many consecutive right stores together get the whole catalogue. */
export const QUICK_SHARDS = 8;

/** The failures of one run. */
interface Attempt {
  readonly failed: readonly string[];
  /** MUST checks that failed or were untestable, each with the reason, and why the run stopped. */
  readonly failedMusts: readonly string[];
  readonly seconds: number;
}

async function attempt(store: AnyStore, seed: number, overrides: Partial<RunOptions>): Promise<Attempt> {
  const running = await store.start(`Token-${seed}-AbCdEf0123456789`);
  const failed: string[] = [];
  const failedMusts: string[] = [];
  let seconds = 0;
  try {
    const loaded = await loadOptions({
      baseUrl: running.url,
      token: running.token,
      overlays: store.overlays,
      seed,
      // A fixed first id makes the trial reproducible.
      firstId: 1_200_000_000n + BigInt(seed) * 100_000n,
      timeout: TIMEOUTS['breaks' in store ? 'broken' : 'right'],
      explain: 0,
      ...overrides,
    });
    for await (const event of runEvents(loaded)) {
      if (event.type === 'result') {
        const { check, verdict, failures, blocked } = event.result;
        if (verdict === 'fail') failed.push(check.id);
        if (check.level === 'MUST' && (verdict === 'fail' || verdict === 'untestable')) {
          failedMusts.push(`${check.id}: ${failures[0]?.finding.actual ?? blocked?.reason ?? verdict}`);
        }
      }
      if (event.type === 'end') {
        seconds = event.footer.seconds;
        const { stop } = event.footer;
        if (stop !== undefined) {
          failed.push(`stop/${stop.kind}`);
          failedMusts.push(stop.reason);
        }
      }
    }
  } finally {
    await running.stop();
  }
  return { failed, failedMusts, seconds };
}

function trialOf(store: AnyStore, { failed, failedMusts, seconds }: Attempt): Trial {
  const kind = 'strength' in store ? 'conditional' : 'breaks' in store ? 'broken' : 'right';
  const expected = 'breaks' in store ? store.fails : [];
  // On a store that breaks only a SHOULD, no MUST may fail.
  const breaksNoMust = kind !== 'conditional' && expected.every(isShould);
  return {
    name: store.name,
    kind,
    failed,
    missed: expected.filter((id) => !failed.includes(id)),
    accused: breaksNoMust ? failedMusts : [],
    seconds,
  };
}
