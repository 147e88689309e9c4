import { FORMATS } from '../report/formats.ts';
import { DEFAULTS } from '../run/plan.ts';
import * as kind from './kinds.ts';

/** Options that commands share. `run` takes all of them. */
export type Group = 'connection' | 'sampling' | 'reports' | 'run';

/** One option, under the name that it has as a flag, in camel case, and in a file. */
export interface Row {
  readonly kind: kind.Kind;
  /** What it is for, as the help says it. */
  readonly says: string;
  /** The flags that it stands among; none for what is no flag. */
  readonly on?: Group;
  /** How the help writes its value; none for a switch. */
  readonly value?: string;
  /** What holds where it is not given. */
  readonly usually?: string | number;
  /** Its name in code, where that is another one; false where code has no such option. */
  readonly api?: string | false;
  /** False for what belongs to one call, and is read from no file and no variable. */
  readonly file?: false;
  /** Its variable of the environment, where that does not follow from its name; false where it has none. */
  readonly variable?: string | false;
}

/**
 * All options. Everything else follows from a row: the flag with its help, the variable, the key in a file with its
 * schema, the option in code with its type, what is said of a value that does not do, and docs/configuration.md.
 */
export const OPTIONS = {
  baseUrl: {
    kind: kind.baseUrl,
    says: 'what stands before /plants',
    file: false,
    variable: 'PLANT_STORE_URL',
  },
  name: { kind: kind.text, says: 'what reports call the store', usually: 'its base URL', file: false },
  token: {
    kind: kind.token,
    on: 'connection',
    value: 'token',
    says: 'the bearer token that the store takes; better: $PLANT_STORE_TOKEN',
    file: false,
    variable: 'PLANT_STORE_TOKEN',
  },
  openapi: {
    kind: kind.path,
    on: 'connection',
    value: 'file',
    says: "an OpenAPI 3.1 or 3.0 document in the place of the suite's own",
  },
  overlay: {
    kind: kind.paths,
    on: 'connection',
    value: 'file',
    says: 'an OpenAPI Overlay 1.0 file to apply to it',
    api: 'overlays',
  },
  header: {
    kind: kind.headers,
    on: 'connection',
    value: 'header',
    says: "a header for every request, 'Name: value'",
    api: 'headers',
  },
  timeout: {
    kind: kind.milliseconds,
    on: 'connection',
    value: 'ms',
    says: 'for a connection, and for a whole answer',
    usually: DEFAULTS.timeout,
  },
  ca: {
    kind: kind.path,
    on: 'connection',
    value: 'file',
    says: "PEM certificates to trust beside the system's",
  },
  cert: {
    kind: kind.path,
    on: 'connection',
    value: 'file',
    says: 'a PEM certificate to show the store, with --key',
  },
  key: {
    kind: kind.path,
    on: 'connection',
    value: 'file',
    says: 'its private key, PEM without a passphrase',
  },
  insecure: { kind: kind.flag, on: 'connection', says: 'trust any certificate' },
  strict: { kind: kind.flag, on: 'sampling', says: 'a failed SHOULD makes a store nonconformant' },
  only: {
    kind: kind.texts,
    on: 'sampling',
    value: 'glob',
    says: 'carry out these checks alone, such as "auth/*"',
  },
  skip: { kind: kind.texts, on: 'sampling', value: 'glob', says: 'leave these checks out' },
  cases: {
    kind: kind.whole(1, 10 ** 9),
    on: 'sampling',
    value: 'n',
    says: 'random cases of a generated check',
    usually: DEFAULTS.cases,
  },
  thorough: {
    kind: kind.flag,
    on: 'sampling',
    says: 'combine ways of sending a request in every triple, not in every pair; takes many times as long',
  },
  seed: {
    kind: kind.whole(0, 2 ** 32 - 1),
    on: 'sampling',
    value: 'n',
    says: 'what random payloads follow from',
    usually: 'another in each run',
  },
  firstId: {
    kind: kind.id,
    on: 'sampling',
    value: 'n',
    says: 'the first id to send',
    usually: 'anywhere from 2^20 to 2^31-1',
  },
  concurrency: {
    // Each has a connection of its own, and many systems allow a process 1024 open files.
    kind: kind.whole(1, 1000),
    on: 'sampling',
    value: 'n',
    says: 'requests at a time',
    usually: DEFAULTS.concurrency,
  },
  rate: {
    kind: kind.rate,
    on: 'sampling',
    value: 'n/s',
    says: 'requests a second at most',
    usually: 'as many as go',
  },
  maxSeconds: { kind: kind.seconds, on: 'sampling', value: 'n', says: 'cut the run off after this long' },
  maxRequests: {
    kind: kind.whole(1, Number.MAX_SAFE_INTEGER),
    on: 'sampling',
    value: 'n',
    says: 'cut the run off after so many requests',
  },
  out: {
    kind: kind.path,
    on: 'reports',
    value: 'dir',
    says: 'write reports into this folder; - writes one to standard output',
    usually: 'none, or reports with --format',
    api: false,
  },
  format: {
    kind: kind.formats,
    on: 'reports',
    value: 'list',
    says: `what to write: ${Object.keys(FORMATS).join(', ')}`,
    usually: 'json',
    api: false,
  },
  force: {
    kind: kind.flag,
    on: 'reports',
    says: 'overwrite files in it that are no reports of this suite',
    api: false,
  },
  baseline: {
    kind: kind.path,
    on: 'run',
    value: 'file',
    says: 'known deviations, which do not make the CI result fail',
  },
  writeBaseline: {
    kind: kind.path,
    on: 'run',
    value: 'file',
    says: 'write the deviations that are left as the known ones',
    api: false,
    file: false,
  },
  bail: {
    kind: kind.flag,
    on: 'run',
    says: 'begin nothing new after the first failure that the baseline does not name',
  },
  shard: {
    kind: kind.shard,
    on: 'run',
    value: 'i/n',
    says: 'carry out one of n parts of the run; merge joins their records',
    file: false,
  },
  start: {
    kind: kind.text,
    on: 'run',
    value: 'command',
    says: 'start the store with this command, and stop it at the end',
    api: false,
  },
  wait: {
    kind: kind.seconds,
    on: 'run',
    value: 's',
    says: 'wait this long for the store to listen',
    usually: '30 with --start, else 0',
    api: false,
  },
  config: {
    kind: kind.path,
    on: 'run',
    value: 'file',
    says: 'settings and targets',
    usually: 'conformance.yaml, where there is one',
    api: false,
    file: false,
  },
  target: {
    kind: kind.text,
    on: 'run',
    value: 'name',
    says: 'a store that the configuration names',
    api: false,
    file: false,
  },
  targets: { kind: kind.stores, says: 'stores by name, for run --target NAME', api: false, variable: false },
  quiet: { kind: kind.flag, on: 'run', says: 'print the verdict alone', api: false, file: false },
  verbose: {
    kind: kind.flag,
    on: 'run',
    says: 'print every exchange as it happens',
    api: false,
    file: false,
  },
} as const satisfies Rows;

/** What the configuration says of one of its targets. */
export const TARGET = {
  name: { kind: kind.targetName, says: 'what the store is called in reports and on the command line' },
  baseUrl: OPTIONS.baseUrl,
  tokenEnv: { kind: kind.variable, says: 'the variable of the environment that holds its token' },
  start: OPTIONS.start,
  wait: OPTIONS.wait,
  overlay: OPTIONS.overlay,
  baseline: OPTIONS.baseline,
} as const satisfies Rows;

export type Rows = Readonly<Record<string, Row>>;
type Table = typeof OPTIONS;

type ValueOf<R> = R extends { kind: { read: (given: unknown) => infer V } } ? Exclude<V, undefined> : never;
type GivenOf<R> = R extends { kind: { given?: infer G } } ? Exclude<G, undefined> : never;
type ApiName<K extends keyof Table> = Table[K] extends { api: infer N } ? Extract<N, string> : K;

/** What rows give once they are read. */
export type Values<R> = { readonly [K in keyof R]?: ValueOf<R[K]> | undefined };
/** The flags of a group. */
export type Flags<G extends Group> = {
  readonly [K in keyof Table as Table[K] extends { on: G } ? K : never]?: ValueOf<Table[K]> | undefined;
};
/** The options of a run in code, as a caller may give them, and as they are used. */
export type Given = { readonly [K in keyof Table as ApiName<K>]?: GivenOf<Table[K]> | undefined };
export type Settings = { readonly [K in keyof Table as ApiName<K>]?: ValueOf<Table[K]> | undefined };
type Needs<T, K extends keyof T> = T & { readonly [N in K]-?: Exclude<T[N], undefined> };
export type Needed<T extends Given> = Needs<T, 'baseUrl' | 'token'>;

/** Every row with the name of its flag. */
export const ROWS: readonly (readonly [string, Row])[] = Object.entries(OPTIONS);

/** The rows of the flags that a command takes. */
export const flagsOf = (groups: readonly Group[]) =>
  groups.flatMap((group) => ROWS.filter(([, { on }]) => on === group));

/** The row of a flag. */
export const rowOf = (name: string): Row | undefined => ROWS.find(([own]) => own === name)?.[1];

/** The options that a file may hold. */
export const IN_A_FILE: Rows = Object.fromEntries(ROWS.filter(([, { file }]) => file !== false));

/** The options of a run in code, by their names there. */
export const IN_CODE: Rows = inCode((_name, row) => row);

/** Something for each option of a run, under its name in code. */
export function inCode<T>(of: (name: string, row: Row) => T): Record<string, T> {
  return Object.fromEntries(
    ROWS.flatMap(([name, row]) => (row.api === false ? [] : [[row.api ?? name, of(name, row)]])),
  );
}

/** Before every variable of the suite's. */
export const PREFIX = 'PLANT_STORE_';

export const flagOf = (name: string): string => `--${name.replace(/[A-Z]/g, '-$&').toLowerCase()}`;

/** The variable of the environment that stands for an option: PLANT_STORE_MAX_SECONDS for --max-seconds. */
export const variableOf = (name: string, { file, variable }: Row): string | undefined =>
  (variable ?? file) === false
    ? undefined
    : variable || `${PREFIX}${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`;
