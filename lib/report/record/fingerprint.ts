import { createHash } from 'node:crypto';
import { groupBy, sum } from '../../collections.ts';
import type { FailureGroup } from '../../run/result/result.ts';
import { withoutEstimates } from '../../run/result/varying-numbers.ts';
import type { RecordedCause, RecordedResult } from './record.ts';

export const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * A digest that is the same in every run. It begins with a letter, so that YAML does not read it as a number.
 */
const fingerprintOf = (letter: 'c' | 'f', ...lines: readonly string[]): string =>
  `${letter}${sha256Of(lines.join('\n')).slice(0, 11)}`;

export const causeFingerprint = ({
  symptom,
  condition,
  kind,
}: Pick<RecordedCause, 'symptom' | 'condition' | 'kind'>): string =>
  fingerprintOf('c', symptom, withoutEstimates(condition ?? ''), kind);

export const hasNoResponse = ({ problem }: Pick<FailureGroup, 'problem'>): boolean =>
  problem.startsWith('no response');

export const problemText = ({ problem, request }: Pick<FailureGroup, 'problem' | 'request'>): string =>
  request === undefined ? problem : `${problem}: ${request}`;

/**
 * Adds fingerprints to the problems of a check. A crash leaves all requests in flight without a response, and
 * chance decides which is recorded. So the request is part of such a problem only for named cases, which are
 * retried in isolation.
 */
export function fingerprinted(
  id: string,
  kind: RecordedResult['kind'],
  problems: readonly FailureGroup[],
): RecordedResult['problems'] {
  return united(
    problems.map(({ problem, request, ...counts }) => {
      const isReliable = kind === 'cases' || !hasNoResponse({ problem });
      const what = isReliable && request !== undefined ? { problem, request } : { problem };
      return { ...what, ...counts, fingerprint: fingerprintOf('f', id, problemText(what)) };
    }),
  );
}

/** Merges problems with the same fingerprint. They stay in the order of their first failures. */
export const united = (problems: RecordedResult['problems']): RecordedResult['problems'] =>
  groupBy(problems, ({ fingerprint }) => fingerprint)
    .map(([, same]) => ({
      ...(same.at(-1) ?? same[0]),
      failed: sum(same, ({ failed }) => failed),
      position: Math.min(...same.map(({ position }) => position)),
    }))
    .sort((a, b) => a.position - b.position);
