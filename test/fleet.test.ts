import { expect, test } from 'vitest';
import { catalogue } from '../index.ts';
import { brokenStores } from '../mutants/broken/index.ts';
import { conditionalStores } from '../mutants/conditional/index.ts';
import { rightStores } from '../mutants/right/index.ts';

test('every store of the fleet has a unique name', () => {
  const names = [...brokenStores, ...rightStores].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
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
