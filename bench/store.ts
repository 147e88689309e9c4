import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { packageFile } from '../lib/package.ts';

export const TOKEN = 'Tok3n-AbCdEfGh-0123456789';

/** A reference store in a process of its own. */
export interface StoreProcess {
  readonly url: string;
  /** How many requests it has had since the last time it was asked. */
  requests(): Promise<number>;
  stop(): Promise<void>;
}

const heard = async (child: ChildProcess): Promise<unknown> => (await once(child, 'message'))[0];

/** @param delay milliseconds before every answer */
export async function startStoreProcess(delay = 0): Promise<StoreProcess> {
  const child = fork(packageFile('dist/bench/store-process.js'), [TOKEN, String(delay)]);
  const url = String(await heard(child));
  return {
    url,
    async requests() {
      child.send('requests');
      return Number(await heard(child));
    },
    async stop() {
      child.kill();
      await once(child, 'exit');
    },
  };
}
