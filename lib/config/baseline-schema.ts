import { list, object, type Schema, when } from '../json-schema.ts';
import {
  type Baseline,
  type BaselineEntry,
  knownCause,
  knownCheck,
  recordedIn,
} from '../report/record/record.ts';

const entries: Schema<readonly BaselineEntry[]> = list(
  when({ type: 'object', required: ['cause'] }, object(knownCause), object(knownCheck)),
);

/** A file of known deviations: its entries, with what is known of their run or as a plain list. */
export const BASELINE: Schema<readonly BaselineEntry[] | Omit<Baseline, 'file'>> = when(
  { type: 'array' },
  entries,
  object({ ...recordedIn, entries }),
);
