import { X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { matcherOf, unmatched } from './lib/check-ids.ts';
import type { Given, Needed, Options } from './lib/config/options.ts';
import { settingsOf } from './lib/config/read-options.ts';
import { bundledContract } from './lib/contract/bundled-contract.ts';
import { DocumentError } from './lib/contract/document.ts';
import { EventLog } from './lib/event-log.ts';
import { readText } from './lib/read-text.ts';
import { fingerprintsIn } from './lib/report/baseline/baseline-entry.ts';
import type { Baseline, RunRecord } from './lib/report/record/record.ts';
import { Recorder } from './lib/report/record/recorder.ts';
import { DEFAULTS } from './lib/run/defaults.ts';
import { type FindCauses, type LoadedOptions, type RunEvent, runEvents } from './lib/run/run.ts';
import { unknownCheck } from './lib/unknown-check.ts';
import { UsageError } from './lib/usage-error.ts';
import { catalogue } from './suites/index.ts';

export { FORMATS, type Format } from './lib/report/formats/formats.ts';
export { terminalReport } from './lib/report/formats/terminal.ts';
export type {
  Baseline,
  BaselineEntry,
  CiResult,
  RecordedBody,
  RecordedCause,
  RecordedExchange,
  RecordedRequest,
  RecordedResult,
  RunRecord,
} from './lib/report/record/record.ts';
export type { About, Check, Level } from './lib/run/check.ts';
export type { CheckResult, Failure, Stop, Verdict } from './lib/run/result/result.ts';
export type { Outcome } from './lib/run/result/verdict.ts';
export type { RunEvent, RunFooter, RunHeader } from './lib/run/run.ts';
export { UsageError } from './lib/usage-error.ts';
export { startStore } from './reference/store.ts';
export { catalogue, DocumentError };

/** The options of a run: `baseUrl`, `token`, and the others in docs/configuration.md. */
export type RunOptions = Needed<Given>;

/** A run in progress. Yields its events as they happen; `record` resolves when it has ended. */
export interface Run extends AsyncIterable<RunEvent> {
  readonly record: Promise<RunRecord>;
}

/**
 * Starts a run. `record` rejects with a UsageError or a DocumentError if the options are invalid. Whatever
 * the store does, there is a record.
 */
export function run(options: RunOptions, signal?: AbortSignal): Run {
  const log = new EventLog<RunEvent>();
  const work = async (): Promise<RunRecord> => {
    const settings = settingsOf(options);
    if (signal !== undefined && typeof Object(signal).addEventListener !== 'function')
      throw new UsageError('The second argument of run must be an AbortSignal or absent.');
    const loaded = await loadOptions(settings);
    const recorder = new Recorder(secretsOf(settings), await knownDeviations(settings));
    for await (const event of runEvents(loaded, signal)) {
      recorder.add(event);
      log.append(event);
    }
    return recorder.record();
  };
  const record = work();
  // A caller that only iterates over the events gets the error there.
  record.then(
    () => log.end(),
    (error: unknown) => log.end({ error }),
  );
  return { record, [Symbol.asyncIterator]: () => log[Symbol.asyncIterator]() };
}

/** Headers whose values are usually common and not secret. */
const COMMON = /^(?:accept(?:-[a-z]+)?|cache-control|connection|content-type|prefer|user-agent)$/i;

/** Returns what no report may contain: the token, and the values of headers that the user added. */
export const secretsOf = ({ token, headers = [] }: Pick<Needed<Options>, 'token' | 'headers'>): string[] => [
  token,
  ...headers.flatMap(([name, value]) => (value.length < 8 || COMMON.test(name) ? [] : [value])),
];

/**
 * Reads the baseline of a run, if it has one. The code that reads it is loaded only in that case.
 *
 * @throws UsageError, DocumentError
 */
export async function knownDeviations({
  baseline,
}: Pick<Options, 'baseline'>): Promise<Baseline | undefined> {
  if (baseline === undefined) return undefined;
  if (!existsSync(baseline))
    throw new UsageError(`${baseline}: no such file; --write-baseline ${baseline} writes it`);
  const { readBaseline } = await import('./lib/config/baseline.ts');
  return readBaseline(baseline, catalogue);
}

/**
 * Loads the files that the options name.
 *
 * @param loaded the contract for these options, if another run has already loaded it
 * @throws DocumentError, UsageError
 */
export async function loadOptions(
  options: RunOptions,
  loaded?: LoadedOptions['contract'],
): Promise<LoadedOptions> {
  const settings = settingsOf(options);
  const {
    openapi,
    overlays = [],
    only = [],
    skip = [],
    ca,
    cert,
    key,
    bail = false,
    explain = DEFAULTS.explain,
    ...rest
  } = settings;
  if (rest.shard !== undefined && (rest.seed === undefined || rest.firstId === undefined)) {
    throw new UsageError(
      'A shard needs --seed and --first-id, the same for all shards, as both determine what each shard sends.',
    );
  }
  const contract = loaded ?? (await contractOf(openapi, overlays));
  const ids = catalogue.map(({ id }) => id);
  const wrong = unmatched([...only, ...skip], ids);
  if (wrong !== undefined) throw unknownCheck(wrong, catalogue);
  const [wanted, unwanted] = [matcherOf(only), matcherOf(skip)];
  const known = new Set(
    bail
      ? (await knownDeviations(settings))?.entries.flatMap((entry) =>
          fingerprintsIn(entry).map(({ id }) => id),
        )
      : [],
  );
  return {
    ...rest,
    contract,
    catalogue,
    findCauses: explain === 0 ? undefined : byExperiments({ ...rest, contract, catalogue }, explain),
    ca: ca && readPem(ca, 'certificates', (pem) => void new X509Certificate(pem)),
    client: clientOf(cert, key),
    selected: (id) => (only.length === 0 || wanted(id)) && !unwanted(id),
    bailsOn: ({ id, level }) =>
      bail && !known.has(id) && (level === 'MUST' || (level === 'SHOULD' && rest.strict === true)),
  };
}

/** Finds the causes of failures. The code for experiments is loaded only if there are any. */
const byExperiments =
  (options: Pick<LoadedOptions, 'contract' | 'token' | 'catalogue'>, requests: number): FindCauses =>
  async (results, run) => {
    const { explainRun } = await import('./lib/explain/explain-run.ts');
    return explainRun(results, run, options, requests);
  };

/** Loads the contract. The code that reads a document is loaded only if the user has one. */
async function contractOf(
  file: string | undefined,
  overlays: readonly string[],
): Promise<LoadedOptions['contract']> {
  if (file === undefined) return bundledContract(overlays);
  const { loadContract } = await import('./lib/contract/load-contract.ts');
  return loadContract(file, overlays);
}

/** The client certificate and its private key, for a store that requires one. */
function clientOf(cert: string | undefined, key: string | undefined): LoadedOptions['client'] {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined)
    throw new UsageError('--cert and --key belong together; give both the certificate and its private key.');
  const client = { cert: readPem(cert, 'certificate'), key: readPem(key, 'private key') };
  try {
    createSecureContext(client);
  } catch (error) {
    throw new UsageError(
      `The certificate in ${cert} and the private key in ${key} cannot be used: ${(error as Error).message}. Give a PEM certificate and its own private key, without a passphrase.`,
    );
  }
  return client;
}

/** @param check throws if the content is invalid */
function readPem(file: string, what: string, check: (pem: string) => void = () => {}): string {
  try {
    const pem = readText(file, 1);
    check(pem);
    return pem;
  } catch (error) {
    const { message } = error as Error;
    const reason = message.includes('no start line') ? 'it is not in PEM format' : message;
    throw new UsageError(`Cannot read the ${what} in ${file}: ${reason}`);
  }
}
