import { Command } from 'commander';
import { diffExitCode, diffOf, diffText } from '../lib/report/diff.ts';
import { savedRecordOf } from './saved-record.ts';
import { paint, print, setExitCode } from './streams.ts';

export function diffCommand(): Command {
  return new Command('diff')
    .argument('<before>', 'report.json of the earlier run, or the name of a target for its last report')
    .argument('<now>', 'report.json of the later run, or the name of a target for its last report')
    .addHelpText(
      'after',
      `
Exit codes:
  0 no regressions
  1 regressions
  2 usage error
  3 a MUST check can no longer be judged

Examples:
  plant-store-conformance diff main/report.json reports/report.json
  plant-store-conformance diff main/report.json staging`,
    )
    .action(async (before: string, now: string) => {
      const [{ record: earlier }, { record: later }] = [
        await savedRecordOf(before),
        await savedRecordOf(now),
      ];
      const diff = diffOf(earlier, later);
      print(diffText(diff, earlier, later, paint()));
      setExitCode(diffExitCode(diff));
    });
}
