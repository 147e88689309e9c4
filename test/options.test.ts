import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DocumentError, loadOptions, type RunOptions, run, UsageError } from '../index.ts';
import { readConfig } from '../lib/config/config.ts';
import { IN_A_FILE, IN_CODE, OPTIONS, type OptionRow, variableOf } from '../lib/config/options.ts';
import { configurationSchema, optionTables } from '../lib/config/options-table.ts';
import { optionsIn, readOptions } from '../lib/config/read-options.ts';
import { bundledContract } from '../lib/contract/bundled-contract.ts';
import { packageFile } from '../lib/package.ts';
import { flagOf } from '../lib/text.ts';
import { answer, rightSteps } from '../reference/store.ts';
import { plantStoreConformance } from '../vitest.ts';
import { ended, start, suite } from './helpers/command.ts';
import { TOKEN, withStore } from './helpers/stores.ts';

/** Nothing listens there, so that a run with an invalid option that goes undetected fails. */
const UNREACHABLE = { baseUrl: 'http://127.0.0.1:1', token: TOKEN };

/** Calls `run` with values of any type. */
const callWith = (options: unknown, signal?: unknown) => run(options as RunOptions, signal as AbortSignal);

const errorOf = async (work: () => unknown): Promise<unknown> => {
  try {
    return await work();
  } catch (error) {
    return error;
  }
};

describe('a run with invalid options', () => {
  const calls: readonly (readonly [options: unknown, message: string])[] = [
    [undefined, 'Options must be an object such as { baseUrl, token }, not undefined.'],
    [null, 'not null.'],
    ['http://127.0.0.1:1', 'not "http://127.0.0.1:1".'],
    [[UNREACHABLE], 'not a list.'],
    [{}, 'baseUrl is missing: base URL of the store, without /plants.'],
    [{ baseUrl: 'http://127.0.0.1:1' }, 'token is missing: '],
    [
      { ...UNREACHABLE, token: '' },
      'token must be a string of visible ASCII characters, not an empty string.',
    ],
    [
      { ...UNREACHABLE, baseUrl: 'localhost:80' },
      'baseUrl must begin with http:// or https://, as in http://127.0.0.1:8080, not "localhost:80".',
    ],
    [
      { ...UNREACHABLE, baseUrl: 'http://me:secret@host' },
      'scheme, host, port and path, without a user, a query or a fragment.',
    ],
    [{ ...UNREACHABLE, strcit: true }, 'Unknown option strcit; did you mean strict?'],
    [{ ...UNREACHABLE, header: 'X-A: b' }, 'Unknown option header; did you mean headers?'],
    [{ ...UNREACHABLE, quiet: true }, 'Unknown option quiet; '],
    [{ ...UNREACHABLE, cases: -1 }, 'cases must be a whole number from 1 to 1000000000, not -1.'],
    [{ ...UNREACHABLE, cases: 1.5 }, 'not 1.5.'],
    [{ ...UNREACHABLE, cases: Number.NaN }, 'not NaN.'],
    [{ ...UNREACHABLE, cases: '300' }, 'not "300".'],
    [{ ...UNREACHABLE, cases: null }, 'not null.'],
    [{ ...UNREACHABLE, concurrency: 0 }, 'concurrency must be a whole number from 1 to 1000, not 0.'],
    [{ ...UNREACHABLE, concurrency: Number.POSITIVE_INFINITY }, 'not Infinity.'],
    [{ ...UNREACHABLE, timeout: -5 }, 'timeout must be a whole number from 100 to 2147483647, not -5.'],
    [{ ...UNREACHABLE, timeout: 2 ** 31 }, 'not 2147483648.'],
    [
      { ...UNREACHABLE, maxSeconds: 2 ** 31 / 1000 },
      'maxSeconds must be a number from 0.001 to 2147483, not 2147483.',
    ],
    [{ ...UNREACHABLE, rate: 0 }, 'rate must be a number from 0.001 to 1000000, not 0.'],
    [{ ...UNREACHABLE, seed: 2 ** 32 }, 'seed must be a whole number from 0 to 4294967295, not 4294967296.'],
    [{ ...UNREACHABLE, firstId: -1n }, 'firstId must be a whole number from 0 to 9223372036854775807, '],
    [
      { ...UNREACHABLE, firstId: 2 ** 53 },
      'given as text or bigint if above 9007199254740991, not 9007199254740992.',
    ],
    [{ ...UNREACHABLE, only: ['auth/*', 7] }, 'only must be a non-empty string, not 7.'],
    [{ ...UNREACHABLE, only: [''] }, 'not an empty string.'],
    [{ ...UNREACHABLE, skip: ['always/answers'] }, 'always/answers is now called invariants/answers'],
    [{ ...UNREACHABLE, strict: 'yes' }, 'strict must be true or false, not "yes".'],
    [{ ...UNREACHABLE, overlays: [() => ''] }, 'overlays must be a path, not a function.'],
    [
      { ...UNREACHABLE, headers: { 'X-A': 'b' } },
      "headers must be 'Name: value', or a pair [name, value], not an object.",
    ],
    [{ ...UNREACHABLE, headers: [['X A', 'b']] }, 'headers must be'],
    [{ ...UNREACHABLE, headers: [['', 'b']] }, 'headers must be'],
    [
      { ...UNREACHABLE, headers: [['X-A', 'b\r\nX-B: c']] },
      'headers has a value for X-A that no header can carry.',
    ],
    [
      { ...UNREACHABLE, headers: [['Content-Type', 'b']] },
      'headers must not set Content-Type, which the checks control.',
    ],
    [{ ...UNREACHABLE, headers: [['keep-alive', '5']] }, 'headers must not set keep-alive'],
    [{ ...UNREACHABLE, shard: { index: 2, of: 2 }, seed: 1, firstId: 1n }, 'index below of, not an object.'],
    [{ ...UNREACHABLE, shard: { index: 0, of: 2 } }, 'A shard needs --seed and --first-id'],
    [{ ...UNREACHABLE, ca: packageFile('README.md') }, 'README.md'],
    [{ ...UNREACHABLE, ca: '/dev/zero' }, '/dev/zero'],
  ];

  test.each(calls)(
    'with %o rejects in the record and in the events, before anything is sent',
    async (given, message) => {
      const begun = callWith(given);
      const byEvents = await errorOf(async () => {
        for await (const event of begun) expect.unreachable(`there was an event: ${event.type}`);
      });
      for (const error of [byEvents, await errorOf(() => begun.record)]) {
        expect(error).toBeInstanceOf(UsageError);
        expect((error as Error).message).toContain(message);
        expect((error as Error).message).not.toContain(TOKEN);
      }
    },
  );

  test('rejects a signal that is not an AbortSignal', async () => {
    for (const signal of [null, 'stop', {}]) {
      const error = await errorOf(() => callWith(UNREACHABLE, signal).record);
      expect(error).toBeInstanceOf(UsageError);
      expect((error as Error).message).toContain('AbortSignal');
    }
  });

  test('throws where the vitest tests are declared', () => {
    for (const [options, message] of [
      [undefined, 'Options must be an object'],
      [{}, 'start is missing'],
      [{ start: 'node server.js' }, 'start must be a function, not "node server.js".'],
      [{ start: () => UNREACHABLE, strcit: true }, 'Unknown option strcit; did you mean strict?'],
      [{ start: () => UNREACHABLE, token: TOKEN }, 'Unknown option token'],
      [{ start: () => UNREACHABLE, cases: 0 }, 'cases must be a whole number from 1 to 1000000000, not 0.'],
    ] as const)
      expect(() => plantStoreConformance(options as never)).toThrow(message);
  });
});

describe('natural forms of a value are accepted:', () => {
  test.each([
    ['a first id as bigint', { firstId: 7n }, { firstId: 7n }],
    ['a first id as number', { firstId: 7 }, { firstId: 7n }],
    ['a first id as text', { firstId: '9223372036854775807' }, { firstId: 2n ** 63n - 1n }],
    ['a header as text', { headers: ['X-A:  b '] }, { headers: [['X-A', 'b']] }],
    ['a header as a pair', { headers: [['X-A', '']] }, { headers: [['X-A', '']] }],
    [
      'a slash at the end of the base URL',
      { baseUrl: 'HTTP://[::1]:80/api//' },
      { baseUrl: 'http://[::1]/api' },
    ],
    ['undefined', { cases: undefined, rate: undefined }, {}],
    ['empty lists', { only: [], skip: [], overlays: [], headers: [] }, {}],
    ['the longest timers', { timeout: 2 ** 31 - 1, maxSeconds: 2_147_483 }, { timeout: 2 ** 31 - 1 }],
    ['a shard', { shard: { index: 1, of: 2 }, seed: 1, firstId: 1 }, { shard: { index: 1, of: 2 } }],
  ])('%s', async (_name, options, expected) => {
    expect(await loadOptions({ ...UNREACHABLE, ...options } as RunOptions)).toMatchObject(expected);
  });

  test.each(['auth', 'auth/', 'auth/*', 'auth/answers-*'])(
    'a filter that is not in a list: %s',
    async (only) => {
      const { selected } = await loadOptions({ ...UNREACHABLE, only } as unknown as RunOptions);
      expect([selected?.('auth/answers-with-a-challenge'), selected?.('ordinary/answers-200')]).toEqual([
        true,
        false,
      ]);
    },
  );

  test('the longest timer does not fire at once', async () => {
    await withStore('reference', async ({ url }) => {
      const options = { timeout: 2 ** 31 - 1, maxSeconds: 2_147_483, only: ['ordinary/answers-200'] };
      const { outcome, stop } = await run({ baseUrl: url, token: TOKEN, ...options }).record;
      expect([outcome, stop]).toEqual(['partial', null]);
    });
  });

  test('a User-Agent replaces the default one', async () => {
    const seen = new Set<string>();
    const steps = rightSteps(TOKEN);
    const server = createServer((message, response) => {
      const agents = message.rawHeaders.filter((_, at, raw) => raw[at - 1]?.toLowerCase() === 'user-agent');
      seen.add(agents.join(', '));
      void answer(steps, message, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await run({ baseUrl, token: TOKEN, headers: [['User-Agent', 'theirs']], only: ['ordinary/answers-200'] })
      .record;
    server.close();
    server.closeAllConnections();
    expect([...seen]).toEqual(['theirs']);
  });
});

/** Values on both sides of the limits of an option, and any other JSON value. */
const anyValue = (row: OptionRow): fc.Arbitrary<unknown> => {
  const { minimum, maximum } = row.type.schema as { minimum?: number; maximum?: number };
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

test('any value of an option results in a plan, a UsageError or a DocumentError', {
  timeout: 60_000,
}, async () => {
  const contract = await bundledContract();
  const arbitrary = fc
    .constantFrom(...Object.entries(IN_CODE))
    .chain(([name, row]) => fc.record({ name: fc.constant(name), value: anyValue(row) }));
  let plans = 0;
  await fc.assert(
    fc.asyncProperty(arbitrary, fc.boolean(), async ({ name, value }, isWithSeed) => {
      const seeded = isWithSeed ? { seed: 1, firstId: 1n } : {};
      const options = { ...UNREACHABLE, ...seeded, [name]: value } as RunOptions;
      try {
        const isDocument = name === 'openapi' || name === 'overlays';
        await loadOptions(options, isDocument ? undefined : contract);
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
  // The pattern in the schema allows more than the suite does.
  const loose = new Set(['header']);

  test.each(Object.entries(IN_A_FILE).filter(([name]) => name !== 'targets'))(
    'accepts the same values of %s as the suite',
    (name, row) => {
      fc.assert(
        fc.property(anyValue(row), (value) => {
          const reject = (problem: string) => {
            throw new UsageError(problem);
          };
          let isAccepted = true;
          try {
            readOptions(IN_A_FILE, { [name]: value }, [], (_name, problem) => reject(problem));
          } catch {
            isAccepted = false;
          }
          if (isAccepted || !loose.has(name))
            expect(fits({ [name]: value }), JSON.stringify(value)).toBe(isAccepted);
        }),
        { numRuns: 300 },
      );
    },
  );

  test('is generated from the rows; npm run docs regenerates it', async () => {
    const text = `${JSON.stringify(schema, null, 2)}\n`;
    await expect(text).toMatchFileSnapshot(packageFile('lib/config/conformance.schema.json'));
  });
});

test('the tables of docs/configuration.md are generated from the rows; npm run docs regenerates them', async () => {
  const file = packageFile('docs/configuration.md');
  const [before = '', rest = ''] = readFileSync(file, 'utf8').split('<!-- options -->\n');
  const after = rest.split('<!-- /options -->\n')[1];
  const whole = `${before}<!-- options -->\n${optionTables()}<!-- /options -->\n${after}`;
  await expect(whole).toMatchFileSnapshot(file);
});

describe('an option has the same limits from every source:', () => {
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

  test.each(wrong)('%s rejects %s', async (name, value) => {
    const row = Object.entries<OptionRow>(OPTIONS).find(([own]) => own === name)?.[1];
    if (row === undefined) throw new Error(`there is no ${name}`);
    const { accepts } = row.type;
    const variable = variableOf(name, row) ?? '';
    const written = ['firstId', 'header'].includes(name) ? `'${value}'` : value;
    writeFileSync(file, `# one\n${name}: ${written}\n`);
    expect(() => readConfig(file)).toThrow(`${file}:2:${name.length + 3}: ${name} must be ${accepts}`);
    const byFlag = await suite(['run', flagOf(name), value], {}, folder);
    expect([byFlag.code, byFlag.stderr]).toEqual([2, expect.stringContaining(`It must be ${accepts}`)]);
    writeFileSync(file, '');
    expect(() => optionsIn({ [variable]: value })).toThrow(`${variable} must be ${accepts}`);
  });

  test('an invalid variable also fails the vitest suite', async () => {
    const vitest = packageFile('node_modules/vitest/vitest.mjs');
    const args = [vitest, 'run', '--project', 'conformance', '-t', 'ordinary/answers-200'];
    const { code, stderr } = await ended(
      start(process.execPath, args, { CI: '1', PLANT_STORE_SEED: 'many' }),
    );
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('PLANT_STORE_SEED must be a whole number from 0'),
    ]);
  });

  test('a warning names an unknown variable that looks mistyped', async () => {
    const env = { PLANT_STORE_STRCIT: '1', PLANT_STORE_DATABASE_URL: 'x', PLANT_STORE_CASES: 'many' };
    expect((await suite(['run'], env, folder)).stderr).toMatch(
      /^warning: unknown environment variable PLANT_STORE_STRCIT; did you mean PLANT_STORE_STRICT\?\nPLANT_STORE_CASES must be/,
    );
  });
});
