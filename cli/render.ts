import { Command } from 'commander';
import { COMPARISON_FORMATS } from '../lib/compare/formats.ts';
import { readEither } from '../lib/compare/read-comparison.ts';
import { FORMATS } from '../lib/report/formats/formats.ts';
import { terminalReport } from '../lib/report/formats/terminal.ts';
import type { RunRecord } from '../lib/report/record/record.ts';
import { withOptions } from './options.ts';
import { destinationOf, type ReportFlags, writeAndNameReports } from './output.ts';

type Flags = ReportFlags & { readonly verbose?: boolean };

export function renderCommand(): Command {
  const command = new Command('render').argument(
    '<report>',
    'report.json of a run, or comparison.json of a comparison',
  );
  return withOptions(command, ['reports'], {
    out: { defaultsTo: '-' },
    format: { defaultsTo: 'terminal' },
  })
    .option('--verbose', 'terminal format: every cause and failed check in full')
    .addHelpText(
      'after',
      `
Examples:
  plant-store-conformance render reports/report.json
  plant-store-conformance render reports/report.json --verbose
  plant-store-conformance render reports/report.json --format markdown
  plant-store-conformance render reports/report.json --format html --out page`,
    )
    .action(async (file: string, { verbose = false, ...given }: Flags) => {
      const wanted: ReportFlags = { out: '-', format: ['terminal'], ...given };
      const saved = readEither(file);
      if (saved.kind === 'comparison')
        return writeAndNameReports(saved.comparison, destinationOf(wanted, COMPARISON_FORMATS));
      const render = (record: RunRecord) => terminalReport(record, false, { verbose });
      const terminal = { ...FORMATS.terminal, render };
      return writeAndNameReports(saved.record, destinationOf(wanted, { ...FORMATS, terminal }));
    });
}
