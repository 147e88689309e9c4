import { Command } from 'commander';
import { diffExitCode, diffOf, diffText } from '../lib/report/diff.ts';
import { readRecord } from '../lib/report/saved.ts';
import { paint } from './colour.ts';

/** `diff`: what changed between two runs. */
export function diffCommand(exitWith: (code: number) => void): Command {
  return new Command('diff')
    .description('Compares two runs: what regressed, what was fixed, what still fails, and what changed.')
    .argument('<before>', 'report.json of the earlier run')
    .argument('<now>', 'report.json of the later run')
    .addHelpText(
      'after',
      `
Exit codes:
  0 no regressions; 1 regressions; 2 usage error; 3 a MUST check can no longer be judged

Example:
  plant-store-conformance diff main/report.json reports/report.json`,
    )
    .action((before: string, now: string) => {
      const [earlier, later] = [readRecord(before), readRecord(now)];
      const diff = diffOf(earlier, later);
      process.stdout.write(diffText(diff, earlier, later, paint()));
      exitWith(diffExitCode(diff));
    });
}
