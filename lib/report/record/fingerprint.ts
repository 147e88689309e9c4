import { createHash } from 'node:crypto';
import type { FailureGroup } from '../../run/result/result.ts';
import type { RecordedCause, RecordedResult } from './record.ts';

/** Begins with a letter, so that YAML does not read a number. */
const digest = (letter: string, ...lines: readonly string[]): string =>
  `${letter}${createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 11)}`;

/** Names one cause of one check, the same in every run. */
const named = (id: string, cause: string): string => digest('f', id, cause);

/** Numbers that experiments estimate, so that they differ from run to run. */
const ESTIMATED = /(?<=about one request in )\d+|\d+(?= or more requests are in flight)/g;

/** Names a cause by what it is, the same in every run and with every seed. */
export const causeFingerprint = ({
  symptom,
  condition,
  kind,
}: Pick<RecordedCause, 'symptom' | 'condition' | 'kind'>): string =>
  digest('c', symptom, (condition ?? '').replace(ESTIMATED, 'n'), kind);

/** The fingerprint regardless of the request, as earlier versions computed it. */
export const coarseFingerprint = (id: string, { cause }: Pick<FailureGroup, 'cause'>): string =>
  named(id, cause);

export const isUnanswered = ({ cause }: Pick<FailureGroup, 'cause'>): boolean =>
  cause.startsWith('no response');

export const causeText = ({ cause, request }: Pick<FailureGroup, 'cause' | 'request'>): string =>
  request === undefined ? cause : `${cause}: ${request}`;

/**
 * The causes of a check with their fingerprints. A crash leaves all requests in flight without a response, so
 * that which of them is recorded is chance. Only for named cases, which are retried in isolation, is the
 * request part of such a cause.
 */
export function fingerprinted(
  id: string,
  kind: RecordedResult['kind'],
  causes: readonly FailureGroup[],
): RecordedResult['causes'] {
  return united(
    causes.map(({ cause, request, ...counts }) => {
      const isReliable = kind === 'cases' || !isUnanswered({ cause });
      const what = isReliable && request !== undefined ? { cause, request } : { cause };
      return { ...what, ...counts, fingerprint: named(id, causeText(what)) };
    }),
  );
}

/** Merges causes with the same fingerprint, in the order of their first failures. */
export function united(causes: RecordedResult['causes']): RecordedResult['causes'] {
  const byName = new Map<string, RecordedResult['causes'][number]>();
  for (const cause of causes) {
    const known = byName.get(cause.fingerprint);
    byName.set(
      cause.fingerprint,
      known === undefined
        ? cause
        : { ...cause, failed: known.failed + cause.failed, place: Math.min(known.place, cause.place) },
    );
  }
  return [...byName.values()].sort((a, b) => a.place - b.place);
}
