import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { packageFile } from '../lib/package.ts';

export const TOKEN = 'Tok3n-AbCdEfGh-0123456789';

/** A reference store in its own process. */
export interface StoreProcess {
  readonly url: string;
  /** The number of requests since the last call. */
  requests(): Promise<number>;
  stop(): Promise<void>;
}

const nextMessage = async (child: ChildProcess): Promise<unknown> => (await once(child, 'message'))[0];

/** @param delay milliseconds to wait before every response */
export async function startStoreProcess(delay = 0): Promise<StoreProcess> {
  const child = fork(packageFile('dist/bench/store-process.js'), [TOKEN, String(delay)]);
  const url = String(await nextMessage(child));
  return {
    url,
    async requests() {
      child.send('requests');
      return Number(await nextMessage(child));
    },
    async stop() {
      child.kill();
      await once(child, 'exit');
    },
  };
}
