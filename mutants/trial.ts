import { catalogue, planOf } from '../index.ts';
import { events } from '../lib/run/run.ts';
import type { BrokenStore, RightStore } from './fleet.ts';

/** What became of one store. */
export interface Trial {
  readonly name: string;
  readonly kind: 'broken' | 'right';
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
  /** Only the checks that must fail, and what holds for every answer. */
  readonly quick: boolean;
}

const isShould = (id: string) => catalogue.find((check) => check.id === id)?.level === 'SHOULD';

/** A store that hangs is waited for this long, in milliseconds. */
const TIMEOUT = 3000;

/** Of a broken store what must fail, of a right one everything with fewer random cases. */
const shortened = (kind: Trial['kind'], expected: readonly string[]) =>
  kind === 'broken' ? { only: [...expected, 'always/*'] } : { cases: 30 };

/** Runs the suite against one store of the fleet. */
export async function trial(store: BrokenStore | RightStore, { seed, quick }: TrialOptions): Promise<Trial> {
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
      timeout: TIMEOUT,
      ...(quick ? shortened(kind, expected) : {}),
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
        if (event.footer.stop !== undefined) accused.push(event.footer.stop.reason);
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
    accused: kind === 'right' || expected.every(isShould) ? accused : [],
    seconds,
  };
}
