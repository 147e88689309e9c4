import { parseArgs } from 'node:util';
import { compareRequests } from './requests.ts';
import { repeatVerdicts } from './verdicts.ts';

/**
 * Shows that the requests of a run follow from its options alone, and its verdict from the store alone.
 * `--runs` is how often each verdict is asked for; with 0, the requests alone are compared.
 */
async function main(): Promise<number> {
  const { values } = parseArgs({ options: { runs: { type: 'string', default: '100' } } });
  const { text, differing } = await compareRequests();
  const [first = 'the same requests and findings, whatever runs them'] = differing;
  process.stdout.write(`${text}\n${first}\n`);
  const runs = Number(values.runs);
  if (runs === 0) return differing.length === 0 ? 0 : 1;
  const { text: verdicts, unequal } = await repeatVerdicts(runs);
  const said = unequal.length === 0 ? 'the same outcome each time' : `not the same: ${unequal.join(', ')}`;
  process.stdout.write(`\n${verdicts}\n${said}\n`);
  return differing.length === 0 && unequal.length === 0 ? 0 : 1;
}

process.exitCode = await main();
