import { JsonObject } from '../payloads/json.ts';
import { type RequestState, templateOf } from '../payloads/model/dimension.ts';
import { ID } from '../payloads/plants.ts';
import { nothing, type RequestTemplate } from '../payloads/test-case.ts';
import type { Before } from '../run/check.ts';
import type { Tried } from '../run/result.ts';
import type { Exchange } from '../wire/exchange.ts';
import type { Words } from './cells.ts';
import { bareFinding, type Found, type Inquiry, pinned } from './found.ts';
import { modelFor } from './model-for.ts';
import { ordinaryStates } from './ordinary.ts';
import { stateOf } from './parts.ts';
import { sweep } from './sweep.ts';
import { modelSweep } from './sweeps/model.ts';
import { SOME_IDS, subjectOf } from './words.ts';

/** A fault that does not show each time. */
export type Circumstance = Found & {
  readonly before?: readonly Before[];
  /** The request, if it is not that of the state. */
  readonly template?: RequestTemplate;
};

/** Requests sent one at a time to see how often a failure occurs. */
const MAX_ALONE = 120;
const ENOUGH_FAILURES = 4;

/**
 * Finds out when a failure shows that does not show each time: now and then, under concurrency, or after others.
 * @param concurrency requests in flight at most
 * @throws BudgetSpent
 */
export async function circumstancesOf(
  inquiry: Inquiry,
  concurrency: number,
): Promise<Circumstance | undefined> {
  const [ordinary] = ordinaryStates(inquiry.lab.contract);
  if (ordinary === undefined) return undefined;
  const lead = stateOf(inquiry.failure.template, ordinary.plant) ?? ordinary;
  const state = inquiry.lab.roleOf(lead) === 'accept' ? ordinary : lead;
  const found =
    (await nowAndThen(state, inquiry)) ??
    (await underConcurrency(state, concurrency, inquiry)) ??
    (await afterOne(state, inquiry)) ??
    (await afterMany(state, inquiry));
  return found === undefined ? undefined : { ...found, subject: subjectOf(inquiry) };
}

async function nowAndThen(state: RequestState, inquiry: Inquiry): Promise<Circumstance | undefined> {
  let [failed, tried] = [0, 0];
  let failing: Exchange | undefined;
  let passing: Exchange | undefined;
  while (tried < MAX_ALONE && (failed < ENOUGH_FAILURES || tried < 24)) {
    const exchange = await inquiry.lab.send(state);
    const shows = inquiry.isShown(exchange, state);
    tried += 1;
    if (shows === true) failed += 1;
    if (shows === true) failing ??= exchange;
    else if (shows === false) passing ??= exchange;
    // Nothing in sight: the other circumstances are likelier.
    if (failed === 0 && tried >= 40) return undefined;
  }
  if (failing === undefined) return undefined;
  const values = passing === undefined ? undefined : await byValue(state, failing, passing, inquiry);
  if (values !== undefined) return values;
  if (failed === tried) return fromThenOn(state, failing, [failed, tried], inquiry);
  const every = Math.max(2, Math.round(tried / failed));
  return {
    ...bareFinding(state, failing),
    kind: 'now-and-then',
    conditions: [
      {
        note: `${inquiry.wanted.aspect === 'outcome' ? 'to' : 'in'} about one request in ${every}, whatever it contains`,
      },
    ],
    inside: [failed, tried],
    repeat: { times: Math.min(every * 5, 500), inFlight: 1 },
  };
}

/** Whether the values decide: the same request always fails, and another never does. */
async function byValue(
  state: RequestState,
  failing: Exchange,
  passing: Exchange,
  inquiry: Inquiry,
): Promise<Circumstance | undefined> {
  const [bad, good] = [failing.request.freshId, passing.request.freshId];
  if (bad === undefined || good === undefined) return undefined;
  for (let left = 3; left > 0; left -= 1) {
    if ((await inquiry.shows(pinned(state, bad))) !== true) return undefined;
    if ((await inquiry.shows(pinned(state, good))) === true) return undefined;
  }
  const fails: boolean[] = [];
  for (let offset = 0n; offset < 48n; offset += 1n) {
    const plant = pinned(state, good).plant.with(ID, bad + offset);
    fails.push((await inquiry.shows({ ...state, plant })) === true);
  }
  const { words, modulus } = residue(bad, fails) ?? { words: { phrase: SOME_IDS } };
  const exchange = await inquiry.lab.send(pinned(state, bad));
  return {
    ...bareFinding(pinned(state, bad), exchange),
    conditions: [words],
    ...(modulus === undefined ? {} : { modulus }),
    inside: [4, 4],
    outside: [0, 3],
    ladders: [{ part: ID, tried: fails.map((shows, at) => ({ value: String(bad + BigInt(at)), shows })) }],
  };
}

/** The residue class of the ids that fail, if they are one. */
function residue(
  first: bigint,
  fails: readonly boolean[],
): { readonly words: Words; readonly modulus: number } | undefined {
  for (let modulus = 2; modulus <= 24; modulus += 1) {
    const rest = Number(first % BigInt(modulus));
    if (!fails.every((shows, at) => shows === ((rest + at) % modulus === rest))) continue;
    const clause =
      modulus === 2
        ? `${ID} is ${rest === 0 ? 'even' : 'odd'}`
        : rest === 0
          ? `${ID} is divisible by ${modulus}`
          : `${ID} leaves ${rest} when divided by ${modulus}`;
    return { words: { clause }, modulus };
  }
  return undefined;
}

const SIZES = [2, 3, 4, 5, 6, 8, 12, 16, 24];

async function underConcurrency(
  state: RequestState,
  concurrency: number,
  inquiry: Inquiry,
): Promise<Circumstance | undefined> {
  const template = templateOf(state);
  const wave = async (size: number) => {
    const exchanges = await inquiry.lab.together(Array.from({ length: size }, () => template));
    return exchanges.filter((exchange) => inquiry.isShown(exchange, state) === true);
  };
  for (const [index, size] of SIZES.entries()) {
    if (size > concurrency) return undefined;
    let shown: Exchange | undefined;
    let waves = 0;
    for (let left = 3; left > 0; left -= 1) {
      const found = await wave(size);
      if (found.length > 0) waves += 1;
      shown ??= found[0];
    }
    if (shown === undefined) continue;
    const fewer = SIZES[index - 1] ?? 1;
    let calm = 0;
    for (let left = 4; left > 0; left -= 1) if ((await wave(fewer)).length > 0) calm += 1;
    for (let left = 3; left > 0; left -= 1) if ((await wave(size)).length > 0) waves += 1;
    return {
      ...bareFinding(state, shown),
      kind: 'under-concurrency',
      conditions: [{ clause: `${size} or more requests are in flight` }],
      inside: [waves, 6],
      outside: [calm, 4],
      // A shell takes longer to start the next request than most stores to answer one.
      repeat: { times: size * 16, inFlight: size * 4 },
    };
  }
  return undefined;
}

async function afterOne(state: RequestState, inquiry: Inquiry): Promise<Circumstance | undefined> {
  const { lab } = inquiry;
  const history = modelSweep(modelFor(lab.roleOf(state), lab.contract), 'history');
  if (history === undefined) return undefined;
  const reach = await sweep(history, state, inquiry, false);
  const [found] = reach.named;
  for (const cell of found?.cells ?? []) {
    const after = cell.apply(state);
    const exchange = await inquiry.lab.send(after);
    if (found === undefined || inquiry.isShown(exchange, after) !== true) continue;
    return {
      ...bareFinding(after, exchange),
      kind: 'sequence',
      conditions: [found.words],
      ladders: [reach.ladder],
      inside: [reach.inside, reach.inside],
      outside: [0, reach.outside],
    };
  }
  return undefined;
}

const COUNTS = [1, 2, 3, 5, 8, 10, 20, 30];

const KINDS = [
  ['rejected request', { defect: { json: new JsonObject([]) } }],
  ['request without a token', { credential: nothing }],
  ['accepted plant', {}],
] as const;

async function afterMany(state: RequestState, inquiry: Inquiry): Promise<Circumstance | undefined> {
  const [ordinary = state] = ordinaryStates(inquiry.lab.contract);
  const kinds = KINDS.map(([words, change]) => [words, { ...ordinary, ...change }] as const);
  for (const [words, one] of kinds)
    for (const count of COUNTS) {
      const before: Before[] = [];
      for (let left = count; left > 0; left -= 1)
        before.push({ template: templateOf(one), exchange: await inquiry.lab.send(one) });
      const exchange = await inquiry.lab.send(state);
      if (inquiry.isShown(exchange, state) !== true) continue;
      return {
        ...bareFinding(state, exchange),
        kind: 'sequence',
        conditions: [{ phrase: `after ${count === 1 ? `a ${words}` : `${count} ${words}s in a row`}` }],
        inside: [1, 1],
        before,
      };
    }
  return undefined;
}

/**
 * A store that serves no longer although it did, or that does so only after a rejection.
 * @param state an ordinary request that shows the symptom each time
 * @throws BudgetSpent
 */
export async function sinceWhen(state: RequestState, inquiry: Inquiry): Promise<Circumstance | undefined> {
  let exchange = await inquiry.lab.send(state);
  for (let left = 3; left > 0; left -= 1) {
    if (inquiry.isShown(exchange, state) !== true)
      return (await afterOne(state, inquiry)) ?? (await afterMany(state, inquiry));
    exchange = await inquiry.lab.send(state);
  }
  return fromThenOn(state, exchange, [3, 3], inquiry);
}

/** Requests of each kind after which most stores that run out of something have done so. */
const MANY = 200;

/** What fails now, and did not before: one request of each kind after the other shows it on a fresh store. */
async function fromThenOn(
  state: RequestState,
  exchange: Exchange,
  inside: Tried,
  inquiry: Inquiry,
): Promise<Circumstance> {
  const { aspect, isRejection } = inquiry.wanted;
  const before: Before[] = [];
  for (const [, change] of KINDS.slice(0, 2)) {
    const one = { ...state, ...change };
    before.push({ template: templateOf(one), exchange: await inquiry.lab.send(one) });
  }
  const whom = aspect === 'outcome' && isRejection !== true ? 'to everything ' : '';
  return {
    ...bareFinding(state, exchange),
    kind: 'from-then-on',
    conditions: [{ note: `${whom}from some point of the run on` }],
    inside,
    before,
    repeat: { times: MANY, inFlight: 1 },
  };
}
