import { Command } from 'commander';
import { FORMATS } from '../lib/report/formats/formats.ts';
import { terminalReport } from '../lib/report/formats/terminal.ts';
import { mergeOf } from '../lib/report/record/merge.ts';
import { readRecord } from '../lib/report/record/read-record.ts';
import { withOptions } from './options.ts';
import { destinationOf, filesOf, type ReportFlags, writeReports } from './output.ts';
import { columns, setExitCode, wantsColour } from './streams.ts';

export function mergeCommand(): Command {
  const command = new Command('merge').argument('<report...>', 'report.json of every shard');
  return withOptions(command, ['reports'])
    .addHelpText(
      'after',
      `
Exit codes:
  0 conformant, or all selected checks passed
  1 not conformant
  2 usage error
  3 could not be judged

Example:
  plant-store-conformance merge shard-1/report.json shard-2/report.json`,
    )
    .action(async (files: string[], wanted: ReportFlags) => {
      const destination = destinationOf(wanted, FORMATS);
      const record = mergeOf(files.map((file) => ({ file, record: readRecord(file) })));
      await writeReports(record, destination);
      if (destination?.out !== '-')
        process.stdout.write(
          terminalReport(record, wantsColour(), { columns: columns(), files: filesOf(destination) }),
        );
      setExitCode(record.ciResult.exitCode);
    });
}
