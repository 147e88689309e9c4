import { packageFile } from '../lib/package.ts';
import { measured } from './process.ts';
import { startStoreProcess, TOKEN } from './store.ts';
import { type Findings, median, megabytes, spread } from './table.ts';

const ONE = 'ordinary/answers-200';

/** Measures how long it takes until the user sees something. */
export async function startup(rounds: number): Promise<Findings> {
  const store = await startStoreProcess();
  const main = packageFile('dist/cli/main.js');
  const commands = [
    { title: 'node, which does nothing', args: ['-e', '0'] },
    { title: '--version', args: [main, '--version'] },
    { title: '--help', args: [main, '--help'] },
    { title: 'list', args: [main, 'list'] },
    { title: `a run of one check, ${ONE}`, args: [main, 'run', store.url, '--only', ONE] },
  ].map((command) => ({ ...command, seconds: [] as number[], peaks: [] as number[] }));
  // More rounds than requested, since they are cheap.
  const times = rounds * 4;
  try {
    for (let round = 0; round < times; round += 1)
      for (const { title, args, seconds, peaks } of commands) {
        const env = { PLANT_STORE_TOKEN: TOKEN };
        const ended = await measured(process.execPath, args, { cwd: packageFile('.'), env, maxSeconds: 60 });
        if (ended.code !== 0) throw new Error(`${title} ended with ${ended.code}: ${ended.stderr}`);
        seconds.push(ended.seconds * 1000);
        peaks.push(ended.peak ?? Number.NaN);
      }
  } finally {
    await store.stop();
  }
  const bare = commands[0]?.seconds ?? [];
  return {
    title: 'Start-up',
    method: `Wall time of the whole process, ${times} rounds; median, minimum and maximum.`,
    columns: ['command', 'milliseconds', 'command : node', 'peak memory'],
    rows: commands.map(({ title, seconds, peaks }) => [
      title,
      spread(seconds),
      spread(seconds.map((one, round) => one / (bare[round] ?? Number.NaN))),
      megabytes(median(peaks)),
    ]),
    notes: [],
  };
}
