import { setTimeout as sleep } from 'node:timers/promises';
import { startStore } from '../reference/store.ts';

/*
 * A store in its own process: `node store-process.js TOKEN MILLISECONDS`. Sends its address to the parent
 * process and, for every message, the number of requests since the previous message.
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
