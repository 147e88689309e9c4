import { type Command, InvalidArgumentError, type Option } from 'commander';
import type { Config, Setting, Target } from '../lib/config/config.ts';
import { UsageError } from '../lib/usage-error.ts';

/** Options that only a command line has: they say where to look, or belong to one call. */
const FLAGS_ALONE = new Set([
  'token',
  'config',
  'target',
  'shard',
  'writeBaseline',
  'quiet',
  'verbose',
  'version',
]);

/**
 * Fills in what the flags leave open: from the environment (`PLANT_STORE_` and the name of the option), then
 * from the target, then from the configuration file.
 * @throws UsageError that says where the setting stands that does not do
 */
export function settle(
  command: Command,
  environment: Readonly<Record<string, string | undefined>>,
  config: Config | undefined,
  target: Target | undefined,
): void {
  for (const option of command.options) {
    const name = option.attributeName();
    if (FLAGS_ALONE.has(name) || command.getOptionValueSource(name) === 'cli') continue;
    const variable = variableOf(option);
    const told = environment[variable];
    if (told !== undefined && told !== '') {
      const value = read(option, told, (problem) => {
        throw new UsageError(`${variable}: ${problem}`);
      });
      command.setOptionValueWithSource(name, value, 'env');
      continue;
    }
    const setting = { ...config?.options, ...target }[name] as Setting | undefined;
    if (setting === undefined) continue;
    const value = read(option, setting, (problem) => config?.refuse(name, problem));
    command.setOptionValueWithSource(name, value, 'config');
  }
}

/** The variable of the environment that stands for an option: PLANT_STORE_MAX_SECONDS for --max-seconds. */
const variableOf = ({ long }: Option): string =>
  `PLANT_STORE_${(long ?? '').slice(2).replaceAll('-', '_').toUpperCase()}`;

/** A setting as the option takes it. */
function read(option: Option, setting: Setting, refuse: (problem: string) => void): unknown {
  if (option.isBoolean()) {
    if (![true, false, '1', '0', 'true', 'false'].includes(setting as string)) refuse('It takes 1 or 0.');
    return setting === true || setting === '1' || setting === 'true';
  }
  try {
    const texts = [setting].flat().map(String);
    const { parseArg } = option;
    if (parseArg === undefined) return texts[0];
    return texts.reduce<unknown>((before, text) => parseArg(text, before), undefined);
  } catch (error) {
    if (error instanceof InvalidArgumentError) return refuse(error.message);
    throw error;
  }
}
