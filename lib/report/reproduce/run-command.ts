import { pick } from '../../collections.ts';
import { DEFAULTS } from '../../run/defaults.ts';
import { flagOf } from '../../text.ts';
import type { RunRecord } from '../record/record.ts';
import { quoted } from './shell.ts';

/** Returns the command that repeats a run, without the token, filters, documents and headers. */
export function runCommandLine({ suite, target, options }: RunRecord): string {
  const settings = pick(options, 'seed', 'firstId', 'cases', 'concurrency', 'timeout', 'rate');
  const limits = pick(options, 'maxSeconds', 'maxRequests', 'shard');
  return [
    ...(target.tokenEnv === undefined ? [] : [`PLANT_STORE_TOKEN="$${target.tokenEnv}"`]),
    `npx ${suite.name} run`,
    word(target.baseUrl),
    ...Object.entries({ ...settings, ...limits })
      .filter(([name, value]) => value !== null && !isDefaultConcurrency(name, value))
      .map(([name, value]) => `${flagOf(name)} ${value}`),
    ...(options.thorough === true ? ['--thorough'] : []),
    ...(options.strict ? ['--strict'] : []),
  ].join(' ');
}

/** An explicit default would prevent the suite from raising concurrency for a distant store. */
const isDefaultConcurrency = (name: string, value: unknown): boolean =>
  name === 'concurrency' && value === DEFAULTS.concurrency;

const word = (text: string) => (/^[\w.:/@%+,=-]+$/.test(text) ? text : quoted(text));
