import type { FailedCase } from '../../run/result/result.ts';

/** Names what was tried in a failed case, in the same words in every run. */
export const labelOf = ({ label, stableLabel = label, sentFor }: Omit<LabelledCase, 'template'>): string =>
  sentFor?.label ?? stableLabel;

/** A case that failed, or another one. */
export type LabelledCase = Pick<FailedCase, 'label' | 'template'> &
  Partial<Pick<FailedCase, 'stableLabel' | 'sentFor'>>;
