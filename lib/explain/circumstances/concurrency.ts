import { stringsOf } from '../../contract/shape.ts';
import { freshId } from '../../payloads/fresh.ts';
import { FRESH, FreshText } from '../../payloads/json.ts';
import { type RequestState, templateOf } from '../../payloads/model/dimension.ts';
import { ID } from '../../payloads/plants.ts';
import type { Exchange } from '../../wire/exchange.ts';
import { besideSame } from '../condition/sweeps/model.ts';
import { bareExplanation, type Explanation, withFixedId } from '../explanation.ts';
import { hasFreshId, ordinaryStates } from '../ordinary-requests.ts';
import { countOf, isEachTime, REPEATS, type Search } from '../search.ts';
import { presenceCondition, requiredPresences } from './by-value.ts';
import { PRECEDING_KINDS } from './sequence-probe.ts';

/** Requests in flight. */
const SIZES = [2, 3, 4, 5, 6, 8, 12, 16, 24];

/** Finds out whether a failure shows only while other requests are in flight: with the same values, or with any. */
export async function underConcurrency(
  state: RequestState,
  search: Search,
): Promise<Explanation | undefined> {
  // An id that is always the same is in flight with others of its kind, which may be what matters.
  return hasFreshId(state)
    ? ((await failsUnderLoad(state, search)) ?? sameValues(state, search))
    : ((await sameValues(search.ordinary, search)) ?? failsUnderLoad(state, search));
}

/** Requests sent together; those whose responses show the symptom. */
async function sendTogether(state: RequestState, size: number, search: Search): Promise<readonly Exchange[]> {
  const template = templateOf(state);
  const exchanges = await search.experiments.together(Array.from({ length: size }, () => template));
  return exchanges.filter((exchange) => search.isShown(exchange, state) === true);
}

/** Requests with the same values that are sent together, at most. */
const SAME_ID_REQUESTS = 8;

/** Whether the failure needs a concurrent request with the same id (a sequential one does not trigger it). */
export async function sameValues(state: RequestState, search: Search): Promise<Explanation | undefined> {
  const size = Math.min(search.experiments.run.concurrency, SAME_ID_REQUESTS);
  if (size < 2) return undefined;
  const found = (await withUsedId(state, size, search)) ?? (await withNewId(state, size, search));
  if (found === undefined) return undefined;
  const { waves } = found;
  const {
    state: shown,
    exchange,
    repeat,
    property,
  } = { ...found, ...(await withSameText(state, size, search)) };
  return {
    ...bareExplanation(shown, exchange),
    kind: 'under-concurrency',
    conditions: [{ phrase: besideSame(property ?? ID), topics: ['known value'] }],
    inside: [waves, WAVES_OF_SAME_ID],
    outside: [0, waves],
    repeat,
  };
}

const WAVES_OF_SAME_ID = 3;

interface Shown {
  readonly state: RequestState;
  readonly exchange: Exchange;
  /** Waves of requests in which the symptom showed. */
  readonly waves: number;
  readonly repeat: Explanation['repeat'];
  /** What two requests share, if it is not the id. */
  readonly property?: string;
}

/** Each repetition sends two requests at once. */
const inPairs = (size: number): Explanation['repeat'] => ({ times: size * 4, inFlight: 2 });

/** A property of which the same new text in two concurrent plants suffices, though their ids differ. */
async function withSameText(
  state: RequestState,
  size: number,
  search: Search,
): Promise<Omit<Shown, 'waves'> | undefined> {
  const texts = stringsOf(search.contract.newPlant.shape).filter(
    (name) => state.plant.get(name) !== undefined,
  );
  for (const property of texts) {
    const textOf = (prefix: string) => new FreshText((id) => `${prefix}${id}`, 2 ** 53);
    const withTexts = (prefix: string) =>
      texts.reduce((own, name) => own.with(name, textOf(name === property ? name : prefix)), state.plant);
    const plant = withTexts('one').with(ID, FRESH);
    const other = templateOf({ ...state, plant: withTexts('other').with(ID, freshId(2n ** 20n, 2n ** 31n)) });
    const template = { ...state.template, preceding: { template: other, connection: 'concurrent' } } as const;
    const beside: RequestState = { ...state, plant, template };
    const [exchange] = await sendTogether(beside, size, search);
    if (exchange !== undefined) return { state: beside, exchange, property, repeat: inPairs(size) };
  }
  return undefined;
}

/** With an id that the store has accepted before. */
async function withUsedId(state: RequestState, size: number, search: Search): Promise<Shown | undefined> {
  let shown: Pick<Shown, 'state' | 'exchange'> | undefined;
  let waves = 0;
  for (let remaining = WAVES_OF_SAME_ID; remaining > 0; remaining -= 1) {
    const { freshId } = (await search.send(state)).request;
    if (freshId === undefined) return undefined;
    const withSameId = withFixedId(state, freshId);
    const [exchange] = await sendTogether(withSameId, size, search);
    if (exchange === undefined) continue;
    if ((await search.shows(withSameId)) === true || (await sendTogether(state, size, search)).length > 0)
      return undefined;
    waves += 1;
    shown = { state: withSameId, exchange };
  }
  if (shown === undefined || waves < 2) return undefined;
  return { ...shown, waves, repeat: { times: size * 16, inFlight: size * 4, sameId: true } };
}

/** With an id that is new to the store, which may reject any other one. */
async function withNewId(state: RequestState, size: number, search: Search): Promise<Shown | undefined> {
  const after = (connection: 'concurrent' | 'other'): RequestState => ({
    ...state,
    template: { ...state.template, preceding: { template: templateOf(state), connection } },
  });
  let exchange: Exchange | undefined;
  let waves = 0;
  for (let remaining = WAVES_OF_SAME_ID; remaining > 0; remaining -= 1) {
    // Two at a time with each id: one of them may be too late.
    const [one] = await sendTogether(after('concurrent'), size, search);
    if (one === undefined) continue;
    if ((await sendTogether(state, size, search)).length > 0) return undefined;
    if ((await sendTogether(after('other'), size, search)).length > 0) return undefined;
    waves += 1;
    exchange = one;
  }
  if (exchange === undefined || waves < 2) return undefined;
  return { state: after('concurrent'), exchange, waves, repeat: inPairs(size) };
}

/** Concurrent pairs per wave, and number of waves. */
const [PAIRS, WAVES_OF_PAIRS] = [4, 6];
/** Failures in all of them, at least. */
const MIN_MIXED_UP = 3;
/** Requests that have to pass beside as many of their own kind. */
const MIN_PASSING_REQUESTS = 16;

/**
 * Whether the failure needs concurrent requests with a different outcome; then the store mixes requests up, for
 * example in a shared variable.
 */
export async function besideOthers(state: RequestState, search: Search): Promise<Explanation | undefined> {
  if (search.isSlow) return undefined;
  const isOrdinary = search.expectedOutcomeOf(state) === 'accept';
  const kinds = isOrdinary
    ? [PRECEDING_KINDS.rejected, PRECEDING_KINDS.unauthenticated]
    : [PRECEDING_KINDS.accepted];
  const others = [
    ...kinds.map(({ change, many }) => ({ many, other: { ...search.ordinary, ...change(search.ordinary) } })),
    ...(isOrdinary ? ofOtherLengths(state, search) : [slowPlants(search)]),
  ];
  for (const { many, other } of others) {
    const mixed = await amongOthers(state, other, search);
    if (mixed === undefined) continue;
    if (await showsOtherwise(state, other, search)) return undefined;
    const preceding = { template: templateOf(other), connection: 'concurrent' } as const;
    return {
      ...bareExplanation({ ...state, template: { ...state.template, preceding } }, mixed.exchange),
      kind: 'under-concurrency',
      conditions: [{ clause: `${many} are in flight`, isOfOthers: true }],
      inside: [mixed.shown, PAIRS * WAVES_OF_PAIRS],
      outside: [0, MIN_PASSING_REQUESTS],
      repeat: { times: PAIRS * WAVES_OF_PAIRS * 4, inFlight: PAIRS * 2 },
    };
  }
  return undefined;
}

/** Ordinary plants that stay in flight for a while: an earlier request may be authenticated, and not yet read. */
function slowPlants({ ordinary }: Search) {
  const delivery = { headFirst: true, pauseMs: 40 } as const;
  return {
    many: 'plants whose bodies arrive late',
    other: { ...ordinary, template: { ...ordinary.template, delivery } },
  };
}

/** Ordinary plants that are longer or shorter: a shared buffer may go unnoticed if all plants have the same length. */
function ofOtherLengths(state: RequestState, { contract, experiments }: Search) {
  const sizeOf = (one: RequestState) => experiments.sizeOf(one);
  const bySize = ordinaryStates(contract).toSorted((a, b) => sizeOf(a) - sizeOf(b));
  return [bySize.at(-1), bySize[0]].flatMap((other) =>
    other === undefined || sizeOf(other) === sizeOf(state)
      ? []
      : [{ many: `${sizeOf(other) > sizeOf(state) ? 'longer' : 'shorter'} plants`, other }],
  );
}

/** Whether the symptom shows among as many requests of its own kind, or after as many of the other kind. */
async function showsOtherwise(state: RequestState, other: RequestState, search: Search): Promise<boolean> {
  for (let remaining = MIN_PASSING_REQUESTS; remaining > 0; remaining -= PAIRS * 2) {
    if ((await sendTogether(state, PAIRS * 2, search)).length > 0) return true;
    await sendTogether(other, PAIRS * 2, search);
    if ((await search.shows(state)) === true) return true;
  }
  return false;
}

/** How often the symptom shows among requests of another kind; undefined if it is not often enough. */
async function amongOthers(
  state: RequestState,
  other: RequestState,
  search: Search,
): Promise<{ readonly shown: number; readonly exchange: Exchange } | undefined> {
  const shown: Exchange[] = [];
  for (let remaining = WAVES_OF_PAIRS; remaining > 0; remaining -= 1) {
    // The one that arrives first, or last, may decide for both.
    const pair = remaining % 2 === 0 ? [state, other] : [other, state];
    const sent = Array.from({ length: PAIRS }, () => pair).flat();
    const exchanges = await search.experiments.together(sent.map(templateOf));
    const preceding = exchanges[sent.indexOf(other)];
    for (const [index, exchange] of exchanges.entries())
      if (sent[index] === state && preceding && search.isShown(exchange, state) === true)
        shown.push({ ...exchange, preceding });
    // Rare failures are not worth the requests.
    if (shown.length === 0 && remaining <= WAVES_OF_PAIRS / 2) return undefined;
  }
  const [exchange] = shown;
  return exchange === undefined || shown.length < MIN_MIXED_UP
    ? undefined
    : { shown: shown.length, exchange };
}

/** Requests that have to pass one at a time before a failure is said to need others in flight. */
const SEQUENTIAL_REQUESTS = 48;

/** The least number of requests above `fewer`, and up to `size`, with which a failure shows each time. */
async function leastBetween(
  fewer: number,
  size: number,
  shows: (count: number) => Promise<boolean>,
): Promise<number> {
  for (let count = fewer + 1; count < size; count += 1)
    if (await isEachTime(REPEATS, () => shows(count))) return count;
  return size;
}

/** Waves of concurrent requests: at first, and again if the failure shows; and of fewer requests for comparison. */
const [FIRST_WAVES, WAVES_OF_FEWER] = [3, 4];

/** Whether the failure needs a number of requests in flight, whatever they contain. */
async function failsUnderLoad(state: RequestState, search: Search): Promise<Explanation | undefined> {
  const showsWith = async (count: number, other = state) =>
    (await sendTogether(other, count, search)).length > 0;
  for (const [index, size] of SIZES.entries()) {
    if (size > search.experiments.run.concurrency) return undefined;
    let shown: Exchange | undefined;
    const showsWithMany = async () => {
      const [found] = await sendTogether(state, size, search);
      shown ??= found;
      return found !== undefined;
    };
    const waves = await countOf(FIRST_WAVES, showsWithMany);
    if (shown === undefined) continue;
    const fewer = SIZES[index - 1] ?? 1;
    const wavesOfFewer = await countOf(WAVES_OF_FEWER, () => showsWith(fewer));
    if (wavesOfFewer > WAVES_OF_FEWER / 2) return undefined;
    const shownWaves = waves + (await countOf(FIRST_WAVES, showsWithMany));
    // Too rare to attribute to concurrency.
    if (shownWaves < FIRST_WAVES) return undefined;
    // A rare failure is as likely among as many requests one at a time.
    if (await search.showsAtAll(state, SEQUENTIAL_REQUESTS)) return undefined;
    const least = await leastBetween(fewer, size, showsWith);
    const isHidden = async (other: RequestState) =>
      isEachTime(REPEATS, async () => !(await showsWith(size, other)));
    const presences = await requiredPresences(state, search, async (other) => !(await isHidden(other)));
    return {
      ...bareExplanation(state, shown),
      kind: 'under-concurrency',
      conditions: [
        { clause: `${least} or more requests are in flight` },
        ...presences.map(presenceCondition),
      ],
      inside: [shownWaves, 2 * FIRST_WAVES],
      outside: [wavesOfFewer, WAVES_OF_FEWER],
      // A shell takes longer to start the next request than most stores to answer one.
      repeat: { times: size * 16, inFlight: size * 4 },
    };
  }
  return undefined;
}
