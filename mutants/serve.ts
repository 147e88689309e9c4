import { randomBytes } from 'node:crypto';
import { suggestion } from '../lib/nearest.ts';
import { brokenStores } from './broken/index.ts';
import { conditionalStores } from './conditional/index.ts';
import { rightStores } from './right/index.ts';

/** Starts the store with the given name (`npm run store -- NAME`), and keeps it running until interrupted. */
async function main(name = '--help'): Promise<number> {
  const all = [...brokenStores, ...conditionalStores, ...rightStores];
  if (name === '--help') {
    process.stdout.write(
      'Usage: npm run store -- NAME\n       npm run store -- --list    prints the names\n',
    );
    return 0;
  }
  if (name === '--list') {
    process.stdout.write(all.map((one) => `${one.name}\n`).join(''));
    return 0;
  }
  const store = all.find((one) => one.name === name);
  if (store === undefined) {
    const names = all.map((one) => one.name);
    process.stderr.write(
      `No store is called ${name}; ${suggestion(name, names, '--list prints the names')}\n`,
    );
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
