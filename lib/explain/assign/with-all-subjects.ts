import type { Cluster } from '../cluster.ts';
import type { Experiments } from '../experiments.ts';
import { alternatives } from '../wording/condition.ts';
import {
  ANY_SUBJECT,
  bodiesNamed,
  credentialsNamed,
  defectWords,
  labelOf,
} from '../wording/request-words.ts';

/** A title lists at most this many kinds. */
const MAX_KINDS = 3;

/**
 * Completes the subject of a cluster: experiments tried only one kind of invalid request, but the failures
 * show which other kinds have the same symptom.
 */
export function withAllSubjects(cluster: Cluster, { contract, token }: Experiments): Cluster {
  const { found, members } = cluster;
  const kinds = new Set(members.map(({ failure }) => labelOf(failure)));
  if (found.subject === undefined || kinds.size < 2) return cluster;
  const { credential } = found.template ?? found.state;
  if (found.kind === 'always') {
    const isListed = found.labels === undefined && credential === undefined && kinds.size <= MAX_KINDS;
    const several = () => alternatives([...kinds].map((kind) => defectWords(kind, contract)));
    return isListed ? { ...cluster, found: { ...found, subject: several() } } : cluster;
  }
  const subject =
    credential === undefined
      ? (bodiesNamed(kinds, contract) ?? ANY_SUBJECT.body)
      : (credentialsNamed(kinds, token) ?? ANY_SUBJECT.credential);
  return { ...cluster, found: { ...found, subject } };
}
