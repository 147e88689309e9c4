import { loadavg } from 'node:os';
import { argumentsOf } from '../mutants/arguments.ts';
import { defaultRun } from './default-run.ts';
import { firstFailure } from './first-failure.ts';
import { fleet } from './fleet.ts';
import { growth } from './growth.ts';
import { keep } from './results.ts';
import { startup } from './startup.ts';
import { type Findings, findingsText } from './table.ts';
import { throughput } from './throughput.ts';

const USAGE = `Usage: npm run bench -- [PART...] [options]
Measures all parts, or those that are named, prints the results, and stores them in bench/results.{json,md}.
  --rounds N   sets how often each part is measured
  --every N    selects one in N stores of the fleet
  --no-write   stores nothing`;

const { values, positionals } = argumentsOf(USAGE, {
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    every: { type: 'string', default: '5' },
    'no-write': { type: 'boolean', default: false },
  },
});
const [rounds, every] = [Number(values.rounds), Number(values.every)];

const PARTS: Readonly<Record<string, () => Promise<Findings>>> = {
  throughput: () => throughput(rounds),
  'default-run': () => defaultRun(rounds),
  fleet: () => fleet(every),
  'first-failure': () => firstFailure(every),
  startup: () => startup(rounds),
  growth: () => growth(rounds),
};

async function main(): Promise<number> {
  const unknown = positionals.find((name) => !(name in PARTS));
  if (unknown !== undefined || !(rounds >= 1) || !(every >= 1)) {
    const problem =
      unknown === undefined ? '--rounds and --every take a number from 1' : `no part is called ${unknown}`;
    process.stderr.write(`${problem}; the parts are ${Object.keys(PARTS).join(', ')}\n`);
    return 2;
  }
  for (const [name, measure] of Object.entries(PARTS)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    const [startedAt, [load = 0]] = [performance.now(), loadavg()];
    const findings = await measure();
    process.stdout.write(`${findingsText(findings)}\n\n`);
    process.stderr.write(`${name}: ${Math.round((performance.now() - startedAt) / 1000)} s\n`);
    if (!values['no-write']) keep(name, findings, { command: commandOf(name), load }, Object.keys(PARTS));
  }
  return 0;
}

/** The command that repeats the measurement of a part. */
const commandOf = (name: string) =>
  [
    'npm run bench --',
    name,
    ...(name === 'fleet' || name === 'first-failure' ? ['--every', every] : ['--rounds', rounds]),
  ].join(' ');

// Started processes are stopped on exit, but a signal alone does not trigger an exit.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

process.exitCode = await main();
