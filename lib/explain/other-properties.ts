import { stringsOf } from '../contract/shape.ts';
import type { ModelRequest } from '../payloads/model/model-request.ts';
import { isValid } from '../payloads/validity.ts';
import { type Experiments, withinBudget } from './experiment/experiments.ts';
import { Search } from './experiment/search.ts';
import { type Cluster, withExplanation } from './explanation/cluster.ts';
import { ofOthers } from './explanation/condition.ts';

/**
 * If a text in one property shows the symptom, tries the same text in the others. The failures of the checks
 * do not tell, because only one of each kind is kept.
 */
export async function tryOtherProperties(cluster: Cluster, experiments: Experiments): Promise<Cluster> {
  const { symptom, explanation, members } = cluster;
  const [condition, ...further] = explanation.conditions.filter(({ property }) => property !== undefined);
  const [lead] = members;
  const strings = stringsOf(experiments.contract.newPlant.shape);
  const { property = '', clause, otherProperties, statement } = condition ?? {};
  if (
    condition === undefined ||
    lead === undefined ||
    further.length > 0 ||
    explanation.kind !== 'always' ||
    explanation.subject !== undefined ||
    symptom.property !== undefined ||
    otherProperties !== undefined ||
    !strings.includes(property) ||
    clause === undefined ||
    // Limits on lengths, and whether a property is required, differ from property to property.
    statement !== undefined
  )
    return cluster;
  const search = new Search({ ...lead, symptom }, experiments);
  const names = [property];
  for (const other of strings) {
    const moved = inOther(explanation.request, property, other, search);
    if (moved === undefined) continue;
    if ((await withinBudget(() => search.showsEachTime(moved, 2))) === true) names.push(other);
  }
  if (names.length === 1) return cluster;
  const conditions = explanation.conditions.map((one) =>
    one === condition ? ofOthers(one, property, names.toSorted()) : one,
  );
  return withExplanation(cluster, { conditions });
}

/** The request with the text in another property; undefined if it would be another kind of request. */
function inOther(
  request: ModelRequest,
  property: string,
  other: string,
  { contract, ordinary }: Search,
): ModelRequest | undefined {
  const text = request.plant.get(property);
  if (other === property || text === undefined || !isValid(contract, request.plant)) return undefined;
  const usual = ordinary.plant.get(property);
  const without = usual === undefined ? request.plant.without(property) : request.plant.with(property, usual);
  const plant = without.with(other, text);
  return isValid(contract, plant) ? { ...request, plant } : undefined;
}
