import type { Command } from 'commander';
import type { Config, Target } from '../lib/config/config.ts';
import { OPTIONS, type Rows } from '../lib/config/options.ts';
import { mistypedIn, settingIn } from '../lib/config/read-options.ts';

/**
 * Sets the options that no flag gives: from the environment, then from the target, then from the configuration file.
 * Only warns of a variable that looks mistyped, as it may belong to another program.
 * @throws UsageError that names the variable with an invalid value
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
      process.stderr.write(`warning: unknown environment variable ${variable}; did you mean ${meant}?\n`);
  const inFile: Readonly<Record<string, unknown>> = { ...config?.options, ...target };
  const rows: Rows = OPTIONS;
  for (const option of command.options) {
    const name = option.attributeName();
    const row = rows[name];
    if (row === undefined || row.file === false || command.getOptionValueSource(name) === 'cli') continue;
    const fromEnvironment = settingIn(environment, name, row);
    const value = fromEnvironment ?? inFile[name];
    if (value !== undefined)
      command.setOptionValueWithSource(name, value, fromEnvironment === undefined ? 'config' : 'env');
  }
}
