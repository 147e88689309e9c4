import { isObject } from '../contract/document.ts';
import { nearest, suggestion } from '../nearest.ts';
import { shownText } from '../report/wording/format-text.ts';
import { UsageError } from '../usage-error.ts';
import { InvalidValueError, readAs, readTextAs, shown } from './option-types.ts';
import {
  IN_CODE,
  inCode,
  type Needed,
  type OptionRow,
  type Options,
  PREFIX,
  ROWS,
  type Rows,
  type Values,
  variableOf,
} from './options.ts';

const unknownOption = (name: string, known: readonly string[]): string =>
  `Unknown option ${shownText(name, 60)}; ${suggestion(name, known, `the options are ${known.join(', ')}.`)}`;

/** Reads options. Calls `reject` with the name of an invalid option, and a sentence about the problem. */
export function readOptions<R extends Rows>(
  table: R,
  given: Readonly<Record<string, unknown>>,
  required: readonly string[],
  reject: (name: string, problem: string) => never,
): Values<R> {
  const names = Object.keys(table);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) reject(unknown, unknownOption(unknown, names));
  const values: Record<string, unknown> = {};
  for (const [name, row] of Object.entries(table)) {
    const value = given[name];
    if (value !== undefined)
      values[name] = readOrReject(
        () => readAs(row.type, value),
        (problem) => reject(name, `${name} ${problem}.`),
      );
    else if (required.includes(name)) reject(name, `${name} is missing: ${row.description}.`);
  }
  return values as Values<R>;
}

/** Reads a value. If it is invalid, calls `reject` with the problem, worded with the value and without it. */
export function readOrReject<T>(read: () => T, reject: (problem: string, rule: string) => never): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof InvalidValueError) return reject(error.message, error.rule);
    throw error;
  }
}

/**
 * Reads options that were passed in code.
 * @throws UsageError that names the option, the value, and what is allowed
 */
export function optionsGiven<R extends Rows>(
  table: R,
  given: unknown,
  required: readonly string[] = [],
): Values<R> {
  if (!isObject(given))
    throw new UsageError(
      `Options must be an object such as { ${required.join(', ') || 'cases: 300'} }, not ${shown(given)}.`,
    );
  return readOptions(table, given, required, (_name, problem) => {
    throw new UsageError(problem);
  });
}

/** Returns the options of a run that were passed in code. @throws UsageError */
export const settingsOf = (given: unknown): Needed<Options> =>
  optionsGiven(IN_CODE, given, ['baseUrl', 'token']) as Needed<Options>;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the environment variable of an option; undefined if it is empty or not set.
 * @throws UsageError that names the variable
 */
export function settingIn(environment: Environment, name: string, row: OptionRow): unknown {
  const variable = variableOf(name, row);
  const text = variable === undefined ? undefined : environment[variable];
  if (text === undefined || text === '') return undefined;
  return readOrReject(
    () => readTextAs(row.type, text),
    (problem) => {
      throw new UsageError(`${variable} ${problem}.`);
    },
  );
}

/** Reads all options that the environment sets. @throws UsageError */
export const optionsIn = (environment: Environment): Options =>
  inCode((name, row) => settingIn(environment, name, row));

/** Finds environment variables that look mistyped, each with the variable that was probably meant. */
export function mistypedIn(environment: Environment) {
  const known = ROWS.flatMap(([name, row]) => variableOf(name, row) ?? []);
  const ends = known.map((variable) => variable.replace(PREFIX, ''));
  return Object.keys(environment).flatMap((variable) => {
    if (!variable.startsWith(PREFIX) || known.includes(variable)) return [];
    const close = nearest(variable.replace(PREFIX, ''), ends);
    return close === undefined ? [] : [[variable, `${PREFIX}${close}`] as const];
  });
}
