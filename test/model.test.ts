import { createHash } from 'node:crypto';
import type { Value } from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Contract, loadContract } from '../lib/contract/contract.ts';
import { packageFile } from '../lib/package.ts';
import type { Case, Draft } from '../lib/payloads/case.ts';
import { JsonObject, write } from '../lib/payloads/json.ts';
import { type Expectation, modelsOf, rowsOf, valuesOf } from '../lib/payloads/model/model.ts';
import { anyCombination, combinations } from '../lib/payloads/model/rows.ts';
import { draw } from '../lib/payloads/random.ts';
import { fill } from '../lib/run/fill.ts';
import { documentOf, plantWith } from './documents.ts';
import { TOKEN } from './stores.ts';

const EXPECTATIONS: readonly Expectation[] = ['accepted', 'answered', 'rejected', 'unauthorised'];
const CONTROL: Draft = { body: { json: new JsonObject([['id', 1n]]) } };
const SURROUNDINGS = { token: TOKEN, host: 'localhost:80', prefix: '', headers: [] } as const;
const ID = 2n ** 30n;
const KIB = 1024;

const OWN = packageFile('openapi.yaml');
const DOCUMENTS: readonly (readonly [name: string, file: () => string, overlays: readonly string[]])[] = [
  ['of the suite', () => OWN, []],
  ['with limits', () => OWN, [packageFile('mutants/overlays/limits.yaml')]],
  ['that is closed', () => documentOf(plantWith({}, [], true)), []],
  [
    'with more properties',
    () =>
      documentOf(
        plantWith({ height: { type: 'number', minimum: 0.5 }, colour: { enum: ['green', 'red'] } }, [
          'height',
        ]),
      ),
    [],
  ],
  [
    'whose names have a pattern',
    () => documentOf(plantWith({ name: { type: 'string', pattern: '^[A-Z][a-z]{2,30}$' } })),
    [],
  ],
];

const requestOf = (draft: Draft) => fill(draft, ID, SURROUNDINGS);
const bodyOf = (draft: Draft) => requestOf(draft).body ?? new Uint8Array();

/** What a reader of JSON makes of a body; undefined where it is no JSON. */
function jsonIn(body: Uint8Array): { readonly text: string; readonly value: unknown } | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    return { text, value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

const isPlant = (body: Uint8Array, { newPlant }: Contract): boolean => {
  const json = jsonIn(body);
  return json !== undefined && newPlant.validate(json.text, json.value).length === 0;
};

/** The body as a store reads it of which the first of two equal names counts, where there are such. */
function readFirst({ body }: Draft): Uint8Array | undefined {
  if (body === undefined || !('json' in body) || !(body.json instanceof JsonObject)) return undefined;
  const { members } = body.json;
  const firsts = members.filter(([name], at) => members.findIndex(([own]) => own === name) === at);
  if (firsts.length === members.length) return undefined;
  const text = write(new JsonObject(firsts), ID, body.style);
  const edited = body.edit?.(text) ?? text;
  return Buffer.from(edited);
}

/** The body without the property that stands in it a second time, of another type: to a reader of which the first counts. */
const withoutSecond = (body: Uint8Array): Uint8Array =>
  Buffer.from(
    Buffer.from(body)
      .toString()
      .replace(/,"(?:name|tag|id)":(?:5|\["second"\]|"second")\s*}(?=\s*$)/, '}'),
  );

const readings = (draft: Draft): readonly Uint8Array[] => {
  const body = bodyOf(draft);
  const json = jsonIn(body);
  // As doubles.
  return [body, readFirst(draft), json && Buffer.from(JSON.stringify(json.value))].filter(
    (one) => one !== undefined,
  );
};

/** What is wrong with a case of a model: it is not what it says. */
const WRONG: Readonly<Record<Expectation, (draft: Draft, contract: Contract) => boolean>> = {
  accepted: (draft, contract) => !isPlant(bodyOf(draft), contract),
  answered: (draft, contract) =>
    ![bodyOf(draft), withoutSecond(bodyOf(draft))].some((body) => isPlant(body, contract)),
  rejected: (draft, contract) => readings(draft).some((body) => isPlant(body, contract)),
  unauthorised: (draft) => {
    const { path, headers } = requestOf(draft);
    const right = new RegExp(`^\\s*[Bb][Ee][Aa][Rr][Ee][Rr]\\s+"?${TOKEN}"?\\s*$`);
    return (
      path.includes(TOKEN) ||
      headers.some(
        ([name, value]) => name === 'authorization' && value.split(',').some((one) => right.test(one)),
      )
    );
  },
};

/** Some of any cases, which a longer run draws. */
const drawnOf = (contract: Contract, expectation: Expectation, count: number): Value<Case>[] => {
  const arbitrary = anyCombination(contract, expectation, CONTROL);
  return Array.from({ length: count }, (_, index) => draw(arbitrary, 5, expectation, index));
};

describe.each(DOCUMENTS)('a model of requests for a document %s', (_name, file, overlays) => {
  let contract: Contract;
  beforeAll(async () => {
    contract = await loadContract(file(), overlays);
  });

  describe.each(EXPECTATIONS)('that are to be %s', (expectation) => {
    let cases: readonly Case[] = [];
    beforeAll(() => {
      cases = [
        ...combinations(contract, expectation, 2, CONTROL, 11),
        ...drawnOf(contract, expectation, 60).map(({ value }) => value),
      ];
    });

    test('makes what it says', () => {
      const wrong = cases.filter(({ draft }) => WRONG[expectation](draft, contract));
      expect(wrong.map(({ label }) => label)).toEqual([]);
    });

    test('keeps within 64 KiB', () => {
      const large = cases.filter(({ draft }) => bodyOf(draft).length > 64 * KIB);
      expect(large.map(({ label, draft }) => `${bodyOf(draft).length} ${label}`)).toEqual([]);
    });

    test('has every value of every dimension in a row', () => {
      const model = modelsOf(contract)[expectation];
      const seen = new Set(
        rowsOf(model, 2).flatMap((row) =>
          valuesOf(model, { row, members: [] }).map(({ dimension, index }) => `${dimension} ${index}`),
        ),
      );
      const all = model.dimensions.flatMap(({ name, values }) =>
        values.map((_, index) => `${name} ${index}`),
      );
      expect(all.filter((one) => !seen.has(one))).toEqual([]);
    });

    test('makes the same bytes of the same salt', () => {
      const digest = () => {
        const hash = createHash('sha256');
        for (const { draft } of combinations(contract, expectation, 2, CONTROL, 3).slice(0, 150)) {
          const { body, headers, path } = requestOf(draft);
          hash.update(JSON.stringify([path, headers])).update(body ?? '');
          if (draft.after !== undefined) hash.update(bodyOf(draft.after.draft));
        }
        return hash.digest('hex');
      };
      expect(digest()).toBe(digest());
    });
  });
});

describe('a failing request of a model', () => {
  /** Where shrinking ends, if whatever holds fails. */
  const shrunk = (
    contract: Contract,
    expectation: Expectation,
    first: Value<Case>,
    fails: (one: Case) => boolean,
  ) => {
    const arbitrary = anyCombination(contract, expectation, CONTROL);
    let current = first;
    for (;;) {
      const next = [...arbitrary.shrink(current.value, current.context)].find(({ value }) => fails(value));
      if (next === undefined) return current.value;
      current = next;
    }
  };

  test.each(['rejected', 'unauthorised'] as const)(
    'that is to be %s shrinks to its fault alone',
    async (expectation) => {
      const contract = await loadContract(OWN);
      for (const first of drawnOf(contract, expectation, 40)) {
        const { label, stableLabel = '' } = shrunk(contract, expectation, first, () => true);
        const fault = label.replace(/^a plant (?:where|with|without) (?:a body that is )?/, '');
        expect(fault).toBe(stableLabel.replace(/^no body$/, 'a body'));
        expect(stableLabel).toBe(first.value.stableLabel);
      }
    },
  );

  test('shrinks to its fault and the one condition that it takes', async () => {
    const contract = await loadContract(OWN);
    const condition = 'with an even id';
    const having = drawnOf(contract, 'rejected', 300).filter(({ value }) => value.label.includes(condition));
    expect(having.length).toBeGreaterThan(2);
    for (const first of having) {
      const { label } = shrunk(contract, 'rejected', first, (one) => one.label.includes(condition));
      expect(label.endsWith(`${first.value.stableLabel}, ${condition}`)).toBe(true);
    }
  });

  test('is said by its row, whose case goes on to be shrunk', async () => {
    const contract = await loadContract(OWN);
    const [, row] = combinations(contract, 'accepted', 2, CONTROL, 1);
    if (row === undefined) throw new Error('the array has no second row');
    const { label } = shrunk(
      contract,
      'accepted',
      { value: row, context: undefined } as Value<Case>,
      () => true,
    );
    expect(label).toBe('a plant as usual');
  });
});
