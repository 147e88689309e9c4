import type { RequestState } from '../payloads/model/dimension.ts';
import type { Failure } from '../run/result.ts';
import type { Words } from './cells.ts';
import type { Inquiry } from './found.ts';
import { ordinaryStates } from './ordinary.ts';
import type { Part } from './parts.ts';
import { credentialSweep } from './sweeps/credentials.ts';
import { clauseOf, defectSweep, nounOf } from './sweeps/defects.ts';

/** The name of what is wrong with a request, as labels of checks have it. */
export const labelOf = ({ label, stableLabel = label }: Failure): string => stableLabel;

/** The words for requests of which only one is known. */
export const suchAs = (failure: Failure): Words =>
  /^(?:id|name|tag) /.test(labelOf(failure))
    ? { clause: labelOf(failure) }
    : { phrase: `${SUCH_AS} ${failure.label}` };

/** What is wrong with the request of a failure, if it had to be rejected. */
export function subjectOf({ failure, wanted: { aspect }, lab }: Inquiry): Words | undefined {
  const label = labelOf(failure);
  const [ordinary] = ordinaryStates(lab.contract);
  const cells = [
    ...credentialSweep(lab.token).cells,
    ...(ordinary === undefined ? [] : defectSweep(lab.contract, ordinary.plant).cells),
  ].filter((cell) => cell.label === label);
  const [only, ...others] = cells;
  if (only !== undefined && others.length === 0) return only.words;
  if (aspect !== 'success') return undefined;
  return { noun: nounOf(label), clause: clauseOf(label) };
}

/** The words for a part of which no other values are known. */
export function wordsOf({ name }: Part, { template, plant }: RequestState, failure: Failure): Words {
  if (name === 'method') return { phrase: `with the method ${template.method}` };
  if (name === 'target') return { phrase: `to ${template.path ?? 'the target in absolute form'}` };
  if (name === 'Content-Type')
    return {
      phrase: template.contentType === undefined ? 'without a Content-Type' : `as ${template.contentType}`,
    };
  if (name === 'body' || plant.get(name) !== undefined) return suchAs(failure);
  return { phrase: `with ${SOME_VALUES} ${name}` };
}

/** Marks of conditions of which nothing better is known. */
export const [SOME_VALUES, SUCH_AS] = ['some values of', 'such as:'] as const;
