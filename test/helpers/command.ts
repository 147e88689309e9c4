import { type ChildProcess, spawn } from 'node:child_process';
import { packageFile } from '../../lib/package.ts';

/** What a run prints before it sends anything. */
export const ANNOUNCED =
  /^Sending about [\d,]+ requests? to \S+, creating about [\d,]+ plants?\.\n(?: *\d+%.*\n)*$/;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The environment of the tests, without variables that configure the suite, a CI system, or the colours and width of output. */
const environment = (more: Readonly<Record<string, string>>) => {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(?:PLANT_STORE_|GITHUB_)|^(?:(?:NO|FORCE)_COLOR|COLUMNS)$/.test(name),
  );
  return { ...Object.fromEntries(own), ...more };
};

export function start(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd: string = packageFile('.'),
): ChildProcess {
  return spawn(file, args, { env: environment(env), cwd });
}

export function ended(child: ChildProcess): Promise<Ended> {
  let [stdout, stderr] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
}

const MAIN = packageFile('dist/cli/main.js');

/** Few random cases, so that a whole run is short; `--cases` has the last word. */
export const FEW_CASES = { PLANT_STORE_CASES: '12' } as const;

export const startSuite = (
  args: readonly string[],
  env?: Readonly<Record<string, string>>,
  cwd?: string,
): ChildProcess =>
  // A folder of its own may have settings, which variables override.
  start(process.execPath, [MAIN, ...args], { ...(cwd === undefined ? FEW_CASES : {}), ...env }, cwd);

/** Runs the built command line until it exits. */
export const suite = (
  args: readonly string[],
  env?: Readonly<Record<string, string>>,
  cwd?: string,
): Promise<Ended> => ended(startSuite(args, env, cwd));
