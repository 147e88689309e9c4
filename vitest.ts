import { afterAll, beforeAll, describe, test } from 'vitest';
import { catalogue, knownDeviations, planOf, type RunOptions, secretsOf } from './index.ts';
import { callback } from './lib/config/option-types.ts';
import { IN_CODE, type Options } from './lib/config/options.ts';
import { optionsGiven, settingsOf } from './lib/config/read-options.ts';
import { entryName, isAbout } from './lib/report/baseline/baseline-entry.ts';
import { blocks } from './lib/report/baseline/ci-result.ts';
import { entriesOf, knownBy, newProblemsText } from './lib/report/baseline/deviations.ts';
import { causeReport } from './lib/report/formats/terminal.ts';
import type { Baseline, RunRecord } from './lib/report/record/record.ts';
import { Recorder } from './lib/report/record/recorder.ts';
import { failureText as details } from './lib/report/wording/format-text.ts';
import type { CheckResult } from './lib/run/result/result.ts';
import { findCauses, openRun, type RunPlan as Plan, type RunHandle } from './lib/run/run.ts';

/** A store that was started for the tests. */
export interface StartedStore {
  readonly baseUrl: string;
  readonly token: string;
  readonly stop?: () => Promise<void> | void;
}

export interface ConformanceOptions extends Omit<RunOptions, 'baseUrl' | 'token'> {
  /** Starts the store, or merely returns where it is. Called once, before the first check. */
  readonly start: () => Promise<StartedStore> | StartedStore;
}

const { baseUrl: _baseUrl, token: _token, ...others } = IN_CODE;
const OPTIONS = { ...others, start: { kind: callback, description: 'function that starts the store' } };

/** Maximum duration of one check in milliseconds. A check sends many requests, each with its own timeout. */
const MAX_CHECK_MS = 300_000;

/**
 * Declares a vitest test for each check, named by the id of the check. Call it at the top level of a test
 * file.
 *
 * The test of a MUST check fails if the check fails or is untestable. So does the test of a SHOULD check with
 * `strict`; without it, the failure is an annotation. A failure that the baseline lists is also an
 * annotation. A check that was not completed is skipped, never passed. At the end, the causes of all failures
 * are printed. The suite fails if there is a failure that the baseline does not list, or if an entry is out
 * of date.
 */
export function plantStoreConformance(given: ConformanceOptions): void {
  const { start, ...options } = optionsGiven(OPTIONS, given, ['start']) as Options & ConformanceOptions;
  describe('plant store conformance', { concurrent: false, shuffle: false }, () => {
    let store: StartedStore | undefined;
    let run: RunHandle | undefined;
    let recorder: Recorder | undefined;
    let explain: Plan['explain'];
    let baseline: Baseline | undefined;
    const results: CheckResult[] = [];

    beforeAll(async () => {
      store = await start();
      // If `start` returns nothing, the error message names what is missing.
      const target = settingsOf({ ...options, baseUrl: store?.baseUrl, token: store?.token });
      const plan = await planOf(target);
      explain = plan.explain;
      run = await openRun(plan);
      baseline = await knownDeviations(target);
      recorder = new Recorder(secretsOf(target), baseline);
      recorder.add({ type: 'start', header: run.header });
    }, MAX_CHECK_MS);

    afterAll(async () => {
      try {
        if (run === undefined || recorder === undefined) return;
        const causes = await findCauses(results, run, { explain });
        if (causes !== undefined) recorder.add({ type: 'causes', causes });
        recorder.add({ type: 'end', footer: await run.close() });
        const record = recorder.record();
        const report = causeReport(record);
        // The default reporter shows annotations only for failed tests, but it shows everything that is
        // printed.
        if (report !== undefined) console.warn(report);
        const changes = changesOf(record);
        if (changes.length > 0) throw new Nonconformance(changes.join('\n'));
      } finally {
        await store?.stop?.();
      }
    }, MAX_CHECK_MS);

    for (const check of catalogue) {
      test(check.id, { timeout: MAX_CHECK_MS }, async ({ annotate, skip }) => {
        if (run === undefined || recorder === undefined) throw new Error('the run was not opened');
        const carriedOut = await run.runCheck(check);
        results.push(carriedOut);
        const result = recorder.add({ type: 'result', result: carriedOut });
        if (result === undefined) throw new Error('the check has no result');
        const fails = check.level === 'MUST' || (check.level === 'SHOULD' && options.strict === true);
        switch (result.verdict) {
          case 'pass':
            return;
          case 'observed':
            await annotate(JSON.stringify(result.observations), 'observed');
            return;
          case 'skipped':
            skip(result.reason);
            return;
          case 'fail':
            if (isListed(check.id, baseline)) {
              await annotate(details(result), 'listed in the baseline');
              return;
            }
            if (fails) throw new Nonconformance(details(result));
            await annotate(details(result), 'warning');
            return;
          case 'untestable': {
            const reason = `could not be tested: ${result.reason}`;
            const remedy = result.blockedBy === run.stop?.kind ? `; ${run.stop?.remedy}` : '';
            if (fails) throw new Nonconformance(`${reason}${remedy}`);
            skip(`${reason}${remedy}`);
          }
        }
      });
    }
  });
}

const isListed = (id: string, baseline: Baseline | undefined): boolean =>
  baseline?.entries.some((entry) => isAbout(entry, { id })) === true;

/** Differences from the baseline for the checks that it lists, since their tests did not fail. */
function changesOf(record: RunRecord): readonly string[] {
  const { baseline } = record.ciResult;
  const unlisted = record.results.filter(
    (result) =>
      blocks(result, record) &&
      isListed(result.id, baseline ?? undefined) &&
      knownBy(result, record).length === 0,
  );
  return [
    ...unlisted.map((result) => `${result.id}: ${newProblemsText(result, record) ?? 'fails in a new way'}`),
    ...entriesOf(record, 'stale', 'expired').map((entry) => `${entryName(entry)}: ${entry.state}`),
  ];
}

/** A failed check. vitest shows its explanation without a stack, which would only point to this file. */
class Nonconformance extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Nonconformance';
    this.stack = `${this.name}: ${message}`;
  }
}
