import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { parse } from 'yaml';
import type { Portrait } from '../lib/compare/comparison.ts';
import { packageFile } from '../lib/package.ts';

/** What every `about.yaml` below this folder says. */
export interface Manifest {
  /** Where it lies, from the folder of the package. */
  readonly folder: string;
  readonly title: string;
  readonly language: string;
  readonly framework: string;
  readonly note: string;
  /** Executables without which it cannot be had. */
  readonly needs: readonly string[];
  readonly install: string;
  readonly start: string;
}

/** The manifests of the folders in a folder, in the order of their names. */
export const manifestsIn = <M extends Manifest>(home: string): M[] =>
  readdirSync(packageFile(home))
    .map((name) => `${home}/${name}`)
    .filter((folder) => existsSync(packageFile(`${folder}/about.yaml`)))
    .map((folder) => ({ ...(parse(readFileSync(packageFile(`${folder}/about.yaml`), 'utf8')) as M), folder }))
    .sort((a, b) => a.folder.localeCompare(b.folder, 'en'));

export const portraitOf = ({
  language,
  framework,
  version,
  note,
}: Omit<Manifest, 'folder'> & { readonly version: string }): Portrait => ({
  language,
  framework,
  version,
  note: note.trim(),
});

const has = (executable: string): boolean =>
  spawnSync('sh', ['-c', `command -v ${executable}`], { stdio: 'ignore' }).status === 0;

/** Why something cannot be run here, once it has been made ready with the commands that it names. */
export function obstacle(
  { folder, needs }: Pick<Manifest, 'folder' | 'needs'>,
  commands: readonly string[],
): string | undefined {
  const lacking = needs.filter((executable) => !has(executable));
  if (lacking.length > 0) return `this machine has no ${lacking.join(', ')}`;
  for (const command of commands.filter((one) => one !== '')) {
    process.stderr.write(`${folder}: ${command}\n`);
    const { status, stderr } = spawnSync('sh', ['-c', command], {
      cwd: packageFile(folder),
      encoding: 'utf8',
    });
    if (status !== 0) return `${command} failed: ${stderr.trim().split('\n').at(-1) ?? ''}`;
  }
  return undefined;
}

/** This port where it is free, else one further up: the same in every run, so that records differ in less. */
export const freePort = (wanted: number): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(freePort(wanted + 100)));
    server.listen(wanted, '127.0.0.1', () => server.close(() => resolve(wanted)));
  });

/** Writes a published report in each of its formats. */
export function publish(name: string, texts: Readonly<Record<'json' | 'md' | 'html', string>>): void {
  for (const [extension, text] of Object.entries(texts))
    writeFileSync(packageFile(`reports/${name}.${extension}`), text);
}
