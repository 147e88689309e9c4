import { execFile } from 'node:child_process';

/** A version of Node with which to run the suite, or the reason why it is not available. */
export type NodeVersion =
  | { readonly asked: string; readonly version: string; readonly path: string }
  | { readonly asked: string; readonly reason: string };

/** Fetches a version of Node from the package `node` of the npm registry. */
export function fetchNode(asked: string): Promise<NodeVersion> {
  const print = 'process.version + " " + process.execPath';
  const args = ['exec', '--yes', `--package=node@${asked}`, '--', 'node', '-p', print];
  return new Promise((resolve) => {
    execFile('npm', args, (error, stdout, stderr) => {
      const [, version, path] = /^v(\S+) (.+)$/m.exec(stdout) ?? [];
      if (error !== null || version === undefined || path === undefined)
        resolve({ asked, reason: `npm cannot install node@${asked}: ${lastLine(stderr)}` });
      // With install scripts disabled, npm installs the package without its executable.
      else if (!version.startsWith(`${asked}.`))
        resolve({
          asked,
          reason: `npm ran ${version} instead of node@${asked}; are install scripts disabled?`,
        });
      else resolve({ asked, version, path });
    });
  });
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? '';
