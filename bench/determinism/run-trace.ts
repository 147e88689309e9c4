import { createHash } from 'node:crypto';
import { catalogue, type RunRecord } from '../../index.ts';

/** What one run sent, and what it found. */
export interface RunTrace {
  /** Identifies the run. */
  readonly run: string;
  /** The bytes of each request, sorted. */
  readonly requests: readonly Buffer[];
  /** One line per check. */
  readonly findings: readonly string[];
}

/** Checks that find nothing unless requests are concurrent. */
const CONCURRENT = new Set(
  catalogue.flatMap(({ id, test }) => ('concurrent' in test && test.concurrent ? [id] : [])),
);

/** What a record says about a store at any concurrency, without measured times. */
export const findingsOf = ({ results, outcome, created }: RunRecord): string[] => [
  JSON.stringify({ outcome, created }),
  ...results.map(({ id, verdict: own, cases, failed, problems, actual, counterexample, observations }) => {
    const noted = id === 'observe/response-time' || CONCURRENT.has(id) ? null : observations;
    const verdict = CONCURRENT.has(id) && own !== 'fail' ? null : own;
    return JSON.stringify({ id, verdict, cases, failed, problems, actual, counterexample, noted });
  }),
];

/** The beginning of the SHA-256 of texts, each preceded by its length. */
export function digest(parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}\n`).update(part);
  return hash.digest('hex').slice(0, 16);
}

/** The first request and the first finding in which two runs differ. */
export function differences(one: RunTrace, other: RunTrace): string[] {
  const sides: readonly (readonly [what: string, of: (runTrace: RunTrace) => readonly string[]])[] = [
    ['request', ({ requests }) => requests.map((bytes) => JSON.stringify(bytes.toString('latin1')))],
    ['finding', ({ findings }) => findings],
  ];
  return sides.flatMap(([what, of]) => {
    const [here, there] = [of(one), of(other)];
    const longest = Math.max(here.length, there.length);
    for (let at = 0; at < longest; at += 1) {
      const [a = 'none', b = 'none'] = [here[at], there[at]];
      if (a === b) continue;
      const from = Math.max(0, [...a].findIndex((character, index) => character !== b[index]) - 200);
      const lines = [a, b].map((text) => text.slice(from, from + 400));
      return [`the first ${what} that differs:\n  ${one.run}: ${lines[0]}\n  ${other.run}: ${lines[1]}`];
    }
    return [];
  });
}
