import type { FailedCase } from '../../run/result/result.ts';
import { differences, stateOf } from '../condition/request-parts.ts';
import type { Experiments } from '../experiments.ts';
import type { Explanation } from '../explanation.ts';
import { type Condition, modulusIn } from '../wording/condition.ts';
import { labelOf } from '../wording/request-words.ts';
import { mayBeAbout } from './may-explain.ts';

/**
 * Returns whether an explanation may cover a failed case, judged without experiments. It cannot if a part of
 * the request that it needs is ordinary.
 */
export function covers(one: Explanation, failed: FailedCase, experiments: Experiments): boolean {
  const { kind, before, labels, conditions, feature, neutral } = one;
  if (kind !== 'always' || before !== undefined || modulusIn(conditions) !== undefined) return true;
  const state = stateOf(failed.template, experiments.ordinary.plant);
  if (state === undefined) return true;
  const body = experiments.textOf(state);
  if (!mayBeAbout(one, { label: labelOf(failed), body }, experiments.contract)) return false;
  if (labels !== undefined && feature?.has(body) === false) return false;
  if (neutral === undefined || !conditions.every(isOfPart)) return true;
  const unusual = new Set(differences(state, neutral).map(({ name }) => name));
  return conditions.every(({ part = '' }) => unusual.has(part));
}

/** Returns whether experiments have shown that the defect of a failed case does not matter by itself. */
export function isExcluded({ labels, triedLabels }: Explanation, failed: FailedCase): boolean {
  const label = labelOf(failed);
  return labels !== undefined && triedLabels?.includes(label) === true && !labels.includes(label);
}

/** Whether exactly one part of the request decides whether it meets the condition. */
const isOfPart = ({ part, bytesAbove, isLarger, isVague }: Condition): boolean =>
  part !== undefined && bytesAbove === undefined && isLarger === undefined && isVague === undefined;
