import { afterAll, describe, expect, test } from 'vitest';
import { type RunRecord, run } from '../../index.ts';
import { packageFile } from '../../lib/package.ts';
import { inPool } from '../../lib/run/pool.ts';
import { ownSchema } from '../../lib/schema.ts';
import { ended, start } from '../command.ts';
import { formsOf, HOSTILE_TOKEN } from '../hostile.ts';
import { heavy } from './heavy.ts';
import { hostiles } from './index.ts';
import type { Hostile } from './store.ts';

/** Most of what is waited for is a clock: many at a time do not need many processors. */
const AT_A_TIME = 24;
const HEAVY_AT_A_TIME = 2;
const MOST_BYTES = 5_000_000;
/** Megabytes of heap that a run has where an answer is meant to fill it, and of memory that it may take in all. */
const HEAP = 256;
const MOST_MEMORY = 1200;

const QUICK = [
  'create/answers-200',
  'create/answers-a-plant',
  'create/takes-any-ordinary-plant',
  'refuse/missing-property',
  'refuse/deeply-nested',
  'auth/rejects-missing-token',
  'serving/to-the-end',
  'always/*',
];

const FEW = ['create/answers-200', 'create/takes-any-ordinary-plant', 'refuse/missing-property', 'always/*'];

const valid = ownSchema('lib/report/record.schema.json');

/** What is wrong with what the suite has made of a store. */
function complaints({ expected }: Hostile, record: RunRecord): string[] {
  const text = JSON.stringify(record);
  const failed = new Set(record.results.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id));
  const lower = text.toLowerCase();
  return [
    ...(record.outcome === expected.outcome
      ? []
      : [`${record.outcome}, not ${expected.outcome}: ${record.stop?.reason ?? [...failed].join(' ')}`]),
    ...(expected.stop === undefined || record.stop?.kind === expected.stop
      ? []
      : [`stopped for ${record.stop?.kind}, not ${expected.stop}`]),
    ...(expected.fails ?? []).filter((id) => !failed.has(id)).map((id) => `${id} does not fail`),
    ...(expected.clears ?? []).filter((id) => failed.has(id)).map((id) => `${id} fails`),
    ...(expected.absent === undefined || !text.includes(expected.absent)
      ? []
      : [`the record holds ${expected.absent}`]),
    ...(valid(JSON.parse(text)) ? [] : [`not valid: ${JSON.stringify(valid.errors?.slice(0, 2))}`]),
    ...(text.length < MOST_BYTES ? [] : [`a record of ${text.length} bytes`]),
    ...formsOf(`Bearer ${HOSTILE_TOKEN}`)
      .filter((form) => lower.includes(form.toLowerCase()))
      .map((form) => `the record holds ${form}`),
  ];
}

interface Told {
  readonly hostile: Hostile;
  readonly record: RunRecord;
  readonly seconds: number;
  /** Megabytes at most, where the run had a process of its own. */
  readonly memory?: number;
  readonly complaints: readonly string[];
}

const told = new Map<string, Told>();
/** Runs that did not end in a record. */
const broken = new Map<string, unknown>();

async function trial(hostile: Hostile): Promise<void> {
  const store = await hostile.start(HOSTILE_TOKEN);
  const started = performance.now();
  try {
    const record = await run({
      baseUrl: store.url,
      token: HOSTILE_TOKEN,
      seed: 11,
      cases: 6,
      // Who answers is given the time that a busy machine takes; who does not, is not.
      timeout: hostile.expected.outcome === 'nonconformant' ? 600 : 8000,
      maxSeconds: 40,
      only: QUICK,
      ...hostile.options,
      ...store.options,
    }).record;
    const seconds = (performance.now() - started) / 1000;
    const late = hostile.options?.maxSeconds === undefined ? 45 : hostile.options.maxSeconds + 5;
    told.set(hostile.name, {
      hostile,
      record,
      seconds,
      complaints: [
        ...complaints(hostile, record),
        ...(store.objections?.() ?? []),
        ...(seconds < late ? [] : [`it took ${seconds} s`]),
      ],
    });
  } finally {
    await store.stop();
  }
}

/** Tells on its standard error how much memory a process took at most, in kilobytes. */
const MEMORY = `data:text/javascript,process.on('exit',()=>console.error('memory '+process.resourceUsage().maxRSS))`;

/** Runs the command line in a process of its own that has little memory. */
async function weigh(hostile: Hostile): Promise<void> {
  const store = await hostile.start(HOSTILE_TOKEN);
  const started = performance.now();
  try {
    const main = packageFile('dist/cli/main.js');
    const flags = [
      '--seed=11',
      '--cases=4',
      '--timeout=1000',
      '--max-seconds=20',
      '--out=-',
      '--format=json',
    ];
    const { code, stdout, stderr } = await ended(
      start(
        process.execPath,
        [
          `--max-old-space-size=${HEAP}`,
          '--import',
          MEMORY,
          main,
          'run',
          store.url,
          ...flags,
          ...(hostile.options?.only ?? FEW).map((id) => `--only=${id}`),
        ],
        { PLANT_STORE_TOKEN: HOSTILE_TOKEN },
      ),
    );
    const memory = Number(/^memory (\d+)$/m.exec(stderr)?.[1]) / 1024;
    if (code !== 0 && code !== 1 && code !== 3) throw new Error(`exit code ${code}: ${stderr.slice(-500)}`);
    const record = JSON.parse(stdout) as RunRecord;
    const seconds = (performance.now() - started) / 1000;
    told.set(hostile.name, {
      hostile,
      record,
      seconds,
      memory,
      complaints: [
        ...complaints(hostile, record),
        ...(seconds < 60 ? [] : [`it took ${seconds} s`]),
        ...(memory < MOST_MEMORY ? [] : [`it took ${memory} MB`]),
      ],
    });
  } finally {
    await store.stop();
  }
}

const line = ({ hostile, record, seconds, memory }: Told) =>
  [
    hostile.name.padEnd(42),
    record.outcome.padEnd(14),
    (record.stop?.kind ?? '').padEnd(13),
    `${record.summary.MUST.fail} MUST failed`.padEnd(16),
    `${seconds.toFixed(1)} s`.padEnd(8),
    (memory === undefined ? '' : `${memory.toFixed(0)} MB`).padEnd(8),
    hostile.does,
  ].join(' ');

describe('a hostile store', () => {
  const all = [...hostiles, ...heavy];
  const each = (stores: readonly Hostile[], atATime: number, meet: (hostile: Hostile) => Promise<void>) =>
    inPool(stores.length, atATime, async (index) => {
      const hostile = stores[index];
      if (hostile !== undefined) await meet(hostile).catch((error) => broken.set(hostile.name, error));
    });
  const running = Promise.all([each(heavy, HEAVY_AT_A_TIME, weigh), each(hostiles, AT_A_TIME, trial)]);

  test.each(all.map(({ name }) => name))('%s', async (name) => {
    await running;
    if (broken.has(name)) throw broken.get(name);
    expect(told.get(name)?.complaints).toEqual([]);
  });

  afterAll(() => {
    console.log(
      all
        .flatMap(({ name }) => told.get(name) ?? [])
        .map(line)
        .join('\n'),
    );
  });
});
