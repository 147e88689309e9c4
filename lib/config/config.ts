import { dirname, resolve } from 'node:path';
import { isObject, type Pointer } from '../contract/document.ts';
import { suggestion } from '../nearest.ts';
import { UsageError } from '../usage-error.ts';
import { shown } from './option-types.ts';
import { IN_A_FILE, type OPTIONS, type Rows, TARGET, type Values } from './options.ts';
import { readOptions } from './read-options.ts';
import { openSettings } from './settings-file.ts';

export type Target = Values<typeof TARGET> & { readonly name: string; readonly baseUrl: string };

export interface Config {
  readonly options: Values<typeof OPTIONS>;
  readonly targets: readonly Target[];
}

/**
 * Reads a configuration file.
 * @throws UsageError or DocumentError, with the line and, for an unknown key, the most similar known key
 */
export function readConfig(file: string): Config {
  const { value, reject } = openSettings(file);
  const read = <R extends Rows>(rows: R, given: unknown, required: readonly string[], at: Pointer) => {
    if (!isObject(given))
      return reject(at, `Options must be a mapping of names to values, not ${shown(given)}.`);
    const values = readOptions(rows, given, required, (name, problem) =>
      reject([...at, name], name === 'token' ? NO_TOKEN : problem),
    );
    return resolvePaths(file, rows, values);
  };
  const { targets = [], ...options } = read(IN_A_FILE, value ?? {}, [], []) as Values<typeof OPTIONS>;
  const names = new Set<string>();
  return {
    options,
    targets: targets.map((given, index) => {
      const target = read(TARGET, given, ['name', 'baseUrl'], ['targets', index]) as Target;
      if (names.has(target.name))
        reject(['targets', index, 'name'], `Two targets are called ${target.name}; rename one of them.`);
      names.add(target.name);
      return target;
    }),
  };
}

const NO_TOKEN =
  'Do not put a token into a file; set PLANT_STORE_TOKEN, or name another variable with tokenEnv in a target.';

function resolvePaths<R extends Rows>(file: string, rows: R, values: Values<R>): Values<R> {
  const resolved = (path: unknown) => (path === '-' ? path : resolve(dirname(file), String(path)));
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      rows[name]?.type.isPath !== true ? value : Array.isArray(value) ? value.map(resolved) : resolved(value),
    ]),
  ) as Values<R>;
}

/** Returns the target of that name. @throws UsageError, with the most similar name, if there is none */
export function targetNamed(name: string, { targets }: Config, file: string): Target {
  const target = targets.find((one) => one.name === name);
  if (target !== undefined) return target;
  const names = targets.map((one) => one.name);
  const otherwise = `the targets are ${names.join(', ') || 'none'}`;
  throw new UsageError(`${file} has no target ${name}; ${suggestion(name, names, otherwise)}`);
}
