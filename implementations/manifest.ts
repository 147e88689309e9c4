import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { parse } from 'yaml';
import type { ImplementationInfo } from '../lib/compare/comparison.ts';
import { packageFile } from '../lib/package.ts';

/** The content of every `about.yaml` below this folder. */
export interface Manifest {
  /** Its path relative to the package. */
  readonly folder: string;
  readonly title: string;
  readonly language: string;
  readonly framework: string;
  readonly note: string;
  /** Required executables. */
  readonly needs: readonly string[];
  readonly install: string;
  readonly start: string;
}

/** The manifests in the subfolders of a folder, sorted by name. */
export const manifestsIn = <M extends Manifest>(home: string): M[] =>
  readdirSync(packageFile(home))
    .map((name) => `${home}/${name}`)
    .filter((folder) => existsSync(packageFile(`${folder}/about.yaml`)))
    .map((folder) => ({ ...(parse(readFileSync(packageFile(`${folder}/about.yaml`), 'utf8')) as M), folder }))
    .sort((a, b) => a.folder.localeCompare(b.folder, 'en'));

export const implementationOf = ({
  language,
  framework,
  version,
  note,
}: Omit<Manifest, 'folder'> & { readonly version: string }): ImplementationInfo => ({
  language,
  framework,
  version,
  note: note.trim(),
});

const has = (executable: string): boolean =>
  spawnSync('sh', ['-c', `command -v ${executable}`], { stdio: 'ignore' }).status === 0;

/** Runs the preparing commands; returns why something cannot be run here, if that is so. */
export function obstacle(
  { folder, needs }: Pick<Manifest, 'folder' | 'needs'>,
  commands: readonly string[],
): string | undefined {
  const missing = needs.filter((executable) => !has(executable));
  if (missing.length > 0) return `this machine has no ${missing.join(', ')}`;
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

/** This port, or a higher one if it is in use: usually the same in every run, so that records differ less. */
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
