import { type ChildProcess, spawn } from 'node:child_process';
import { packageFile } from '../lib/package.ts';

/** What a run says before it sends anything. */
export const ANNOUNCED = /^Sending \S+ about [\d,]+ requests?, which create about [\d,]+ plants?\.\n$/;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The environment of the tests without what would speak for a user of the command line, or for a pipeline. */
const environment = (more: Readonly<Record<string, string>>) => {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(?:PLANT_STORE_|GITHUB_)|^(?:NO|FORCE)_COLOR$/.test(name),
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

export const startSuite = (
  args: readonly string[],
  env?: Readonly<Record<string, string>>,
  cwd?: string,
): ChildProcess => start(process.execPath, [MAIN, ...args], env, cwd);

/** Runs the built command line to its end. */
export const suite = (
  args: readonly string[],
  env?: Readonly<Record<string, string>>,
  cwd?: string,
): Promise<Ended> => ended(startSuite(args, env, cwd));
