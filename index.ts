import { readFileSync } from 'node:fs';
import { readBaseline } from './lib/config/baseline.ts';
import { loadContract } from './lib/contract/contract.ts';
import { DocumentError } from './lib/contract/document.ts';
import { areaOf } from './lib/groups.ts';
import { nearest } from './lib/nearest.ts';
import { packageFile } from './lib/package.ts';
import type { Baseline, RunRecord } from './lib/report/record.ts';
import { Recorder } from './lib/report/recorder.ts';
import { events, type RunOptions as Plan, type RunEvent } from './lib/run/run.ts';
import { globs, unmatched } from './lib/run/select.ts';
import type { Shard } from './lib/run/shard.ts';
import { UsageError } from './lib/usage-error.ts';
import { catalogue } from './suites/index.ts';

export { FORMATS, type Format } from './lib/report/formats.ts';
export type {
  Baseline,
  BaselineEntry,
  Gate,
  RecordedBody,
  RecordedExchange,
  RecordedRequest,
  RecordedResult,
  RunRecord,
} from './lib/report/record.ts';
export { terminalReport } from './lib/report/terminal.ts';
export type { About, Check, Level } from './lib/run/check.ts';
export type { CheckResult, Failure, Stop, Verdict } from './lib/run/result.ts';
export type { RunEvent, RunFooter, RunHeader } from './lib/run/run.ts';
export type { Outcome } from './lib/run/verdict.ts';
export { UsageError } from './lib/usage-error.ts';
export { startStore } from './reference/store.ts';
export { catalogue, DocumentError };

/** What to run against what. Only `baseUrl` and `token` are needed. */
export interface RunOptions {
  /** What stands before /plants. */
  readonly baseUrl: string;
  readonly token: string;
  /** The name of the target in reports; by default its URL. */
  readonly name?: string | undefined;
  /** An OpenAPI 3.1 document in the place of the suite's own. */
  readonly openapi?: string | undefined;
  /** OpenAPI Overlay 1.0 files, applied in order. */
  readonly overlays?: readonly string[] | undefined;
  /** Ids of checks to carry out, `*` for any characters; by default all. */
  readonly only?: readonly string[] | undefined;
  /** Ids of checks to leave out. */
  readonly skip?: readonly string[] | undefined;
  /** A failed SHOULD makes the run nonconformant. */
  readonly strict?: boolean | undefined;
  /** What random payloads follow from; by default another in each run. */
  readonly seed?: number | undefined;
  /** The first id to send; by default anywhere between 1 and 2^31-1. */
  readonly firstId?: bigint | undefined;
  /** How many random cases a check of share 1 tries; 120 by default. */
  readonly cases?: number | undefined;
  /** Requests at a time; 24 by default. */
  readonly concurrency?: number | undefined;
  /** Requests a second at most; by default as many as go. */
  readonly rate?: number | undefined;
  /** Milliseconds for a connection and for a whole answer; 15000 by default. */
  readonly timeout?: number | undefined;
  /** Seconds after which the run is cut off; by default never. */
  readonly maxSeconds?: number | undefined;
  /** Requests after which the run is cut off; by default never. */
  readonly maxRequests?: number | undefined;
  /** Ends the run with the first failure that counts and is not known. */
  readonly bail?: boolean | undefined;
  /** Carries out one of so many parts of the run, counted from 0; needs `seed` and `firstId`. */
  readonly shard?: Shard | undefined;
  /** Headers for every request. */
  readonly headers?: readonly (readonly [name: string, value: string])[] | undefined;
  /** A file of PEM certificates to trust beside the system's. */
  readonly ca?: string | undefined;
  /** Trusts any certificate. */
  readonly insecure?: boolean | undefined;
  /** A file of known deviations, which do not make the CI result fail. */
  readonly baseline?: string | undefined;
}

/** A run that is under way: its events as they happen, and its record once it has ended. */
export interface Run extends AsyncIterable<RunEvent> {
  readonly record: Promise<RunRecord>;
}

/**
 * Starts a run. The record rejects with a UsageError or a DocumentError where the options do not do;
 * whatever the store does ends in a record.
 */
export function run(options: RunOptions, signal?: AbortSignal): Run {
  const history: RunEvent[] = [];
  let [done, wake] = [false, () => {}];
  let news = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const tell = () => {
    wake();
    news = new Promise((resolve) => {
      wake = resolve;
    });
  };
  const work = async (): Promise<RunRecord> => {
    try {
      const plan = await planOf(options);
      const recorder = new Recorder(secretsOf(options), knownDeviations(options));
      for await (const event of events(plan, signal)) {
        recorder.take(event);
        history.push(event);
        tell();
      }
      return recorder.record();
    } finally {
      done = true;
      tell();
    }
  };
  const record = work();
  // Whoever reads the events alone hears of a failure there.
  record.catch(() => {});
  return {
    record,
    async *[Symbol.asyncIterator]() {
      for (let next = 0; ; ) {
        const event = history[next];
        if (event !== undefined) {
          next += 1;
          yield event;
        } else if (done) break;
        else await news;
      }
      await record;
    },
  };
}

/** Headers whose values are everywhere, and nobody's secret. */
const COMMON = /^(?:accept(?:-[a-z]+)?|cache-control|connection|content-type|prefer|user-agent)$/i;

/** What no report may hold. */
export const secretsOf = ({ token, headers = [] }: Pick<RunOptions, 'token' | 'headers'>): string[] => [
  token,
  ...headers.flatMap(([name, value]) => (value.length < 8 || COMMON.test(name) ? [] : [value])),
];

/**
 * The deviations that a run is told of.
 * @throws UsageError, DocumentError
 */
export const knownDeviations = ({ baseline }: Pick<RunOptions, 'baseline'>): Baseline | undefined =>
  baseline === undefined ? undefined : readBaseline(baseline, catalogue);

/**
 * Loads what the options name, and makes the plan of a run.
 * @param loaded the contract of these options, where another plan has it already
 * @throws DocumentError, UsageError
 */
export async function planOf(options: RunOptions, loaded?: Plan['contract']): Promise<Plan> {
  const { openapi, overlays = [], only = [], skip = [], ca, bail = false, shard, ...rest } = options;
  requireSendable(options);
  if (shard !== undefined && (options.seed === undefined || options.firstId === undefined)) {
    throw new UsageError(
      'A shard needs --seed and --first-id, the same for all shards: what each of them sends follows from both.',
    );
  }
  const contract = loaded ?? (await contractOf(openapi, overlays));
  const ids = catalogue.map(({ id }) => id);
  const lost = unmatched([...only, ...skip], ids);
  if (lost !== undefined) {
    const close = nearest(lost, ids);
    const advice =
      close === undefined
        ? `the areas are ${[...new Set(catalogue.map(areaOf))].join(', ')}, as in --only 'auth/*'`
        : `did you mean ${close}?`;
    throw new UsageError(`No check is called ${lost}; ${advice}`);
  }
  const [wanted, unwanted] = [globs(only), globs(skip)];
  const known = new Set(bail ? knownDeviations(options)?.entries.map(({ id }) => id) : []);
  return {
    ...rest,
    baseUrl: checkedUrl(options.baseUrl),
    contract,
    catalogue,
    ca: ca === undefined ? undefined : readPem(ca),
    shard,
    selected: (id) => (only.length === 0 || wanted(id)) && !unwanted(id),
    bailsOn: ({ id, level }) =>
      bail && !known.has(id) && (level === 'MUST' || (level === 'SHOULD' && options.strict === true)),
  };
}

/** The contract of a document, by default of the suite's own, whatever folder that lies in. */
async function contractOf(file: string | undefined, overlays: readonly string[]): Promise<Plan['contract']> {
  const own = file === undefined && overlays.length === 0;
  const contract = await loadContract(file ?? packageFile(OWN_DOCUMENT), overlays, { trusted: own });
  return file === undefined
    ? { ...contract, document: { ...contract.document, file: OWN_DOCUMENT } }
    : contract;
}

const OWN_DOCUMENT = 'openapi.yaml';

/** Headers that are the suite's own to set: the checks are about them. */
const OWN = new Set([
  'authorization',
  'content-type',
  'content-length',
  'transfer-encoding',
  'host',
  'connection',
  'expect',
  'upgrade',
]);

function requireSendable({ token, headers = [] }: RunOptions): void {
  // RFC 6750 section 2.1: a bearer token is made of visible ASCII characters.
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new UsageError(
      'The token is empty, or holds what no header can carry; check PLANT_STORE_TOKEN or --token.',
    );
  }
  for (const [name, value] of headers) {
    if (OWN.has(name.toLowerCase()))
      throw new UsageError(`The header ${name} is what the checks are about; it cannot be added.`);
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw new UsageError(`The value of ${name} holds what no header can carry.`);
  }
}

function checkedUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(
      `${baseUrl} is no base URL; give one such as http://127.0.0.1:8080 or https://host/api.`,
    );
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new UsageError('The base URL may hold scheme, host, port and path, and nothing else.');
  }
  return url.href.replace(/\/+$/, '');
}

function readPem(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`The certificates in ${file} cannot be read: ${(error as Error).message}`);
  }
}
