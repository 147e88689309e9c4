import { randomBytes } from 'node:crypto';
import { brokenStores } from './broken/index.ts';
import { conditionalStores } from './conditional/index.ts';
import { rightStores } from './right/index.ts';

/** Starts the store with a name, `npm run store -- NAME`, and runs it until interrupted. */
async function main(name = ''): Promise<number> {
  const all = [...brokenStores, ...conditionalStores, ...rightStores];
  const store = all.find((one) => one.name === name);
  if (store === undefined) {
    const like = all.filter((one) => one.name.includes(name)).map((one) => one.name);
    process.stderr.write(`No store is called ${name}. Similar: ${like.slice(0, 10).join(', ') || 'none'}\n`);
    return 2;
  }
  const token = process.env.PLANT_STORE_TOKEN ?? randomBytes(18).toString('base64url');
  const running = await store.start(token);
  process.stdout.write(`${running.url}\nPLANT_STORE_TOKEN=${token}\n`);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  await running.stop();
  return 0;
}

process.exitCode = await main(process.argv[2]);
