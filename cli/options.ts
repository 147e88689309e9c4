import { type Command, InvalidArgumentError, Option } from 'commander';
import { elseRefuse } from '../lib/config/given.ts';
import { type Kind, readTextAs } from '../lib/config/kinds.ts';
import {
  type Flags,
  flagOf,
  flagsOf,
  type Group,
  inCode,
  type Row,
  type Settings,
} from '../lib/config/options.ts';

/** Reads a flag; one that may be repeated adds to a list. */
export const reader =
  <V>(kind: Kind<V>) =>
  (text: string, before: unknown): V =>
    elseRefuse(
      () => {
        const value = readTextAs(kind, text);
        return Array.isArray(value) && Array.isArray(before) ? ([...before, ...value] as V) : value;
      },
      (problem) => {
        throw new InvalidArgumentError(`It ${problem}.`);
      },
    );

function optionOf(name: string, { kind, value, says, usually }: Row): Option {
  const flags = value === undefined ? flagOf(name) : `${flagOf(name)} <${value}>`;
  const repeats = kind.many && name !== 'format' ? '; may be repeated' : '';
  const option = new Option(
    flags,
    `${says}${repeats}${usually === undefined ? '' : ` (default: ${usually})`}`,
  );
  return value === undefined ? option : option.argParser(reader(kind));
}

/**
 * Gives a command the flags of some groups.
 * @param other what a command says otherwise of some of them
 */
export function withOptions(
  command: Command,
  groups: readonly Group[],
  other: Readonly<Record<string, Partial<Row>>> = {},
): Command {
  for (const [name, row] of flagsOf(groups)) command.addOption(optionOf(name, { ...row, ...other[name] }));
  return command;
}

/** What flags say of a run. */
export const settingsIn = (flags: Flags<Group>): Settings =>
  inCode((name) => (flags as Readonly<Record<string, unknown>>)[name]);
