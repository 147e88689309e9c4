import { createHash } from 'node:crypto';
import type { Cause } from '../run/result.ts';
import type { RecordedResult } from './record.ts';

/** A name for one cause of one check, the same in every run; it begins with a letter, so that YAML takes it for no number. */
const named = (id: string, cause: string): string =>
  `f${createHash('sha256').update(`${id}\n${cause}`).digest('hex').slice(0, 11)}`;

/** The name of a cause whatever was asked: what a fingerprint was before it told requests apart. */
export const coarseFingerprint = (id: string, { cause }: Pick<Cause, 'cause'>): string => named(id, cause);

/** Whether the cause is that there was no answer. */
export const isUnanswered = ({ cause }: Pick<Cause, 'cause'>): boolean => cause.startsWith('no answer');

/** A cause in words. */
export const causeText = ({ cause, request }: Pick<Cause, 'cause' | 'request'>): string =>
  request === undefined ? cause : `${cause}: ${request}`;

/**
 * The causes of a check with their fingerprints. Whose request was left without an answer is chance where many are
 * on their way, as a crash takes the others with it: only named cases, which are tried again alone, tell it.
 */
export function fingerprinted(
  id: string,
  kind: RecordedResult['kind'],
  causes: readonly Cause[],
): RecordedResult['causes'] {
  return united(
    causes.map(({ cause, request, ...counts }) => {
      const isSure = kind === 'cases' || !isUnanswered({ cause });
      const what = isSure && request !== undefined ? { cause, request } : { cause };
      return { ...what, ...counts, fingerprint: named(id, causeText(what)) };
    }),
  );
}

/** Causes of one fingerprint as one, the first first. */
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
