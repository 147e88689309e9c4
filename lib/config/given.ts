import { isObject } from '../contract/document.ts';
import { nearest } from '../nearest.ts';
import { short } from '../report/explain.ts';
import { UsageError } from '../usage-error.ts';
import { Misfit, readAs, readTextAs, shown } from './kinds.ts';
import {
  IN_CODE,
  inCode,
  type Needed,
  PREFIX,
  ROWS,
  type Row,
  type Rows,
  type Settings,
  type Values,
  variableOf,
} from './options.ts';

/** What is said of an option that there is none. */
const unknown = (name: string, known: readonly string[]): string => {
  const close = nearest(name, known);
  return `There is no option ${short(name, 60)}; ${close === undefined ? `the options are ${known.join(', ')}.` : `did you mean ${close}?`}`;
};

/**
 * Reads options by their rows.
 * @param refuse is told which option does not do, and why, in a sentence
 */
export function readOptions<R extends Rows>(
  table: R,
  given: Readonly<Record<string, unknown>>,
  required: readonly string[],
  refuse: (name: string, problem: string) => never,
): Values<R> {
  const names = Object.keys(table);
  const lost = Object.keys(given).find((name) => !names.includes(name));
  if (lost !== undefined) refuse(lost, unknown(lost, names));
  const values: Record<string, unknown> = {};
  for (const [name, row] of Object.entries(table)) {
    const value = given[name];
    if (value !== undefined)
      values[name] = elseRefuse(
        () => readAs(row.kind, value),
        (problem) => refuse(name, `${name} ${problem}.`),
      );
    else if (required.includes(name)) refuse(name, `${name} is missing: ${row.says}.`);
  }
  return values as Values<R>;
}

/** A value that is read, or what is made of the reason why it does not do. */
export function elseRefuse<T>(read: () => T, refuse: (problem: string) => never): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Misfit) return refuse(error.message);
    throw error;
  }
}

/**
 * The options that code gives, whatever it gives.
 * @throws UsageError that names the option, the value, and what is allowed
 */
export function optionsGiven<R extends Rows>(
  table: R,
  given: unknown,
  required: readonly string[] = [],
): Values<R> {
  if (!isObject(given))
    throw new UsageError(
      `Options are an object such as { ${required.join(', ') || 'cases: 300'} }, not ${shown(given)}.`,
    );
  return readOptions(table, given, required, (_name, problem) => {
    throw new UsageError(problem);
  });
}

/** The options of a run that code gives. @throws UsageError */
export const settingsOf = (given: unknown): Needed<Settings> =>
  optionsGiven(IN_CODE, given, ['baseUrl', 'token']) as Needed<Settings>;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What the environment says of an option; nothing where its variable is empty.
 * @throws UsageError that names the variable
 */
export function settingIn(environment: Environment, name: string, row: Row): unknown {
  const variable = variableOf(name, row);
  const text = variable === undefined ? undefined : environment[variable];
  if (text === undefined || text === '') return undefined;
  return elseRefuse(
    () => readTextAs(row.kind, text),
    (problem) => {
      throw new UsageError(`${variable} ${problem}.`);
    },
  );
}

/** The options of a run that the environment gives. @throws UsageError */
export const optionsIn = (environment: Environment): Settings =>
  inCode((name, row) => settingIn(environment, name, row));

/** Variables of the environment that nobody reads, each with the one that it may have been meant for. */
export function mistypedIn(
  environment: Environment,
): readonly (readonly [variable: string, meant: string])[] {
  const known = ROWS.flatMap(([name, row]) => variableOf(name, row) ?? []);
  const ends = known.map((variable) => variable.replace(PREFIX, ''));
  return Object.keys(environment).flatMap((variable) => {
    if (!variable.startsWith(PREFIX) || known.includes(variable)) return [];
    const close = nearest(variable.replace(PREFIX, ''), ends);
    return close === undefined ? [] : [[variable, `${PREFIX}${close}`] as const];
  });
}
