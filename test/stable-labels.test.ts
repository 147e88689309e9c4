import fc from 'fast-check';
import { expect, test } from 'vitest';
import { catalogue, loadOptions } from '../index.ts';
import type { TestCase } from '../lib/payloads/test-case.ts';
import { plantsFor } from '../lib/run/plant-factory.ts';

/** The labels of a check's cases that enter its fingerprints. */
const labelsOf = async (id: string, seed: number): Promise<readonly string[]> => {
  const { contract } = await loadOptions({ baseUrl: 'http://127.0.0.1:1', token: 'secret' });
  const test = catalogue.find((check) => check.id === id)?.test;
  const plants = plantsFor(contract, seed, id);
  const label = ({ label: own, stableLabel = own }: TestCase) => stableLabel;
  if (test?.kind === 'cases') return test.cases(plants).map(label);
  if (test?.kind !== 'property') return [];
  const sampled = fc.sample(test.cases(plants), { numRuns: 3000, seed });
  return [...new Set(sampled.map(label))].sort();
};

test.each(catalogue.map(({ id }) => id))('the stable labels of %s do not depend on the seed', async (id) => {
  expect(await labelsOf(id, 1)).toEqual(await labelsOf(id, 2));
});
