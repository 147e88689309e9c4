import type { Case, Credential, Draft, Population } from '../lib/payloads/case.ts';
import type { Json, JsonObject, Style } from '../lib/payloads/json.ts';
import type { Check, Level, Test } from '../lib/run/check.ts';
import type { Basis } from './clauses.ts';

interface Text {
  readonly statement: string;
  readonly basis: readonly Basis[];
  readonly hint: string;
  readonly silent?: Check['silent'];
}

/** How checks are written: `must('create/answers-200', { statement, basis, hint }, { kind: 'cases', ... })`. */
const ofLevel =
  (level: Level) =>
  (id: string, text: Text, test: Test): Check => ({ id, level, ...text, test });

export const must = ofLevel('MUST');
export const should = ofLevel('SHOULD');
export const observe = ofLevel('OBSERVE');

/** A request with this value as its body. */
export const posting = (json: Json, more: Draft = {}, style?: Style): Draft => ({
  body: style === undefined ? { json } : { json, style },
  ...more,
});

/** The request of any client for an ordinary plant. */
export const creating = (plant: JsonObject): Draft => ({ body: { json: plant }, ordinary: true });

/** A case of an ordinary plant, and what of its label is the same in every run where that is not all of it. */
export const ordinary = (label: string, plant: JsonObject, stableLabel = label): Case => ({
  label,
  stableLabel,
  population: 'ordinary',
  draft: creating(plant),
});

/** A case that differs from its twin in what is wrong with it. */
export const unlike = (label: string, population: Population, draft: Draft, twin: JsonObject): Case => ({
  label,
  population,
  draft,
  twin: creating(twin),
});

/** The same request with another credential. */
export const as = (credential: Credential, draft: Draft): Draft => ({
  ...draft,
  credential,
  ordinary: false,
});

/** Why nothing is to be said of the echo of a tag, where the document has none. */
export const withoutTag: Check['silent'] = ({ newPlant }) =>
  newPlant.shape.properties.get('tag')?.types.includes('string') === true
    ? undefined
    : 'the document declares no tag that is a string';
