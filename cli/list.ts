import { Command, Option } from 'commander';
import { type Check, catalogue } from '../index.ts';
import { entryOf } from '../lib/catalogue/entry.ts';
import { json } from '../lib/catalogue/json.ts';
import { reference, sections } from '../lib/catalogue/markdown.ts';
import { detail, table } from '../lib/catalogue/terminal.ts';
import { loadContract } from '../lib/contract/contract.ts';
import { nearest } from '../lib/nearest.ts';
import { packageFile } from '../lib/package.ts';
import { coloured, plain } from '../lib/report/explain.ts';
import { globs } from '../lib/run/select.ts';
import { UsageError } from '../lib/usage-error.ts';
import { CLAUSES } from '../suites/clauses.ts';
import { wantsColour } from './colour.ts';

const FORMATS = ['table', 'json', 'markdown'] as const;

type Format = (typeof FORMATS)[number];

/** Columns of a table where there is no terminal. */
const WIDTH = 100;

/** `list`: what is checked. */
export function listCommand(): Command {
  return new Command('list')
    .description('Shows what is checked: all checks, those of an area or a pattern, or one at length.')
    .argument('[id]', 'a check, an area such as auth, or a pattern such as "create/*"')
    .addOption(new Option('--format <format>', 'how to show it').choices(FORMATS).default('table'))
    .addHelpText(
      'after',
      `
Examples:
  plant-store-conformance list
  plant-store-conformance list auth/rejects-missing-token
  plant-store-conformance list 'refuse/*' --format json`,
    )
    .action(async (wanted: string | undefined, { format }: { format: Format }) => {
      process.stdout.write(await listing(wanted, format, process.stdout.columns || WIDTH, wantsColour()));
    });
}

/**
 * The catalogue or a part of it, as text that ends with a line feed.
 * @param wanted the id of a check, an area, or a pattern of ids; by default everything
 * @throws UsageError where nothing is called that
 */
export async function listing(
  wanted: string | undefined,
  format: Format = 'table',
  width: number = WIDTH,
  colour = false,
): Promise<string> {
  const checks = chosen(wanted);
  const [only] = checks;
  const paint = colour ? coloured : plain;
  if (format === 'table' && only?.id !== wanted) return table(checks, width, paint);
  const contract = await loadContract(packageFile('openapi.yaml'), [], { trusted: true });
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

function chosen(wanted: string | undefined): readonly Check[] {
  if (wanted === undefined) return catalogue;
  const matches = globs([wanted, `${wanted.replace(/\/$/, '')}/*`]);
  const found = catalogue.filter(({ id }) => matches(id));
  if (found.length > 0) return found;
  const ids = catalogue.map(({ id }) => id);
  const near = nearest(wanted, [...ids, ...new Set(ids.map((id) => id.replace(/\/.*/, '')))]);
  const remedy = near === undefined ? 'plant-store-conformance list shows them all' : `did you mean ${near}?`;
  throw new UsageError(`No check is called ${wanted}; ${remedy}`);
}
