import { randomBytes } from 'node:crypto';
import { startStore } from '../reference/store.ts';
import { plantStoreConformance } from '../vitest.ts';

const { PLANT_STORE_URL, PLANT_STORE_TOKEN, PLANT_STORE_STRICT, PLANT_STORE_SEED } = process.env;

plantStoreConformance({
  strict: PLANT_STORE_STRICT === '1',
  ...(PLANT_STORE_SEED === undefined ? {} : { seed: Number(PLANT_STORE_SEED) }),
  start: async () => {
    if (PLANT_STORE_URL === undefined) {
      const store = await startStore({ token: randomBytes(18).toString('base64url') });
      return { baseUrl: store.url, token: store.token, stop: () => store.stop() };
    }
    if (PLANT_STORE_TOKEN === undefined)
      throw new Error('Set PLANT_STORE_TOKEN to a token that the store takes.');
    return { baseUrl: PLANT_STORE_URL, token: PLANT_STORE_TOKEN };
  },
});
