import { expect, test } from 'vitest';
import { type Cell, type CellClass, named } from '../lib/explain/condition/cells.ts';

const cell = (value: string, ...classes: string[]): Cell => ({
  value,
  words: { clause: `name is ${value}` },
  apply: (state) => state,
  classes,
});

const CLASSES: readonly CellClass[] = [
  { id: 'any', words: { clause: 'name is anything' }, topic: 'name' },
  { id: 'vowel', words: { clause: 'name is a vowel' }, topic: 'name' },
];
const [a, e, b, c] = [
  cell('a', 'any', 'vowel'),
  cell('e', 'any', 'vowel'),
  cell('b', 'any'),
  cell('c', 'any'),
];

const clauses = (...shown: readonly Cell[]) =>
  named(new Map([a, e, b, c].map((one) => [one, shown.includes(one)])), CLASSES).map(
    ({ words }) => words.clause,
  );

test('a class of which all members show the fault is named', () => {
  expect(clauses(a, e)).toEqual(['name is a vowel']);
});

test('the broadest such class is named', () => {
  expect(clauses(a, e, b, c)).toEqual(['name is anything']);
});

test('a single value is named by itself', () => {
  expect(clauses(b)).toEqual(['name is b']);
});

test('values of one topic are joined', () => {
  expect(clauses(a, e, b)).toEqual(['name is a vowel or b']);
});

test('values that say nothing do not count', () => {
  const tries = new Map<Cell, boolean | undefined>([
    [a, true],
    [e, undefined],
    [b, false],
  ]);
  expect(named(tries, CLASSES).map(({ words }) => words.clause)).toEqual(['name is a vowel']);
});

test('nothing is named if nothing shows the fault', () => {
  expect(clauses()).toEqual([]);
});
