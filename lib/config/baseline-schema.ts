import { list, mapOf, type Of, object, optional, type Schema, when } from '../json-schema.ts';
import { failuresByCheck, knownCheck, listedCause, recordedIn } from '../report/record/record.ts';

const listedCheck = object(knownCheck);
const cause = object(listedCause);
type ListedEntry = Of<typeof cause> | Of<typeof listedCheck>;

const entries: Schema<readonly ListedEntry[]> = list(
  when({ type: 'object', required: ['cause'] }, cause, listedCheck),
);

const whole = object({
  ...recordedIn,
  entries,
  failures: optional(
    mapOf(failuresByCheck),
    'For each cause, what failed in the run that recorded it, by which a run without experiments knows it. Not for review: --write-baseline keeps it up to date.',
  ),
});

/** A baseline as it is written to a file. Reviewers read only the entries, so the failures are separate. */
export interface ListedBaseline extends Of<typeof whole> {}

/** Known deviations: a plain list, or an object with the options of the run that recorded them. */
export const BASELINE: Schema<readonly ListedEntry[] | ListedBaseline> = when(
  { type: 'array' },
  entries,
  whole,
);
