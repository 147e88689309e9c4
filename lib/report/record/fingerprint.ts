import { createHash } from 'node:crypto';
import { groupBy, sum } from '../../collections.ts';
import type { FailureGroup } from '../../run/result/result.ts';
import type { RecordedCause, RecordedResult } from './record.ts';

/** Begins with a letter, so that YAML does not read a number. */
const digest = (letter: string, ...lines: readonly string[]): string =>
  `${letter}${createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 11)}`;

/** Names a problem of a check, the same in every run. */
const problemFingerprint = (id: string, problem: string): string => digest('f', id, problem);

/** Numbers that experiments estimate, so that they differ from run to run. */
const ESTIMATED = /(?<=about one request in )\d+|\d+(?= or more requests are in flight)/g;

/** Names a cause by what it is, the same in every run and with every seed. */
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
 * The problems of a check with their fingerprints. A crash leaves all requests in flight without a response, so
 * that which of them is recorded is chance. Only for named cases, which are retried in isolation, is the
 * request part of such a problem.
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

/** Merges problems with the same fingerprint, in the order of their first failures. */
export const united = (problems: RecordedResult['problems']): RecordedResult['problems'] =>
  groupBy(problems, ({ fingerprint }) => fingerprint)
    .flatMap(([, same]) => {
      const place = Math.min(...same.map((one) => one.place));
      return same.slice(-1).map((one) => ({ ...one, failed: sum(same, ({ failed }) => failed), place }));
    })
    .sort((a, b) => a.place - b.place);
