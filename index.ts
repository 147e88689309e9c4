import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { readBaseline } from './lib/config/baseline.ts';
import { settingsOf } from './lib/config/given.ts';
import type { Given, Needed, Settings } from './lib/config/options.ts';
import { loadContract } from './lib/contract/contract.ts';
import { DocumentError } from './lib/contract/document.ts';
import { areaOf } from './lib/groups.ts';
import { nearest } from './lib/nearest.ts';
import { packageFile } from './lib/package.ts';
import { readText } from './lib/read-text.ts';
import type { Baseline, RunRecord } from './lib/report/record.ts';
import { Recorder } from './lib/report/recorder.ts';
import { events, type RunOptions as Plan, type RunEvent } from './lib/run/run.ts';
import { globs, unmatched } from './lib/run/select.ts';
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

/** What to run against what: `baseUrl`, `token`, and what docs/configuration.md lists besides. */
export type RunOptions = Needed<Given>;

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
      const settings = settingsOf(options);
      if (signal !== undefined && typeof Object(signal).addEventListener !== 'function')
        throw new UsageError('What comes after the options of a run is an AbortSignal, or nothing.');
      const plan = await planOf(settings);
      const recorder = new Recorder(secretsOf(settings), knownDeviations(settings));
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
export const secretsOf = ({ token, headers = [] }: Pick<Needed<Settings>, 'token' | 'headers'>): string[] => [
  token,
  ...headers.flatMap(([name, value]) => (value.length < 8 || COMMON.test(name) ? [] : [value])),
];

/**
 * The deviations that a run is told of.
 * @throws UsageError, DocumentError
 */
export const knownDeviations = ({ baseline }: Pick<Settings, 'baseline'>): Baseline | undefined =>
  baseline === undefined ? undefined : readBaseline(baseline, catalogue);

/**
 * Loads what the options name, and makes the plan of a run.
 * @param loaded the contract of these options, where another plan has it already
 * @throws DocumentError, UsageError
 */
export async function planOf(options: RunOptions, loaded?: Plan['contract']): Promise<Plan> {
  const settings = settingsOf(options);
  const { openapi, overlays = [], only = [], skip = [], ca, cert, key, bail = false, ...rest } = settings;
  if (rest.shard !== undefined && (rest.seed === undefined || rest.firstId === undefined)) {
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
  const known = new Set(bail ? knownDeviations(settings)?.entries.map(({ id }) => id) : []);
  return {
    ...rest,
    contract,
    catalogue,
    ca: ca === undefined ? undefined : certificatesIn(ca),
    client: clientOf(cert, key),
    selected: (id) => (only.length === 0 || wanted(id)) && !unwanted(id),
    bailsOn: ({ id, level }) =>
      bail && !known.has(id) && (level === 'MUST' || (level === 'SHOULD' && rest.strict === true)),
  };
}

/** The contract of a document, by default of the suite's own, whatever folder that lies in. */
async function contractOf(file: string | undefined, overlays: readonly string[]): Promise<Plan['contract']> {
  const own = file === undefined && overlays.length === 0;
  const contract = await loadContract(file ?? packageFile(OWN_DOCUMENT), overlays, { trusted: own });
  if (file !== undefined) return contract;
  const warnings = contract.document.warnings.map((one) =>
    one.replace(packageFile(OWN_DOCUMENT), OWN_DOCUMENT),
  );
  return { ...contract, document: { ...contract.document, file: OWN_DOCUMENT, warnings } };
}

const OWN_DOCUMENT = 'openapi.yaml';

/** What the run shows of itself to a store that wants a certificate. */
function clientOf(cert: string | undefined, key: string | undefined): Plan['client'] {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined)
    throw new UsageError('--cert and --key need one another: give the certificate and its private key.');
  const client = { cert: readPem(cert, 'certificate'), key: readPem(key, 'private key') };
  try {
    createSecureContext(client);
  } catch (error) {
    throw new UsageError(
      `The certificate in ${cert} and the private key in ${key} do not do: ${(error as Error).message}. Give a PEM certificate and the key that it was made for, without a passphrase.`,
    );
  }
  return client;
}

const certificatesIn = (file: string): string =>
  readPem(file, 'certificates', (pem) => void new X509Certificate(pem));

/** @param check throws where the file is not what it should be */
function readPem(file: string, what: string, check: (pem: string) => void = () => {}): string {
  try {
    const pem = readText(file, 1);
    check(pem);
    return pem;
  } catch (error) {
    throw new UsageError(`The ${what} in ${file} cannot be read: ${(error as Error).message}`);
  }
}
