import { existsSync } from 'node:fs';
import { type Config, readConfig, type Target, targetNamed } from '../lib/config/config.ts';
import type { Flags } from '../lib/config/options.ts';
import { UsageError } from '../lib/usage-error.ts';

/** The configuration that is read if none is given. */
export const DEFAULT_FILE = 'conformance.yaml';

export interface Choice {
  readonly config: Config | undefined;
  readonly target: Target | undefined;
  /** From the command line, else from the environment or the target. */
  readonly baseUrl: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Finds the store to run against, in this order: the base URL on the command line, the target that it names, the URL
 * in the environment, the only target of the configuration.
 * @throws UsageError if the configuration has several targets and none is chosen
 */
export function choose(
  baseUrl: string | undefined,
  flags: Pick<Flags<'run'>, 'config' | 'target'>,
  environment: Environment,
): Choice {
  const file = flags.config ?? (existsSync(DEFAULT_FILE) ? DEFAULT_FILE : undefined);
  const config = file === undefined ? undefined : readConfig(file);
  const { target: name } = flags;
  if (name !== undefined) {
    if (config === undefined || file === undefined)
      throw new UsageError(
        `--target needs a configuration, and there is no ${DEFAULT_FILE} here; give one with --config.`,
      );
    const target = targetNamed(name, config, file);
    return { config, target, baseUrl: baseUrl ?? target.baseUrl };
  }
  const given = baseUrl ?? (environment.PLANT_STORE_URL || undefined);
  const [only, ...others] = config?.targets ?? [];
  if (given !== undefined || only === undefined) return { config, target: undefined, baseUrl: given };
  if (others.length > 0) {
    const names = config?.targets.map((one) => one.name).join(', ');
    throw new UsageError(`${file} has several targets; choose one with --target: ${names}.`);
  }
  return { config, target: only, baseUrl: only.baseUrl };
}

/**
 * The token for a store. For a target that names a variable, only that variable is read: a token must not be sent to
 * another store than its own.
 * @throws UsageError if that variable is not set
 */
export function tokenOf(
  flag: string | undefined,
  target: Target | undefined,
  environment: Environment,
): string | undefined {
  if (flag !== undefined) return flag;
  if (target?.tokenEnv === undefined) return environment.PLANT_STORE_TOKEN || undefined;
  const token = environment[target.tokenEnv];
  if (token === undefined || token === '')
    throw new UsageError(`No token for the target ${target.name}; set the variable ${target.tokenEnv}.`);
  return token;
}
