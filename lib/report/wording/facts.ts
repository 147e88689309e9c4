import { compact } from '../../collections.ts';
import type { Observations } from '../../run/result/result.ts';
import { counted } from '../../text.ts';
import type { RunRecord } from '../record/record.ts';

/** What all formats say about a run; they differ only in layout. */

/** Names the document, how it was read, and its overlays; `show` formats the name of a file. */
export function documentName(
  { file, openapi, overlays = [] }: RunRecord['document'],
  show: (file: string) => string,
): string {
  const read = openapi === undefined ? '' : ` (OpenAPI ${openapi}, read as 3.1)`;
  return `${show(file)}${read}${overlays.length === 0 ? '' : ` with ${overlays.map(show).join(', ')}`}`;
}

/** Names the document with its version and hash; `show` formats a text. */
export const documentText = (
  document: RunRecord['document'],
  show: (text: string, maxCharacters: number) => string,
): string =>
  `${documentName(document, (file) => show(file, 200))}, version ${show(document.version, 40)}, sha256 ${show(document.sha256.slice(0, 12), 12)}`;

export const createdText = ({ plants }: Pick<RunRecord['created'], 'plants'>): string =>
  `${counted(plants, 'plant')} created`;

export function sentText({ requests, seconds, waited, created, ...resent }: RunRecord): string {
  const waiting =
    waited === undefined
      ? []
      : [`${waited.toFixed(1)} s of it spent waiting at the store's request (429, 503)`];
  const parts = [...waiting, ...resentTexts(resent), createdText(created)];
  return `${counted(requests, 'request')} in ${seconds.toFixed(1)} s, ${parts.join(', ')}`;
}

/** Says how many requests were resent, and why. */
export const resentTexts = ({
  closedMidRequest = 0,
  failedWhenRaised = 0,
}: Pick<RunRecord, 'closedMidRequest' | 'failedWhenRaised'>): readonly string[] =>
  compact(
    closedMidRequest > 0 && `${counted(closedMidRequest, 'request')} resent after the connection closed`,
    failedWhenRaised > 0 &&
      `${counted(failedWhenRaised, 'request')} resent with fewer in flight after failing with more than by default (not judged)`,
  );

/** Returns whether an observation is a response time: no two runs have the same. */
export const isResponseTime = (key: string): boolean => key.startsWith('response-time-ms/');

/** Short names for the observations that interest most readers. */
const HIGHLIGHTS: Readonly<Record<string, string>> = {
  'missing-token/status': 'no token',
  'rejection/not-json/status': 'not JSON',
  'rejection/wrong-type/status': 'wrong type',
  'same-id/second/status': 'same id again',
  'id/echo': 'id in the response',
  'name/longest-accepted': 'longest accepted name',
  'response-time-ms/median': 'median response in ms',
};

export const highlightsOf = (observations: Observations) =>
  Object.entries(HIGHLIGHTS).flatMap(([key, name]) => {
    const value = observations[key];
    return value === undefined || value === 0 ? [] : [{ name, value: String(value) }];
  });
