import { templateOf } from '../../payloads/model/model-request.ts';
import type { RequestTemplate } from '../../payloads/test-case.ts';
import type { SentRequest } from '../../run/check.ts';
import { everyTime, REPEATS, repeated, type Search } from '../experiment/search.ts';
import type { Condition } from '../explanation/condition.ts';
import { type Explanation, shownAfterOthers } from '../explanation/explanation.ts';
import type { Candidate } from '../values/candidates.ts';
import { defectSweep } from '../values/defects.ts';
import type { SentInOrder } from './sequence-probe.ts';

/** Number of attempts to reproduce the failure: the store may handle the requests in a different order. */
const ATTEMPTS = 2;

/**
 * Finds the earlier request that a failure depends on, if no other experiment reproduces it: resends the
 * requests that preceded it in the run, then one half of them, and so on.
 */
export async function tryAfterRecent(search: Search): Promise<Explanation | undefined> {
  const { failure, failingRequest, experiments, symptom } = search;
  const { recent = [], template } = failure;
  if (failingRequest === undefined || search.isSlow || recent.length === 0) return undefined;
  const shownAfter = async (earlier: readonly RequestTemplate[]): Promise<SentInOrder | undefined> => {
    const before: SentRequest[] = [];
    for (const one of earlier) before.push({ template: one, exchange: await experiments.sendTemplate(one) });
    const exchange = await experiments.failingExchange(template, symptom);
    return exchange && { before, exchange };
  };
  const passesAfter = async (earlier: readonly RequestTemplate[]) =>
    (await shownAfter(earlier)) === undefined;
  if (await everyTime(ATTEMPTS, () => passesAfter(recent))) return undefined;
  let needed = recent;
  while (needed.length > 1) {
    const middle = Math.floor(needed.length / 2);
    const [later, sooner] = [needed.slice(middle), needed.slice(0, middle)];
    if (!(await passesAfter(later))) needed = later;
    else if (!(await passesAfter(sooner))) needed = sooner;
    else return undefined;
  }
  const last = await repeated(REPEATS, () => shownAfter(needed));
  const [culprit] = needed;
  if (last === undefined || culprit === undefined) return undefined;
  if (!(await everyTime(REPEATS, () => passesAfter([])))) return undefined;
  const defect = defectOf(culprit, search);
  const plain = defect && templateOf(defect.apply(search.ordinary));
  const { before, exchange } = (plain && (await repeated(REPEATS, () => shownAfter([plain])))) ?? last;
  const found = shownAfterOthers(failingRequest, exchange, [wordsFor(culprit, defect)], REPEATS);
  return { ...found, before, template };
}

const defectOf = ({ sentAs }: RequestTemplate, { contract, ordinary }: Search): Candidate | undefined =>
  defectSweep(contract, ordinary.plant, true).candidates.find(({ label }) => label === sentAs);

function wordsFor({ sentAs = '' }: RequestTemplate, defect: Candidate | undefined): Condition {
  const part = 'earlier requests';
  if (defect?.condition.clause !== undefined)
    return { phrase: `after a request in which ${defect.condition.clause}`, part };
  return { phrase: sentAs === '' ? 'after certain requests' : `after a request such as: ${sentAs}`, part };
}
