import { existsSync } from 'node:fs';
import type { Config, Target } from '../lib/config/config.ts';
import type { Flags } from '../lib/config/options.ts';
import type { RunRecord } from '../lib/report/record/record.ts';
import { TOKEN_VARIABLE } from '../lib/token-variable.ts';
import { UsageError } from '../lib/usage-error.ts';

export const DEFAULT_FILE = 'conformance.yaml';

export const DEFAULT_FOLDER = 'reports';

interface Configured {
  readonly file: string;
  readonly config: Config;
}

export interface ResolvedTarget {
  readonly config: Config | undefined;
  readonly target: Target | undefined;
  /** The base URL on the command line, else that in the environment or of the target. */
  readonly baseUrl: string | undefined;
}

/** Reads the configuration that a flag names, or that of the current folder. Loads its reader on demand. */
export async function configOf({ config: given }: Flags<'target'>): Promise<Configured | undefined> {
  const file = given ?? (existsSync(DEFAULT_FILE) ? DEFAULT_FILE : undefined);
  if (file === undefined) return undefined;
  const { readConfig } = await import('../lib/config/config.ts');
  return { file, config: readConfig(file) };
}

/** The target that a flag names. @throws UsageError if there is no target of that name */
async function targetOf(
  { target: name }: Flags<'target'>,
  found: Configured | undefined,
): Promise<Target | undefined> {
  if (name === undefined) return undefined;
  if (found === undefined)
    throw new UsageError(
      `--target needs a configuration file, and there is no ${DEFAULT_FILE} here; name one with --config.`,
    );
  const { targetNamed } = await import('../lib/config/config.ts');
  return targetNamed(name, found.config, found.file);
}

/**
 * Decides which store to test. In order of precedence: the base URL on the command line, the target that it
 * names, the URL in the environment, the only target of the configuration.
 * @throws UsageError if the configuration has several targets and none is chosen
 */
export async function resolveTarget(
  baseUrl: string | undefined,
  flags: Flags<'target'>,
): Promise<ResolvedTarget> {
  const found = await configOf(flags);
  const { file, config } = found ?? {};
  const named = await targetOf(flags, found);
  if (named !== undefined) return { config, target: named, baseUrl: baseUrl ?? named.baseUrl };
  const given = baseUrl ?? (process.env.PLANT_STORE_URL || undefined);
  const [only, ...others] = config?.targets ?? [];
  if (given !== undefined || only === undefined) return { config, target: undefined, baseUrl: given };
  if (others.length > 0) {
    const names = config?.targets.map((one) => one.name).join(', ');
    throw new UsageError(`${file} has several targets; choose one with --target: ${names}.`);
  }
  return { config, target: only, baseUrl: only.baseUrl };
}

/**
 * Finds the store of a saved run: the target that a flag names, or the one with the same name and base URL. A
 * target with another base URL is another store, whose token must not be sent to this one.
 */
export async function resolveTargetOfRecord(
  { target: saved }: RunRecord,
  given: string | undefined,
  flags: Flags<'target'>,
): Promise<ResolvedTarget & { readonly baseUrl: string }> {
  const found = await configOf(flags);
  const config = found?.config;
  const named = await targetOf(flags, found);
  const baseUrl = given ?? (named ?? saved).baseUrl;
  const same = config?.targets.find((one) => one.name === saved.name && one.baseUrl === baseUrl);
  return { config, target: named ?? same, baseUrl };
}

/**
 * Returns the token from the flag or the environment. A target that names a variable never gets the token in
 * PLANT_STORE_TOKEN, which may belong to another store.
 */
export const tokenOf = (flag: string | undefined, target: Target | undefined): string | undefined =>
  flag ?? (process.env[target?.tokenEnv ?? TOKEN_VARIABLE] || undefined);

/** Returns the token. @throws UsageError that says how to set the missing one */
export function requireToken(token: string | undefined, target: Target | undefined): string {
  if (token !== undefined) return token;
  throw new UsageError(
    target?.tokenEnv === undefined
      ? 'No token; set PLANT_STORE_TOKEN to a token that the store accepts, or pass --token.'
      : `No token for the target ${target.name}; set the environment variable ${target.tokenEnv}.`,
  );
}
