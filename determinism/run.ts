import { parseArgs } from 'node:util';
import { repeatAgainstLiving } from './living.ts';
import { compareRequests } from './requests.ts';
import { repeatVerdicts } from './verdicts.ts';

/**
 * Shows that the requests of a run follow from its options alone, that its verdict follows from the store alone, and
 * that a store which remembers earlier runs is judged as a new one. `--part` chooses one of the three, `--runs` is how
 * often each verdict is asked for; living stores are run half as often with one seed, and half as often without.
 */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { runs: { type: 'string', default: '100' }, part: { type: 'string' } },
  });
  const wanted = (part: string) => values.part === undefined || values.part === part;
  const runs = Number(values.runs);
  const problems: string[] = [];
  const tell = (text: string, found: readonly string[], fine: string) => {
    process.stdout.write(`${text}\n${found.length === 0 ? fine : found.join('\n')}\n\n`);
    problems.push(...found);
  };
  if (wanted('requests')) {
    const { text, differing } = await compareRequests();
    tell(text, differing, 'the same requests and findings, whatever runs them');
  }
  if (wanted('verdicts')) {
    const { text, unequal } = await repeatVerdicts(runs);
    tell(text, unequal, 'the same outcome each time');
  }
  if (wanted('living')) {
    const { text, objections } = await repeatAgainstLiving(Math.ceil(runs / 2));
    tell(text, objections, 'conformant each time');
  }
  return problems.length === 0 ? 0 : 1;
}

process.exitCode = await main();
