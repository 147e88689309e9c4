import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadedOptions } from '../lib/run/run.ts';
import { UsageError } from '../lib/usage-error.ts';
import { endpointOf } from '../lib/wire/endpoint.ts';
import type { StartedStore } from './started-store.ts';

export const POLL_INTERVAL_MS = 100;

const DEFAULT_WAIT_S = 30;

/** Milliseconds that a process needs to close its sockets after it was ended. */
const MAX_CLOSING_MS = 500;

/** Waits until the base URL accepts connections, the time is up, or the started process exits. */
export async function waitForStore(
  { baseUrl, wait }: { readonly baseUrl: string; readonly wait?: number | undefined },
  started: Pick<StartedStore, 'hasEnded'> | undefined,
  signal?: AbortSignal,
): Promise<void> {
  const seconds = wait ?? (started === undefined ? 0 : DEFAULT_WAIT_S);
  const deadline = Date.now() + seconds * 1000;
  while (signal?.aborted !== true && Date.now() < deadline) {
    const isLast = started?.hasEnded() === true;
    if ((await listens(baseUrl)) || isLast) return;
    await sleep(POLL_INTERVAL_MS);
  }
}

/** Lets a run restart the store that it started, and report how it ended. */
export const keptAlive = (
  started: StartedStore,
  store: Parameters<typeof waitForStore>[0],
  signal: AbortSignal,
): Pick<LoadedOptions, 'describeStop' | 'restart'> => ({
  describeStop: (stop) => started.describeStop(stop),
  async restart() {
    // A store that still runs may only have closed its port for a moment.
    if (!started.hasEnded()) return false;
    await started.startAgain();
    await waitForStore(store, started, signal);
    return true;
  },
});

/**
 * Makes sure that nothing listens at a URL; waits a moment for a store that is being stopped.
 * @throws UsageError if something still listens there
 */
export async function requireFree(baseUrl: string): Promise<void> {
  const deadline = Date.now() + MAX_CLOSING_MS;
  while (await listens(baseUrl)) {
    if (Date.now() > deadline)
      throw new UsageError(
        `Cannot start the store: something already listens at ${baseUrl}. Stop it, or omit --start to test it.`,
      );
    await sleep(POLL_INTERVAL_MS);
  }
}

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
