import { appendFileSync } from 'node:fs';
import { annotations } from '../lib/report/annotations.ts';
import { FORMATS } from '../lib/report/formats.ts';
import type { RunRecord } from '../lib/report/record.ts';
import { UsageError } from '../lib/usage-error.ts';

/**
 * Under GitHub Actions, adds the report to the summary of the step, and annotations to its log: on standard
 * error, which the runner reads as well, so that standard output stays what was asked for.
 * @throws UsageError when the summary cannot be written
 */
export function tellGitHub(record: RunRecord, environment: NodeJS.ProcessEnv): void {
  if (environment.GITHUB_ACTIONS !== 'true') return;
  for (const line of annotations(record)) process.stderr.write(`${line}\n`);
  const file = environment.GITHUB_STEP_SUMMARY;
  if (file === undefined || file === '') return;
  try {
    appendFileSync(file, FORMATS.markdown.render(record));
  } catch (error) {
    throw new UsageError(
      `The summary cannot be written to $GITHUB_STEP_SUMMARY: ${(error as Error).message}`,
    );
  }
}
