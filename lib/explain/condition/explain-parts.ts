import type { ModelRequest } from '../../payloads/model/model-request.ts';
import { confirmExplanation } from '../experiment/confirm-explanation.ts';
import { mayExplain } from '../experiment/covers.ts';
import { withinBudget } from '../experiment/experiments.ts';
import { withPlainest } from '../experiment/plainest-request.ts';
import type { Search } from '../experiment/search.ts';
import { type SweepResult, sweep } from '../experiment/sweep.ts';
import type { Condition } from '../explanation/condition.ts';
import type { Explanation } from '../explanation/explanation.ts';
import { CREDENTIAL, type RequestPart, WHITE_SPACE } from '../explanation/request-parts.ts';
import { mustReject } from '../symptom/detect-symptoms.ts';
import { digitsSweep } from '../values/sizes.ts';
import { subjectOf, suchAs } from '../wording/request-words.ts';
import { explainBySameValue } from './after-same-value.ts';
import { conditionsOf, confirmSubject, findSubjects, type Subject } from './by-defect.ts';
import { type ConditionSearchResult, findConditions } from './conditions.ts';
import { reduce } from './reduce.ts';

/** For each sweep, gives the request the plainest of the values that its first name covers. */
const plainerValues = (
  request: ModelRequest,
  sweeps: readonly SweepResult[],
  { experiments }: Search,
): ModelRequest =>
  sweeps.reduce((one, { named: [first, ...others], shown }) => {
    // A length above a limit names no values: if nothing else is named, it covers all that show the symptom.
    const isLimit = first?.condition.isLarger && first.candidates.length === 0 && others.length === 0;
    return withPlainest(isLimit ? shown : (first?.candidates ?? []), one, experiments);
  }, request);

/** Words a failure by the label of its test case, and by how many digits of a long number matter, if any. */
async function describeByLabel(
  request: ModelRequest,
  search: Search,
): Promise<Pick<ConditionSearchResult, 'conditions' | 'sweeps'>> {
  const condition = suchAs(search.failure, search.contract);
  const values = digitsSweep(
    search.experiments.textOf(request),
    condition.property ?? 'a number in the body',
  );
  const swept = values && (await withinBudget(() => sweep(values, request, search, false)));
  const [digits] = swept?.named ?? [];
  return swept === undefined || digits === undefined
    ? { conditions: [condition], sweeps: [] }
    : { conditions: [{ ...condition, ...digits.condition }], sweeps: [swept] };
}

/** The conditions that a subject needs: it may depend on fewer properties than the failing body. */
async function findNeeded(
  shown: ModelRequest,
  { conditions, parts, neutral }: Pick<Explanation, 'conditions' | 'parts' | 'neutral'>,
  search: Search,
): Promise<readonly Condition[]> {
  if (neutral === undefined) return conditions;
  const { properties } = search.contract.newPlant.shape;
  const isStated = ({ name }: RequestPart) =>
    properties.has(name) && conditions.some(({ part }) => part === name);
  const unneeded: string[] = [];
  for (const part of parts.filter(isStated)) {
    const shows = await withinBudget(() => search.showsEachTime(part.copy(neutral, shown), 2));
    if (shows === true) unneeded.push(part.name);
  }
  return conditions.filter(({ part = '' }) => !unneeded.includes(part));
}

/** If the size of the body decides, an otherwise ordinary body of that size that shows the symptom as well. */
async function shownBySize(
  { feature, candidates: [candidate] }: Subject,
  neutral: ModelRequest | undefined,
  search: Search,
): Promise<ModelRequest | undefined> {
  if (feature?.add === undefined || candidate === undefined || neutral === undefined) return undefined;
  const plain = candidate.apply(neutral);
  const sized = { ...plain, edits: [...plain.edits, feature.add] };
  return (await search.showsEachTime(sized, 2)) ? sized : undefined;
}

/** Finds what shows the symptom and under which conditions, and confirms it. */
export async function explainParts(
  request: ModelRequest,
  parts: readonly RequestPart[],
  neutral: ModelRequest | undefined,
  search: Search,
): Promise<readonly Explanation[]> {
  const expected = search.expectedOutcomeOf(request);
  const { conditions, sweeps } = await findConditions(request, parts, neutral, search);
  const [part, ...otherParts] = parts;
  const [swept] = sweeps;
  if (part !== undefined && otherParts.length === 0 && swept !== undefined) {
    const found = await withinBudget(() => explainBySameValue(request, part, neutral, swept, search));
    if (found !== undefined) return [{ ...found, parts }];
  }
  const subjects = mustReject(expected)
    ? await withinBudget(() => findSubjects(request, expected === 'reject-body', search, conditions))
    : undefined;
  const explanations: Explanation[] = [];
  if (subjects !== undefined)
    for (const own of subjects.named) {
      const common = conditionsOf(own);
      const sized = await withinBudget(() => shownBySize(own, neutral, search));
      if (sized !== undefined) {
        const parts = [...search.invalidParts, WHITE_SPACE];
        const bySize = { request: sized, conditions: common, sweeps: [], parts, neutral };
        explanations.push({
          ...(await confirmSubject(own, subjects, bySize, search)),
          feature: own.feature,
        });
        continue;
      }
      const shown = own.candidates[0]?.apply(subjects.base) ?? request;
      const base = plainerValues(subjects.base, sweeps, search);
      const needed = await findNeeded(shown, { conditions, parts, neutral }, search);
      const about = {
        request: shown,
        plainer: withPlainest(own.candidates, base, search.experiments),
        conditions: [...needed, ...common],
        sweeps,
        parts: [...search.invalidParts, ...parts],
        neutral,
      };
      const explanation = await confirmSubject(own, subjects, about, search);
      explanations.push({ ...explanation, feature: own.feature ?? explanation.feature });
    }
  if (explanations.some((one) => mayExplain(one, search))) return explanations;
  const subject = mustReject(expected) && !parts.includes(CREDENTIAL) ? subjectOf(search) : undefined;
  const isUnknown = subject === undefined && conditions.length === 0 && parts.length > 0;
  const plainer = plainerValues(request, sweeps, search);
  const known = isUnknown ? await describeByLabel(request, search) : { conditions, sweeps };
  return [await confirmExplanation({ request, plainer, subject, parts, neutral, ...known }, search)];
}

/** Reduces the failing request towards the passing one, and explains the remaining differences. */
export async function explainReduced(
  passing: ModelRequest,
  failing: ModelRequest,
  search: Search,
): Promise<readonly Explanation[]> {
  const { request, parts } = await reduce(failing, passing, search);
  return explainParts(request, parts, passing, search);
}
