import type { Contract } from '../../contract/contract.ts';
import type { RequestState } from '../../payloads/model/dimension.ts';
import type { Model } from '../../payloads/model/model.ts';
import { IN_ONE_OF_MANY_WAYS } from '../../payloads/model/rows.ts';
import type { Failure } from '../../run/result/result.ts';
import type { Words } from '../condition/candidates.ts';
import type { Part } from '../condition/parts.ts';
import { credentialCandidates } from '../condition/sweeps/credentials.ts';
import { clauseOf, defectSweep, nounOf } from '../condition/sweeps/defects.ts';
import type { Inquiry } from '../found.ts';
import type { Lab } from '../lab.ts';
import { modelFor } from '../model-for.ts';
import { ordinaryStates } from '../ordinary.ts';
import { roleOf } from '../symptom/role.ts';

/** Invariants say which check a request was sent for, and what was special about it. */
const withoutCheck = (label: string): string => label.replace(/^sent for [^:]*(?:: )?/, '');

/** The name of what is wrong with a request, as labels of checks have it. */
export const labelOf = ({ label, stableLabel = label }: Failure): string => withoutCheck(stableLabel);

/** The words for requests of which only one is known. */
export function suchAs(failure: Failure): Words {
  const label = withoutCheck(failure.label);
  if (/^(?:id|name|tag) /.test(labelOf(failure)))
    return { clause: labelOf(failure).replace(/^(\w+) (?=")/, '$1 is ') };
  if (label !== '') return { phrase: `${SUCH_AS} ${label}` };
  const check = /^sent for (\S+\/\S+)$/.exec(failure.label)?.[1];
  return check === undefined ? {} : { phrase: `${LIKE} ${check}` };
}

/** The value of a dimension that the label of a row names. */
const valueIn = (label: string, dimension: string | undefined, { dimensions }: Model): string | undefined =>
  dimensions
    .filter(({ name }) => name === dimension)
    .flatMap(({ values: [, ...others] }) => others.flatMap((value) => value.members ?? [value]))
    .map(({ name }) => name)
    .filter((name) => label.includes(name))
    .toSorted((a, b) => b.length - a.length)[0];

/** Whether nothing better is known of a condition than a request that meets it. */
export const isVague = ({ phrase = '' }: Words): boolean =>
  [SOME_VALUES, SUCH_AS, LIKE, SOME_IDS].some((mark) => phrase.includes(mark));

/** Whatever is wrong with a request. */
export const ANY_SUBJECT = {
  body: { noun: 'bodies that are not a NewPlant', clause: 'the body is not a NewPlant' },
  credential: { noun: 'requests without a valid token', clause: 'the token is missing or wrong' },
} as const;

/** The narrowest class of bodies that contains those with some labels. */
export function bodiesNamed(labels: ReadonlySet<string>, contract: Contract): Words | undefined {
  const [ordinary] = ordinaryStates(contract);
  if (ordinary === undefined) return undefined;
  const { candidates, classes } = defectSweep(contract, ordinary.plant);
  const own = candidates.filter(({ label }) => label !== undefined && labels.has(label));
  const sizeOf = (id: string) => candidates.filter((candidate) => candidate.classes.includes(id)).length;
  const [narrowest] = classes
    .filter(({ id }) => own.length > 0 && own.every((candidate) => candidate.classes.includes(id)))
    .toSorted((a, b) => sizeOf(a.id) - sizeOf(b.id));
  return narrowest?.words;
}

/** What is wrong with the request of a failure, if it had to be rejected. */
export function subjectOf({ failure, wanted: { aspect }, lab }: Inquiry): Words | undefined {
  const label = labelOf(failure);
  const [ordinary] = ordinaryStates(lab.contract);
  const candidates = [
    ...credentialCandidates(lab.token),
    ...(ordinary === undefined ? [] : defectSweep(lab.contract, ordinary.plant, true).candidates),
  ].filter((candidate) => candidate.label === label);
  const [only, ...others] = candidates;
  if (only !== undefined && others.length === 0) return only.words;
  if (aspect !== 'success') return undefined;
  if (label === IN_ONE_OF_MANY_WAYS) {
    const value = valueIn(failure.label, 'undeclared names', modelFor('open', lab.contract));
    return { noun: ['a plant', value].join(' ').trim() };
  }
  if (roleOf(failure.exchange.request, failure.template, lab.contract, lab.token) === 'reject-credential')
    return label === '' ? ANY_SUBJECT.credential : { noun: `requests without a valid token (${label})` };
  return { noun: nounOf(label), clause: clauseOf(label) };
}

/** The words for a part of which no other values are known. */
export function wordsOf({ name, dimension }: Part, state: RequestState, failure: Failure, lab: Lab): Words {
  const { template, plant } = state;
  if (name === 'Authorization') return { phrase: `with the scheme ${failure.label}` };
  if (name === 'method') return { phrase: `with the method ${template.method}` };
  if (name === 'absent headers') return { phrase: `without ${template.without?.join(' and ')}` };
  if (name === 'target') return { phrase: `to ${template.path ?? 'the target in absolute form'}` };
  if (name === 'Content-Type')
    return {
      phrase:
        template.contentType === undefined
          ? 'without a Content-Type'
          : `with Content-Type ${template.contentType}`,
    };
  if (name === 'body' || plant.get(name) !== undefined) return suchAs(failure);
  const value = valueIn(failure.label, dimension, modelFor(lab.roleOf(state), lab.contract));
  return { phrase: value ?? `with ${SOME_VALUES} ${name}` };
}

const [SOME_VALUES, SUCH_AS, LIKE] = ['some values of', 'such as:', 'like those of'] as const;
/** The condition of what depends on values that have nothing else in common. */
export const SOME_IDS = 'with some names or ids';
