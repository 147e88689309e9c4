import { type ModelRequest, templateOf } from '../../payloads/model/model-request.ts';
import type { SentRequest } from '../../run/check.ts';
import { counted } from '../../text.ts';
import { withinBudget } from '../experiment/experiments.ts';
import { everyTime, type Finder, REPEATS, repeated, type Search } from '../experiment/search.ts';
import { bisect } from '../experiment/sweep.ts';
import type { Condition } from '../explanation/condition.ts';
import { type Explanation, shownAfterOthers } from '../explanation/explanation.ts';
import { mustReject } from '../symptom/detect-symptoms.ts';
import { PRECEDING_KINDS, type PrecedingKind, type Sequence, type SequenceProbe } from './sequence-probe.ts';

const ALL_KINDS = Object.values(PRECEDING_KINDS);

/** Numbers of preceding requests to try. */
const COUNTS_OF_PRECEDING_REQUESTS = [2, 3, 5, 8, 10, 20, 30];

/**
 * Finds after how many requests of one kind, in a row or in total, a request shows the symptom.
 * @param exactly the only number to try
 */
export async function tryAfterMany(probe: SequenceProbe, exactly?: number): Promise<Explanation | undefined> {
  for (const kind of ALL_KINDS) {
    // Ordinary requests were already sent one after the other.
    if (kind === PRECEDING_KINDS.accepted && probe.isOrdinary) continue;
    const found = await tryAfterManyOfKind(probe, kind, exactly);
    if (found === 'whatever comes before') return undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What the store counts if it counts requests of this kind. */
const countedOf = (kind: PrecedingKind): Pick<Condition, 'counted'> =>
  kind === PRECEDING_KINDS.unauthenticated || kind === PRECEDING_KINDS.wrong
    ? { counted: 'requests without a valid token' }
    : {};

/** Finds after how many requests of one kind a request shows the symptom. */
export async function tryAfterManyOfKind(
  probe: SequenceProbe,
  kind: PrecedingKind,
  exactly?: number,
): Promise<Explanation | 'whatever comes before' | undefined> {
  let mayBeCounted = kind !== PRECEDING_KINDS.accepted;
  const counts = exactly === undefined ? COUNTS_OF_PRECEDING_REQUESTS : [exactly];
  for (const [index, count] of counts.entries()) {
    const { shows, showsBefore } = await probe.after(kind, count);
    if (!shows && !showsBefore) continue;
    const inAll = mayBeCounted ? await withinBudget(() => tryAfterTotal(probe, kind)) : undefined;
    if (inAll !== undefined) return inAll;
    mayBeCounted = false;
    const sequence = await probe.alwaysAfter(kind, count);
    if (sequence === undefined) continue;
    // An intermittent failure would show after other predecessors, too.
    const others = kind === PRECEDING_KINDS.accepted ? 1 : count;
    const isAbsent = async () => !(await probe.after(PRECEDING_KINDS.accepted, others)).shows;
    if (!(await everyTime(REPEATS, isAbsent))) return 'whatever comes before';
    const fewer = exactly === undefined ? (counts[index - 1] ?? 0) : exactly - 1;
    const least = await shortestSequence(probe, kind, fewer, sequence);
    const { length } = least.before;
    const phrase = length === 1 ? `after ${kind.singular}` : `after ${length} ${kind.plural} in a row`;
    return probe.explanation({ phrase, ...(length === 1 ? {} : countedOf(kind)) }, least);
  }
  return undefined;
}

/** Finds whether the store counts requests of one kind, with others in between, and fails after so many. */
export async function tryAfterTotal(
  probe: SequenceProbe,
  kind: PrecedingKind,
): Promise<Explanation | undefined> {
  // The first round only resets the store's counter, whose value is unknown.
  if ((await probe.countUntilShown(kind)) === undefined) return undefined;
  const first = await probe.countUntilShown(kind);
  const count = first?.before.length ?? 0;
  if (first === undefined || count < 2) return undefined;
  const isAsMany = async () => (await probe.countUntilShown(kind, count - 1))?.before.length === count;
  if (!(await everyTime(REPEATS - 1, isAsMany))) return undefined;
  return probe.explanation({ phrase: `after ${count} ${kind.plural}`, ...countedOf(kind) }, first);
}

/** Finds the smallest number, above `fewer`, of requests of one kind after which the symptom shows. */
async function shortestSequence(
  probe: SequenceProbe,
  kind: PrecedingKind,
  fewer: number,
  sequence: Sequence,
): Promise<Sequence> {
  let shortest = sequence;
  const showsAfter = async (count: bigint) => {
    const shorter = await probe.alwaysAfter(kind, Number(count));
    shortest = shorter ?? shortest;
    return shorter !== undefined;
  };
  const high = BigInt(sequence.before.length);
  await withinBudget(() => bisect({ low: BigInt(fewer), high, shows: false }, showsAfter));
  return shortest;
}

/** Most servers that limit the requests on a connection close it before this many. */
const REQUESTS_ON_CONNECTION = 110;

/** Most stores that count rejected requests on a connection fail before this many. */
const REJECTED_ON_CONNECTION = 34;

/** Finds whether the symptom shows only after a certain number of requests on the same connection. */
export const tryAfterManyOnConnection: Finder = (request, search) => afterManyOnConnection(request, search);

/** Finds whether it shows only after a certain number of rejected requests on the same connection. */
export const tryAfterManyRejectedOnConnection: Finder = async (request, search) => {
  if (search.isSlow) return undefined;
  const { rejected } = PRECEDING_KINDS;
  const many = Array.from({ length: REJECTED_ON_CONNECTION }, () => rejected.from(search.ordinary));
  const last = (await search.experiments.onOneConnection([...many, request])).at(-1);
  if (last === undefined || search.isShown(last, request) !== true) return undefined;
  // On another connection, it must not show: a store may also count the requests of all.
  return (await search.shows(request)) === false
    ? afterManyOnConnection(request, search, rejected)
    : undefined;
};

/** @param kind what to send before each request; nothing if the request itself is to be counted */
async function afterManyOnConnection(
  request: ModelRequest,
  search: Search,
  kind?: PrecedingKind,
): Promise<Explanation | undefined> {
  if (search.isSlow) return undefined;
  const preceding = kind?.from(search.ordinary);
  const round = preceding === undefined ? [request] : [preceding, request];
  const rounds = preceding === undefined ? REQUESTS_ON_CONNECTION : REJECTED_ON_CONNECTION;
  const requests = Array.from({ length: rounds }, () => round).flat();
  let earlier: number | undefined;
  let before: SentRequest | undefined;
  const shown = await repeated(REPEATS - 1, async () => {
    const exchanges = await search.experiments.onOneConnection(requests);
    const index = exchanges.findIndex(
      (exchange, at) => requests[at] === request && search.isShown(exchange, request) === true,
    );
    // What was sent before the request itself, of its own kind or of the other one.
    const own = preceding === undefined ? index : (index + 1) / 2;
    earlier ??= own;
    const [first] = exchanges;
    if (preceding !== undefined && first !== undefined)
      before = { template: templateOf(preceding), exchange: first };
    return index > 0 && own === earlier ? exchanges[index] : undefined;
  });
  if (earlier === undefined || shown === undefined) return undefined;
  const isRejected = preceding !== undefined || mustReject(search.expectedOutcomeOf(request));
  const others =
    kind === undefined
      ? counted(earlier, isRejected ? 'rejected request' : 'other')
      : `${earlier} ${kind.plural}`;
  const condition: Condition = {
    phrase: `after ${others} on the same connection`,
    ...(isRejected && earlier > 1 ? { counted: 'rejections on a connection' } : {}),
  };
  return {
    ...shownAfterOthers(request, shown, [condition], REPEATS - 1),
    outside: [0, earlier * (REPEATS - 1)],
    ...(before === undefined ? {} : { before: [before] }),
    repeat: { times: before === undefined ? earlier + 5 : earlier, inFlight: 1, onConnection: true },
  };
}
