import { createHash } from 'node:crypto';
import { groupBy, sum } from '../../collections.ts';
import type { FailureGroup } from '../../run/result/result.ts';
import type { RecordedCause, RecordedResult } from './record.ts';

/** Begins with a letter, so that YAML does not read the digest as a number. */
const digest = (letter: string, ...lines: readonly string[]): string =>
  `${letter}${createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 11)}`;

/** Identifies a problem of a check; the same in every run. */
const problemFingerprint = (id: string, problem: string): string => digest('f', id, problem);

/** Numbers that experiments estimate, and which therefore vary from run to run. */
const ESTIMATED = /(?<=about one request in )\d+|\d+(?= or more requests are in flight)/g;

/** Identifies a cause by its content; the same in every run, whatever the seed. */
export const causeFingerprint = ({
  symptom,
  condition,
  kind,
}: Pick<RecordedCause, 'symptom' | 'condition' | 'kind'>): string =>
  digest('c', symptom, (condition ?? '').replace(ESTIMATED, 'n'), kind);

export const isUnanswered = ({ problem }: Pick<FailureGroup, 'problem'>): boolean =>
  problem.startsWith('no response');

export const problemText = ({ problem, request }: Pick<FailureGroup, 'problem' | 'request'>): string =>
  request === undefined ? problem : `${problem}: ${request}`;

/**
 * A crash leaves all requests in flight without a response, so chance decides which is recorded. Therefore
 * the request is part of such a problem only for named cases, which are retried in isolation.
 */
export function fingerprinted(
  id: string,
  kind: RecordedResult['kind'],
  problems: readonly FailureGroup[],
): RecordedResult['problems'] {
  return united(
    problems.map(({ problem, request, ...counts }) => {
      const isReliable = kind === 'cases' || !isUnanswered({ problem });
      const what = isReliable && request !== undefined ? { problem, request } : { problem };
      return { ...what, ...counts, fingerprint: problemFingerprint(id, problemText(what)) };
    }),
  );
}

/** Merges problems with the same fingerprint. They stay in the order of their first failures. */
export const united = (problems: RecordedResult['problems']): RecordedResult['problems'] =>
  groupBy(problems, ({ fingerprint }) => fingerprint)
    .flatMap(([, same]) => {
      const place = Math.min(...same.map((one) => one.place));
      return same.slice(-1).map((one) => ({ ...one, failed: sum(same, ({ failed }) => failed), place }));
    })
    .sort((a, b) => a.place - b.place);
