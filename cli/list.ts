import { Command, Option } from 'commander';
import { matcherOf } from '../lib/check-ids.ts';
import { entryOf, json } from '../lib/list/entry.ts';
import { reference, sections } from '../lib/list/markdown.ts';
import { detail, table } from '../lib/list/terminal.ts';
import { coloured, uncoloured } from '../lib/report/wording/format-text.ts';
import type { Check } from '../lib/run/check.ts';
import { unknownCheck } from '../lib/unknown-check.ts';
import { CLAUSES } from '../suites/clauses.ts';
import { catalogue } from '../suites/index.ts';
import { columns, wantsColour } from './streams.ts';

const FORMATS = ['table', 'json', 'markdown'] as const;

type Format = (typeof FORMATS)[number];

const WIDTH = 100;

export function listCommand(): Command {
  return new Command('list')
    .argument('[id]', 'a check, an area such as auth, or a glob such as "ordinary/*"')
    .addOption(new Option('--format <format>', 'output format').choices(FORMATS).default('table'))
    .addHelpText(
      'after',
      `
Examples:
  plant-store-conformance list
  plant-store-conformance list auth/rejects-missing-token
  plant-store-conformance list 'invalid/*' --format json`,
    )
    .action(async (wanted: string | undefined, { format }: { format: Format }) => {
      process.stdout.write(await listing(wanted, format, columns() ?? WIDTH, wantsColour()));
    });
}

/**
 * Describes the checks that match `wanted`: an id, an area or a glob; by default all.
 * @throws UsageError if no check matches
 */
export async function listing(
  wanted: string | undefined,
  format: Format = 'table',
  width: number = WIDTH,
  colour = false,
): Promise<string> {
  const checks = matching(wanted);
  const [only] = checks;
  const paint = colour ? coloured : uncoloured;
  if (format === 'table' && only?.id !== wanted) return table(checks, width, paint);
  // Loaded only here, since the table does not need it.
  const { bundledContract } = await import('../lib/contract/bundled-contract.ts');
  const contract = await bundledContract();
  const entries = checks.map((check) => entryOf(check, contract, CLAUSES));
  switch (format) {
    case 'table':
      return entries.map((entry) => detail(entry, width, paint)).join('\n');
    case 'markdown':
      return wanted === undefined ? reference(entries) : sections(entries);
    case 'json':
      return json(entries);
  }
}

function matching(wanted: string | undefined): readonly Check[] {
  if (wanted === undefined) return catalogue;
  const found = catalogue.filter(({ id }) => matcherOf([wanted])(id));
  if (found.length === 0) throw unknownCheck(wanted, catalogue);
  return found;
}
