import { FORMATS } from '../report/formats/formats.ts';
import { DEFAULTS } from '../run/defaults.ts';
import { flagOf } from '../text.ts';
import { TOKEN_VARIABLE } from '../token-variable.ts';
import * as types from './option-types.ts';

/** An option. Its key in the table is its name in a file and, in kebab case, the name of its flag. */
export interface OptionRow {
  readonly type: types.OptionType;
  readonly description: string;
  /** The name of the value in the help, if it differs from that of its type. */
  readonly placeholder?: string;
  /** The default, as the help shows it. */
  readonly defaultsTo?: string | number;
  /** The name in code, if it differs; false if code has no such option. */
  readonly api?: string | false;
  /** False for an option that concerns a single call, and so is not read from a file or a variable. */
  readonly file?: false;
  /** The environment variable, if its name does not follow from that of the option; false for none. */
  readonly variable?: string | false;
}

export type Rows = Readonly<Record<string, OptionRow>>;

const ONLY_A_FLAG = { api: false, file: false } as const;

type More = Partial<Omit<OptionRow, 'type' | 'description'>>;

/** Returns the row of an option. `M` keeps the exact type of `more`, from which other types follow. */
const option = <const K extends types.OptionType, const M extends More = object>(
  type: K,
  description: string,
  more?: M,
) => ({ type, description, ...more }) as { readonly type: K; readonly description: string } & NoInfer<M>;

/** The options that have a flag, in groups that several commands share. `run` has all of them. */
export const GROUPS = {
  connection: {
    token: option(types.token, 'bearer token that the store accepts; prefer $PLANT_STORE_TOKEN', {
      file: false,
      variable: TOKEN_VARIABLE,
    }),
    openapi: option(types.path, "OpenAPI 3.1 or 3.0 document to use instead of the suite's own"),
    overlay: option(types.paths, 'OpenAPI Overlay 1.0 file to apply to the document', { api: 'overlays' }),
    header: option(types.headers, "header to add to every request, as 'Name: value'", { api: 'headers' }),
    timeout: option(
      types.milliseconds,
      'time in milliseconds to wait for a connection, and for a complete response',
      { defaultsTo: DEFAULTS.timeout },
    ),
    ca: option(types.path, "PEM certificates to trust in addition to the system's"),
    cert: option(types.path, 'PEM client certificate; requires --key'),
    key: option(types.path, 'private key of the client certificate, PEM without a passphrase'),
    insecure: option(types.flag, 'trust any server certificate'),
  },
  sampling: {
    strict: option(types.flag, 'a failed SHOULD check makes the store not conformant, like a failed MUST'),
    only: option(
      types.texts,
      'run only these checks: an id, an area such as auth, or a glob such as "auth/accepts-*"',
      { placeholder: 'checks' },
    ),
    skip: option(types.texts, 'skip these checks', { placeholder: 'checks' }),
    cases: option(types.whole(1, 10 ** 9), 'number of random cases per generated check', {
      defaultsTo: DEFAULTS.cases,
    }),
    thorough: option(
      types.flag,
      'cover every triple of request variations instead of every pair; takes many times as long',
    ),
    seed: option(types.whole(0, 2 ** 32 - 1), 'seed of the random payloads', {
      defaultsTo: 'a new one in each run',
    }),
    firstId: option(types.id, 'first id to send; the same seed and first id repeat a run exactly', {
      defaultsTo: 'random, from 2^20 to 2^31-1',
    }),
    // Each concurrent request has its own connection, and many systems limit a process to 1024 open files.
    concurrency: option(types.whole(1, 1000), 'maximum number of requests in flight', {
      defaultsTo: `${DEFAULTS.concurrency}, and up to ${DEFAULTS.maxConcurrency} if responses take 20 ms or longer`,
    }),
    rate: option(types.rate, 'maximum number of requests per second', { defaultsTo: 'no limit' }),
    maxSeconds: option(types.seconds, 'stop the run after this many seconds'),
    maxRequests: option(types.whole(1, Number.MAX_SAFE_INTEGER), 'stop the run after this many requests'),
    explain: option(
      types.whole(0, 10 ** 6),
      'maximum number of requests for finding the causes of failures, after the checks; 0 for none',
      { defaultsTo: DEFAULTS.explain },
    ),
  },
  reports: {
    out: option(types.path, 'folder to write reports to; - writes a single report to standard output', {
      placeholder: 'dir',
      defaultsTo: 'no files; ./reports with --format',
      api: false,
    }),
    format: option(types.formats, `report formats, separated by commas: ${Object.keys(FORMATS).join(', ')}`, {
      defaultsTo: 'json',
      api: false,
    }),
    force: option(types.flag, 'overwrite files that are not reports of this suite', { api: false }),
  },
  run: {
    baseline: option(types.path, 'file of known deviations, which do not make the CI result fail'),
    writeBaseline: option(types.path, 'write the failures of this run to a baseline file', ONLY_A_FLAG),
    bail: option(
      types.flag,
      'start no further checks after the first failure that the baseline does not list',
    ),
    jobs: option(
      types.whole(1, 64),
      'number of threads that share the checks; useful for many cases against a fast store',
      { defaultsTo: 1, api: false },
    ),
    shard: option(types.shard, 'run only part i of n; merge joins the records', { file: false }),
    start: option(types.text, 'shell command that starts the store, which is stopped at the end', {
      placeholder: 'command',
      api: false,
    }),
    wait: option(types.seconds, 'seconds to wait for the store to listen', {
      placeholder: 's',
      defaultsTo: '30 with --start, else 0',
      api: false,
    }),
    watch: option(
      types.flag,
      'run again when the store restarts or, with --start, when a file changes; retry the last causes first',
      ONLY_A_FLAG,
    ),
    quiet: option(
      types.flag,
      'print only the causes of failures, one line each, and the verdict',
      ONLY_A_FLAG,
    ),
    verbose: option(
      types.flag,
      'print every exchange as it happens, and every cause and failed check in full',
      ONLY_A_FLAG,
    ),
  },
  target: {
    config: option(types.path, 'configuration file', {
      defaultsTo: 'conformance.yaml, if it exists',
      ...ONLY_A_FLAG,
    }),
    target: option(types.text, 'store to run against, by its name in the configuration', {
      placeholder: 'name',
      ...ONLY_A_FLAG,
    }),
  },
} as const satisfies Readonly<Record<string, Rows>>;

export type Group = keyof typeof GROUPS;

/** All options. Flags, variables, keys of files, their schema, types, messages and docs follow from a row. */
export const OPTIONS = {
  baseUrl: option(types.baseUrl, 'base URL of the store, without /plants', {
    file: false,
    variable: 'PLANT_STORE_URL',
  }),
  name: option(types.text, 'name of the store in reports', { defaultsTo: 'its base URL', file: false }),
  tokenEnv: option(
    types.variable,
    'environment variable that holds the token, also in the commands of reports',
    { defaultsTo: TOKEN_VARIABLE, file: false },
  ),
  ...GROUPS.connection,
  ...GROUPS.sampling,
  ...GROUPS.reports,
  ...GROUPS.run,
  ...GROUPS.target,
  targets: option(types.stores, 'stores by name, for run --target NAME and compare', {
    api: false,
    variable: false,
  }),
} as const satisfies Rows;

type Table = typeof OPTIONS;

type ValueOf<R> = R extends { type: { read: (given: unknown) => infer V } } ? Exclude<V, undefined> : never;
type GivenOf<R> = R extends { type: { given?: infer G } } ? Exclude<G, undefined> : never;
type ApiName<K extends keyof Table> = Table[K] extends { api: infer N } ? Extract<N, string> : K;

export type Values<R> = { readonly [K in keyof R]?: ValueOf<R[K]> | undefined };
type NamesOf<G extends Group> = G extends Group ? keyof (typeof GROUPS)[G] : never;
export type Flags<G extends Group> = Pick<Values<Table>, NamesOf<G>>;
/** The options of a run in code: `Given` as a caller may pass them, `Options` as they are used. */
export type Given = { readonly [K in keyof Table as ApiName<K>]?: GivenOf<Table[K]> | undefined };
export type Options = { readonly [K in keyof Table as ApiName<K>]?: ValueOf<Table[K]> | undefined };
export type Needed<T extends Given> = T & {
  readonly [N in 'baseUrl' | 'token']-?: Exclude<T[N], undefined>;
};

export const ROWS: readonly (readonly [string, OptionRow])[] = Object.entries(OPTIONS);

type InAFile = { readonly [K in keyof Table as Table[K] extends { file: false } ? never : K]: Table[K] };

export const IN_A_FILE = Object.fromEntries(ROWS.filter(([, { file }]) => file !== false)) as Rows & InAFile;

const { targets: _, ...forOneStore } = IN_A_FILE as InAFile;

/** The options of a target in a file: those that identify it, and everything else that a target may set. */
export const TARGET = {
  name: option(types.targetName, 'name of the store in reports and on the command line'),
  baseUrl: OPTIONS.baseUrl,
  tokenEnv: OPTIONS.tokenEnv,
  ...forOneStore,
} as const satisfies Rows;

export const IN_CODE: Rows = inCode((_name, row) => row);

/** Maps the options that exist in code, by their names there. */
export function inCode<T>(of: (name: string, row: OptionRow) => T): Record<string, T> {
  return Object.fromEntries(
    ROWS.flatMap(([name, row]) => (row.api === false ? [] : [[row.api ?? name, of(name, row)]])),
  );
}

export const PREFIX = 'PLANT_STORE_';

export const describe = ({ description, defaultsTo }: OptionRow): string =>
  defaultsTo === undefined ? description : `${description} (default: ${defaultsTo})`;

/** Returns a flag as the help shows it: `--seed <n>`. */
export const usageOf = (
  name: string,
  { type: { placeholder: usual }, placeholder = usual }: OptionRow,
): string => (placeholder === undefined ? flagOf(name) : `${flagOf(name)} <${placeholder}>`);

/** Returns the environment variable of an option, such as PLANT_STORE_MAX_SECONDS for --max-seconds. */
export const variableOf = (name: string, { file, variable }: OptionRow): string | undefined =>
  (variable ?? file) === false
    ? undefined
    : variable || `${PREFIX}${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`;
