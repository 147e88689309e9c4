import { packageText } from '../../package.ts';

export interface Estimate {
  readonly requests: number;
  readonly plants: number;
}

export type Estimates = Readonly<Record<string, Estimate>>;

let stored: Estimates | undefined;

/** Reads estimates for the suite's own document and default number of cases. A test regenerates the file. */
export function typicalEstimates(): Estimates {
  stored ??= JSON.parse(packageText('lib/run/plan/estimates.json')) as Estimates;
  return stored;
}
