import { appendFileSync } from 'node:fs';
import { annotations } from '../lib/report/formats/annotations.ts';
import { FORMATS } from '../lib/report/formats/formats.ts';
import type { RunRecord } from '../lib/report/record/record.ts';
import { UsageError } from '../lib/usage-error.ts';

/**
 * Adds the report to the summary of a step of GitHub Actions, and annotations to its log. The runner also
 * reads them on standard error, so that standard output contains only the requested report.
 * @throws UsageError if the summary cannot be written
 */
export function reportToGitHub(record: RunRecord): void {
  if (process.env.GITHUB_ACTIONS !== 'true') return;
  for (const line of annotations(record)) process.stderr.write(`${line}\n`);
  const file = process.env.GITHUB_STEP_SUMMARY;
  if (file === undefined || file === '') return;
  try {
    appendFileSync(file, FORMATS.markdown.render(record));
  } catch (error) {
    throw new UsageError(`Cannot write the summary to $GITHUB_STEP_SUMMARY: ${(error as Error).message}`);
  }
}
