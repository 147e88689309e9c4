import { existsSync } from 'node:fs';
import { type Config, readConfig, type Target, targetNamed } from '../lib/config/config.ts';
import type { Flags } from '../lib/config/options.ts';
import { UsageError } from '../lib/usage-error.ts';

/** The configuration that is found without being named. */
export const USUAL = 'conformance.yaml';

export interface Choice {
  readonly config: Config | undefined;
  readonly target: Target | undefined;
  /** What the environment or the target says, where the command line does not. */
  readonly baseUrl: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Finds out which store is meant: the one on the command line, the target that it names, the one in the
 * environment, or the only one of the configuration; in this order.
 * @throws UsageError when the configuration has several and none is named
 */
export function choose(
  baseUrl: string | undefined,
  flags: Pick<Flags<'run'>, 'config' | 'target'>,
  environment: Environment,
): Choice {
  const file = flags.config ?? (existsSync(USUAL) ? USUAL : undefined);
  const config = file === undefined ? undefined : readConfig(file);
  const { target: name } = flags;
  if (name !== undefined) {
    if (config === undefined || file === undefined)
      throw new UsageError(
        `--target needs a configuration: there is no ${USUAL} here; name one with --config.`,
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
 * The token for a store. A target that names a variable gets that one's and no other: a token is not sent to
 * a store that it is not for.
 * @throws UsageError when the variable is not set
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
    throw new UsageError(`The token of ${target.name} is to be in ${target.tokenEnv}, which is not set.`);
  return token;
}
