import { stringsOf } from '../../contract/shape.ts';
import { freshId } from '../../payloads/fresh.ts';
import { FRESH, FreshText } from '../../payloads/json.ts';
import { type ModelRequest, templateOf } from '../../payloads/model/model-request.ts';
import { ID } from '../../payloads/plants.ts';
import type { Repeat } from '../../run/result/cause.ts';
import { orMoreInFlight } from '../../run/result/varying-numbers.ts';
import { joined } from '../../text.ts';
import type { Exchange } from '../../wire/exchange.ts';
import { hasFreshId, ordinaryRequests } from '../experiment/ordinary-requests.ts';
import { countOf, everyTime, type Finder, REPEATS, type Search } from '../experiment/search.ts';
import { withArticle } from '../explanation/condition.ts';
import { bareExplanation, type Explanation, withFixedId } from '../explanation/explanation.ts';
import { besideSame } from '../values/model.ts';
import { presenceCondition, requiredPresences } from './by-value.ts';
import { PRECEDING_KINDS, type PrecedingKind, precededBy } from './sequence-probe.ts';

const SIZES = [2, 3, 4, 5, 6, 8, 12, 16, 24];

/** Finds whether a failure needs other requests in flight: any requests, or requests with the same values. */
export const tryUnderConcurrency: Finder = async (request, search) =>
  // A constant id is in flight several times at once, and that may be what matters.
  hasFreshId(request)
    ? ((await tryUnderLoad(request, search)) ?? trySameValues(request, search))
    : ((await trySameValues(search.ordinary, search)) ?? tryUnderLoad(request, search));

/** Sends a request several times concurrently, and returns the exchanges that show the symptom. */
async function sendTogether(
  request: ModelRequest,
  size: number,
  search: Search,
): Promise<readonly Exchange[]> {
  const template = templateOf(request);
  const exchanges = await search.experiments.sendConcurrently(Array.from({ length: size }, () => template));
  return exchanges.filter((exchange) => search.isShown(exchange, request) === true);
}

const SAME_ID_REQUESTS = 8;

/** Finds whether the failure needs a request with the same id that is concurrent, not merely earlier. */
export const trySameValues: Finder = async (request, search) => {
  const size = Math.min(search.experiments.concurrency, SAME_ID_REQUESTS);
  if (size < 2) return undefined;
  const found = (await tryUsedId(request, size, search)) ?? (await tryNewId(request, size, search));
  if (found === undefined) return undefined;
  const { waves } = found;
  const { property = ID, ...shown } = { ...found, ...(await trySameText(request, size, search)) };
  return {
    ...bareExplanation(shown.request, shown.exchange),
    kind: 'under-concurrency',
    conditions: [{ phrase: besideSame(property), topics: ['known value'] }],
    inside: [waves, WAVES_OF_SAME_ID],
    outside: [0, waves],
    repeat: shown.repeat,
  };
};

interface Shown extends Pick<Explanation, 'request' | 'exchange' | 'repeat'> {
  /** The property that two concurrent requests share, if it is not the id. */
  readonly property?: string;
}

/** How to repeat a request that needs `size` in flight: far more, as a shell starts them slowly. */
const inWaves = (size: number): Repeat => ({ times: size * 16, inFlight: size * 4 });

/** How to repeat a request that is sent together with a second one. */
const inPairs = (size: number): Repeat => ({ times: size * 4, inFlight: 2 });

/** Tries, for each text property, two concurrent plants with the same fresh text in it but different ids. */
async function trySameText(request: ModelRequest, size: number, search: Search): Promise<Shown | undefined> {
  const texts = stringsOf(search.contract.newPlant.shape).filter(
    (name) => request.plant.get(name) !== undefined,
  );
  for (const property of texts) {
    const textOf = (prefix: string) => new FreshText((id) => `${prefix}${id}`, 2 ** 53);
    const withTexts = (prefix: string) =>
      texts.reduce((own, name) => own.with(name, textOf(name === property ? name : prefix)), request.plant);
    const plant = withTexts('one').with(ID, FRESH);
    const other = templateOf({
      ...request,
      plant: withTexts('other').with(ID, freshId(2n ** 20n, 2n ** 31n)),
    });
    const beside = precededBy({ ...request, plant }, other, 'concurrent');
    const [exchange] = await sendTogether(beside, size, search);
    if (exchange !== undefined) return { request: beside, exchange, property, repeat: inPairs(size) };
  }
  return undefined;
}

const WAVES_OF_SAME_ID = 3;

/** Sends waves, most of which must show the symptom; `refuted` if other values show it as well. */
async function inMostWaves(wave: () => Promise<Shown | 'refuted' | undefined>) {
  const shown: Shown[] = [];
  for (let remaining = WAVES_OF_SAME_ID; remaining > 0; remaining -= 1) {
    const found = await wave();
    if (found === 'refuted') return undefined;
    if (found !== undefined) shown.push(found);
  }
  const last = shown.at(-1);
  return last === undefined || shown.length < 2 ? undefined : { ...last, waves: shown.length };
}

/** Tries concurrent requests with an id that the store has already accepted. */
const tryUsedId = (request: ModelRequest, size: number, search: Search) =>
  inMostWaves(async () => {
    const { freshId } = (await search.send(request)).request;
    if (freshId === undefined) return 'refuted';
    const withSameId = withFixedId(request, freshId);
    const [exchange] = await sendTogether(withSameId, size, search);
    if (exchange === undefined) return undefined;
    const showsOtherwise =
      (await search.shows(withSameId)) === true || (await sendTogether(request, size, search)).length > 0;
    const repeat = { ...inWaves(size), sameId: true } as const;
    return showsOtherwise ? 'refuted' : { request: withSameId, exchange, repeat };
  });

/** Tries concurrent requests with a new id, for a store that rejects known ids. */
const tryNewId = (request: ModelRequest, size: number, search: Search) =>
  inMostWaves(async () => {
    const concurrent = precededBy(request, templateOf(request), 'concurrent');
    // Several pairs, each with its own id: the two requests of a pair may miss each other.
    const [exchange] = await sendTogether(concurrent, size, search);
    if (exchange === undefined) return undefined;
    for (const other of [request, precededBy(request, templateOf(request), 'other')])
      if ((await sendTogether(other, size, search)).length > 0) return 'refuted';
    return { request: concurrent, exchange, repeat: inPairs(size) };
  });

const [PAIRS, WAVES_OF_PAIRS] = [4, 6];
const MIN_MIXED_UP = 3;
/** Number of requests that must pass when only requests of their own kind are concurrent. */
const MIN_PASSING_REQUESTS = 16;

/** Finds whether the store mixes up concurrent requests of different outcomes, say in a shared variable. */
export const tryBesideOthers: Finder = async (request, search) => {
  if (search.isSlow) return undefined;
  const isOrdinary = search.expectedOutcomeOf(request) === 'accept';
  const kinds: readonly Pick<PrecedingKind, 'plural' | 'from'>[] = isOrdinary
    ? [...otherPlants(request, search), PRECEDING_KINDS.rejected, PRECEDING_KINDS.unauthenticated]
    : [PRECEDING_KINDS.accepted, SLOW_PLANTS, LARGE_PLANTS];
  for (const { plural, from } of kinds) {
    const other = from(search.ordinary);
    const mixed = await countAmongOthers(request, other, search);
    if (mixed === undefined) continue;
    if (await showsOtherwise(request, other, search)) return undefined;
    return {
      ...bareExplanation(precededBy(request, templateOf(other), 'concurrent'), mixed.exchange),
      kind: 'under-concurrency',
      conditions: [{ clause: `${plural} are in flight`, needsOthersInFlight: true }],
      inside: [mixed.shown, PAIRS * WAVES_OF_PAIRS],
      outside: [0, MIN_PASSING_REQUESTS],
      repeat: { times: PAIRS * WAVES_OF_PAIRS * 4, inFlight: PAIRS * 2 },
    };
  }
  return undefined;
};

/** Ordinary plants that stay in flight: a store may check credentials well before it reads bodies. */
const SLOW_PLANTS = {
  plural: 'requests whose bodies arrive late',
  from: (ordinary: ModelRequest): ModelRequest => ({
    ...ordinary,
    template: { ...ordinary.template, delivery: { headFirst: true, pauseMs: 40 } },
  }),
};

/** Plants whose bodies are longer than the buffers of most stores: another code path may read these. */
const LARGE_PLANTS = {
  plural: 'requests with large bodies',
  from: (ordinary: ModelRequest): ModelRequest => ({
    ...ordinary,
    plant: ordinary.plant.with('notes', 'n'.repeat(20 * 1024)),
  }),
};

/** Ordinary plants that differ from the request in length or, if that is not enough, in their properties. */
function otherPlants(request: ModelRequest, { contract, experiments }: Search) {
  const sizeOf = (one: ModelRequest) => experiments.sizeOf(one);
  const bySize = ordinaryRequests(contract).toSorted((a, b) => sizeOf(a) - sizeOf(b));
  const alike = bySize.filter((one) => missingIn(one, request).length + missingIn(request, one).length === 0);
  return [alike.at(-1), alike[0], bySize.at(-1), bySize[0]].flatMap((other) =>
    other === undefined || sizeOf(other) === sizeOf(request)
      ? []
      : { plural: wordsFor(other, request, sizeOf(other) > sizeOf(request)), from: () => other },
  );
}

/** The properties of one plant that another lacks. */
const missingIn = ({ plant: lacking }: ModelRequest, { plant }: ModelRequest): readonly string[] =>
  plant.members.map(([name]) => name).filter((name) => lacking.get(name) === undefined);

function wordsFor(other: ModelRequest, request: ModelRequest, isLonger: boolean): string {
  const [more, fewer] = [missingIn(request, other), missingIn(other, request)];
  if (more.length > 0) return `plants with ${joined(more.map(withArticle), 'and')}`;
  return fewer.length > 0
    ? `plants without ${joined(fewer.map(withArticle), 'or')}`
    : `requests with ${isLonger ? 'longer' : 'shorter'} plants`;
}

/** Whether the symptom also shows among requests of its own kind only, or after others have ended. */
async function showsOtherwise(request: ModelRequest, other: ModelRequest, search: Search): Promise<boolean> {
  for (let remaining = MIN_PASSING_REQUESTS; remaining > 0; remaining -= PAIRS * 2) {
    if ((await sendTogether(request, PAIRS * 2, search)).length > 0) return true;
    await sendTogether(other, PAIRS * 2, search);
    if ((await search.shows(request)) === true) return true;
  }
  return false;
}

/** Counts how often the symptom shows among concurrent requests of another kind; undefined if too rare. */
async function countAmongOthers(request: ModelRequest, other: ModelRequest, search: Search) {
  const shown: Exchange[] = [];
  for (let remaining = WAVES_OF_PAIRS; remaining > 0; remaining -= 1) {
    // Either the first or the last request to arrive may decide the outcome of both.
    const pair = remaining % 2 === 0 ? [request, other] : [other, request];
    const sent = Array.from({ length: PAIRS }, () => pair).flat();
    const exchanges = await search.experiments.sendConcurrently(sent.map(templateOf));
    const preceding = exchanges[sent.indexOf(other)];
    for (const [index, exchange] of exchanges.entries())
      if (sent[index] === request && preceding && search.isShown(exchange, request) === true)
        shown.push({ ...exchange, preceding });
    // Rare failures are not worth further requests.
    if (shown.length === 0 && remaining <= WAVES_OF_PAIRS / 2) return undefined;
  }
  const [exchange] = shown;
  return exchange === undefined || shown.length < MIN_MIXED_UP
    ? undefined
    : { shown: shown.length, exchange };
}

/** Number of sequential requests that must pass before a failure is attributed to concurrency. */
const SEQUENTIAL_REQUESTS = 48;

/** Finds the smallest number of concurrent requests, above `fewer`, that show the failure each time. */
async function leastBetween(
  fewer: number,
  size: number,
  shows: (count: number) => Promise<boolean>,
): Promise<number> {
  for (let count = fewer + 1; count < size; count += 1)
    if (await everyTime(REPEATS, () => shows(count))) return count;
  return size;
}

/** Number of waves of concurrent requests (twice that if the failure shows), and of smaller waves. */
const [FIRST_WAVES, WAVES_OF_FEWER] = [3, 4];

/** Finds whether the failure needs a certain number of concurrent requests, whatever they contain. */
const tryUnderLoad: Finder = async (request, search) => {
  const showsWith = async (count: number, other = request) =>
    (await sendTogether(other, count, search)).length > 0;
  for (const [index, size] of SIZES.entries()) {
    if (size > search.experiments.concurrency) return undefined;
    let shown: Exchange | undefined;
    const showsWithMany = async () => {
      const [found] = await sendTogether(request, size, search);
      shown ??= found;
      return found !== undefined;
    };
    const waves = await countOf(FIRST_WAVES, showsWithMany);
    if (shown === undefined) continue;
    const fewer = SIZES[index - 1] ?? 1;
    const wavesOfFewer = await countOf(WAVES_OF_FEWER, () => showsWith(fewer));
    if (wavesOfFewer > WAVES_OF_FEWER / 2) return undefined;
    const shownWaves = waves + (await countOf(FIRST_WAVES, showsWithMany));
    // Too rare to attribute to this number of requests; more of them may show it more often.
    if (shownWaves < FIRST_WAVES) continue;
    // A rare failure would be just as likely in as many sequential requests.
    if (await search.showsAtLeastOnce(request, SEQUENTIAL_REQUESTS)) return undefined;
    const least = await leastBetween(fewer, size, showsWith);
    // A failure that not every wave shows may be absent by chance from a few of them.
    const wavesWithout = shownWaves < 2 * FIRST_WAVES ? 3 * REPEATS : REPEATS;
    const isAbsent = async (other: ModelRequest) =>
      everyTime(wavesWithout, async () => !(await showsWith(size, other)));
    const presences = await requiredPresences(request, search, async (other) => !(await isAbsent(other)));
    return {
      ...bareExplanation(request, shown),
      kind: 'under-concurrency',
      conditions: [{ clause: orMoreInFlight(least) }, ...presences.map(presenceCondition)],
      inside: [shownWaves, 2 * FIRST_WAVES],
      outside: [wavesOfFewer, WAVES_OF_FEWER],
      repeat: inWaves(size),
    };
  }
  return undefined;
};
