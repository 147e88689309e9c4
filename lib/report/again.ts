import type { RunRecord } from './record.ts';

/** The command that does a run again; its token, filters, documents and headers have to be given as well. */
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
    `${suite.name} run`,
    quoted(target.baseUrl),
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

const quoted = (text: string) =>
  /^[\w.:/@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
