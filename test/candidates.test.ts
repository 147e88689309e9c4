import { expect, test } from 'vitest';
import { type Candidate, type CandidateClass, nameCandidates } from '../lib/explain/values/candidates.ts';

const candidate = (value: string, ...classes: string[]): Candidate => ({
  value,
  condition: { clause: `name is ${value}` },
  apply: (request) => request,
  classes,
});

const CLASSES: readonly CandidateClass[] = [
  { id: 'any', condition: { clause: 'name is anything' }, group: 'name' },
  { id: 'vowel', condition: { clause: 'name is a vowel' }, group: 'name' },
];
const [a, e, b, c] = [
  candidate('a', 'any', 'vowel'),
  candidate('e', 'any', 'vowel'),
  candidate('b', 'any'),
  candidate('c', 'any'),
];

const clauses = (...shown: readonly Candidate[]) =>
  nameCandidates(new Map([a, e, b, c].map((one) => [one, shown.includes(one)])), CLASSES).map(
    ({ condition }) => condition.clause,
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
  const tries = new Map<Candidate, boolean | undefined>([
    [a, true],
    [e, undefined],
    [b, false],
  ]);
  expect(nameCandidates(tries, CLASSES).map(({ condition }) => condition.clause)).toEqual([
    'name is a vowel',
  ]);
});

test('nothing is named if nothing shows the fault', () => {
  expect(clauses()).toEqual([]);
});
