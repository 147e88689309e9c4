import { setTimeout as sleep } from 'node:timers/promises';
import { startStore } from '../reference/store.ts';

/*
 * A store in a process of its own: `node store-process.js TOKEN MILLISECONDS`. Says its address to the parent,
 * and on every message how many requests it has had since the last.
 */

const [, , token = '', delay = '0'] = process.argv;
let requests = 0;

const store = await startStore({
  token,
  steps: (right) => ({
    async send(answer, response, request) {
      requests += 1;
      if (delay !== '0') await sleep(Number(delay));
      right.send(answer, response, request);
    },
  }),
});
process.on('message', () => {
  process.send?.(requests);
  requests = 0;
});
process.once('disconnect', () => process.exit());
process.send?.(store.url);
