import { dirname, resolve } from 'node:path';
import { isObject, type Pointer } from '../contract/document.ts';
import { nearest } from '../nearest.ts';
import { UsageError } from '../usage-error.ts';
import { readOptions } from './given.ts';
import { shown } from './kinds.ts';
import { IN_A_FILE, type OPTIONS, type Rows, TARGET, type Values } from './options.ts';
import { openSettings } from './settings-file.ts';

/** A store that the configuration knows by name. */
export type Target = Values<typeof TARGET> & { readonly name: string; readonly baseUrl: string };

/** What conformance.yaml says. */
export interface Config {
  /** The options of `run` that stand in it. */
  readonly options: Values<typeof OPTIONS>;
  readonly targets: readonly Target[];
}

/**
 * Reads a configuration file.
 * @throws UsageError or DocumentError with the line, and with the nearest known key for an unknown one
 */
export function readConfig(file: string): Config {
  const { value, refuse } = openSettings(file);
  const read = <R extends Rows>(rows: R, given: unknown, required: readonly string[], at: Pointer) => {
    if (!isObject(given)) return refuse(at, `Options are keys with values, not ${shown(given)}.`);
    const values = readOptions(rows, given, required, (name, problem) =>
      refuse([...at, name], name === 'token' ? NO_TOKEN : problem),
    );
    return beside(file, rows, values);
  };
  const { targets = [], ...options } = read(IN_A_FILE, value ?? {}, [], []) as Values<typeof OPTIONS>;
  const names = new Set<string>();
  return {
    options,
    targets: targets.map((given, index) => {
      const target = read(TARGET, given, ['name', 'baseUrl'], ['targets', index]) as Target;
      if (names.has(target.name))
        refuse(['targets', index, 'name'], `There are two targets called ${target.name}.`);
      names.add(target.name);
      return target;
    }),
  };
}

const NO_TOKEN =
  'A token does not belong into a file; set PLANT_STORE_TOKEN, or name a variable with tokenEnv of a target.';

/** Files as they are found from the folder of the configuration. */
function beside<R extends Rows>(file: string, rows: R, values: Values<R>): Values<R> {
  const found = (path: unknown) => (path === '-' ? path : resolve(dirname(file), String(path)));
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      rows[name]?.kind.isPath !== true ? value : Array.isArray(value) ? value.map(found) : found(value),
    ]),
  ) as Values<R>;
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
