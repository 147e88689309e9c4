import { dirname, resolve } from 'node:path';
import { nearest } from '../nearest.ts';
import { UsageError } from '../usage-error.ts';
import { readSettings } from './settings-file.ts';

/** A store that the configuration knows by name. */
export interface Target {
  readonly name: string;
  readonly baseUrl: string;
  /** The variable of the environment that holds the token. */
  readonly tokenEnv?: string;
  readonly start?: string;
  readonly wait?: number;
  readonly overlay?: string | readonly string[];
  readonly baseline?: string;
}

/** What an option may be in the file; the option itself makes it a value. */
export type Setting = boolean | number | string | readonly string[];

/** What conformance.yaml says. */
export interface Config {
  /** The options of `run` by their names in camel case. */
  readonly options: Readonly<Record<string, Setting>>;
  readonly targets: readonly Target[];
  /** @throws UsageError that leads to the option in the file */
  refuse(option: string, problem: string): never;
}

/** Settings that name files; they are found beside the configuration. */
const FILES = ['openapi', 'overlay', 'baseline', 'ca', 'cert', 'key', 'out'];

interface Written {
  readonly targets?: readonly Target[];
  readonly [option: string]: unknown;
}

/**
 * Reads a configuration file.
 * @throws UsageError or DocumentError with the line, and with the nearest known key for an unknown one
 */
export function readConfig(file: string): Config {
  const { value, refuse } = readSettings<Written | null>(file, 'conformance.schema.json');
  const { targets = [], ...options } = value ?? {};
  const names = new Set<string>();
  for (const [index, { name }] of targets.entries()) {
    if (names.has(name)) refuse(['targets', index, 'name'], `there are two targets called ${name}`);
    names.add(name);
  }
  return {
    options: beside(file, options as Record<string, Setting>),
    targets: targets.map((target) => beside(file, target)),
    refuse: (option, problem) => refuse([option], problem),
  };
}

/** Files as they are found from the folder of the configuration. */
function beside<T extends object>(file: string, settings: T): T {
  const found = (path: unknown) => (path === '-' ? path : resolve(dirname(file), String(path)));
  return Object.fromEntries(
    Object.entries(settings).map(([name, setting]) => [
      name,
      !FILES.includes(name) ? setting : Array.isArray(setting) ? setting.map(found) : found(setting),
    ]),
  ) as T;
}

/**
 * A target by its name.
 * @throws UsageError with the nearest name, where there is none
 */
export function targetNamed(name: string, { targets }: Config, file: string): Target {
  const target = targets.find((one) => one.name === name);
  if (target !== undefined) return target;
  const names = targets.map((one) => one.name);
  const close = nearest(name, names);
  throw new UsageError(
    `${file} has no target ${name}; ${close === undefined ? `the targets are ${names.join(', ') || 'none'}` : `did you mean ${close}?`}`,
  );
}
