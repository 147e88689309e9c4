import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { endpointOf } from '../lib/wire/endpoint.ts';

/** Milliseconds between two looks. */
const BETWEEN = 100;

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
