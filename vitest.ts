import { afterAll, beforeAll, describe, type TestContext, test } from 'vitest';
import { catalogue, knownDeviations, loadOptions, type RunOptions, run } from './index.ts';
import { callback } from './lib/config/option-types.ts';
import { IN_CODE, type Options } from './lib/config/options.ts';
import { optionsGiven, settingsOf } from './lib/config/read-options.ts';
import { entryName } from './lib/report/baseline/baseline-entry.ts';
import { blocks } from './lib/report/baseline/ci-result.ts';
import {
  type ExplainedChecks,
  entriesOf,
  explainedChecks,
  isKnown,
  openCauses,
} from './lib/report/baseline/deviations.ts';
import { UNLIMITED, wholeCause } from './lib/report/formats/terminal-causes.ts';
import type { RecordedResult, RunRecord } from './lib/report/record/record.ts';
import { uncoloured, visible } from './lib/report/wording/format-text.ts';
import { counted } from './lib/text.ts';

/** A store that was started for the tests. */
export interface StoreUnderTest {
  readonly baseUrl: string;
  readonly token: string;
  readonly stop?: () => Promise<void> | void;
}

export interface ConformanceOptions extends Omit<RunOptions, 'baseUrl' | 'token'> {
  /** Starts the store, or only says where it is. Called once, before the first request. */
  readonly start: () => Promise<StoreUnderTest> | StoreUnderTest;
}

const { baseUrl: _baseUrl, token: _token, ...others } = IN_CODE;
const OPTIONS = { ...others, start: { type: callback, description: 'function that starts the store' } };

const MAX_HOOK_MS = 300_000;

/** The requests of a run have timeouts of their own. */
const NO_TIMEOUT = 0;

const COLUMNS = 80;

/**
 * Declares a vitest test for each check, named by the id of the check. Call it at the top level of a test
 * file. The first test carries out the run, of all checks that vitest has selected, since the causes of
 * failures are known only at its end.
 *
 * The test of a MUST check fails if the check fails or is untestable. So does the test of a SHOULD check with
 * `strict`; without it, the failure is a warning. A failure that the baseline lists is an annotation. A check
 * that was not completed is skipped, never passed. A failed test has one error for each cause; vitest prints
 * an error that several tests have only once, after all of their names. The suite fails if an entry of the
 * baseline is out of date.
 */
export function plantStoreConformance(given: ConformanceOptions): void {
  const { start, ...options } = optionsGiven(OPTIONS, given, ['start']) as Options & ConformanceOptions;
  describe('plant store conformance', { concurrent: false, shuffle: false }, () => {
    let store: StoreUnderTest | undefined;
    let settings: RunOptions;
    let ran: Promise<RunRecord> | undefined;

    beforeAll(async () => {
      store = await start();
      // If `start` returns nothing, the error message names what is missing.
      settings = settingsOf({ ...options, baseUrl: store?.baseUrl, token: store?.token });
      // Invalid options fail the suite once, instead of each test.
      await Promise.all([loadOptions(settings), knownDeviations(settings)]);
    }, MAX_HOOK_MS);

    afterAll(async () => {
      try {
        if (ran === undefined) return;
        const record = await ran;
        const advisory = advisoryText(record);
        // The default reporter shows what is printed, but no annotations of passing tests.
        if (advisory !== undefined) console.warn(advisory);
        const outdated = entriesOf(record, 'stale', 'expired');
        if (outdated.length > 0)
          throw new Nonconformance(outdated.map((entry) => `${entryName(entry)}: ${entry.state}`).join('\n'));
      } finally {
        await store?.stop?.();
      }
    }, MAX_HOOK_MS);

    for (const { id } of catalogue) {
      test(id, { timeout: NO_TIMEOUT }, async (context) => {
        ran ??= run({ ...settings, skip: [...(settings.skip ?? []), ...unselectedIds(context)] }).record;
        await report(id, await ran, context);
      });
    }
  });
}

/** The ids of the tests that vitest leaves out, for example because of `-t`. */
const unselectedIds = ({ task }: TestContext): readonly string[] =>
  (task.suite?.tasks ?? []).filter(({ mode }) => mode === 'skip').map(({ name }) => name);

/** Passes, fails or skips the test of a check. */
async function report(id: string, record: RunRecord, { annotate, skip }: TestContext): Promise<void> {
  const result = record.results.find((one) => one.id === id);
  if (result === undefined) throw new Error('the check has no result');
  switch (result.verdict) {
    case 'pass':
      return;
    case 'observed':
      await annotate(JSON.stringify(result.observations), 'observed');
      return;
    case 'skipped':
      skip(result.reason);
      return;
    case 'fail': {
      const causes = explainedChecks(record).filter(({ checks }) => checks.some((check) => check.id === id));
      if (failsItsTest(result, record))
        throw new AggregateError(
          causes.filter(({ known }) => !known).map((cause) => new Nonconformance(textOf(cause))),
        );
      const isListed = isKnown(result, record);
      await annotate(causes.map(textOf).join('\n\n'), isListed ? 'listed in the baseline' : 'warning');
      if (!isListed) console.warn(`${result.level} failed: ${causes.map(titleOf).join('; ')}`);
      return;
    }
    case 'untestable': {
      const { stop, options } = record;
      const remedy = result.blockedBy === stop?.kind ? `; ${stop?.remedy}` : '';
      const reason = `could not be tested: ${result.reason}${remedy}`;
      if (isRequired(result, options)) throw new Nonconformance(reason);
      skip(reason);
    }
  }
}

const isRequired = ({ level }: RecordedResult, { strict }: RunRecord['options']): boolean =>
  level === 'MUST' || (level === 'SHOULD' && strict);

/** Whether a check fails its test. */
const failsItsTest = (result: RecordedResult, record: RunRecord): boolean =>
  blocks(result, record) && !isKnown(result, record);

const titleOf = ({ cause }: ExplainedChecks): string => visible(cause.title);

const textOf = (cause: ExplainedChecks): string =>
  wholeCause(cause, UNLIMITED, { columns: COLUMNS, paint: uncoloured }).join('\n');

/** The causes that fail no test; undefined if there are none. */
function advisoryText(record: RunRecord): string | undefined {
  const causes = openCauses(record).filter(
    ({ checks }) => !checks.some((check) => failsItsTest(check, record)),
  );
  if (causes.length === 0) return undefined;
  const heading = `${counted(causes.length, 'cause fails', 'causes fail')} no test, as only SHOULD checks failed:`;
  return [heading, ...causes.map(textOf)].join('\n\n');
}

/** A failed check. vitest shows its explanation without a stack, which would only point to this file. */
class Nonconformance extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Nonconformance';
    this.stack = `${this.name}: ${message}`;
  }
}
