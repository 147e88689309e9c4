import { wrapped } from '../lib/report/formats/rows.ts';
import { shownText } from '../lib/report/wording/format-text.ts';
import type { Estimate } from '../lib/run/plan/typical-estimates.ts';
import { counted } from '../lib/text.ts';

/** Rounded to two significant digits, since the exact number depends on the store. */
const about = (count: number, noun: string) => `about ${counted(Number(count.toPrecision(2)), noun)}`;

export function warn(warnings: readonly string[]): void {
  for (const warning of warnings) process.stderr.write(`warning: ${shownText(warning, 1000)}\n`);
}

/**
 * Says, before the first request, how many requests a run will send and how many plants it will create.
 * Returns the number of rows that this takes on the screen of the report; 0 if that is elsewhere.
 */
export function announce({ requests, plants }: Estimate, ...baseUrls: readonly string[]): number {
  const [one = '', ...others] = baseUrls.map((url) => shownText(url, 200));
  const to = others.length === 0 ? one : `each of ${[one, ...others].join(', ')}`;
  const text = `Sending ${about(requests, 'request')} to ${to}, creating ${about(plants, 'plant')}.`;
  const { isTTY, columns = Number.POSITIVE_INFINITY } = process.stderr;
  const rows = wrapped(text, columns);
  process.stderr.write(`${rows.join('\n')}\n`);
  return isTTY && process.stdout.isTTY ? rows.length : 0;
}
