import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Kind, readTextAs } from '../lib/config/option-types.ts';
import {
  describe,
  type Flags,
  GROUPS,
  type Group,
  inCode,
  type Row,
  type Settings,
  usageOf,
} from '../lib/config/options.ts';
import { rejectOthers } from '../lib/config/read-options.ts';

/** Reads the value of a flag. A flag that may be repeated adds to a list. */
export const reader =
  <V>(kind: Kind<V>) =>
  (text: string, before: unknown): V =>
    rejectOthers(
      () => {
        const value = readTextAs(kind, text);
        return Array.isArray(value) && Array.isArray(before) ? ([...before, ...value] as V) : value;
      },
      (problem) => {
        throw new InvalidArgumentError(`It ${problem}.`);
      },
    );

function optionOf(name: string, row: Row): Option {
  const { kind, description } = row;
  const repeats = kind.many && name !== 'format' ? '; may be repeated' : '';
  const option = new Option(
    usageOf(name, row),
    describe({ ...row, description: `${description}${repeats}` }),
  );
  return option.isBoolean() ? option : option.argParser(reader(kind));
}

/**
 * Adds the flags of some groups to a command.
 * @param changes what differs in some flags of this command
 */
export function withOptions(
  command: Command,
  groups: readonly Group[],
  changes: Readonly<Record<string, Partial<Row>>> = {},
): Command {
  for (const [name, row] of groups.flatMap((group) => Object.entries<Row>(GROUPS[group])))
    command.addOption(optionOf(name, { ...row, ...changes[name] }));
  return command;
}

/** The options of a run that the flags give. */
export const settingsIn = (flags: Flags<Group>): Settings =>
  inCode((name) => (flags as Readonly<Record<string, unknown>>)[name]);
