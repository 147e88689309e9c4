import { expect } from 'vitest';
import { type RecordedCause, type RunOptions, run } from '../../index.ts';
import { brokenStores } from '../../mutants/broken/index.ts';
import { printed } from './bash.ts';
import { TOKEN, withStore } from './stores.ts';

/** Random cases: few are enough for most faults. */
export const CASES = 1;
const MORE_CASES = new Map([
  ['auth-guards-short', 12],
  ['body-tag-reference', 12],
  ['crash-undeclared-operator', 120],
  ['left-octal-length', 12],
  ['auth-guards-valid', 120],
  ['rejects-even-id', 12],
  ['two-defects-cancel', 120],
]);

/** Where a fault shows that no check is made for. The others would find no more of it. */
const SEEN_IN = new Map([
  ['again-17th-id', 'ordinary/*'],
  ['again-never', 'ordinary/*'],
  ['auth-provider-502', 'auth/*'],
  ['crash-id-by-pattern', 'ordinary/*'],
  ['crash-surrogate', 'observe/*'],
  ['crash-utf8-in-tag', 'invalid/*'],
  ['error-empty-again', 'invalid/*'],
  ['http-chunked-500', 'ordinary/*'],
  ['http-get-500', 'observe/*'],
  ['http-query-500', 'auth/*'],
  ['left-malformed-text', 'state/*'],
  ['state-rising-ids', 'ordinary/*'],
  ['state-breaker', 'invalid/*'],
  ['connection-16th-503', 'ordinary/*'],
  ['state-name-leaks', 'invalid/*'],
  ['state-10th-tagged-202', 'ordinary/*'],
  ['state-25th-500', 'ordinary/*'],
  ['state-full', 'ordinary/*'],
]);

/** The checks that find a fault, as the others find no more of it: all, if it takes a whole run to see it. */
function checksFor(name: string): readonly string[] {
  const fails = brokenStores.find((store) => store.name === name)?.fails ?? [];
  const seenIn = SEEN_IN.get(name);
  if (seenIn !== undefined) return [...fails, seenIn, 'invariants/*'];
  const isSeenInPart = !name.startsWith('state-') && fails.some((id) => !id.startsWith('invariants/'));
  return isSeenInPart ? [...fails, 'invariants/*'] : [];
}

/** Given explicitly, the concurrency does not grow on a busy machine, which looks distant. */
export const recordOf = (baseUrl: string, options: Pick<RunOptions, 'explain' | 'cases' | 'only'> = {}) =>
  run({ baseUrl, token: TOKEN, seed: 1, cases: CASES, timeout: 3000, concurrency: 24, ...options }).record;

const found = new Map<string, Promise<readonly RecordedCause[]>>();

/** The causes that a run against a store of the fleet finds. */
export function causesOf(name: string): Promise<readonly RecordedCause[]> {
  const causes =
    found.get(name) ??
    withStore(
      name,
      async ({ url }) =>
        (await recordOf(url, { cases: MORE_CASES.get(name) ?? CASES, only: checksFor(name) })).causes,
    );
  found.set(name, causes);
  return causes;
}

/** Requires that the store has one cause, whose title names fault and condition. */
export async function requireOneCause(name: string, title: RegExp): Promise<void> {
  const causes = await causesOf(name);
  expect(causes.map((cause) => cause.title)).toEqual([expect.stringMatching(title)]);
  const [cause] = causes;
  const [failed = 0, tried = 0] = cause?.confirmed.inside ?? [];
  expect(failed).toBeGreaterThan(0);
  expect(failed).toBeLessThanOrEqual(tried);
  expect(cause?.advice).toMatch(/\w/);
}

/** Requires that the steps of the first cause show the fault of a freshly started store, so many times in a row. */
export async function requireStepsShow(name: string, times: number): Promise<void> {
  const [cause] = await causesOf(name);
  expect(cause).toBeDefined();
  await withStore(name, async ({ url }) => {
    const { port } = new URL(cause?.counterexample?.request.url ?? url);
    const recorded = new RegExp(`(?<=127\\.0\\.0\\.1[:/])${port}`, 'g');
    const steps = (cause?.steps ?? []).map((channel) => channel.replaceAll(recorded, new URL(url).port));
    for (let turn = 0; turn < times; turn += 1) expect(await printed(steps)).toContain(String(cause?.answer));
  });
}
