import { appendFileSync } from 'node:fs';
import { annotations } from '../lib/report/formats/annotations.ts';
import { FORMATS } from '../lib/report/formats/formats.ts';
import type { RunRecord } from '../lib/report/record/record.ts';
import { UsageError } from '../lib/usage-error.ts';

/**
 * Under GitHub Actions, adds the report to the summary of the step, and annotations to its log. Annotations
 * go to standard error, which the runner also reads, so that standard output contains only the requested
 * report.
 *
 * @throws UsageError if the summary cannot be written
 */
export function reportToGitHub(record: RunRecord, environment: NodeJS.ProcessEnv): void {
  if (environment.GITHUB_ACTIONS !== 'true') return;
  for (const line of annotations(record)) process.stderr.write(`${line}\n`);
  const file = environment.GITHUB_STEP_SUMMARY;
  if (file === undefined || file === '') return;
  try {
    appendFileSync(file, FORMATS.markdown.render(record));
  } catch (error) {
    throw new UsageError(`Cannot write the summary to $GITHUB_STEP_SUMMARY: ${(error as Error).message}`);
  }
}
