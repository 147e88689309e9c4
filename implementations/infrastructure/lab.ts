import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startedStore } from '../../cli/started-store.ts';
import { waitForStore } from '../../cli/wait.ts';
import { packageFile } from '../../lib/package.ts';
import { freePort } from '../manifest.ts';
import { fill, type Setup } from './setup.ts';

export const TOKEN = 'Tok3n-AbCdEfGh-0123456789';

/** Seconds that a server may take to start. */
const MAX_START_S = 30;
/** Milliseconds between stopping and restarting a store. */
const AWAY_MS = 1000;

/** A running set-up. */
export interface Running {
  readonly baseUrl: string;
  /** The values of the placeholders in its texts. */
  readonly values: ReturnType<typeof valuesFor>;
  /** Stops the store behind it, and restarts it after a while. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Its port, one between its parts, and two of stores. */
type Ports = readonly [own: number, inner: number, store: number, other: number];

/** The values of the placeholders in the texts of a set-up. */
export const valuesFor = (setup: Setup, folder: string, [own, inner, store, other]: Ports) => ({
  ...setup.with,
  DIR: folder,
  HERE: packageFile(setup.server.folder),
  MAIN: packageFile('dist/cli/main.js'),
  PORT: String(own),
  PORT_2: String(inner),
  UPSTREAM: String(store),
  UPSTREAM_2: String(other),
});

/**
 * Starts a set-up, with all files in one folder and everything on 127.0.0.1.
 * @param index of the set-up among all, for ports that are the same in every run
 */
export async function open(setup: Setup, index: number, folder: string): Promise<Running> {
  const { server, scheme, replicas } = setup;
  const port = (place: number) => freePort(18_300 + 4 * index + place);
  const ports = [await port(0), await port(1), await port(2), await port(3)] as const;
  const [own, , ...upstreams] = ports;
  const values = valuesFor(setup, folder, ports);
  mkdirSync(folder, { recursive: true });
  certificates(folder);
  if (server.config !== undefined)
    writeFileSync(
      `${folder}/${server.config}`,
      fill(readFileSync(packageFile(`${server.folder}/${server.config}`), 'utf8'), values),
    );
  const closing = new Map<number, () => Promise<void>>();
  const close = async () => {
    for (const stop of [...closing.values()].reverse()) await stop();
  };
  const start = async (at: number, command: string) => {
    const started = startedStore(command, TOKEN);
    closing.set(at, () => started.stop());
    await waitForStore({ baseUrl: `http://127.0.0.1:${at}`, wait: MAX_START_S }, started);
  };
  const startStore = (at: number) => start(at, `exec node '${values.MAIN}' serve --port ${at} > /dev/null`);
  try {
    for (const at of upstreams.slice(0, replicas)) await startStore(at);
    await start(own, fill(setup.start, values));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    baseUrl: `${scheme}://127.0.0.1:${own}`,
    values,
    async restart() {
      const [at = 0] = upstreams;
      await closing.get(at)?.();
      await sleep(AWAY_MS);
      await startStore(at);
    },
    close,
  };
}

/** A self-signed certificate for 127.0.0.1, and one for a client. */
function certificates(folder: string): void {
  for (const name of ['server', 'client']) {
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1'];
    const files = ['-keyout', `${folder}/${name}.key`, '-out', `${folder}/${name}.pem`];
    const subject = ['-subj', `/CN=plant store ${name}`, '-addext', 'subjectAltName=IP:127.0.0.1'];
    execFileSync('openssl', ['req', '-x509', ...key, ...files, ...subject], { stdio: 'ignore' });
  }
  const [certificate, key] = ['server.pem', 'server.key'].map((name) => readFileSync(`${folder}/${name}`));
  writeFileSync(`${folder}/both.pem`, `${certificate}${key}`);
}
