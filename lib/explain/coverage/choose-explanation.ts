import { type DefectKind, defectsOf } from '../../payloads/defects.ts';
import { JsonObject } from '../../payloads/json.ts';
import type { ModelRequest } from '../../payloads/model/model-request.ts';
import { bodyText } from '../../utf8.ts';
import { covers, isAbout, isOfProperty, mayExplain } from '../experiment/covers.ts';
import { withinBudget } from '../experiment/experiments.ts';
import { everyTime, type Search } from '../experiment/search.ts';
import type { Explanation } from '../explanation/explanation.ts';
import { labelOf } from '../explanation/labels.ts';
import { modelRequestOf, withParts } from '../explanation/request-parts.ts';

/** Picks the explanation that covers a failure: without its condition, the symptom disappears. */
export async function explanationCovering(
  all: readonly Explanation[],
  search: Search,
): Promise<Explanation | undefined> {
  const { failure } = search;
  const found = all.filter((one) => covers(one, failure, search.experiments));
  const [first] = found;
  if (first === undefined) return undefined;
  const label = labelOf(failure);
  const text = bodyText(failure.exchange.request.body);
  const byLabelOrFeature =
    found.find(({ labels }) => labels?.includes(label) === true) ??
    found.find((one) => hasItsFeature(one, text) && !isOtherRejection(one, search));
  if (byLabelOrFeature !== undefined) return byLabelOrFeature;
  const { neutral, parts, partsSuffice } = first;
  if (first.triedLabels?.includes(label) === true) return inUndeclared(found, search);
  const fits = found.find((one) => isAbout(one, search) && mayExplain(one, search)) ?? first;
  if (isOtherRejection(first, search)) return undefined;
  if (first.kind !== 'always') return fits;
  if (isOfProperty(fits) && !mayExplain(fits, search)) return undefined;
  const request = neutral && modelRequestOf(failure.template, neutral.plant);
  if (neutral === undefined || request === undefined) {
    // Without an experiment, an explanation about one property covers only failures of that property.
    const isOther = isOfProperty(fits) && !isAbout(fits, search);
    return isOther || !mayExplain(fits, search) ? undefined : fits;
  }
  // The ordinary part may also hide a different fault, so the failing part must show this symptom by itself.
  const explains = await withinBudget(
    async () =>
      (await search.shows(withParts(parts, neutral, request))) !== true &&
      (!partsSuffice || (await partsMayShow(withParts(parts, request, neutral), request, search))),
  );
  return explains === false ? undefined : fits;
}

const hasItsFeature = ({ feature }: Explanation, text: string): boolean =>
  feature?.besides === undefined && feature?.has(text) === true;

/**
 * Whether the parts that matter may cause the failure in an otherwise neutral request. Since each try has a
 * new id, it may take several; a failure that does not recur proves nothing.
 */
async function partsMayShow(alone: ModelRequest, failing: ModelRequest, search: Search): Promise<boolean> {
  const isAbsent = async (request: ModelRequest) => (await search.shows(request)) === false;
  return !(await everyTime(2, () => isAbsent(alone))) || isAbsent(failing);
}

/** Whether one of explanation and failure is about a credential, and the other is not. */
function isOtherRejection({ subject, request }: Explanation, { failure, experiments }: Search): boolean {
  if (subject === undefined) return false;
  const isOfCredential = experiments.expectedOutcomeOf(request) === 'reject-credential';
  return isOfCredential !== (experiments.expectedOutcomeOfSent(failure) === 'reject-credential');
}

/** Defects that put a valid value into an undeclared property. */
const UNDECLARED: readonly (DefectKind | undefined)[] = ['other-name', 'nested', 'inherited'];

/** The explanation about misplaced properties, if the plant passes without its undeclared properties. */
async function inUndeclared(found: readonly Explanation[], search: Search): Promise<Explanation | undefined> {
  const { shape } = search.contract.newPlant;
  const kinds = new Map(defectsOf(shape).map(({ name, kind }) => [name, kind] as const));
  const isAboutUndeclared = (label: string) => UNDECLARED.includes(kinds.get(label));
  const fits = found.find(({ labels = [] }) => labels.length > 0 && labels.every(isAboutUndeclared));
  const request = modelRequestOf(search.failure.template, new JsonObject([]));
  if (fits === undefined || request === undefined) return undefined;
  const plant = new JsonObject(request.plant.members.filter(([name]) => shape.properties.has(name)));
  const shows = await withinBudget(() => search.shows({ ...request, plant }));
  return shows === false ? fits : undefined;
}
