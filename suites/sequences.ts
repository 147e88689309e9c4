import {
  acceptsOrdinary,
  answered,
  errorBody,
  errorMediaType,
  type Finding,
  noServerError,
  notSuccess,
  plantBody,
  plantMediaType,
  type Rule,
  sound,
  takenOrRefused,
} from '../lib/judge/rules.ts';
import { admits } from '../lib/payloads/admits.ts';
import type { Draft } from '../lib/payloads/case.ts';
import { fixedFor } from '../lib/payloads/fresh.ts';
import { FRESH, type Json, type JsonObject } from '../lib/payloads/json.ts';
import { ID } from '../lib/payloads/plants.ts';
import { SAID, type Step, sequencesOf, wordsOf } from '../lib/payloads/sequence.ts';
import type { Bench, Check } from '../lib/run/check.ts';
import type { Exchange } from '../lib/wire/exchange.ts';
import { shortest } from './shortest.ts';
import { creating, must } from './vocabulary.ts';

/** Requests that may be spent on making failing sequences short. */
const SHRINK_BUDGET_REQUESTS = 300;
/** Failures of different kinds after which no more sequences are tried. */
const MAX_FAULTS = 3;

const ACCEPTED: readonly Rule[] = [acceptsOrdinary, plantMediaType, plantBody];
const REJECTED: readonly Rule[] = [notSuccess, answered, noServerError, errorMediaType, errorBody];
const OPEN: readonly Rule[] = [takenOrRefused, ...sound];

/** What an outcome may depend on, besides the request: the plants that were, or may have been, created. */
interface Known {
  /** The ids of plants by their number in the sequence, once they are known. */
  readonly ids: Map<number, bigint>;
  /** Plants of which a plant with their id, or with their name, may have been created. */
  readonly idInUse: Set<number>;
  readonly nameInUse: Set<number>;
}

interface Sent {
  readonly step: Step;
  readonly draft: Draft;
  /** What must come of it; empty where nothing is promised. */
  readonly rules: readonly Rule[];
  /** Whose id and name it carries. */
  readonly id: number | undefined;
  readonly name: number | undefined;
}

/** The plant that a request is about. */
interface About extends Pick<Sent, 'id' | 'name'> {
  readonly json: JsonObject;
  /** Any store takes it where its id and name are free. */
  readonly isOrdinary: boolean;
}

interface Fault extends Sent {
  readonly exchange: Exchange;
  readonly finding: Finding;
}

/** Sends sequences of steps; each on plants of its own, so that none meets another. */
class Sequences {
  private readonly bench: Bench;
  private readonly plants: readonly JsonObject[];
  /** Kinds of requests that were answered as they must be. */
  readonly passed = new Set<string>();

  constructor(bench: Bench) {
    this.bench = bench;
    const { plants } = bench;
    this.plants = [plants.plain(), plants.plain('required'), plants.plain(), plants.plain('required')];
  }

  /** Sends the steps in their order, up to the first that is not answered as it must be. */
  async play(steps: readonly Step[]): Promise<Fault | undefined> {
    const known: Known = { ids: new Map(), idInUse: new Set(), nameInUse: new Set() };
    const round = this.bench.nextId();
    for (const together of byMoment(steps)) {
      const sent = together.map((step) => this.request(step, together, known, round));
      const exchanges = await this.send(sent);
      const faults = sent.flatMap((one, index): Fault[] => {
        const exchange = exchanges[index];
        if (exchange === undefined) return [];
        learn(one, exchange, known);
        const finding = this.bench.find(exchange, one.draft, one.rules);
        if (finding === undefined) this.passed.add(kindOf(one));
        return finding === undefined ? [] : [{ ...one, exchange, finding }];
      });
      if (faults[0] !== undefined) return faults[0];
    }
    return undefined;
  }

  private async send(sent: readonly Sent[]): Promise<readonly Exchange[]> {
    const [only, ...others] = sent;
    if (only !== undefined && others.length === 0) return [await this.bench.send(only.draft)];
    return this.bench.sendAll(sent.map(({ draft }) => draft));
  }

  private request(step: Step, together: readonly Step[], known: Known, round: bigint): Sent {
    const { plant: number, wrong, manner } = step;
    const beside = together.filter((other) => other !== step && other.plant === number);
    const { json, id, name, isOrdinary } = this.plantOf(step, beside.length > 0, known);
    const mayBeInUse =
      (id !== undefined && known.idInUse.has(id)) ||
      (name !== undefined && known.nameInUse.has(name)) ||
      beside.some(mayCreate);
    const mustBeAccepted = wrong === undefined && manner === 'as usual' && isOrdinary && !mayBeInUse;
    const rules = rulesFor(step, mustBeAccepted);
    return { step, draft: this.draftOf(step, json, mustBeAccepted, round), rules, id, name };
  }

  private plantOf({ plant: number, like }: Step, isShared: boolean, { ids }: Known): About {
    const { bench } = this;
    const fresh = this.plants[number % this.plants.length] ?? bench.plants.plain();
    const isNew = !ids.has(number);
    const isAccented = like === 'composed' || like === 'decomposed';
    if (isNew && (isShared || isAccented)) ids.set(number, bench.nextId());
    const ownId = ids.get(number);
    const fixed = (id: bigint) => {
      const json = fixedFor(fresh, id);
      return fresh.get(ID) === FRESH ? json.with(ID, id) : json;
    };
    const itself = ownId === undefined ? fresh : fixed(ownId);
    const same: About = { json: itself, id: number, name: number, isOrdinary: true };
    const changed = (json: JsonObject, rest: Omit<About, 'json'>): About =>
      admits(bench.plants.contract, json) ? { ...rest, json } : same;
    const id: Json | undefined = itself.get(ID);
    const name = itself.get('name');
    if (isAccented && typeof name === 'string') {
      const accented = `${name} é`.normalize(like === 'composed' ? 'NFC' : 'NFD');
      return changed(fixed(bench.nextId()).with('name', accented), { ...same, isOrdinary: false });
    }
    if (isNew || ownId === undefined || like === 'same') return same;
    const other = fixed(bench.nextId());
    if (like === 'same id' && id !== undefined)
      return changed(other.with(ID, id), { id: number, name: undefined, isOrdinary: true });
    if (typeof name !== 'string') return same;
    const named = like === 'name in another case' ? inAnotherCase(name) : name;
    return changed(other.with('name', named), { id: undefined, name: number, isOrdinary: true });
  }

  private draftOf(
    { plant, wrong, manner, connection }: Step,
    json: JsonObject,
    mustBeAccepted: boolean,
    round: bigint,
  ): Draft {
    const delivery: Draft['delivery'] =
      connection === 'fresh' ? { freshConnection: true } : connection === 'kept' ? {} : undefined;
    const around: Draft = {
      ...(manner === 'in chunks' ? { framing: 'chunked' as const } : {}),
      ...(manner === 'with a query' ? { path: '/plants?page=1' } : {}),
      ...(manner === 'with an Idempotency-Key'
        ? { headers: [['idempotency-key', `${round}-${plant}`] as const] }
        : {}),
      ...(delivery === undefined ? {} : { delivery }),
    };
    if (mustBeAccepted) return { ...around, ...creating(json) };
    const body: Draft['body'] = { json };
    switch (wrong?.kind) {
      case undefined:
        return { ...around, body };
      case 'body':
        return { ...around, body: wrong.spoil(json), contentType: 'application/json' };
      case 'credential':
        return { ...around, body, credential: wrong.credential };
      case 'aborted':
        return { ...around, body, delivery: { ...delivery, abortAfter: ABORTED_AFTER } };
      case 'oversized':
        return { ...around, body: { json, edit: (text) => text + ' '.repeat(OVERSIZE) }, beyond: true };
    }
  }
}

/** Bytes of the body of an aborted request, and white space that makes one oversized. */
const ABORTED_AFTER = 12;
const OVERSIZE = 80 * 1024;

const mayCreate = ({ wrong }: Step): boolean => wrong?.kind !== 'body' && wrong?.kind !== 'credential';

function rulesFor({ wrong }: Step, mustBeAccepted: boolean): readonly Rule[] {
  if (wrong?.kind === 'aborted' || wrong?.kind === 'oversized') return [];
  if (wrong !== undefined) return REJECTED;
  return mustBeAccepted ? ACCEPTED : OPEN;
}

/** A request that was not rejected for certain may have created a plant. */
function learn({ step, id, name }: Sent, { request, kind, response }: Exchange, known: Known): void {
  if (!known.ids.has(step.plant) && request.freshId !== undefined) known.ids.set(step.plant, request.freshId);
  const isRejected = kind === 'answered' && response.status >= 400 && response.status < 500;
  if (isRejected) return;
  if (id !== undefined) known.idInUse.add(id);
  if (name !== undefined) known.nameInUse.add(name);
}

const inAnotherCase = (name: string): string =>
  name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase();

function byMoment(steps: readonly Step[]): readonly (readonly Step[])[] {
  const moments = new Map<number, Step[]>();
  for (const step of steps) moments.set(step.moment, [...(moments.get(step.moment) ?? []), step]);
  return [...moments.values()];
}

/** What kind of request is answered wrongly, whatever came before: the same with every seed. */
const kindOf = ({ step: { wrong }, rules }: Sent): string => {
  if (wrong !== undefined) return `a request ${SAID[wrong.kind]}`;
  return rules === ACCEPTED ? 'an ordinary plant' : 'a plant that may be in use';
};

async function anySequence(bench: Bench): Promise<void> {
  await bench.control(creating(bench.plants.plain()));
  const sequences = new Sequences(bench);
  const { contract } = bench.plants;
  const causes = new Set<string>();
  const budget = { left: SHRINK_BUDGET_REQUESTS };
  for (const steps of sequencesOf(contract, bench.cases, (arbitrary) => bench.plants.draw(arbitrary))) {
    const before = new Set(sequences.passed);
    const fault = await sequences.play(steps);
    if (fault === undefined) continue;
    const kind = kindOf(fault);
    const cause = `${fault.finding.cause}: ${kind}`;
    if (causes.has(cause)) continue;
    causes.add(cause);
    const found = await shrunk(fault, steps, sequences, budget, before.has(kind));
    bench.book(found.fault.exchange, found.fault.draft, found.label, found.fault.finding, kind);
    // What did not answer in time is not waited for again and again.
    if (causes.size === MAX_FAULTS || timedOut(fault)) return;
  }
}

const timedOut = ({ exchange }: Fault): boolean =>
  exchange.kind === 'broken' && exchange.fault.kind === 'timeout';

/** Changes that make a step more ordinary. */
const SIMPLER: readonly ((step: Step) => Partial<Step>)[] = [
  () => ({ connection: 'kept' }),
  () => ({ manner: 'as usual' }),
  () => ({ like: 'same' }),
];

/**
 * Makes the sequence that shows a fault as short as it goes, on fresh ids each time.
 * @param wasRight whether a request of the kind was answered as it must be before the sequence
 */
async function shrunk(
  fault: Fault,
  steps: readonly Step[],
  sequences: Sequences,
  budget: { left: number },
  wasRight: boolean,
): Promise<{ readonly fault: Fault; readonly label: string }> {
  const { step } = fault;
  let [latest, last] = [fault, step];
  const shows = async (tried: readonly Step[], own: Step): Promise<boolean | undefined> => {
    if (budget.left < tried.length) return undefined;
    budget.left -= tried.length;
    const again = await sequences.play(tried);
    if (again?.step !== own || again.finding.cause !== fault.finding.cause) return false;
    [latest, last] = [again, own];
    return true;
  };
  const others = steps.filter((one) => one !== step && one.moment <= step.moment);
  const whole = inOrder(others, step);
  if (timedOut(fault) || (await shows(whole, step)) !== true)
    return { fault, label: `${summaryOf(others)}${kindOf(fault)}, which did not come again` };
  let least = await shortest(others, (some) => shows(inOrder(some, step), step));
  if (least.length === 0 && wasRight)
    return { fault, label: `${summaryOf(others)}${kindOf(fault)}, and ever since` };
  for (const one of [...least, step])
    for (const change of SIMPLER) {
      const current = one === step ? last : (least.find(({ moment }) => moment === one.moment) ?? one);
      const simpler: Step = { ...current, ...change(current) };
      if (isSame(simpler, current)) continue;
      const own = one === step ? simpler : last;
      const rest = one === step ? least : least.map((other) => (other === current ? simpler : other));
      if ((await shows(inOrder(rest, own), own)) === true) least = rest;
    }
  return { fault: latest, label: labelOf(least, last) };
}

const isSame = (one: Step, other: Step): boolean =>
  one.connection === other.connection && one.manner === other.manner && one.like === other.like;

/** The steps before and beside the last, and the last; of one moment, the last comes first. */
const inOrder = (others: readonly Step[], last: Step): readonly Step[] =>
  [last, ...others].sort((a, b) => a.moment - b.moment);

/** What came before a fault, by kinds, where it could not be made short. */
function summaryOf(before: readonly Step[]): string {
  const counts = new Map<string, number>();
  for (const { wrong } of before) {
    const kind = wrong === undefined ? 'a valid request' : `a request ${SAID[wrong.kind]}`;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const all = [...counts].map(([kind, count]) => (count === 1 ? kind : `${count} × ${kind}`));
  return all.length === 0 ? '' : `after: ${all.join(' | ')}; then: `;
}

function labelOf(before: readonly Step[], last: Step): string {
  const words = wordsOf([...before, last]);
  const earlier = before.filter(({ moment }) => moment < last.moment).map(words);
  const beside = before.filter(({ moment }) => moment === last.moment).map(words);
  return [
    ...(earlier.length === 0 ? [] : [`after: ${counted(earlier)}; then: `]),
    words(last),
    ...(beside.length === 0 ? [] : [`, together with: ${counted(beside)}`]),
  ].join('');
}

/** The same words in a row are said once. */
function counted(words: readonly string[]): string {
  const runs: { text: string; times: number }[] = [];
  for (const text of words) {
    const last = runs.at(-1);
    if (last?.text === text) last.times += 1;
    else runs.push({ text, times: 1 });
  }
  return runs.map(({ text, times }) => (times === 1 ? text : `${times} × ${text}`)).join(' | ');
}

/** An outcome depends on nothing but the request, and on the plants that were created. */
export const sequences: readonly Check[] = [
  must(
    'serving/any-sequence',
    {
      statement:
        'In any sequence of requests, each is answered for itself: its outcome depends on nothing but the request and the plants that were created.',
      basis: ['section 4, rule 1', 'section 4, request body', 'section 5, rule 1', 'RFC 9110 section 3.3'],
      hint: 'Look for what the requests named leave behind: a cache that is keyed by too little, a connection that stays trusted, a buffer or lock that is not given back, a counter that runs full.',
    },
    {
      kind: 'procedure',
      sends:
        'Fifty invalid bodies, each on a fresh connection, every invalid credential, and eight aborted requests, each in a row with an ordinary plant after them; plants that resemble an earlier one in their bytes, id, name or Idempotency-Key, with and without a fault; and one sequence for every ten random cases, of 8 to 16 steps of all these kinds and oversized ones, over several connections, some at the same time.',
      run: anySequence,
      alone: true,
    },
  ),
];
