import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { knownDeviations, loadOptions, secretsOf } from '../index.ts';
import { pick } from '../lib/collections.ts';
import { comparisonOf } from '../lib/compare/build-comparison.ts';
import { type ComparedTarget, compareStores, estimateOf } from '../lib/compare/compare.ts';
import type { Comparison } from '../lib/compare/comparison.ts';
import { COMPARISON_FORMATS } from '../lib/compare/formats.ts';
import { comparisonText } from '../lib/compare/terminal.ts';
import { readConfig, type Target, targetNamed } from '../lib/config/config.ts';
import type { Flags as GroupFlags } from '../lib/config/options.ts';
import { readRecord } from '../lib/report/record/read-record.ts';
import { counted } from '../lib/text.ts';
import { UsageError } from '../lib/usage-error.ts';
import { announce, warn } from './announce.ts';
import { interruptible } from './interrupt.ts';
import { applyDefaults, settingsIn, withOptions } from './options.ts';
import { destinationOf, logBeside, writeAndNameReports } from './output.ts';
import { type StartedStore, startedStore } from './started-store.ts';
import { paint, setExitCode } from './streams.ts';
import { configOf, DEFAULT_FILE, requireToken, tokenOf } from './target.ts';
import { keptAlive, requireFree, waitForStore } from './wait.ts';

type Flags = GroupFlags<'connection' | 'sampling' | 'reports'>;

export function compareCommand(): Command {
  const command = new Command('compare').argument(
    '[stores...]',
    'a configuration file (default: conformance.yaml, all targets), or one NAME=URL, target name or report.json per store',
  );
  const formats = Object.keys(COMPARISON_FORMATS).join(', ');
  const format = { description: `report formats, separated by commas: ${formats}` };
  return withOptions(command, ['connection', 'sampling', 'reports'], { format })
    .addHelpText(
      'after',
      `
Every store gets the same payloads; only the ids differ. A configuration file
says how its targets are started, stopped and reached. Given saved records, the
command compares them and sends nothing.

Exit codes (that of the worst store):
  0 conformant, or all selected checks passed
  1 not conformant
  2 usage error, or nothing left to judge
  3 could not be judged
  4 internal error of the suite

Examples:
  plant-store-conformance compare
  plant-store-conformance compare a=http://127.0.0.1:8080 b=http://127.0.0.1:8081
  plant-store-conformance compare staging live
  plant-store-conformance compare stores.yaml --seed 7 --format json,html
  plant-store-conformance compare go/report.json rust/report.json`,
    )
    .action(async (given: string[], _flags: Flags, self: Command) => {
      const records = given.length > 0 && given.every((one) => one.endsWith('.json'));
      const stores = records ? undefined : await storesOf(given);
      applyDefaults(self, stores?.config);
      const flags = self.opts<Flags>();
      const destination = destinationOf(flags, COMPARISON_FORMATS);
      const logOf = (name: string) => logBeside(destination, name, flags);
      const comparison =
        stores === undefined
          ? compareSaved(given)
          : await compareLive(await planned(stores.targets, self), logOf);
      await writeAndNameReports(comparison, destination);
      if (destination?.out !== '-') process.stdout.write(comparisonText(comparison, paint()));
      setExitCode(comparison.exitCode);
    });
}

/** Each record is named after its target or, if two targets have the same name, after its file. */
function compareSaved(files: readonly string[]): Comparison {
  if (files.length < 2) throw new UsageError('Cannot compare a single record; give two or more.');
  const records = files.map((file) => ({ file, record: readRecord(file) }));
  const names = records.map(({ record }) => record.target.name);
  const unique = new Set(names).size === names.length;
  return comparisonOf(
    records.map(({ file, record }) => ({ name: unique ? record.target.name : file, record })),
    null,
  );
}

/** Distance between the first ids of two stores; more than the ids that a comparison sends to one store. */
const ID_DISTANCE = 1_000_000n;

interface PlannedTarget extends ComparedTarget {
  readonly target: Target;
}

async function planned(targets: readonly Target[], command: Command): Promise<readonly PlannedTarget[]> {
  const flags = command.opts<Flags>();
  const settings = settingsIn(flags);
  const seed = settings.seed ?? Math.floor(Math.random() * 2 ** 31);
  // Ids have the same number of digits for every store, so that the requests are equally long.
  const base = settings.firstId ?? BigInt(1_000_000_000 + Math.floor(Math.random() * 1_000_000_000));
  const compared: PlannedTarget[] = [];
  for (const [index, target] of targets.entries()) {
    const { name, baseUrl, baseline, tokenEnv } = target;
    const given = tokenOf(flags.token, target);
    if (given === undefined && tokenEnv === undefined)
      throw new UsageError(`No token for ${name}; set PLANT_STORE_TOKEN, or add tokenEnv to the target.`);
    const options = {
      ...settingsIn({ ...flags, ...connectionFlagsOf(target, command) }),
      seed,
      name,
      baseUrl,
      tokenEnv,
      token: requireToken(given, target),
      firstId: base + BigInt(index) * ID_DISTANCE,
    };
    compared.push({
      target,
      name,
      loaded: await loadOptions(options, compared[0]?.loaded.contract),
      secrets: secretsOf(options),
      baseline: await knownDeviations({ baseline }),
    });
  }
  return compared;
}

/** Options about how to reach a store, which each target may set for itself. */
const OWN = ['header', 'timeout', 'ca', 'cert', 'key', 'insecure', 'rate'] as const;
/** Options about what to send, which are the same for all stores. */
const SHARED = ['openapi', 'overlay', 'only', 'skip', 'cases', 'thorough', 'seed', 'firstId'] as const;

/** The options about how to reach a target, unless a flag or the environment overrides them. */
function connectionFlagsOf(target: Target, command: Command): Flags {
  const ignored = SHARED.filter((name) => target[name] !== undefined);
  if (ignored.length > 0)
    warn([
      `${target.name} gets the same requests as the other stores, so its own ${ignored.join(', ')} is ignored; use the options of compare`,
    ]);
  const isOpen = (name: string) => !['cli', 'env'].includes(command.getOptionValueSource(name) ?? '');
  return pick(target, ...OWN.filter(isOpen));
}

/** Tests the stores and compares the results. `logOf` returns the file for the output of a started store. */
async function compareLive(
  stores: readonly PlannedTarget[],
  logOf: (name: string) => string | undefined,
): Promise<Comparison> {
  const running = new Map<Target, StartedStore>();
  const interrupted = interruptible();
  const [first] = stores;
  warn(first?.loaded.contract.document.warnings ?? []);
  if (first !== undefined)
    announce(await estimateOf(first.loaded), ...stores.map(({ target }) => target.baseUrl));
  try {
    for (const { target } of stores) if (target.start !== undefined) await requireFree(target.baseUrl);
    for (const { target, name, loaded } of stores)
      if (target.start !== undefined)
        running.set(target, startedStore(target.start, loaded.token, logOf(name)));
    await Promise.all(
      stores.map(({ target }) => waitForStore(target, running.get(target), interrupted.signal)),
    );
    const comparison = await compareStores(
      stores.map(({ target, ...one }) => {
        const started = running.get(target);
        if (started === undefined) return one;
        const store = { baseUrl: one.loaded.baseUrl, wait: target.wait };
        return { ...one, loaded: { ...one.loaded, ...keptAlive(started, store, interrupted.signal) } };
      }),
      interrupted.signal,
    );
    for (const started of running.values()) process.stderr.write(started.epilogue());
    return comparison;
  } finally {
    await Promise.all([...running.values()].map((started) => started.stop()));
    interrupted.release();
  }
}

async function storesOf(given: readonly string[]) {
  const [file = DEFAULT_FILE, ...others] = given;
  if (others.length === 0 && !file.includes('=')) {
    if (!existsSync(file))
      throw new UsageError(
        `Nothing to compare: ${file} does not exist. Name each store, as in go=http://127.0.0.1:8080, or list targets in ${DEFAULT_FILE}.`,
      );
    const config = readConfig(file);
    if (config.targets.length < 2)
      throw new UsageError(
        `Cannot compare: ${file} has ${counted(config.targets.length, 'target')}; list two or more.`,
      );
    return { targets: config.targets, config };
  }
  const named = given.some((text) => !text.includes('='));
  const config = named ? (await configOf({}))?.config : undefined;
  const targets = given.map((text): Target => {
    if (config !== undefined && !text.includes('=')) return targetNamed(text, config, DEFAULT_FILE);
    const [, name, baseUrl] = /^([\w.-]+)=(.+)$/.exec(text) ?? [];
    if (name === undefined || baseUrl === undefined)
      throw new UsageError(
        `${text} is not of the form NAME=URL; name each store, as in go=http://127.0.0.1:8080.`,
      );
    return { name, baseUrl };
  });
  const names = targets.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new UsageError(`Two stores are called ${twice}; give each its own name.`);
  if (targets.length < 2) throw new UsageError('Cannot compare a single store; give two or more.');
  return { targets, config };
}
