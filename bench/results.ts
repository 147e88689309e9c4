import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus, platform, totalmem } from 'node:os';
import { packageFile, suite } from '../lib/package.ts';
import { type Findings, figure, findingsText } from './table.ts';

/** The findings of one part, and how they were measured. */
export interface Result extends Findings {
  readonly part: string;
  readonly command: string;
  readonly measuredAt: string;
  readonly version: string;
  readonly machine: string;
  /** Load average of the preceding minute, which shows what else the machine was doing. */
  readonly load?: number;
}

const FILE = 'bench/results.json';

export const machine = (): string =>
  `${cpus().length} processors (${cpus()[0]?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB, ${platform()} ${arch()}, Node ${process.version}`;

/** The stored results. */
export const results = (): readonly Result[] =>
  existsSync(packageFile(FILE)) ? (JSON.parse(readFileSync(packageFile(FILE), 'utf8')) as Result[]) : [];

/** Replaces the findings of a part and rewrites the page. */
export function keep(
  part: string,
  findings: Findings,
  { command, load }: Pick<Result, 'command' | 'load'>,
  order: readonly string[],
): void {
  const result: Result = {
    part,
    ...findings,
    command,
    ...(load !== undefined && { load }),
    measuredAt: new Date().toISOString(),
    version: suite.version,
    machine: machine(),
  };
  const kept = [...results().filter((one) => one.part !== part), result]
    .filter((one) => order.includes(one.part))
    .sort((a, b) => order.indexOf(a.part) - order.indexOf(b.part));
  writeFileSync(packageFile(FILE), `${JSON.stringify(kept, undefined, 2)}\n`);
  writeFileSync(packageFile('bench/results.md'), resultsText(kept));
}

/** The page of all results. */
export const resultsText = (kept: readonly Result[]): string =>
  [
    '# Benchmark results',
    'Written by `npm run bench`. [README.md](README.md) says what is measured, how, and what limits each figure.',
    ...kept.map((result) =>
      [
        findingsText(result),
        `Measured ${result.measuredAt.slice(0, 16).replace('T', ' ')} UTC with version ${result.version} by \`${result.command}\` on ${result.machine}${result.load === undefined ? '' : `, with a load average of ${figure(result.load)} before it began`}.`,
      ].join('\n\n'),
    ),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n');
