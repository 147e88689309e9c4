import { catalogue, planOf, type RunOptions } from '../index.ts';
import { events } from '../lib/run/run.ts';
import type { ConditionalStore } from './conditional/conditional.ts';
import type { BrokenStore, RightStore } from './fleet.ts';

/** What became of one store. */
export interface Trial {
  readonly name: string;
  readonly kind: 'broken' | 'conditional' | 'right';
  /** Ids of the checks that failed. */
  readonly failed: readonly string[];
  /** What the checks that must fail did not. */
  readonly missed: readonly string[];
  /** What speaks against a store that breaks no MUST: failed or untestable MUST checks. */
  readonly accused: readonly string[];
  readonly seconds: number;
}

export interface TrialOptions {
  readonly seed: number;
  /** As little as shows the same. */
  readonly quick: boolean;
}

const isShould = (id: string) => catalogue.find((check) => check.id === id)?.level === 'SHOULD';

/** How long an answer is waited for, in milliseconds: broken stores may hang, right ones may be slow. */
const TIMEOUTS = { broken: 3000, right: 10_000 } as const;

/**
 * Runs the suite against one store of the fleet. Quickly: on a broken store what must fail there, and the
 * whole catalogue only where that does not do, as some failures need what comes before them.
 */
export async function trial(
  store: BrokenStore | RightStore | ConditionalStore,
  { seed, quick }: TrialOptions,
): Promise<Trial> {
  if ('strength' in store) {
    const only = ['combinations/*', 'serving/any-sequence', 'always/*'];
    const first = await attempt(store, seed, { only, bail: true });
    // Where several conditions have to meet, any of these checks may be the one that sees it.
    const { accused } = first.accused.length > 0 ? first : await attempt(store, seed, {});
    return { ...first, kind: 'conditional', missed: accused.length > 0 ? [] : ['any MUST'], accused: [] };
  }
  if (!quick) return attempt(store, seed, {});
  if (!('breaks' in store)) return attempt(store, seed, { cases: FEW });
  const standing = store.fails.every((id) => /^(?:always|stop)\//.test(id));
  const first = standing ? undefined : await attempt(store, seed, { only: store.fails });
  return first === undefined || first.missed.length > 0 ? attempt(store, seed, {}) : first;
}

/** Random cases that are enough to see that a right store is not accused out of hand. */
const FEW = 10;

async function attempt(
  store: BrokenStore | RightStore,
  seed: number,
  shortened: Partial<RunOptions>,
): Promise<Trial> {
  const kind = 'breaks' in store ? 'broken' : 'right';
  const expected = 'breaks' in store ? store.fails : [];
  const running = await store.start(`Token-${seed}-AbCdEf0123456789`);
  const failed: string[] = [];
  const accused: string[] = [];
  let seconds = 0;
  try {
    const plan = await planOf({
      baseUrl: running.url,
      token: running.token,
      overlays: store.overlays,
      seed,
      // What is seen once is seen again: nothing of a trial is left to chance.
      firstId: 1_200_000_000n + BigInt(seed) * 100_000n,
      timeout: TIMEOUTS[kind],
      ...shortened,
    });
    for await (const event of events(plan)) {
      if (event.type === 'result') {
        const { check, verdict, failures, blocked } = event.result;
        if (verdict === 'fail') failed.push(check.id);
        if (check.level === 'MUST' && (verdict === 'fail' || verdict === 'untestable')) {
          accused.push(`${check.id}: ${failures[0]?.finding.actual ?? blocked?.reason ?? verdict}`);
        }
      }
      if (event.type === 'end') {
        seconds = event.footer.seconds;
        const { stop } = event.footer;
        if (stop !== undefined) {
          failed.push(`stop/${stop.kind}`);
          accused.push(stop.reason);
        }
      }
    }
  } finally {
    await running.stop();
  }
  return {
    name: store.name,
    kind,
    failed,
    missed: expected.filter((id) => !failed.includes(id)),
    // Who breaks a SHOULD alone is not to fail a MUST.
    accused: kind === 'right' || 'strength' in store || expected.every(isShould) ? accused : [],
    seconds,
  };
}
