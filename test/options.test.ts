import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DocumentError, planOf, type RunOptions, run, UsageError } from '../index.ts';
import { readConfig } from '../lib/config/config.ts';
import { readOptions } from '../lib/config/given.ts';
import { flagOf, IN_A_FILE, IN_CODE, OPTIONS, type Row, variableOf } from '../lib/config/options.ts';
import { configurationSchema, optionTables } from '../lib/config/reference.ts';
import { loadContract } from '../lib/contract/contract.ts';
import { packageFile } from '../lib/package.ts';
import { answer, rightSteps } from '../reference/store.ts';
import { plantStoreConformance } from '../vitest.ts';
import { ended, start, suite } from './command.ts';
import { TOKEN, withStore } from './stores.ts';

/** Nothing listens there: a test that gets as far as that has let a wrong option through. */
const NOBODY = { baseUrl: 'http://127.0.0.1:1', token: TOKEN };

/** Whatever JavaScript may give. */
const anyCall = (options: unknown, signal?: unknown) => run(options as RunOptions, signal as AbortSignal);

const reasonOf = async (work: () => unknown): Promise<unknown> => {
  try {
    return await work();
  } catch (error) {
    return error;
  }
};

describe('a run that is called wrongly', () => {
  const calls: readonly (readonly [options: unknown, message: string])[] = [
    [undefined, 'Options are an object such as { baseUrl, token }, not undefined.'],
    [null, 'not null.'],
    ['http://127.0.0.1:1', 'not "http://127.0.0.1:1".'],
    [[NOBODY], 'not a list.'],
    [{}, 'baseUrl is missing: what stands before /plants.'],
    [{ baseUrl: 'http://127.0.0.1:1' }, 'token is missing: '],
    [
      { ...NOBODY, token: '' },
      'token takes visible ASCII characters, which a header can carry, not an empty',
    ],
    [
      { ...NOBODY, baseUrl: 'localhost:80' },
      'http://127.0.0.1:8080 or https://host/api, not "localhost:80".',
    ],
    [{ ...NOBODY, baseUrl: 'http://me:secret@host' }, 'scheme, host, port and path, and nothing else.'],
    [{ ...NOBODY, strcit: true }, 'There is no option strcit; did you mean strict?'],
    [{ ...NOBODY, header: 'X-A: b' }, 'There is no option header; did you mean headers?'],
    [{ ...NOBODY, quiet: true }, 'There is no option quiet; '],
    [{ ...NOBODY, cases: -1 }, 'cases takes a whole number from 1 to 1000000000, not -1.'],
    [{ ...NOBODY, cases: 1.5 }, 'not 1.5.'],
    [{ ...NOBODY, cases: Number.NaN }, 'not NaN.'],
    [{ ...NOBODY, cases: '300' }, 'not "300".'],
    [{ ...NOBODY, cases: null }, 'not null.'],
    [{ ...NOBODY, concurrency: 0 }, 'concurrency takes a whole number from 1 to 1000, not 0.'],
    [{ ...NOBODY, concurrency: Number.POSITIVE_INFINITY }, 'not Infinity.'],
    [{ ...NOBODY, timeout: -5 }, 'timeout takes a whole number from 1 to 2147483647, not -5.'],
    [{ ...NOBODY, timeout: 2 ** 31 }, 'not 2147483648.'],
    [
      { ...NOBODY, maxSeconds: 2 ** 31 / 1000 },
      'maxSeconds takes a number from 0.001 to 2147483, not 2147483.',
    ],
    [{ ...NOBODY, rate: 0 }, 'rate takes a number from 0.001 to 1000000, not 0.'],
    [{ ...NOBODY, seed: 2 ** 32 }, 'seed takes a whole number from 0 to 4294967295, not 4294967296.'],
    [{ ...NOBODY, firstId: -1n }, 'firstId takes a whole number from 0 to 9223372036854775807, '],
    [{ ...NOBODY, firstId: 2 ** 53 }, 'as text or bigint, not 9007199254740992.'],
    [{ ...NOBODY, only: ['auth/*', 7] }, 'only takes a text that is not empty, not 7.'],
    [{ ...NOBODY, only: [''] }, 'not an empty text.'],
    [{ ...NOBODY, strict: 'yes' }, 'strict takes true or false, not "yes".'],
    [{ ...NOBODY, overlays: [() => ''] }, 'overlays takes a path, not a function.'],
    [
      { ...NOBODY, headers: { 'X-A': 'b' } },
      "headers takes 'Name: value', in code [name, value], not an object.",
    ],
    [{ ...NOBODY, headers: [['X A', 'b']] }, 'headers takes'],
    [{ ...NOBODY, headers: [['', 'b']] }, 'headers takes'],
    [{ ...NOBODY, headers: [['X-A', 'b\r\nX-B: c']] }, 'headers gives X-A a value that no header can carry.'],
    [
      { ...NOBODY, headers: [['Content-Type', 'b']] },
      'headers cannot add Content-Type: it is what the checks',
    ],
    [{ ...NOBODY, headers: [['keep-alive', '5']] }, 'headers cannot add keep-alive'],
    [{ ...NOBODY, shard: { index: 2, of: 2 }, seed: 1, firstId: 1n }, 'index below of, not an object.'],
    [{ ...NOBODY, shard: { index: 0, of: 2 } }, 'A shard needs --seed and --first-id'],
    [{ ...NOBODY, ca: packageFile('README.md') }, 'README.md'],
    [{ ...NOBODY, ca: '/dev/zero' }, '/dev/zero'],
  ];

  test.each(calls)(
    '%o is told so by the record and by the events, before anything is sent',
    async (given, says) => {
      const begun = anyCall(given);
      const byEvents = await reasonOf(async () => {
        for await (const event of begun) expect.unreachable(`there was an event: ${event.type}`);
      });
      for (const reason of [byEvents, await reasonOf(() => begun.record)]) {
        expect(reason).toBeInstanceOf(UsageError);
        expect((reason as Error).message).toContain(says);
        expect((reason as Error).message).not.toContain(TOKEN);
      }
    },
  );

  test('is told of a signal that is none', async () => {
    for (const signal of [null, 'stop', {}]) {
      const reason = await reasonOf(() => anyCall(NOBODY, signal).record);
      expect(reason).toBeInstanceOf(UsageError);
      expect((reason as Error).message).toContain('AbortSignal');
    }
  });

  test('of vitest is told so where the tests are declared', () => {
    for (const [options, says] of [
      [undefined, 'Options are an object'],
      [{}, 'start is missing'],
      [{ start: 'node server.js' }, 'start takes a function, not "node server.js".'],
      [{ start: () => NOBODY, strcit: true }, 'There is no option strcit; did you mean strict?'],
      [{ start: () => NOBODY, token: TOKEN }, 'There is no option token'],
      [{ start: () => NOBODY, cases: 0 }, 'cases takes a whole number from 1 to 1000000000, not 0.'],
    ] as const)
      expect(() => plantStoreConformance(options as never)).toThrow(says);
  });
});

describe('what is natural to give is taken', () => {
  test.each([
    ['a first id as bigint', { firstId: 7n }, { firstId: 7n }],
    ['a first id as number', { firstId: 7 }, { firstId: 7n }],
    ['a first id as text', { firstId: '9223372036854775807' }, { firstId: 2n ** 63n - 1n }],
    ['a header as text', { headers: ['X-A:  b '] }, { headers: [['X-A', 'b']] }],
    ['a header as a pair', { headers: [['X-A', '']] }, { headers: [['X-A', '']] }],
    ['a slash after the base URL', { baseUrl: 'HTTP://[::1]:80/api//' }, { baseUrl: 'http://[::1]/api' }],
    ['what is undefined', { cases: undefined, rate: undefined }, {}],
    ['no filter', { only: [], skip: [], overlays: [], headers: [] }, {}],
    ['the longest clocks', { timeout: 2 ** 31 - 1, maxSeconds: 2_147_483 }, { timeout: 2 ** 31 - 1 }],
    ['a shard', { shard: { index: 1, of: 2 }, seed: 1, firstId: 1 }, { shard: { index: 1, of: 2 } }],
  ])('%s', async (_name, options, expected) => {
    expect(await planOf({ ...NOBODY, ...options } as RunOptions)).toMatchObject(expected);
  });

  test('one filter that is in no list', async () => {
    const { selected } = await planOf({ ...NOBODY, only: 'auth/*' } as unknown as RunOptions);
    expect([selected?.('auth/challenges'), selected?.('create/answers-200')]).toEqual([true, false]);
  });

  test('a clock as long as they go does not ring at once', async () => {
    await withStore('reference', async ({ url }) => {
      const options = { timeout: 2 ** 31 - 1, maxSeconds: 2_147_483, only: ['create/answers-200'] };
      const { outcome, stop } = await run({ baseUrl: url, token: TOKEN, ...options }).record;
      expect([outcome, stop]).toEqual(['partial', null]);
    });
  });

  test('a User-Agent takes the place of the usual one', async () => {
    const seen = new Set<string>();
    const steps = rightSteps(TOKEN);
    const server = createServer((message, response) => {
      const agents = message.rawHeaders.filter((_, at, raw) => raw[at - 1]?.toLowerCase() === 'user-agent');
      seen.add(agents.join(', '));
      void answer(steps, message, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await run({ baseUrl, token: TOKEN, headers: [['User-Agent', 'theirs']], only: ['create/answers-200'] })
      .record;
    server.close();
    server.closeAllConnections();
    expect([...seen]).toEqual(['theirs']);
  });
});

/** Values on both sides of what options take, and whatever else JSON can say. */
const anyValue = (row: Row): fc.Arbitrary<unknown> => {
  const { minimum, maximum } = row.kind.schema as { minimum?: number; maximum?: number };
  const edges = [minimum, maximum].flatMap((edge) => (edge === undefined ? [] : [edge - 1, edge, edge + 1]));
  return fc.oneof(
    fc.constantFrom<unknown>(...edges, '', '.', 'auth/*', 'json', '0', '7', 'X-A: b', 'http://127.0.0.1:1/'),
    fc.constantFrom<unknown>(null, true, false, 0, -0, -1, 0.5, 1e300, '\u0000', '/dev/zero', [], {}, [
      ['X-A', 'b'],
    ]),
    fc.constantFrom<unknown>(
      { index: 0, of: 1 },
      { index: 0, of: 1, at: 2 },
      { __proto__: null },
      '__proto__',
    ),
    fc.double(),
    fc.string(),
    fc.jsonValue(),
  );
};

test('whatever an option holds makes a plan, or a UsageError or DocumentError', {
  timeout: 60_000,
}, async () => {
  const contract = await loadContract(packageFile('openapi.yaml'), [], { trusted: true });
  const arbitrary = fc
    .constantFrom(...Object.entries(IN_CODE))
    .chain(([name, row]) => fc.record({ name: fc.constant(name), value: anyValue(row) }));
  let plans = 0;
  await fc.assert(
    fc.asyncProperty(arbitrary, fc.boolean(), async ({ name, value }, isWithSeed) => {
      const seeded = isWithSeed ? { seed: 1, firstId: 1n } : {};
      const options = { ...NOBODY, ...seeded, [name]: value } as RunOptions;
      try {
        const isDocument = name === 'openapi' || name === 'overlays';
        await planOf(options, isDocument ? undefined : contract);
        plans += 1;
      } catch (error) {
        if (!(error instanceof UsageError || error instanceof DocumentError)) throw error;
        expect(error.message).not.toMatch(/\n|node_modules/);
      }
    }),
    { numRuns: 3000 },
  );
  expect(plans).toBeGreaterThan(100);
});

describe('the schema for editors', () => {
  const schema = configurationSchema();
  const fits = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(schema);
  // A pattern says less of these than the suite does.
  const loose = new Set(['header']);

  test.each(Object.entries(IN_A_FILE).filter(([name]) => name !== 'targets'))(
    'takes of %s what the suite takes',
    (name, row) => {
      fc.assert(
        fc.property(anyValue(row), (value) => {
          const refused = (problem: string) => {
            throw new UsageError(problem);
          };
          let isTaken = true;
          try {
            readOptions(IN_A_FILE, { [name]: value }, [], (_name, problem) => refused(problem));
          } catch {
            isTaken = false;
          }
          if (isTaken || !loose.has(name))
            expect(fits({ [name]: value }), JSON.stringify(value)).toBe(isTaken);
        }),
        { numRuns: 300 },
      );
    },
  );

  test('is what the rows say; npm run docs makes it anew', async () => {
    const text = `${JSON.stringify(schema, null, 2)}\n`;
    await expect(text).toMatchFileSnapshot(packageFile('lib/config/conformance.schema.json'));
  });
});

test('docs/configuration.md has every option as the rows say; npm run docs makes it anew', async () => {
  const file = packageFile('docs/configuration.md');
  const [before = '', rest = ''] = readFileSync(file, 'utf8').split('<!-- options -->\n');
  const after = rest.split('<!-- /options -->\n')[1];
  const whole = `${before}<!-- options -->\n${optionTables()}<!-- /options -->\n${after}`;
  await expect(whole).toMatchFileSnapshot(file);
});

describe('an option has one meaning, whoever gives it:', () => {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
  const file = join(folder, 'conformance.yaml');
  const wrong: readonly (readonly [string, string])[] = [
    ['cases', '0'],
    ['concurrency', '1001'],
    ['timeout', '2147483648'],
    ['maxSeconds', '0'],
    ['rate', '1000001'],
    ['seed', '4294967296'],
    ['firstId', '9223372036854775808'],
    ['header', 'X A: b'],
  ];

  test.each(wrong)('%s is not %s', async (name, value) => {
    const row = Object.entries<Row>(OPTIONS).find(([own]) => own === name)?.[1];
    if (row === undefined) throw new Error(`there is no ${name}`);
    const { takes } = row.kind;
    const variable = variableOf(name, row) ?? '';
    const written = ['firstId', 'header'].includes(name) ? `'${value}'` : value;
    writeFileSync(file, `# one\n${name}: ${written}\n`);
    expect(() => readConfig(file)).toThrow(`${file}:2:${name.length + 3}: ${name} takes ${takes}`);
    const byFlag = await suite(['run', flagOf(name), value], {}, folder);
    expect([byFlag.code, byFlag.stderr]).toEqual([2, expect.stringContaining(`It takes ${takes}`)]);
    writeFileSync(file, '');
    const byVariable = await suite(['run'], { [variable]: value }, folder);
    expect([byVariable.code, byVariable.stderr]).toEqual([
      2,
      expect.stringContaining(`${variable} takes ${takes}`),
    ]);
  });

  test('a variable that the suite for vitest reads does not do there either', async () => {
    const vitest = packageFile('node_modules/vitest/vitest.mjs');
    const args = [vitest, 'run', '--project', 'conformance', '-t', 'create/answers-200'];
    const { code, stderr } = await ended(
      start(process.execPath, args, { CI: '1', PLANT_STORE_SEED: 'many' }),
    );
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('PLANT_STORE_SEED takes a whole number from 0'),
    ]);
  });

  test('a variable that nobody reads is told of where it looks like a mistyped one', async () => {
    const env = { PLANT_STORE_STRCIT: '1', PLANT_STORE_DATABASE_URL: 'x', PLANT_STORE_CASES: 'many' };
    expect((await suite(['run'], env, folder)).stderr).toMatch(
      /^PLANT_STORE_STRCIT is no variable of the suite's; did you mean PLANT_STORE_STRICT\?\nPLANT_STORE_CASES takes/,
    );
  });
});
