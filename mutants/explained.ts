import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { type RecordedCause, run } from '../index.ts';
import { packageFile } from '../lib/package.ts';
import { argumentsOf } from './arguments.ts';
import { brokenStores } from './broken/index.ts';
import { conditionalStores } from './conditional/index.ts';
import type { BrokenStore } from './fleet.ts';
import { AND, brokenStoreOf, UNIQUE } from './pairs.ts';
import { inProcesses, workFor } from './processes.ts';

/** What a run says about a store with a single fault. */
interface Explained {
  readonly name: string;
  readonly titles: readonly string[];
  /** Number of requests and seconds of the whole run. */
  readonly requests: number;
  readonly seconds: number;
  /**
   * Whether the steps show the recorded answer on a fresh store, and then again on the same store; undefined
   * without steps.
   */
  readonly reproduced: boolean | undefined;
}

/** Number of random cases. A few suffice to catch most faults, but not to tell two apart, or to meet a condition. */
const [FEW_CASES, CASES] = [12, 120];

const USAGE = `Usage: npm run explained -- [options]
Runs the suite against every broken store and prints how it explains them: how many have a single cause, how
many have the title that was reviewed (titles.json), and for how many the steps of the first cause show the fault.
  --only TEXT    restricts the run to stores whose name contains TEXT
  --seed N       changes the random cases
  --cases N      sets the number of random cases of each check
  --write        writes the titles, to be reviewed
  --conditional  instead runs the suite against the stores whose faults show only under one to three conditions
  --pairs N      instead runs the suite against N stores with two faults each, sampled from the fleet
  --faults N     gives each of them N faults instead of two
  --unique       gives every store unique ids and names, which must not change its causes`;

async function main(): Promise<number> {
  const { values } = argumentsOf(USAGE, {
    options: {
      seed: { type: 'string', default: '1' },
      cases: { type: 'string' },
      only: { type: 'string', default: '' },
      write: { type: 'boolean', default: false },
      conditional: { type: 'boolean', default: false },
      pairs: { type: 'string', default: '0' },
      faults: { type: 'string', default: '2' },
      unique: { type: 'boolean', default: false },
    },
  });
  const pairs = Number(values.pairs);
  const { conditional, cases = conditional || pairs > 0 ? CASES : FEW_CASES } = values;
  if (process.send !== undefined)
    return workFor((name) => {
      const store = brokenStoreOf(name);
      return store === undefined ? undefined : explained(store, Number(values.seed), Number(cases));
    });
  const names =
    pairs > 0
      ? sampledNames(pairs, Number(values.faults), Number(values.seed))
      : (conditional ? conditionalStores : brokenStores)
          .filter(
            ({ change, overlays }) => !values.unique || (change !== undefined && overlays === undefined),
          )
          .map(({ name }) => (values.unique ? `${UNIQUE.name}${AND}${name}` : name))
          .filter((name) => name.includes(values.only));
  const all = await inProcesses<Explained>(fileURLToPath(import.meta.url), names, process.argv.slice(2));
  const inOrder = all.toSorted((a, b) => names.indexOf(a.name) - names.indexOf(b.name));
  if (values.write) writeTitles(inOrder);
  process.stdout.write(pairs > 0 ? summaryOfCombined(inOrder, Number(values.faults)) : summary(inOrder));
  return 0;
}

/**
 * Samples names of stores to combine. Each of them has a cause by itself, and none prevents the fault of another
 * from being seen.
 */
function sampledNames(count: number, faults: number, seed: number): readonly string[] {
  const expected = expectedTitles();
  const all = brokenStores.filter(
    ({ name, change, overlays, fails }) =>
      change !== undefined &&
      overlays === undefined &&
      Object.hasOwn(expected, name) &&
      !/^(?:always|state|auth-none)/.test(name) &&
      fails.length > 0,
  );
  const generator = xoroshiro128plus(seed);
  const from = (stores: readonly BrokenStore[]) => stores[uniformInt(generator, 0, stores.length - 1)];
  return Array.from({ length: count }, () => {
    const chosen: (BrokenStore | undefined)[] = [];
    while (chosen.length < faults) chosen.push(from(all.filter((store) => !chosen.includes(store))));
    return chosen.map((store) => store?.name).join(AND);
  });
}

function summaryOfCombined(all: readonly Explained[], faults: number): string {
  const areAsMany = ({ titles }: Explained) => titles.length === faults;
  const others = all.filter((one) => !areAsMany(one));
  return [
    `${faults} causes ${all.length - others.length} of ${all.length}`,
    '',
    ...others.flatMap(({ name, titles }) => [name, ...titles.map((title) => `  ${title}`)]),
    '',
  ].join('\n');
}

async function explained(store: BrokenStore, seed: number, cases: number): Promise<Explained> {
  const token = `Token-${seed}-AbCdEf0123456789`;
  const running = await store.start(token);
  try {
    const { overlays = [] } = store;
    const record = await run({ baseUrl: running.url, token, seed, cases, timeout: 3000, overlays }).record;
    const { causes, requests, seconds } = record;
    const titles = causes.map(({ title }) => title);
    const [first] = causes;
    const reproduced = first === undefined ? undefined : await reproduces(store, first, token);
    return { name: store.name, titles, requests, seconds, reproduced };
  } finally {
    await running.stop();
  }
}

/**
 * Whether the steps of a cause show its answer on a freshly started store and, if possible, again on the same
 * store.
 */
async function reproduces(
  store: BrokenStore,
  cause: RecordedCause,
  token: string,
): Promise<boolean | undefined> {
  const { steps, counterexample, kind } = cause;
  if (steps.length === 0 || counterexample === undefined) return undefined;
  const running = await store.start(token);
  try {
    const recorded = new RegExp(`(?<=127\\.0\\.0\\.1[:/])${new URL(counterexample.request.url).port}`, 'g');
    const lines = steps.map((line) => line.replaceAll(recorded, new URL(running.url).port)).join('\n');
    for (let turn = 0; turn < (kind === 'once' ? 1 : 2); turn += 1) {
      const { stdout, failed } = await promisify(execFile)('bash', ['-c', lines], {
        env: { ...process.env, PLANT_STORE_TOKEN: token },
        timeout: 60_000,
      }).then(
        (output) => ({ ...output, failed: false }),
        (error: { stdout?: string }) => ({ stdout: error.stdout ?? '', failed: true }),
      );
      if (!shows(stdout, cause, failed)) return false;
    }
    return true;
  } finally {
    await running.stop();
  }
}

/**
 * Whether the output of curl contains the status, and the media type if it is wrong; if no status is expected, whether
 * there is none, or curl failed.
 */
function shows(output: string, { answer, symptom }: RecordedCause, failed: boolean): boolean {
  if (answer === 'none') return failed || !/HTTP\/1\.[01] \d{3}/.test(output) || /\b000\b/.test(output);
  const [, mediaType = ''] = /Content-Type (\S+\/\S+)/.exec(symptom) ?? [];
  const status = new RegExp(`(?:HTTP/1\\.[01] |^ *(?:\\d+ )?)${answer}\\b`, 'm');
  return status.test(output) && output.includes(mediaType);
}

const FILE = 'mutants/titles.json';
type Titles = Readonly<Record<string, string>>;

/** Replaces numbers that differ from run to run. */
const withoutNumbers = (title: string): string => title.replace(/\bin \d+|\d+ of \d+/g, '#');

function writeTitles(all: readonly Explained[]): void {
  const titles: Record<string, string> = { ...expectedTitles() };
  for (const {
    name,
    titles: [first],
  } of all)
    if (first !== undefined) titles[name] = withoutNumbers(first);
  writeFileSync(packageFile(FILE), `${JSON.stringify(titles, undefined, 2)}\n`);
}

const expectedTitles = (): Titles => JSON.parse(readFileSync(packageFile(FILE), 'utf8')) as Titles;

function summary(all: readonly Explained[]): string {
  const expected = expectedTitles();
  const isNamed = ({ name, titles: [first = ''] }: Explained) =>
    expected[name.replace(`${UNIQUE.name}${AND}`, '')] === withoutNumbers(first);
  const of = (some: readonly Explained[], whole = all) =>
    `${some.length} of ${whole.length} (${((100 * some.length) / Math.max(1, whole.length)).toFixed(1)}%)`;
  const explainedAtAll = all.filter(({ titles }) => titles.length > 0);
  const withSteps = explainedAtAll.filter(({ reproduced }) => reproduced !== undefined);
  const others = explainedAtAll.filter(
    (one) => one.titles.length > 1 || !isNamed(one) || one.reproduced === false,
  );
  const notes = (one: Explained) => [
    ...(isNamed(one) ? [] : ['another title']),
    ...(one.reproduced === false ? ['not reproduced'] : []),
  ];
  return [
    `with a cause      ${of(explainedAtAll)}`,
    `one cause         ${of(
      explainedAtAll.filter(({ titles }) => titles.length === 1),
      explainedAtAll,
    )}`,
    `title as expected ${of(explainedAtAll.filter(isNamed), explainedAtAll)}`,
    `steps reproduce   ${of(
      withSteps.filter(({ reproduced }) => reproduced === true),
      withSteps,
    )}`,
    '',
    ...others.map(
      (one) =>
        `${[one.name, ...notes(one)].join(', ')}\n${one.titles.map((title) => `  ${title}`).join('\n')}`,
    ),
    '',
  ].join('\n');
}

process.exitCode = await main();
