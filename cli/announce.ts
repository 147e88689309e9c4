import { short } from '../lib/report/explain.ts';
import type { Estimate } from '../lib/run/estimate.ts';

/** `2,800`, without Intl, which would load the tables of all languages. */
const grouped = (count: number) => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');

/** Two figures: the rest depends on what the store does. */
const about = (count: number, noun: string) =>
  `about ${grouped(Number(count.toPrecision(2)))} ${noun}${count === 1 ? '' : 's'}`;

/** Says on standard error what in a document is most likely not as it was meant. */
export function warn(warnings: readonly string[]): void {
  for (const warning of warnings) process.stderr.write(`warning: ${short(warning, 1000)}\n`);
}

/** Says on standard error, before anything is sent, to which stores, how much, and how many plants stay behind. */
export function announce({ requests, plants }: Estimate, ...baseUrls: readonly string[]): void {
  const [one = '', ...others] = baseUrls.map((url) => short(url, 200));
  const to = others.length === 0 ? one : `each of ${[one, ...others].join(', ')}`;
  process.stderr.write(
    `Sending ${to} ${about(requests, 'request')}, which create ${about(plants, 'plant')}.\n`,
  );
}
