import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Config, Target } from '../lib/config/config.ts';
import { type OptionType, readTextAs } from '../lib/config/option-types.ts';
import {
  describe,
  type Flags,
  GROUPS,
  type Group,
  inCode,
  OPTIONS,
  type OptionRow,
  type Options,
  type Rows,
  TARGET,
  usageOf,
} from '../lib/config/options.ts';
import { mistypedIn, readOrReject, settingIn } from '../lib/config/read-options.ts';
import { flagOf } from '../lib/text.ts';
import { UsageError } from '../lib/usage-error.ts';

const FLAGS: ReadonlySet<string> = new Set(Object.keys({ ...OPTIONS, ...TARGET }).map(flagOf));

/** Reads the value of a flag. Repeatable flags collect their values in a list. */
export const reader =
  <V>(type: OptionType<V>) =>
  (text: string, before: unknown): V => {
    // `--out --target staging` lacks a value; the parser would take the next flag for it.
    if (FLAGS.has(text)) throw new InvalidArgumentError('It is an option, so the value is missing.');
    return readOrReject(
      () => {
        const value = readTextAs(type, text);
        return Array.isArray(value) && Array.isArray(before) ? ([...before, ...value] as V) : value;
      },
      // The parser of the command line shows the value.
      (_problem, rule) => {
        throw new InvalidArgumentError(`It ${rule}.`);
      },
    );
  };

/** Reads the argument of a command. @throws UsageError */
export const baseUrlReader = (text: string): string =>
  readOrReject(
    () => readTextAs(TARGET.baseUrl.type, text),
    (problem) => {
      throw new UsageError(`The base URL ${problem}.`);
    },
  );

function optionOf(name: string, row: OptionRow): Option {
  const { type, description } = row;
  const repeats = type.many && name !== 'format' ? '; may be repeated' : '';
  const option = new Option(
    usageOf(name, row),
    describe({ ...row, description: `${description}${repeats}` }),
  );
  return option.isBoolean() ? option : option.argParser(reader(type));
}

/** Adds the flags of groups to a command; `changes` says how some flags of this command differ. */
export function withOptions(
  command: Command,
  groups: readonly Group[],
  changes: Readonly<Record<string, Partial<OptionRow>>> = {},
): Command {
  for (const [name, row] of groups.flatMap((group) => Object.entries<OptionRow>(GROUPS[group])))
    command.addOption(optionOf(name, { ...row, ...changes[name] }));
  return command;
}

export const settingsIn = (flags: Flags<Group>): Options =>
  inCode((name) => (flags as Readonly<Record<string, unknown>>)[name]);

/**
 * Sets options that no flag gives: from the environment, then from the target, then from the configuration
 * file. If a variable looks mistyped, only warns, since it may belong to another program.
 * @throws UsageError that names the variable, if its value is invalid
 */
export function applyDefaults(command: Command, config: Config | undefined, target?: Target): void {
  const tokens = config?.targets.map(({ tokenEnv }) => tokenEnv);
  for (const [variable, meant] of mistypedIn(process.env))
    if (!tokens?.includes(variable))
      process.stderr.write(`warning: unknown environment variable ${variable}; did you mean ${meant}?\n`);
  const inFile: Readonly<Record<string, unknown>> = { ...config?.options, ...target };
  const rows: Rows = OPTIONS;
  for (const option of command.options) {
    const name = option.attributeName();
    const row = rows[name];
    if (row === undefined || row.file === false || command.getOptionValueSource(name) === 'cli') continue;
    const fromEnvironment = settingIn(process.env, name, row);
    const value = fromEnvironment ?? inFile[name];
    if (value !== undefined)
      command.setOptionValueWithSource(name, value, fromEnvironment === undefined ? 'config' : 'env');
  }
}
