import type { Command } from 'commander';
import type { Config, Target } from '../lib/config/config.ts';
import { mistypedIn, settingIn } from '../lib/config/given.ts';
import { rowOf } from '../lib/config/options.ts';

/**
 * Fills in what the flags leave open: from the environment, then from the target, then from the configuration file.
 * Warns of a variable that looks mistyped: it may be another program's.
 * @throws UsageError that names the variable that does not do
 */
export function settle(
  command: Command,
  environment: Readonly<Record<string, string | undefined>>,
  config: Config | undefined,
  target: Target | undefined,
): void {
  const tokens = config?.targets.map(({ tokenEnv }) => tokenEnv);
  for (const [variable, meant] of mistypedIn(environment))
    if (!tokens?.includes(variable))
      process.stderr.write(`${variable} is no variable of the suite's; did you mean ${meant}?\n`);
  const written: Readonly<Record<string, unknown>> = { ...config?.options, ...target };
  for (const option of command.options) {
    const name = option.attributeName();
    const row = rowOf(name);
    if (row === undefined || row.file === false || command.getOptionValueSource(name) === 'cli') continue;
    const told = settingIn(environment, name, row);
    const value = told ?? written[name];
    if (value !== undefined)
      command.setOptionValueWithSource(name, value, told === undefined ? 'config' : 'env');
  }
}
