import type { Contract } from '../../contract/contract.ts';
import type { Experiments } from '../experiment/experiments.ts';
import { type Cluster, withExplanation } from '../explanation/cluster.ts';
import { alternatives, type Condition } from '../explanation/condition.ts';
import { labelOf } from '../explanation/labels.ts';
import {
  ANY_SUBJECT,
  bodiesNamed,
  credentialsNamed,
  defectsAmong,
  defectWords,
} from '../wording/request-words.ts';

/** A title lists at most this many kinds. */
const MAX_KINDS = 3;

/** A class names a few kinds of bodies only if they are at least this part of it. */
const MIN_PART = 0.2;

const listOf = (kinds: ReadonlySet<string>, contract: Contract): Condition =>
  alternatives([...kinds].map((kind) => defectWords(kind, contract)));

const listOfFew = (kinds: ReadonlySet<string>, contract: Contract): Condition | undefined =>
  kinds.size > 0 && kinds.size <= MAX_KINDS ? listOf(kinds, contract) : undefined;

/** Completes the subject of a cluster: its failures show which other kinds of requests have the symptom. */
export function withAllSubjects(cluster: Cluster, { contract, token }: Experiments): Cluster {
  const { explanation, members } = cluster;
  const kinds = new Set(members.map(({ failure }) => labelOf(failure)));
  if (explanation.subject === undefined || kinds.size < 2) return cluster;
  const { credential } = explanation.template ?? explanation.request;
  if (explanation.kind === 'always') {
    const isListed = explanation.labels === undefined && credential === undefined && kinds.size <= MAX_KINDS;
    return isListed ? withExplanation(cluster, { subject: listOf(kinds, contract) }) : cluster;
  }
  const subject =
    credential === undefined
      ? (bodiesNamed(kinds, contract, MIN_PART) ??
        listOfFew(defectsAmong(kinds, contract), contract) ??
        bodiesNamed(kinds, contract) ??
        ANY_SUBJECT.body)
      : (credentialsNamed(kinds, token) ?? ANY_SUBJECT.credential);
  return withExplanation(cluster, { subject });
}
