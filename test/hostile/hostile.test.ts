import { afterAll, describe, expect, test } from 'vitest';
import { type RunRecord, run } from '../../index.ts';
import { ownSchema } from '../../lib/own-schemas.ts';
import { packageFile } from '../../lib/package.ts';
import { ended, start } from '../helpers/command.ts';
import { formsOf, HOSTILE_TOKEN } from '../helpers/hostile-record.ts';
import { heavy } from './heavy.ts';
import { hostiles } from './index.ts';
import type { Hostile } from './store.ts';

/** Most runs wait for timeouts, so that many at a time do not need many processors. */
const MAX_PARALLEL_TARGETS = 16;
const MAX_PARALLEL_HEAVY = 2;
const MAX_RECORD_BYTES = 5_000_000;
/** For a run whose store tries to fill the memory, or to keep it busy. */
const MAX_MEMORY_MB = 256;
/** Such a run takes less than 20 seconds. This bound allows for a busy machine. */
const MAX_HEAVY_SECONDS = 60;

const QUICK = [
  'ordinary/answers-200',
  'ordinary/answers-a-plant',
  'ordinary/accepts-any-plant',
  'invalid/rejects-missing-property',
  'invalid/rejects-deep-nesting',
  'auth/rejects-missing-token',
  'state/answers-at-the-end',
  'invariants/*',
];

const FEW = [
  'ordinary/answers-200',
  'ordinary/accepts-any-plant',
  'invalid/rejects-missing-property',
  'invariants/*',
];

const valid = ownSchema('lib/report/record/record.schema.json');

/** How a record differs from what is expected for a store. */
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
      : [`the record contains ${expected.absent}`]),
    ...(valid(JSON.parse(text)) ? [] : [`not valid: ${JSON.stringify(valid.errors?.slice(0, 2))}`]),
    ...(text.length < MAX_RECORD_BYTES ? [] : [`a record of ${text.length} bytes`]),
    ...formsOf(`Bearer ${HOSTILE_TOKEN}`)
      .filter((form) => lower.includes(form.toLowerCase()))
      .map((form) => `the record contains ${form}`),
  ];
}

interface Trial {
  readonly record: RunRecord;
  readonly seconds: number;
  /** Peak megabytes, if the run had a process of its own. */
  readonly memory?: number;
  readonly complaints: readonly string[];
}

/** Default limit on a run. A run that reaches it does not end as expected. */
const MAX_SECONDS = 240;

async function trial(hostile: Hostile): Promise<Trial> {
  const store = await hostile.start(HOSTILE_TOKEN);
  const started = performance.now();
  try {
    const record = await run({
      baseUrl: store.url,
      token: HOSTILE_TOKEN,
      seed: 11,
      cases: 6,
      // A store that answers gets as long as a busy machine needs; one that does not answer times out soon.
      timeout: hostile.expected.fails?.includes('invariants/answers') === true ? 1500 : MAX_SECONDS * 1000,
      maxSeconds: MAX_SECONDS,
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

/**
 * Prints the peak memory of a process to standard error, in kilobytes. On Linux, maxRSS begins with the memory of the
 * process that started this one, which VmHWM does not.
 */
const MEMORY = `data:text/javascript,${encodeURIComponent(`
  import { existsSync, readFileSync } from 'node:fs';
  process.on('exit', () => {
    const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
    console.error('memory ' + (/VmHWM:\\s+(\\d+)/.exec(status)?.[1] ?? process.resourceUsage().maxRSS));
  });
`)}`;

/** Runs the command line in a process of its own. */
async function measured(hostile: Hostile): Promise<Trial> {
  const { timeout = 3000, concurrency = 24, maxSeconds = MAX_SECONDS, only = FEW } = hostile.options ?? {};
  const store = await hostile.start(HOSTILE_TOKEN);
  const started = performance.now();
  try {
    const { code, stdout, stderr } = await ended(
      start(
        process.execPath,
        [
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
      complaints: [
        ...complaints(hostile, record),
        ...(memory < MAX_MEMORY_MB ? [] : [`it used ${memory} MB`]),
        ...(seconds < MAX_HEAVY_SECONDS ? [] : [`it took ${seconds} s`]),
      ],
    };
  } finally {
    await store.stop();
  }
}

const line = ({ name, does }: Hostile, { record, seconds, memory }: Trial) =>
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
  const trials = new Map<Hostile, Promise<Trial>>();
  /** Runs several queues of stores in parallel. */
  const inParallel = (
    queues: number,
    stores: readonly Hostile[],
    attempt: (hostile: Hostile) => Promise<Trial>,
  ) => {
    const ends = Array.from({ length: queues }, (): Promise<unknown> => Promise.resolve());
    for (const [index, hostile] of stores.entries()) {
      const ended = ends[index % queues]?.then(() => attempt(hostile)) ?? attempt(hostile);
      // The test of the store reports the failure.
      ends[index % queues] = ended.catch(() => {});
      trials.set(hostile, ended);
    }
  };
  const all = [...hostiles, ...heavy];
  inParallel(MAX_PARALLEL_HEAVY, heavy, measured);
  inParallel(MAX_PARALLEL_TARGETS, hostiles, trial);

  test.each(all)('$name', async (hostile) => {
    expect((await trials.get(hostile))?.complaints).toEqual([]);
  });

  afterAll(async () => {
    const lines = await Promise.all(
      all.map(async (hostile) => {
        const one = await trials.get(hostile)?.catch(() => undefined);
        return one === undefined ? `${hostile.name.padEnd(42)} no verdict` : line(hostile, one);
      }),
    );
    console.log(lines.join('\n'));
  });
});
