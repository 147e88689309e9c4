import { once } from 'node:events';
import { expect, test } from 'vitest';
import { catalogue, run } from '../index.ts';
import { packageFile } from '../lib/package.ts';
import { brokenStores } from '../mutants/broken/index.ts';
import { conditionalStores } from '../mutants/conditional/index.ts';
import { rightStores } from '../mutants/right/index.ts';
import { ended, start } from './helpers/command.ts';

test('every store of the fleet has a unique name', () => {
  const names = [...brokenStores, ...rightStores].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test('a store is started by its name', async () => {
  const serve = (name: string) => start(process.execPath, [packageFile('dist/mutants/serve.js'), name]);
  const child = serve('create-201');
  const [text] = child.stdout === null ? [] : await once(child.stdout, 'data');
  const [url = '', token = ''] = String(text)
    .trim()
    .split(/\nPLANT_STORE_TOKEN=/);
  const record = await run({ baseUrl: url, token, only: ['ordinary/answers-200'], explain: 0 }).record;
  expect(record.outcome).toBe('nonconformant');
  child.kill();
  expect((await ended(serve('create-20'))).stderr).toMatch(
    /^No store is called create-20; did you mean create-20\d\?/,
  );
});

test('every broken store names existing checks', () => {
  const ids = new Set(catalogue.map(({ id }) => id));
  for (const { name, fails } of brokenStores) {
    expect(fails.length, name).toBeGreaterThan(0);
    for (const id of fails) expect(ids.has(id) || id.startsWith('stop/'), `${name}: ${id}`).toBe(true);
  }
});

test('every check that can fail has a broken store', () => {
  const expected = new Set([...brokenStores, ...conditionalStores].flatMap(({ fails }) => fails));
  const without = catalogue.filter(({ id, level }) => level !== 'OBSERVE' && !expected.has(id));
  expect(without.map(({ id }) => id)).toEqual([]);
});
