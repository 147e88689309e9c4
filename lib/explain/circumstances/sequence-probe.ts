import { setTimeout as sleep } from 'node:timers/promises';
import { isSuccess } from '../../judge/reading.ts';
import { unseenToken } from '../../payloads/credentials.ts';
import { JsonObject } from '../../payloads/json.ts';
import { type ModelRequest, templateOf } from '../../payloads/model/model-request.ts';
import { ID } from '../../payloads/plants.ts';
import { noCredential, type Preceding, type RequestTemplate } from '../../payloads/test-case.ts';
import type { SentRequest } from '../../run/check.ts';
import type { Exchange } from '../../wire/exchange.ts';
import { withinBudget } from '../experiment/experiments.ts';
import { ordinaryRequests } from '../experiment/ordinary-requests.ts';
import { everyTime, type Finder, REPEATS, repeated, type Search } from '../experiment/search.ts';
import { type SweepResult, sweep } from '../experiment/sweep.ts';
import { alternatives, type Condition } from '../explanation/condition.ts';
import { type Explanation, NOTHING_TRIED, shownAfterOthers } from '../explanation/explanation.ts';
import { mustReject } from '../symptom/detect-symptoms.ts';
import {
  type Candidate,
  exactNameIn,
  type NamedCandidates,
  nameCandidates,
  type Sweep,
} from '../values/candidates.ts';
import { modelSweep } from '../values/model.ts';

export interface PrecedingKind {
  readonly singular: string;
  readonly plural: string;
  /** Makes a request of this kind from an ordinary one. */
  readonly from: (ordinary: ModelRequest) => ModelRequest;
}

/** The kinds of preceding requests that may change an outcome. */
export const PRECEDING_KINDS = {
  accepted: { singular: 'an accepted plant', plural: 'valid requests', from: (ordinary) => ordinary },
  rejected: {
    singular: 'a rejected request',
    plural: 'rejected requests',
    /** If possible, an optional property is wrong: the store may keep the plant and answer with it later. */
    from: (ordinary) => {
      const { plant } = ordinary;
      const names = plant.members.map(([name]) => name);
      const wrong = names.find((name) => name !== ID && name !== 'name') ?? 'name';
      return { ...ordinary, defect: { json: plant.with(wrong, new JsonObject([])) } };
    },
  },
  unauthenticated: {
    singular: 'a request without a token',
    plural: 'requests without a token',
    from: (ordinary) => ({ ...ordinary, credential: noCredential }),
  },
  wrong: {
    singular: 'a request with a wrong token',
    plural: 'requests with a wrong token',
    from: (ordinary) => ({ ...ordinary, credential: unseenToken() }),
  },
} as const satisfies Readonly<Record<string, PrecedingKind>>;

/** Returns the request with another one to send right before it. */
export const precededBy = (
  request: ModelRequest,
  template: RequestTemplate,
  connection: Preceding['connection'],
): ModelRequest => ({
  ...request,
  template: { ...request.template, preceding: { template, connection } },
});

/** How often two requests are compared: enough to tell a store that fails half of all requests. */
export const COMPARISONS = 5;

/**
 * Returns the last failing exchange if one request always fails and another never does. The order alternates, since
 * a store may fail every second request.
 *
 * @param shown sends a request, and returns the exchange if it shows the symptom
 */
export async function shownOnlyBy(
  failing: ModelRequest,
  passing: ModelRequest,
  shown: (request: ModelRequest) => Promise<Exchange | undefined>,
  times = COMPARISONS,
): Promise<Exchange | undefined> {
  let last: Exchange | undefined;
  for (let remaining = times; remaining > 0; remaining -= 1)
    for (const request of remaining % 2 === 0 ? [passing, failing] : [failing, passing]) {
      const exchange = await shown(request);
      if ((exchange !== undefined) !== (request === failing)) return undefined;
      last = exchange ?? last;
    }
  return last;
}

/** Pause after which most stores have recovered, restarted or forgotten earlier requests. */
export const RECOVERY_PAUSE_MS = 1000;
/** Number of such pauses granted to a store that has locked out its clients. */
export const MAX_RECOVERY_PAUSES = 3;

/** Most stores that count rejected requests react to fewer than this. */
const MAX_COUNTED_REQUESTS = 64;

/** A request in question, and those sent before it. */
export interface SentInOrder {
  readonly before: readonly SentRequest[];
  readonly exchange: Exchange;
}

/** The same, and whether the symptom shows. */
export interface Sequence extends SentInOrder {
  readonly shows: boolean;
  /** Whether one of the preceding requests shows the symptom. */
  readonly showsBefore: boolean;
}

/** Sends a request after others, each over its own connection, to see whether the symptom depends on them. */
export class SequenceProbe {
  readonly request: ModelRequest;
  readonly search: Search;
  private readonly ordinary: ModelRequest;

  private constructor(request: ModelRequest, ordinary: ModelRequest, search: Search) {
    this.request = request;
    this.ordinary = ordinary;
    this.search = search;
  }

  /** @returns undefined if the store accepts no ordinary plant, so that no experiment is possible */
  static async of(request: ModelRequest, search: Search): Promise<SequenceProbe | undefined> {
    const ordinary = await acceptedSoon(search);
    return ordinary === undefined ? undefined : new SequenceProbe(request, ordinary, search);
  }

  get isOrdinary(): boolean {
    return ordinaryRequests(this.search.contract).includes(this.request);
  }

  /** Sends an ordinary plant, so that nothing earlier matters, some requests, and the one in question. */
  async after(kind: PrecedingKind, count = 1): Promise<Sequence> {
    await acceptedSoon(this.search);
    const before = await this.send(kind, count);
    const exchange = await this.search.send(this.request);
    return {
      before,
      exchange,
      shows: this.search.isShown(exchange, this.request) === true,
      showsBefore: before.some(
        ({ exchange: earlier, template }) =>
          this.search.experiments.isShown(earlier, template, this.search.symptom) === true,
      ),
    };
  }

  private async send(kind: PrecedingKind, count: number): Promise<readonly SentRequest[]> {
    const request = kind.from(this.ordinary);
    const { preceding, ...alone } = templateOf(request);
    const sent: SentRequest[] = [];
    for (let remaining = count; remaining > 0; remaining -= 1) {
      const exchange = await this.search.send(request);
      if (preceding !== undefined && exchange.preceding !== undefined)
        sent.push({ template: preceding.template, exchange: exchange.preceding });
      sent.push({ template: alone, exchange });
    }
    return sent;
  }

  /**
   * Sends the request in question after each request of one kind, until it shows the symptom.
   *
   * @param fewer number of requests of that kind to send first; the symptom must not show right after them
   * @returns undefined if the symptom does not show, or shows too early
   */
  async countUntilShown(kind: PrecedingKind, fewer = 0): Promise<SentInOrder | undefined> {
    if (!(await acceptedSoon(this.search))) return undefined;
    const before = [...(await this.send(kind, fewer))];
    if ((await this.search.shows(this.request)) === true) return undefined;
    while (before.length < MAX_COUNTED_REQUESTS) {
      before.push(...(await this.send(kind, 1)));
      const exchange = await this.search.failingExchange(this.request);
      if (exchange !== undefined) return { before, exchange };
    }
    return undefined;
  }

  /** Repeats `after`; undefined unless the symptom shows each time. */
  alwaysAfter(kind: PrecedingKind, count = 1): Promise<Sequence | undefined> {
    return repeated(REPEATS, async () => {
      const sequence = await this.after(kind, count);
      return sequence.shows ? sequence : undefined;
    });
  }

  explanation(condition: Condition, { before, exchange }: SentInOrder): Explanation {
    const found = shownAfterOthers(this.request, exchange, [condition], REPEATS);
    return { ...found, outside: NOTHING_TRIED, before };
  }
}

/**
 * Sends ordinary plants until one is accepted, which returns the store to a normal state. Tries again after
 * pauses in which the store may recover.
 */
async function acceptedSoon({ experiments, contract, isSlow }: Search): Promise<ModelRequest | undefined> {
  if (isSlow) return undefined;
  const { recovery } = experiments;
  // A plant with all properties leaves the most traces, so it comes first.
  const requests = ordinaryRequests(contract).toSorted(
    (a, b) => b.plant.members.length - a.plant.members.length,
  );
  for (let pauses = 0; ; pauses += 1) {
    for (const request of requests)
      if (isSuccess((await experiments.send(request)).response?.status)) {
        recovery.isInVain = false;
        return request;
      }
    if (recovery.isInVain || pauses === MAX_RECOVERY_PAUSES) break;
    await sleep(RECOVERY_PAUSE_MS);
  }
  recovery.isInVain = true;
  return undefined;
}

/** Preceding requests that are worth trying once. Wrong tokens are excluded because stores count them. */
const SINGLE_KINDS = [PRECEDING_KINDS.accepted, PRECEDING_KINDS.rejected, PRECEDING_KINDS.unauthenticated];

/** Finds whether an invalid body is accepted after a rejected request only: its parts do not matter then. */
export async function needsRejectionBefore(search: Search): Promise<boolean> {
  const { failingRequest, symptom } = search;
  if (
    failingRequest === undefined ||
    symptom.kind !== 'accepts' ||
    !mustReject(search.expectedOutcomeOf(failingRequest))
  )
    return false;
  const probe = await SequenceProbe.of(failingRequest, search);
  if (probe === undefined) return false;
  const { accepted: ordinary, rejected } = PRECEDING_KINDS;
  // The order is not strictly alternating: the store may fail every other request.
  for (const kind of [ordinary, rejected, rejected, ordinary])
    if ((await probe.after(kind)).shows !== (kind === rejected)) return false;
  return true;
}

/** Finds what must directly precede a request; undefined if the symptom shows regardless, or never. */
export async function tryAfterOne(probe: SequenceProbe): Promise<Explanation | undefined> {
  const shows: boolean[] = [];
  for (const kind of SINGLE_KINDS) shows.push((await probe.after(kind)).shows);
  if (shows.every((one) => one === shows[0])) return undefined;
  const found: { readonly phrase: string; readonly sequence: Sequence }[] = [];
  for (const kind of SINGLE_KINDS) {
    const sequence = await probe.alwaysAfter(kind);
    if (sequence !== undefined) found.push({ phrase: `after ${kind.singular}`, sequence });
  }
  const [first] = found;
  if (first === undefined || found.length === SINGLE_KINDS.length) return undefined;
  return probe.explanation(alternatives(found.map(({ phrase }) => ({ phrase }))), first.sequence);
}

/** The second of two equal plants: a store that requires unique ids rejects it. */
const DUPLICATE: PrecedingKind = {
  singular: 'a plant whose id is in use',
  plural: 'plants whose ids are in use',
  from: (ordinary) => precededBy(ordinary, templateOf(ordinary), 'other'),
};

/** Finds whether a request fails after a plant that the store rejected because its id was in use. */
export async function tryAfterDuplicate(probe: SequenceProbe): Promise<Explanation | undefined> {
  const { before, shows } = await probe.after(DUPLICATE);
  const status = before.at(-1)?.exchange.response?.status ?? 0;
  if (!shows || status < 400) return undefined;
  const isAbsent = async () => !(await probe.after(PRECEDING_KINDS.accepted)).shows;
  if (!(await everyTime(REPEATS, isAbsent))) return undefined;
  const sequence = await probe.alwaysAfter(DUPLICATE);
  return sequence && probe.explanation({ phrase: `after ${DUPLICATE.singular}` }, sequence);
}

/** Longer than many stores remember an accepted token. */
const CACHED_MS = 2200;

/** Finds whether the symptom shows only for a moment after an accepted plant. */
export async function trySoonAfter(probe: SequenceProbe): Promise<Explanation | undefined> {
  const { request, search } = probe;
  if ((await search.shows(request)) !== true) return undefined;
  const { accepted: kind } = PRECEDING_KINDS;
  const last = await repeated(REPEATS, async () => {
    await sleep(CACHED_MS);
    if ((await search.shows(request)) === true) return undefined;
    const sequence = await probe.after(kind);
    return sequence.shows ? sequence : undefined;
  });
  return last && probe.explanation({ phrase: `soon after ${kind.singular}` }, last);
}

/** Finds what must precede a request on its connection, or be sent concurrently, for the symptom to show. */
export const tryOnConnection: Finder = async (request, search) => {
  const history = modelSweep(search.experiments.modelOf(request), 'history');
  if (history === undefined) return undefined;
  const reach = await sweep(history, request, search, false);
  // If the request fails after anything, it does not matter what it follows.
  if (reach.notShown.length === 0) return undefined;
  const [found] =
    (await withinBudget(() => withoutAftereffects(reach, history, request, search))) ?? reach.named;
  for (const candidate of found?.candidates ?? []) {
    const later = candidate.apply(request);
    const exchange = await repeated(REPEATS, () => search.failingExchange(later));
    if (found === undefined || exchange === undefined) continue;
    const times = Math.max(reach.shown.length, REPEATS);
    const explanation = shownAfterOthers(later, exchange, [found.condition], times);
    return { ...explanation, ladders: [reach.ladder], outside: [0, reach.notShown.length] };
  }
  return undefined;
};

/** Number of requests that use up what earlier experiments left behind, such as a dirty buffer in a pool. */
export const REQUESTS_TO_CLEAR = 4;

/** Names the values that still show the symptom after ordinary requests: others may be after-effects. */
async function withoutAftereffects(
  { named: names, shown, notShown }: SweepResult,
  { classes }: Sweep,
  request: ModelRequest,
  search: Search,
): Promise<readonly NamedCandidates[]> {
  if (exactNameIn(names) !== undefined || search.isSlow) return names;
  const tries = new Map(notShown.map((one): [Candidate, boolean] => [one, false]));
  for (const candidate of shown) {
    for (let remaining = REQUESTS_TO_CLEAR; remaining > 0; remaining -= 1) await search.send(search.ordinary);
    tries.set(candidate, (await search.shows(candidate.apply(request))) === true);
  }
  const again = nameCandidates(tries, classes);
  return again.length === 0 ? names : again;
}
