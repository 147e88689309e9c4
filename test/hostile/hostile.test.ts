import { afterAll, describe, expect, test } from 'vitest';
import { type RunRecord, run } from '../../index.ts';
import { packageFile } from '../../lib/package.ts';
import { ownSchema } from '../../lib/schema.ts';
import { ended, start } from '../command.ts';
import { formsOf, HOSTILE_TOKEN } from '../hostile.ts';
import { heavy } from './heavy.ts';
import { hostiles } from './index.ts';
import type { Hostile } from './store.ts';

/** Most of what is waited for is a clock: many at a time do not need many processors. */
const AT_A_TIME = 16;
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
  const outcomes = [expected.outcome].flat();
  return [
    ...(outcomes.includes(record.outcome)
      ? []
      : [`${record.outcome}, not ${outcomes.join(' or ')}: ${record.stop?.reason ?? [...failed].join(' ')}`]),
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
  readonly record: RunRecord;
  readonly seconds: number;
  /** Megabytes at most, where the run had a process of its own. */
  readonly memory?: number;
  readonly complaints: readonly string[];
}

/** What a run may take where nothing else is said; where it takes as long, it is cut off, and not as expected. */
const MOST_SECONDS = 240;

async function trial(hostile: Hostile): Promise<Told> {
  const store = await hostile.start(HOSTILE_TOKEN);
  const started = performance.now();
  try {
    const record = await run({
      baseUrl: store.url,
      token: HOSTILE_TOKEN,
      seed: 11,
      cases: 6,
      // Who answers is given the time that a busy machine takes; who does not, is not.
      timeout: hostile.expected.fails?.includes('always/answers') === true ? 1500 : MOST_SECONDS * 1000,
      maxSeconds: MOST_SECONDS,
      only: QUICK,
      ...hostile.options,
      ...store.options,
    }).record;
    const seconds = (performance.now() - started) / 1000;
    return { record, seconds, complaints: [...complaints(hostile, record), ...(store.objections?.() ?? [])] };
  } finally {
    await store.stop();
  }
}

/** Tells on its standard error how much memory a process took at most, in kilobytes. */
const MEMORY = `data:text/javascript,process.on('exit',()=>console.error('memory '+process.resourceUsage().maxRSS))`;

/** Runs the command line in a process of its own that has little memory. */
async function weigh(hostile: Hostile): Promise<Told> {
  const { timeout = 3000, concurrency = 24, maxSeconds = MOST_SECONDS, only = FEW } = hostile.options ?? {};
  const store = await hostile.start(HOSTILE_TOKEN);
  const started = performance.now();
  try {
    const { code, stdout, stderr } = await ended(
      start(
        process.execPath,
        [
          `--max-old-space-size=${HEAP}`,
          '--import',
          MEMORY,
          packageFile('dist/cli/main.js'),
          'run',
          store.url,
          '--seed=11',
          '--cases=4',
          `--timeout=${timeout}`,
          `--concurrency=${concurrency}`,
          `--max-seconds=${maxSeconds}`,
          '--out=-',
          '--format=json',
          ...only.map((id) => `--only=${id}`),
        ],
        { PLANT_STORE_TOKEN: HOSTILE_TOKEN },
      ),
    );
    const seconds = (performance.now() - started) / 1000;
    const memory = Number(/^memory (\d+)$/m.exec(stderr)?.[1]) / 1024;
    if (code !== 0 && code !== 1 && code !== 3) throw new Error(`exit code ${code}: ${stderr.slice(-500)}`);
    const record = JSON.parse(stdout) as RunRecord;
    return {
      record,
      seconds,
      memory,
      complaints: [...complaints(hostile, record), ...(memory < MOST_MEMORY ? [] : [`it took ${memory} MB`])],
    };
  } finally {
    await store.stop();
  }
}

const line = ({ name, does }: Hostile, { record, seconds, memory }: Told) =>
  [
    name.padEnd(42),
    record.outcome.padEnd(14),
    (record.stop?.kind ?? '').padEnd(13),
    `${record.summary.MUST.fail} MUST failed`.padEnd(16),
    `${seconds.toFixed(1)} s`.padEnd(8),
    (memory === undefined ? '' : `${memory.toFixed(0)} MB`).padEnd(8),
    does,
  ].join(' ');

describe('a hostile store', () => {
  const told = new Map<Hostile, Promise<Told>>();
  /** Each store waits for the one before it in its lane. */
  const inLanes = (lanes: number, stores: readonly Hostile[], meet: (hostile: Hostile) => Promise<Told>) => {
    const ends = Array.from({ length: lanes }, (): Promise<unknown> => Promise.resolve());
    for (const [index, hostile] of stores.entries()) {
      const met = ends[index % lanes]?.then(() => meet(hostile)) ?? meet(hostile);
      // Its own test tells of a failure.
      ends[index % lanes] = met.catch(() => {});
      told.set(hostile, met);
    }
  };
  const all = [...hostiles, ...heavy];
  inLanes(HEAVY_AT_A_TIME, heavy, weigh);
  inLanes(AT_A_TIME, hostiles, trial);

  test.each(all)('$name', async (hostile) => {
    expect((await told.get(hostile))?.complaints).toEqual([]);
  });

  afterAll(async () => {
    const lines = await Promise.all(
      all.map(async (hostile) => {
        const one = await told.get(hostile)?.catch(() => undefined);
        return one === undefined ? `${hostile.name.padEnd(42)} no verdict` : line(hostile, one);
      }),
    );
    console.log(lines.join('\n'));
  });
});
