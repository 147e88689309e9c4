import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { endpointOf } from '../lib/wire/endpoint.ts';

/** Milliseconds between two looks. */
const BETWEEN = 100;

/** Seconds that a store which has to be started is waited for. */
const FOR_A_START = 30;

/** Waits for a store as long as is asked for; by default only where it has to be started. */
export async function waitForStore(
  {
    baseUrl,
    start,
    wait,
  }: { readonly baseUrl: string; readonly start?: string | undefined; readonly wait?: number | undefined },
  signal: AbortSignal,
): Promise<void> {
  const patience = wait ?? (start === undefined ? 0 : FOR_A_START);
  if (patience > 0) await waitUntilItListens(baseUrl, patience, signal);
}

/** Waits until something listens at the address, or the time is over: what is there then, the run finds out. */
export async function waitUntilItListens(
  baseUrl: string,
  seconds: number,
  signal: AbortSignal,
): Promise<void> {
  const { host, port } = endpointOf(baseUrl, { timeout: 0 });
  const deadline = Date.now() + seconds * 1000;
  while (!signal.aborted && Date.now() < deadline && !(await listens(host, port))) await sleep(BETWEEN);
}

function listens(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (found: boolean) => {
      socket.destroy();
      resolve(found);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.setTimeout(1000, () => end(false));
  });
}
