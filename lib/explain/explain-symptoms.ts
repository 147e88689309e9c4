import { groupBy } from '../collections.ts';
import { explanationCovering } from './coverage/choose-explanation.ts';
import { withAllSubjects } from './coverage/with-all-subjects.ts';
import { mayExplain } from './experiment/covers.ts';
import type { Experiments } from './experiment/experiments.ts';
import { Search } from './experiment/search.ts';
import { type Explained, explainLead } from './explain-failure.ts';
import {
  type CheckFailure,
  type Cluster,
  didRecur,
  type FurtherFailure,
  levelOf,
} from './explanation/cluster.ts';
import type { Explanation } from './explanation/explanation.ts';
import { explainFurther } from './further-failures.ts';
import { notReproduced } from './not-reproduced.ts';
import { isOnlyRepeated, simplestFirst } from './simplest-first.ts';
import { isSlow, keyOf } from './symptom/symptom.ts';

/**
 * Explains the failures of each symptom together: first those that violate a MUST. Symptoms that take a timeout to
 * see, and those of which no failure recurred, come after others of the same level: an explanation of others may
 * cover them, and searching for their own takes long.
 */
export async function explainBySymptom(
  failures: readonly CheckFailure[],
  further: readonly FurtherFailure[],
  experiments: Experiments,
): Promise<readonly Cluster[]> {
  const groups = groupBy(failures, ({ symptom }) => keyOf(symptom)).map(([, members]) => members);
  const hasMust = (members: readonly CheckFailure[]) => (levelOf({ members }) === 'MUST' ? 1 : 0);
  const clusters: Cluster[] = [];
  const takesLong = ([{ symptom }]: readonly [CheckFailure, ...CheckFailure[]]) => Number(isSlow(symptom));
  for (const members of groups.toSorted(
    (a, b) =>
      hasMust(b) - hasMust(a) ||
      takesLong(a) - takesLong(b) ||
      Number(b.some(didRecur)) - Number(a.some(didRecur)) ||
      b.length - a.length,
  )) {
    const alike = further.filter(({ symptom }) => members.some((one) => one.symptom === symptom));
    clusters.push(...(await experiments.forSymptom(() => explainSymptom(members, alike, experiments))));
  }
  return clusters;
}

/** Number of failures of a symptom to try in vain before giving up. */
const MAX_IN_VAIN = 3;

/**
 * Explains the simplest failure, then the failures that its explanation does not cover, until none is left.
 * Failures that did not recur come later, since the explanation of others may cover them, and those that no
 * experiment reproduces come last.
 */
async function explainSymptom(
  members: readonly CheckFailure[],
  further: readonly FurtherFailure[],
  experiments: Experiments,
): Promise<readonly Cluster[]> {
  const progress = new Progress(simplestFirst(members, experiments), experiments);
  const explainAll = async (mayLead: (failure: CheckFailure) => boolean) => {
    while (progress.inVain.size < MAX_IN_VAIN) {
      const lead = progress.unexplained.find(mayLead);
      if (lead === undefined) return;
      const work = () => explainLead(lead, members, progress.known, experiments);
      const [explained, shortage] = await experiments.withShortage(work);
      if (explained === undefined) progress.setAside(lead, shortage);
      else await progress.addClusters(lead, explained);
    }
  };
  await explainAll((one) => didRecur(one) && !isOnlyRepeated(one, experiments));
  progress.clusters.push(...(await explainFurther(further, progress.clusters, experiments)));
  await explainAll(() => true);
  await progress.addNotReproduced();
  return progress.clusters;
}

/** Which failures of a symptom are explained, and which are not yet. */
class Progress {
  readonly clusters: Cluster[] = [];
  /** The failures for which no explanation was found, and why experiments may have been missing. */
  readonly inVain = new Map<CheckFailure, string | undefined>();
  unexplained: readonly CheckFailure[];
  private readonly experiments: Experiments;

  constructor(failures: readonly CheckFailure[], experiments: Experiments) {
    this.unexplained = failures;
    this.experiments = experiments;
  }

  get known(): readonly Explanation[] {
    return this.clusters.map(({ explanation }) => explanation);
  }

  setAside(failure: CheckFailure, shortage: string | undefined): void {
    this.inVain.set(failure, shortage);
    this.unexplained = this.unexplained.filter((one) => one !== failure);
  }

  /** Adds clusters of the failures that the explanations of one of them cover. */
  async addClusters(lead: CheckFailure, { symptom, explanations }: Explained): Promise<void> {
    const explaining = await assigned(this.unexplained, lead, explanations, this.experiments);
    for (const explanation of explanations) {
      const members = this.unexplained.filter((member) => explaining.get(member) === explanation);
      // An experiment may also have found another fault; its own failures will lead to it.
      if (members.length === 0) continue;
      this.clusters.push(withAllSubjects({ symptom, explanation, members }, this.experiments));
    }
    this.unexplained = this.unexplained.filter((member) => explaining.get(member) === undefined);
  }

  /** Adds clusters of the remaining failures, with what is known without experiments. */
  async addNotReproduced(): Promise<void> {
    const lastShortage = [...this.inVain.values()].at(-1);
    this.unexplained = [...this.inVain.keys(), ...this.unexplained];
    for (let [lead] = this.unexplained; lead !== undefined; [lead] = this.unexplained) {
      const shortage = this.inVain.has(lead) ? this.inVain.get(lead) : lastShortage;
      const search = new Search(lead, this.experiments);
      const explanation = await notReproduced(search, this.unexplained, shortage);
      await this.addClusters(lead, { symptom: lead.symptom, explanations: [explanation] });
    }
  }
}

/** Assigns each failure to the explanation that covers it, if any, and `lead` to its own. */
async function assigned(
  members: readonly CheckFailure[],
  lead: CheckFailure,
  explanations: readonly Explanation[],
  experiments: Experiments,
): Promise<ReadonlyMap<CheckFailure, Explanation | undefined>> {
  const ofLead = explanations.find((one) => mayExplain(one, new Search(lead, experiments)));
  const explaining = new Map([[lead, ofLead ?? explanations[0]]]);
  const broad = explanations.filter(({ labels = [] }) => labels.length > 0);
  for (const member of members) {
    if (member === lead) continue;
    const eligible = isMoreSerious(member, lead) ? broad : explanations;
    explaining.set(member, await explanationCovering(eligible, new Search(member, experiments)));
  }
  return explaining;
}

/** Whether the first failure accepts a request against a MUST, and the other one violates only a SHOULD. */
const isMoreSerious = ({ check, symptom: { kind } }: CheckFailure, other: CheckFailure): boolean =>
  kind === 'accepts' && check.level === 'MUST' && other.check.level === 'SHOULD';
