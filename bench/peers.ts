import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify, parse as yaml } from 'yaml';
import { applyOverlay } from '../lib/contract/overlay.ts';
import { packageFile } from '../lib/package.ts';
import type { RunRecord } from '../lib/report/record/record.ts';
import { type Measured, measured, measuredRun } from './process.ts';
import { TOKEN } from './store.ts';

/** What a tool is run against. */
export interface Target {
  readonly url: string;
  readonly token: string;
  /** Overlays of the document to which the store conforms. */
  readonly overlays?: readonly string[] | undefined;
  /** Request timeout in seconds. */
  readonly timeout: number;
}

/** A tool's conclusion about a store; `stuck` if the run had to be stopped. */
export type Word = 'accepts' | 'accuses' | 'stuck';

/** A tool that tests a store, with its settings. */
export interface Tool {
  readonly title: string;
  readonly settings: string;
  run(target: Target): Promise<Measured>;
  /** Derives its conclusion from how the process ended. */
  word(ended: Measured): Word;
}

/** A tool that cannot be installed on this machine. */
export interface Absent {
  readonly title: string;
  readonly reason: string;
}

/** Seconds after which a run is stopped. */
const MAX_RUN_S = 300;

const byExitCode = ({ code }: Measured): Word =>
  code === null ? 'stuck' : code === 0 ? 'accepts' : 'accuses';

/** This suite with its defaults. */
export const suite: Tool = {
  title: 'plant-store-conformance, default',
  settings: 'The defaults.',
  run({ url, token, overlays = [], timeout }) {
    const args = [url, '--format', 'json', '--out', '-', '--timeout', String(timeout * 1000)];
    return measuredRun(token, [...args, ...overlays.flatMap((file) => ['--overlay', file])], MAX_RUN_S);
  },
  word: byExitCode,
};

/** The suite's conclusion with `--strict`, where a failed SHOULD counts. */
export function strictly(ended: Measured): Word {
  const word = byExitCode(ended);
  if (word !== 'accepts') return word;
  return (JSON.parse(ended.stdout) as RunRecord).summary.SHOULD.fail > 0 ? 'accuses' : 'accepts';
}

interface Settings {
  readonly title: string;
  readonly settings: string;
  readonly overlay?: string;
  readonly command: string;
}

interface Peer {
  /** Required executables. */
  readonly needs: readonly string[];
  readonly install: string;
  readonly runs: readonly Settings[];
}

const HOME = packageFile('bench/peers');

/** The peers that test stores, by folder. peer.yaml says how to install and run each of them. */
export const peers = (): readonly (Peer & { readonly folder: string })[] =>
  readdirSync(HOME)
    .filter((folder) => readdirSync(`${HOME}/${folder}`).includes('peer.yaml'))
    .map((folder) => ({ ...(yaml(readFileSync(`${HOME}/${folder}/peer.yaml`, 'utf8')) as Peer), folder }));

interface Peers {
  readonly tools: readonly Tool[];
  readonly absent: readonly Absent[];
}

let cached: Peers | undefined;

/** Installs the peers once, and returns those that are available. */
export function installed(): Peers {
  cached ??= install();
  return cached;
}

function install(): Peers {
  const all = peers().map((peer) => ({ ...peer, reason: obstacle(peer.folder, peer.needs, peer.install) }));
  return {
    tools: all
      .filter(({ reason }) => reason === undefined)
      .flatMap(({ folder, runs }) => runs.map((settings) => toolOf(folder, settings))),
    absent: all.flatMap(({ runs, reason }) =>
      reason === undefined ? [] : runs.map(({ title }) => ({ title, reason })),
    ),
  };
}

export const has = (executable: string): boolean =>
  spawnSync('sh', ['-c', `command -v ${executable}`], { stdio: 'ignore' }).status === 0;

/** Installs a peer. Returns the reason if that is impossible. */
export function obstacle(folder: string, needs: readonly string[], install: string): string | undefined {
  const missing = needs.filter((executable) => !has(executable));
  if (missing.length > 0) return `this machine has no ${missing.join(', ')}`;
  process.stderr.write(`${folder}: ${install}\n`);
  const { status, stderr } = spawnSync('sh', ['-c', install], { cwd: `${HOME}/${folder}`, encoding: 'utf8' });
  return status === 0 ? undefined : `${install} failed: ${stderr.trim().split('\n').at(-1) ?? ''}`;
}

const toolOf = (folder: string, { title, settings, overlay, command }: Settings): Tool => ({
  title,
  settings,
  async run({ url, token, overlays = [], timeout }) {
    // A new folder for each run, since some tools leave files behind.
    const cwd = mkdtempSync(join(tmpdir(), `bench-${folder}-`));
    try {
      const peerOverlays = overlay === undefined ? [] : [`${HOME}/${folder}/${overlay}`];
      writeFileSync(`${cwd}/openapi.yaml`, documentWith([...overlays, ...peerOverlays]));
      mkdirSync(`${cwd}/work`);
      const env = {
        PEER: `${HOME}/${folder}`,
        DOCUMENT: `${cwd}/openapi.yaml`,
        URL: url,
        PLANT_STORE_TOKEN: token,
        TIMEOUT: String(timeout),
      };
      return await measured('sh', ['-c', command], { cwd: `${cwd}/work`, env, maxSeconds: MAX_RUN_S });
    } finally {
      rmSync(cwd, { recursive: true, force: true });
    }
  },
  word: byExitCode,
});

/** The suite's document with overlays applied. */
export const documentWith = (overlays: readonly string[]): string =>
  stringify(overlays.reduce<unknown>(applyOverlay, yaml(readFileSync(packageFile('openapi.yaml'), 'utf8'))), {
    aliasDuplicateObjects: false,
  });

/** A target with the request timeout of an ordinary run. */
export const patiently = (url: string): Target => ({ url, token: TOKEN, timeout: 15 });
