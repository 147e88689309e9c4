import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { endpointOf } from '../lib/wire/endpoint.ts';

/** Milliseconds between two attempts to connect. */
export const POLL_INTERVAL_MS = 100;

/** Seconds to wait for a store that is started by the run. */
const DEFAULT_WAIT_S = 30;

/** Waits until a store listens; by default only if the run starts it. */
export async function waitForStore(
  {
    baseUrl,
    start,
    wait,
  }: { readonly baseUrl: string; readonly start?: string | undefined; readonly wait?: number | undefined },
  signal: AbortSignal,
): Promise<void> {
  const maxWaitS = wait ?? (start === undefined ? 0 : DEFAULT_WAIT_S);
  if (maxWaitS > 0) await waitUntilItListens(baseUrl, maxWaitS, signal);
}

/** Waits until something listens at the address or the time is up. Whether it is a store is for the run to find out. */
export async function waitUntilItListens(
  baseUrl: string,
  seconds: number,
  signal: AbortSignal,
): Promise<void> {
  const deadline = Date.now() + seconds * 1000;
  while (!signal.aborted && Date.now() < deadline && !(await listens(baseUrl))) await sleep(POLL_INTERVAL_MS);
}

/** Whether something listens at the address. */
export function listens(baseUrl: string): Promise<boolean> {
  const { host, port } = endpointOf(baseUrl, { timeout: 0 });
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
