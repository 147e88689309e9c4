import { randomBytes } from 'node:crypto';
import { suggestion } from '../lib/nearest.ts';
import { brokenStores } from './broken/index.ts';
import { conditionalStores } from './conditional/index.ts';
import { brokenStoreOf } from './pairs.ts';
import { rightStores } from './right/index.ts';

/** The names of all stores, each with its fault or oddity, by folder. */
const list = (): string =>
  [
    '# broken: one fault',
    ...brokenStores.map(({ name, breaks }) => [name, breaks]),
    '# conditional: a fault that shows only under some conditions',
    ...conditionalStores.map(({ name, breaks }) => [name, breaks]),
    '# right: unusual, but conforming',
    ...rightStores.map(({ name, odd }) => [name, odd]),
  ]
    .map((line) => (typeof line === 'string' ? line : `${line[0]?.padEnd(36)} ${line[1]}`))
    .map((line) => `${line}\n`)
    .join('');

/** Starts the store with the given name (`npm run store -- NAME`), and keeps it running until interrupted. */
async function main(name = '--help'): Promise<number> {
  const all = [...brokenStores, ...conditionalStores, ...rightStores];
  if (name === '--help') {
    process.stdout.write(
      'Usage: npm run store -- NAME      starts a store, which runs until Ctrl+C\n' +
        '       npm run store -- A+B       starts a store with the faults of two broken ones\n' +
        '       npm run store -- --list    prints the names and what is wrong\n' +
        'The store accepts the token in $PLANT_STORE_TOKEN, or prints one of its own.\n',
    );
    return 0;
  }
  if (name === '--list') {
    process.stdout.write(list());
    return 0;
  }
  const store = all.find((one) => one.name === name) ?? brokenStoreOf(name);
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
