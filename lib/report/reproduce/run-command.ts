import { pick } from '../../collections.ts';
import { DEFAULTS } from '../../run/plan/plan.ts';
import { flagOf } from '../../text.ts';
import type { RunRecord } from '../record/record.ts';
import { latin1 } from './on-connection.ts';
import { word } from './shell.ts';

/** The command that repeats a run, without the token, filters, documents and headers. */
export function runCommandLine({ suite, target, options }: RunRecord): string {
  const { concurrency } = options;
  const settings = {
    ...pick(options, 'seed', 'firstId', 'cases'),
    // An explicit default would prevent the suite from raising concurrency for a distant store.
    concurrency: concurrency === DEFAULTS.concurrency ? null : concurrency,
    ...pick(options, 'timeout', 'rate', 'maxSeconds', 'maxRequests', 'shard'),
  };
  return [
    ...(target.tokenEnv === undefined ? [] : [`PLANT_STORE_TOKEN="$${target.tokenEnv}"`]),
    `${suite.name} run`,
    word([{ literal: latin1(target.baseUrl) }]),
    ...Object.entries(settings).flatMap(([name, value]) =>
      value === null ? [] : `${flagOf(name)} ${value}`,
    ),
    ...(options.thorough === true ? ['--thorough'] : []),
    ...(options.strict ? ['--strict'] : []),
  ].join(' ');
}
