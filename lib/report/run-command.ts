import type { RunRecord } from './record.ts';
import { quoted } from './shell.ts';

/** The command that repeats a run, without its token, filters, documents and headers. */
export function commandOf({ suite, target, options }: RunRecord): string {
  const {
    seed,
    firstId,
    cases,
    concurrency,
    timeout,
    rate,
    maxSeconds,
    maxRequests,
    strict,
    shard,
    thorough,
  } = options;
  return [
    ...(target.tokenEnv === undefined ? [] : [`PLANT_STORE_TOKEN="$${target.tokenEnv}"`]),
    `${suite.name} run`,
    word(target.baseUrl),
    ...Object.entries({
      seed,
      'first-id': firstId,
      cases,
      concurrency,
      timeout,
      rate,
      'max-seconds': maxSeconds,
      'max-requests': maxRequests,
      shard,
    })
      .filter(([, value]) => value !== null)
      .map(([name, value]) => `--${name} ${value}`),
    ...(thorough === true ? ['--thorough'] : []),
    ...(strict ? ['--strict'] : []),
  ].join(' ');
}

const word = (text: string) => (/^[\w.:/@%+,=-]+$/.test(text) ? text : quoted(text));
