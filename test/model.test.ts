import { createHash } from 'node:crypto';
import type { Arbitrary, Value } from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Contract } from '../lib/contract/contract.ts';
import { loadContract } from '../lib/contract/load-contract.ts';
import { packageFile } from '../lib/package.ts';
import { coveringArray } from '../lib/payloads/covering.ts';
import { JsonObject, write } from '../lib/payloads/json.ts';
import type { Value as ModelValue } from '../lib/payloads/model/dimension.ts';
import { dimensionsOf, modelsOf, rowsOf, valuesOf } from '../lib/payloads/model/model.ts';
import { initialRequest, templateOf } from '../lib/payloads/model/model-request.ts';
import { toStored } from '../lib/payloads/model/pairs.ts';
import { anyCombination, combinations } from '../lib/payloads/model/rows.ts';
import { sample } from '../lib/payloads/random.ts';
import type { ExpectedOutcome, RequestTemplate, TestCase } from '../lib/payloads/test-case.ts';
import { plainPlants } from '../lib/payloads/validity.ts';
import { fill } from '../lib/run/send/fill-template.ts';
import { documentOf, plantWith } from './helpers/documents.ts';
import { TOKEN } from './helpers/stores.ts';

const EXPECTATIONS: readonly ExpectedOutcome[] = [
  'accept',
  'accept-or-reject',
  'reject-body',
  'reject-credential',
];
const CONTROL: RequestTemplate = { body: { json: new JsonObject([['id', 1n]]) } };
const DEFAULTS_ONLY = { token: TOKEN, host: 'localhost:80', prefix: '', headers: [] } as const;
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

const requestOf = (template: RequestTemplate) => fill(template, ID, DEFAULTS_ONLY);
const bodyOf = (template: RequestTemplate) => requestOf(template).body ?? new Uint8Array();

/** The text and value of a JSON body; undefined if it is not JSON. */
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

/** The body as read by a store that uses the first of duplicate names, if there are any. */
function readFirst({ body }: RequestTemplate): Uint8Array | undefined {
  if (body === undefined || !('json' in body) || !(body.json instanceof JsonObject)) return undefined;
  const { members } = body.json;
  const firsts = members.filter(([name], at) => members.findIndex(([own]) => own === name) === at);
  if (firsts.length === members.length) return undefined;
  const text = write(new JsonObject(firsts), ID, body.style);
  const edited = body.edit?.(text) ?? text;
  return Buffer.from(edited);
}

/** The body without a duplicate property of another type, as read by a parser that uses the first. */
const withoutSecond = (body: Uint8Array): Uint8Array =>
  Buffer.from(
    Buffer.from(body)
      .toString()
      .replace(/,"(?:name|n\\u0061me|tag|id)":(?:5|\["second"\]|"second")\s*}(?=\s*$)/, '}'),
  );

const readings = (template: RequestTemplate): readonly Uint8Array[] => {
  const body = bodyOf(template);
  const json = jsonIn(body);
  // As doubles.
  return [body, readFirst(template), json && Buffer.from(JSON.stringify(json.value))].filter(
    (one) => one !== undefined,
  );
};

/** Whether a case of a model does not meet its expectation. */
const WRONG: Readonly<Record<ExpectedOutcome, (template: RequestTemplate, contract: Contract) => boolean>> = {
  accept: (template, contract) => !isPlant(bodyOf(template), contract),
  'accept-or-reject': (template, contract) =>
    ![bodyOf(template), withoutSecond(bodyOf(template))].some((body) => isPlant(body, contract)),
  'reject-body': (template, contract) => readings(template).some((body) => isPlant(body, contract)),
  'reject-credential': (template) => {
    const { path, headers } = requestOf(template);
    const right = new RegExp(`^\\s*[Bb][Ee][Aa][Rr][Ee][Rr]\\s+"?${TOKEN}"?\\s*$`);
    return (
      path.includes(TOKEN) ||
      headers.some(
        ([name, value]) => name === 'authorization' && value.split(',').some((one) => right.test(one)),
      )
    );
  },
};

/** Some random cases, as in longer runs. */
const sampledOf = (contract: Contract, expected: ExpectedOutcome, count: number): Value<TestCase>[] => {
  const arbitrary = anyCombination(contract, expected, CONTROL);
  return Array.from({ length: count }, (_, index) => sample(arbitrary, 5, expected, index));
};

describe.each(DOCUMENTS)('a model of requests for a document %s', (_name, file, overlays) => {
  let contract: Contract;
  beforeAll(async () => {
    contract = await loadContract(file(), overlays);
  });

  describe.each(EXPECTATIONS)('expected to be %s', (expected) => {
    let cases: readonly TestCase[] = [];
    beforeAll(() => {
      cases = [
        ...combinations(contract, expected, 2, CONTROL, 11),
        ...sampledOf(contract, expected, 60).map(({ value }) => value),
      ];
    });

    test('meets its expectation', () => {
      const wrong = cases.filter(({ template }) => WRONG[expected](template, contract));
      expect(wrong.map(({ label }) => label)).toEqual([]);
    });

    test('stays within 64 KiB', () => {
      const large = cases.filter(({ template }) => bodyOf(template).length > 64 * KIB);
      expect(large.map(({ label, template }) => `${bodyOf(template).length} ${label}`)).toEqual([]);
    });

    test('stays ordinary, and within 1 KiB, if it must be accepted, whatever fresh words and numbers its id makes', () => {
      if (expected !== 'accept' || file() !== OWN || overlays.length > 0) return;
      const ids = Array.from({ length: 200 }, (_, index) => 2n ** 29n + BigInt(index) * 7919n);
      const large = cases.flatMap(({ label, template }) =>
        ids
          .map((id) => fill(template, id, DEFAULTS_ONLY).body?.length ?? 0)
          .filter((size) => size > KIB)
          .slice(0, 1)
          .map((size) => `${size} ${label}`),
      );
      expect(large).toEqual([]);
    });

    test('has every value of every dimension in some row', () => {
      const model = modelsOf(contract)[expected];
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

    test('gives the same bytes for the same seed', () => {
      const digest = () => {
        const hash = createHash('sha256');
        for (const { template } of combinations(contract, expected, 2, CONTROL, 3).slice(0, 150)) {
          const { body, headers, path } = requestOf(template);
          hash.update(JSON.stringify([path, headers])).update(body ?? '');
          if (template.preceding !== undefined) hash.update(bodyOf(template.preceding.template));
        }
        return hash.digest('hex');
      };
      expect(digest()).toBe(digest());
    });
  });
});

describe('a failing request of a model', () => {
  /** The result of shrinking a case while `fails` is true. */
  const shrunk = (
    contract: Contract,
    expected: ExpectedOutcome,
    first: Value<TestCase>,
    fails: (one: TestCase) => boolean,
  ) => {
    const arbitrary = anyCombination(contract, expected, CONTROL);
    let current = first;
    for (;;) {
      const next = [...arbitrary.shrink(current.value, current.context)].find(({ value }) => fails(value));
      if (next === undefined) return current.value;
      current = next;
    }
  };

  test.each(['reject-body', 'reject-credential'] as const)(
    'expected to be %s shrinks to its fault alone',
    async (expected) => {
      const contract = await loadContract(OWN);
      for (const first of sampledOf(contract, expected, 40)) {
        const { label, stableLabel = '' } = shrunk(contract, expected, first, () => true);
        const fault = label.replace(/^a (?:plant (?:where|with)|body that is) | as the body$/g, '');
        expect(fault).toBe(stableLabel);
        expect(stableLabel).toBe(first.value.stableLabel);
      }
    },
  );

  test('shrinks to its fault and the one condition that it needs', async () => {
    const contract = await loadContract(OWN);
    const condition = 'with an even id';
    const having = sampledOf(contract, 'reject-body', 300).filter(({ value }) =>
      value.label.includes(condition),
    );
    expect(having.length).toBeGreaterThan(2);
    for (const first of having) {
      const { label } = shrunk(contract, 'reject-body', first, (one) => one.label.includes(condition));
      expect(label.endsWith(`${first.value.stableLabel}, ${condition}`)).toBe(true);
    }
  });

  test('from a covering array can be shrunk as well', async () => {
    const contract = await loadContract(OWN);
    const [, row] = combinations(contract, 'accept', 2, CONTROL, 1);
    if (row === undefined) throw new Error('the array has no second row');
    const { label } = shrunk(
      contract,
      'accept',
      { value: row, context: undefined } as Value<TestCase>,
      () => true,
    );
    expect(label).toBe('a plant as usual');
  });
});

test('the stored covering arrays are those of the document of the suite (npm run docs)', async () => {
  const models = modelsOf(await loadContract(OWN));
  const stored = EXPECTATIONS.map((expected) => {
    const model = models[expected];
    return toStored(model, coveringArray(dimensionsOf(model), 2));
  });
  await expect(`${JSON.stringify(Object.assign({}, ...stored), null, 2)}\n`).toMatchFileSnapshot(
    '../lib/payloads/model/pairs.json',
  );
});

test('the largest head of any combination fits into 8 KiB, with room for what a proxy adds', async () => {
  const headSize = ({ path = '', headers = [], credential }: RequestTemplate): number =>
    [path, ...headers.flat(), ...(credential?.values(TOKEN) ?? [])].join(': ').length;
  const models = Object.values(modelsOf(await loadContract(OWN)));
  const largest = models.map(({ dimensions, contract }) => {
    const sizeWith = ({ apply }: ModelValue) => {
      const plant = sample(plainPlants(contract, 'all'), 0, 'head', 0).value;
      const context = { contract, sample: <T>(any: Arbitrary<T>) => sample(any, 0, 'head', 0).value };
      return headSize(templateOf(apply(initialRequest(plant), context)));
    };
    const sizes = dimensions.map(({ values }) =>
      Math.max(...values.flatMap((value) => value.members ?? [value]).map(sizeWith)),
    );
    return sizes.reduce((sum, size) => sum + size, 0);
  });
  expect(Math.max(...largest)).toBeLessThan(7.5 * KIB);
});
