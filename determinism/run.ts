import { parseArgs } from 'node:util';
import { compareRequests } from './requests.ts';
import { repeatVerdicts } from './verdicts.ts';

/**
 * Shows that the requests of a run follow from its options alone, and its verdict from the store alone.
 * `--runs` is how often each verdict is asked for; with 0, the requests alone are compared.
 */
async function main(): Promise<number> {
  const { values } = parseArgs({ options: { runs: { type: 'string', default: '100' } } });
  const { text, difference } = await compareRequests();
  process.stdout.write(`${text}\n${difference ?? 'The same requests and findings in all of them.'}\n\n`);
  const runs = Number(values.runs);
  if (runs === 0) return difference === undefined ? 0 : 1;
  const verdicts = await repeatVerdicts(runs);
  const unequal =
    verdicts.unequal.length === 0 ? '' : `Not judged the same each time: ${verdicts.unequal.join(', ')}\n`;
  process.stdout.write(`${verdicts.text}\n${unequal}`);
  return difference === undefined && unequal === '' ? 0 : 1;
}

process.exitCode = await main();
