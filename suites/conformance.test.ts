import { randomBytes } from 'node:crypto';
import { optionsIn } from '../lib/config/read-options.ts';
import { startStore } from '../reference/store.ts';
import { plantStoreConformance } from '../vitest.ts';

const { baseUrl, token, ...options } = optionsIn(process.env);

plantStoreConformance({
  ...options,
  start: async () => {
    if (baseUrl === undefined) {
      const store = await startStore({ token: randomBytes(18).toString('base64url') });
      return { baseUrl: store.url, token: store.token, stop: () => store.stop() };
    }
    if (token === undefined) throw new Error('Set PLANT_STORE_TOKEN to a token that the store accepts.');
    return { baseUrl, token };
  },
});
