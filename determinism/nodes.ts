import { execFile } from 'node:child_process';

/** A version of Node that the suite can be run with, or why it cannot be had. */
export type NodeVersion =
  | { readonly asked: string; readonly version: string; readonly path: string }
  | { readonly asked: string; readonly reason: string };

/** Fetches a version of Node: the package `node` of the npm registry holds the executables. */
export function fetchNode(asked: string): Promise<NodeVersion> {
  const print = 'process.version + " " + process.execPath';
  const args = ['exec', '--yes', `--package=node@${asked}`, '--', 'node', '-p', print];
  return new Promise((resolve) => {
    execFile('npm', args, (error, stdout, stderr) => {
      const [, version, path] = /^v(\S+) (.+)$/m.exec(stdout) ?? [];
      if (error !== null || version === undefined || path === undefined)
        resolve({ asked, reason: `npm gives no node@${asked}: ${lastLine(stderr)}` });
      // Where npm is told to run no install scripts, the package is there and its executable is not.
      else if (!version.startsWith(`${asked}.`))
        resolve({ asked, reason: `npm ran ${version} for node@${asked}; are install scripts switched off?` });
      else resolve({ asked, version, path });
    });
  });
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? '';
