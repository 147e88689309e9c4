import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelRequest } from '../../payloads/model/model-request.ts';
import { aboutOneIn } from '../../run/result/varying-numbers.ts';
import type { Exchange } from '../../wire/exchange.ts';
import { isRejectedAsDuplicate } from '../experiment/duplicates.ts';
import { withinBudget } from '../experiment/experiments.ts';
import { hasFreshId, ordinaryRequests } from '../experiment/ordinary-requests.ts';
import { everyTime, type Finder, REPEATS, type Search } from '../experiment/search.ts';
import { areVague, type Condition, ofAnything, withArticle } from '../explanation/condition.ts';
import { bareExplanation, type Explanation } from '../explanation/explanation.ts';
import { mustReject } from '../symptom/detect-symptoms.ts';
import { toWhom } from '../symptom/symptom.ts';
import { isWrong400 } from '../symptom/target-symptom.ts';
import { ANY_SUBJECT, subjectOf } from '../wording/request-words.ts';
import { tryAfterFlood } from './after-flood.ts';
import { tryAfterItself } from './after-itself.ts';
import {
  tryAfterMany,
  tryAfterManyOnConnection,
  tryAfterManyRejectedOnConnection,
  tryAfterTotal,
} from './after-many.ts';
import { tryAfterPause } from './after-pause.ts';
import { tryAfterRecent } from './after-recent.ts';
import { explainByValue, requiredPresences } from './by-value.ts';
import { tryComparedWithBefore } from './compared-with-before.ts';
import { tryBesideOthers, tryUnderConcurrency } from './concurrency.ts';
import { describeFromSomePointOn } from './from-some-point-on.ts';
import { oneIn, repeatAtRate, triesAtRate } from './rate.ts';
import {
  PRECEDING_KINDS,
  REQUESTS_TO_CLEAR,
  SequenceProbe,
  tryAfterDuplicate,
  tryAfterOne,
  tryOnConnection,
  trySoonAfter,
} from './sequence-probe.ts';

interface RateBudget {
  /** Maximum number of sequential requests to measure a failure rate. */
  readonly max: number;
  /** Number of requests without a failure after which to stop. */
  readonly maxWithout: number;
}

/** Time over which requests are spread, so that they do not all fall into the same fraction of a second. */
const SPREAD_MS = 1000;

/** Rare failures are searched for last, because other explanations are likelier. */
const FIRST_SEARCH: RateBudget = { max: 120, maxWithout: 40 };
const LONG_SEARCH: RateBudget = { max: 250, maxWithout: 250 };

/** A measurement of a rate ends after this many failures and requests, unless the budget ends first. */
const [ENOUGH_FAILURES, MIN_RATE_REQUESTS] = [4, 24];

/** Explains a failure that shows intermittently, under concurrency, or after other requests. */
export async function findCircumstances(search: Search): Promise<Explanation | undefined> {
  const { ordinary, failingRequest: failing = ordinary } = search;
  const isOrdinary = search.expectedOutcomeOf(failing) === 'accept';
  // Whatever comes before it, the same value is not accepted twice.
  if (search.symptom.kind === 'accepts' && (await isRejectedAsDuplicate(search, subjectOf(search) ?? {})))
    return undefined;
  const namesIn = ({ plant }: ModelRequest) => String(plant.members.map(([name]) => name).sort());
  const ordinaryWithSameNames =
    ordinaryRequests(search.contract).find((one) => namesIn(one) === namesIn(failing)) ?? ordinary;
  const request = isOrdinary && !isWrong400(search.symptom) ? ordinaryWithSameNames : failing;
  const repeated = (await explainByOwnId(search)) ?? (await tryRepeating(request, search, FIRST_SEARCH));
  const found =
    // On a busy machine, an involuntary pause may have made a repeated request fail.
    (isFrequent(repeated) ? repeated : undefined) ??
    (await tryAfterPause(request, search)) ??
    repeated ??
    (await tryOtherRequests(request, search)) ??
    (await tryRepeating(request, search, LONG_SEARCH));
  if (found === undefined) return undefined;
  // If ordinary requests show the symptom as well, it is not about the rejected request.
  const isOfAll = !isOrdinary && search.expectedOutcomeOf(found.request) === 'accept';
  const affectsAnyContent = found.conditions.some(({ isAboutAnyContent }) => isAboutAnyContent === true);
  // If such requests are counted, any of them will do.
  const counted = found.conditions.flatMap((condition) => condition.counted ?? []);
  if (isOfAll || affectsAnyContent || counted.includes('rejections on a connection'))
    return { ...found, subject: undefined };
  const isOfCredential = search.expectedOutcomeOf(failing) === 'reject-credential';
  const isCounted = counted.includes('requests without a valid token');
  return { ...found, subject: isCounted && isOfCredential ? ANY_SUBJECT.credential : subjectOf(search) };
}

/** If fewer requests than this fail, some of them may have failed because of a pause before them. */
const MIN_FREQUENCY = 0.05;

const isFrequent = (found: Explanation | undefined): boolean =>
  found !== undefined &&
  (found.kind !== 'intermittent' || found.inside[0] >= MIN_FREQUENCY * found.inside[1]);

/** Finds whether the id of the failing request decides: other ids pass, and this one fails. */
async function explainByOwnId(search: Search): Promise<Explanation | undefined> {
  const { failingRequest: failing, failure } = search;
  if (failing === undefined) return undefined;
  const other = await search.send(failing);
  if (search.isShown(other, failing) !== false) return undefined;
  const found = await explainByValue(failing, failure.exchange, other, search);
  return found === undefined || areVague(found.conditions) ? undefined : found;
}

/** Finds which other requests a failure needs; what takes few requests to try comes first. */
const tryOtherRequests: Finder = async (request, search) => {
  const probe = await SequenceProbe.of(request, search);
  const ifPossible = (...finders: ((probe: SequenceProbe) => ReturnType<Finder>)[]): Finder[] =>
    probe === undefined ? [] : finders.map((find) => () => find(probe));
  const followsOne = search.failure.before?.length === 1;
  const finders: readonly Finder[] = [
    ...ifPossible(tryAfterOne, tryAfterDuplicate, trySoonAfter),
    tryComparedWithBefore,
    () => tryAfterItself(search),
    () => tryAfterRecent(search),
    ...(followsOne ? [tryOnConnection] : []),
    tryAfterFlood,
    tryBesideOthers,
    tryUnderConcurrency,
    ...(followsOne ? [] : [tryOnConnection]),
    tryAfterManyOnConnection,
    tryAfterManyRejectedOnConnection,
    ...ifPossible((known) => tryAfterMany(known)),
  ];
  for (const find of finders) {
    const found = await find(request, search);
    if (found !== undefined) return found;
  }
  return undefined;
};

async function tryRepeating(
  request: ModelRequest,
  search: Search,
  budget: RateBudget,
): Promise<Explanation | undefined> {
  const rate = await measureRate(request, search, budget);
  if (rate === undefined) return undefined;
  const { failures, tried, failing, passing } = rate;
  const values = passing === undefined ? undefined : await explainByValue(request, failing, passing, search);
  if (values !== undefined) return values;
  const failed = failures.length;
  const [first = 1] = failures;
  // The store may count the requests that it rejects.
  if (first > 1 && failed === tried - first + 1) {
    const found = await tryAfterConsecutive(request, search);
    if (found !== undefined) return found;
  }
  if (failed === tried) {
    const found = await tryAfterConsecutive(request, search);
    // With a constant id, that id may be to blame, not what happened earlier in the run.
    if (found !== undefined || !hasFreshId(request)) return found;
    // What shows after an accepted plant only now and then depends on what came before it.
    if (!(await lastsAfterPlants(request, search))) return undefined;
    return describeFromSomePointOn(request, [failed, tried], search.symptom, search.experiments);
  }
  const gap = gapIn(failures);
  const counted = await tryAfterRejections(gap, request, search);
  if (counted !== undefined) return counted;
  const compared =
    failed < tried / MAX_ONE_IN_OF_COMPARED ? undefined : await tryComparedWithBefore(request, search);
  if (compared !== undefined) return compared;
  const every = oneIn(failed, tried);
  const how = gap === undefined ? aboutOneIn(every) : regular(gap);
  const affected = await describeAffected(`${toWhom(search.symptom)}${how}`, request, every, search);
  return {
    ...bareExplanation(request, failing),
    kind: 'intermittent',
    conditions: [affected],
    inside: [failed, tried],
    repeat: repeatAtRate(every),
  };
}

/** If a value is compared with the previous one, at least one request in this many fails. */
const MAX_ONE_IN_OF_COMPARED = 4;

/** Sends the same request repeatedly. Returns undefined if it never fails, or only at the start. */
async function measureRate(request: ModelRequest, search: Search, { max, maxWithout }: RateBudget) {
  /** The numbers of the requests that failed, starting from 1. */
  const failures: number[] = [];
  let tried = 0;
  let failing: Exchange | undefined;
  let passing: Exchange | undefined;
  // Discarded: its outcome may be an after-effect of earlier experiments.
  await search.send(request);
  while (tried < max && (failures.length < ENOUGH_FAILURES || tried < MIN_RATE_REQUESTS)) {
    await sleep(SPREAD_MS / maxWithout);
    const exchange = await search.send(request);
    const shows = search.isShown(exchange, request);
    tried += 1;
    if (shows === true) failures.push(tried);
    if (shows === true) failing ??= exchange;
    else if (shows === false) passing ??= exchange;
    if (failures.length === 0 && tried >= maxWithout) return undefined;
  }
  // Failures only at the start are after-effects of earlier experiments.
  const isLeftOver = failures.length < tried && failures.at(-1) === failures.length;
  return failing === undefined || isLeftOver ? undefined : { failures, tried, failing, passing };
}

/** Whether the symptom shows after an accepted plant each time; true if the store accepts none. */
async function lastsAfterPlants(request: ModelRequest, search: Search): Promise<boolean> {
  const probe = await SequenceProbe.of(request, search);
  if (probe === undefined) return true;
  return everyTime(
    REPEATS,
    async () => (await probe.after(PRECEDING_KINDS.accepted, REQUESTS_TO_CLEAR)).shows,
  );
}

/** Explains a failure that needs several requests in a row: it does not show after an accepted plant. */
const tryAfterConsecutive: Finder = async (request, search) => {
  const probe = await SequenceProbe.of(request, search);
  if (probe === undefined || (await probe.after(PRECEDING_KINDS.accepted)).shows) return undefined;
  return tryAfterMany(probe);
};

const ORDINALS = new Intl.PluralRules('en', { type: 'ordinal' });
const SUFFIXES: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' };

/** If the gap between failures is at least this large, two equal gaps suffice to prove a period. */
const MIN_SIGNIFICANT_GAP = 10;

/** The distance between failures, if they occur at equal distances. */
function gapIn(failures: readonly number[]): number | undefined {
  const [gap = 0, ...others] = failures.slice(1).map((own, index) => own - (failures[index] ?? 0));
  const enough = gap >= MIN_SIGNIFICANT_GAP ? 1 : ENOUGH_FAILURES - 2;
  return gap < 2 || others.length < enough || others.some((one) => one !== gap) ? undefined : gap;
}

/** Finds whether a rejected request fails after a number of rejections: then ordinary plants do, too. */
async function tryAfterRejections(
  gap: number | undefined,
  request: ModelRequest,
  search: Search,
): Promise<Explanation | undefined> {
  if (!mustReject(search.expectedOutcomeOf(request))) return undefined;
  const probe = await SequenceProbe.of(search.ordinary, search);
  if (probe === undefined) return undefined;
  return gap === undefined ? tryAfterTotal(probe, PRECEDING_KINDS.rejected) : tryAfterMany(probe, gap - 1);
}

/** The wording for a regular failure, such as `every 10th request`. */
const regular = (gap: number): string =>
  gap === 2 ? 'every other request' : `every ${gap}${SUFFIXES[ORDINALS.select(gap)] ?? 'th'} request`;

/** Optional properties are not examined if each of them would take more requests than this. */
const MAX_REQUESTS_FOR_A_PROPERTY = 200;

/** Whether ordinary requests fail as well as the one whose rate of failures is known. */
async function isAboutAnyContent(request: ModelRequest, tries: number, search: Search): Promise<boolean> {
  if (search.symptom.kind === 'accepts') return false;
  if (!mustReject(search.expectedOutcomeOf(request))) return true;
  if (tries > MAX_REQUESTS_FOR_A_PROPERTY) return false;
  const shows = () => search.showsAtLeastOnce(search.ordinary, tries, SPREAD_MS / tries);
  return (await withinBudget(shows)) === true;
}

/** Words which requests fail: those with, or without, certain optional properties, or any. */
async function describeAffected(
  rate: string,
  request: ModelRequest,
  every: number,
  search: Search,
): Promise<Condition> {
  const tries = triesAtRate(every);
  const anything = (await isAboutAnyContent(request, tries, search)) ? ofAnything(rate) : { note: rate };
  if (tries > MAX_REQUESTS_FOR_A_PROPERTY) return anything;
  const presences = await withinBudget(() =>
    requiredPresences(request, search, (other) => search.showsAtLeastOnce(other, tries, SPREAD_MS / tries)),
  );
  if (presences === undefined || presences.length === 0) return anything;
  const which = presences.map(
    ({ name, isPresent }) => `${isPresent ? 'with' : 'without'} ${withArticle(name)}`,
  );
  return { note: `${rate} ${which.join(' and ')}` };
}
