import { argumentsOf } from '../../mutants/arguments.ts';
import { repeatAgainstLiving } from './long-running.ts';
import { compareRequests } from './requests.ts';
import { repeatVerdicts } from './verdicts.ts';

const USAGE = `Usage: npm run determinism -- [options]
Shows that the requests of a run depend only on its options, that its verdict depends only on the store, and that a
store that remembers earlier runs is judged like a new one.
  --part PART  does one of these: requests, verdicts, living
  --runs N     sets how often each verdict is repeated; long-running stores are tested half as often with one seed,
               and half as often without`;

async function main(): Promise<number> {
  const { values } = argumentsOf(USAGE, {
    options: { runs: { type: 'string', default: '100' }, part: { type: 'string' } },
  });
  const wanted = (part: string) => values.part === undefined || values.part === part;
  const runs = Number(values.runs);
  const problems: string[] = [];
  const printPart = (text: string, found: readonly string[], fine: string) => {
    process.stdout.write(`${text}\n${found.length === 0 ? fine : found.join('\n')}\n\n`);
    problems.push(...found);
  };
  if (wanted('requests')) {
    const { text, differing } = await compareRequests();
    printPart(text, differing, 'the same requests and findings on every Node, at every concurrency');
  }
  if (wanted('verdicts')) {
    const { text, unequal } = await repeatVerdicts(runs);
    printPart(text, unequal, 'the same outcome in every run');
  }
  if (wanted('living')) {
    const { text, objections } = await repeatAgainstLiving(Math.ceil(runs / 2));
    printPart(text, objections, 'conformant in every run');
  }
  return problems.length === 0 ? 0 : 1;
}

process.exitCode = await main();
