import { expect, test } from 'vitest';
import { catalogue } from '../index.ts';
import { packageText } from '../lib/package.ts';
import { CLAUSES } from '../suites/clauses.ts';

const STANDARD = /^(?:RFC \d{4} section \d+(?:\.\d+)*|JSON Schema 2020-12 section \d+(?:\.\d+)*)$/;
const PLACE = /^openapi\.yaml#\//;

test('ids and levels are stable: an id never changes its meaning', () => {
  expect(catalogue.map(({ id, level }) => `${level} ${id}`)).toMatchSnapshot();
});

test('ids are descriptive and unique', () => {
  const ids = catalogue.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[a-z-]+\/[a-z0-9^-]+$/);
});

test('every check has a statement, a basis and a hint', () => {
  for (const { statement, basis, hint } of catalogue) {
    expect(statement).toMatch(/^[A-Z].*\.$/);
    expect(hint.length).toBeGreaterThan(20);
    expect(basis.length).toBeGreaterThan(0);
  }
});

test('every basis is a clause of the interface, a place in the document, or a section of a standard', () => {
  for (const { id, basis } of catalogue) {
    for (const one of basis) {
      expect(one in CLAUSES || STANDARD.test(one) || PLACE.test(one), `${id}: ${one}`).toBe(true);
    }
  }
});

test('every clause of the interface is checked, or excluded for a reason', () => {
  const cited = new Set<string>(catalogue.flatMap(({ basis }) => basis));
  for (const [clause, about] of Object.entries(CLAUSES)) {
    expect(cited.has(clause) !== 'excluded' in about, clause).toBe(true);
  }
});

test('docs/interface.md contains every clause of the interface', () => {
  const rows = Object.entries(CLAUSES).map(
    ([clause, { text }]) => `| ${clause} | ${text.replace('<', '\\<')}`,
  );
  const page = packageText('docs/interface.md');
  expect(rows.filter((row) => !page.includes(row))).toEqual([]);
});

test('every MUST is based on the interface', () => {
  for (const { id, level, basis } of catalogue) {
    if (level === 'MUST')
      expect(
        basis.some((one) => one in CLAUSES),
        id,
      ).toBe(true);
  }
});
