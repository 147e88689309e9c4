import { loadOptions, secretsOf } from '../../index.ts';
import { compareStores } from '../../lib/compare/compare.ts';
import type { Column, Comparison } from '../../lib/compare/comparison.ts';
import { startNamed, TOKEN } from './stores.ts';

/** Compares stores of the fleet, a URL where nothing listens, and a store that was not run. */
export async function compared(names: readonly string[], more: object = {}): Promise<Comparison> {
  const stores = await Promise.all(names.map(startNamed));
  try {
    const targets = [...stores.map(({ url }) => url), 'http://127.0.0.1:1'].map(async (baseUrl, index) => {
      const options = {
        baseUrl,
        token: TOKEN,
        seed: 3,
        firstId: 1_500_000_000n + BigInt(index) * 1_000_000n,
        explain: 300,
      };
      return {
        name: names[index] ?? 'gone',
        loaded: await loadOptions({ ...options, ...more }),
        secrets: secretsOf(options),
        implementation: {
          language: index % 2 === 0 ? 'Go' : 'Rust',
          framework: 'by hand',
          version: '1.0',
          note: '',
        },
      };
    });
    const comparison = await compareStores(await Promise.all(targets));
    const notRun: Column = { name: 'absent', state: 'not-run', reason: 'this machine has no erlang' };
    return { ...comparison, columns: [...comparison.columns, notRun] };
  } finally {
    await Promise.all(stores.map((store) => store.stop()));
  }
}

/** The comparison with only some of the stores. */
export function among(comparison: Comparison, names: readonly string[]): Comparison {
  const { columns, differential } = comparison;
  const disagreements = (differential?.disagreements ?? []).map((one) => ({
    ...one,
    ways: one.ways.flatMap(({ signature, answers }) => {
      const own = answers.filter(({ name }) => names.includes(name));
      return own.length === 0 ? [] : [{ signature, answers: own }];
    }),
  }));
  return {
    ...comparison,
    columns: columns.filter(({ name }) => names.includes(name)),
    differential:
      differential === null
        ? null
        : { ...differential, disagreements: disagreements.filter(({ ways }) => ways.length > 1) },
  };
}

/** The comparison with more columns: copies of the first ones under other names. */
export function widened(comparison: Comparison, count: number): Comparison {
  const { columns, differential } = comparison;
  const run = columns.filter(({ state }) => state === 'run');
  const more = Array.from({ length: count - columns.length }, (_, index) => {
    const one = run[index % run.length];
    return one === undefined ? [] : [{ ...one, name: `${one.name}, another one (${index + 1})` }];
  });
  return { ...comparison, columns: [...columns, ...more.flat()], differential };
}
