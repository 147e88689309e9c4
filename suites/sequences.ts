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
import type { Before, Bench, Check } from '../lib/run/check.ts';
import type { Exchange } from '../lib/wire/exchange.ts';
import { shortest } from './shortest.ts';
import { creating, must } from './vocabulary.ts';

/** Requests that may be spent on making failing sequences short. */
const SHRINK_BUDGET_REQUESTS = 300;
/** Requests before a failing one that are kept in the record. */
const MAX_BEFORE = 32;
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

interface Fault extends Sent, Before {
  /** What was sent before it in its sequence, or at the same time. */
  readonly before: readonly Before[];
  readonly finding: Finding;
}

/** Sends sequences of steps; each on plants of its own, so that none meets another. */
class Sequences {
  private readonly bench: Bench;
  private readonly plants: readonly JsonObject[];
  /** Kinds of requests that were answered as they must be, and names of what was wrong with them. */
  readonly passed = new Set<string>();

  constructor(bench: Bench) {
    this.bench = bench;
    const { plants } = bench;
    this.plants = [plants.plain(), plants.plain('required'), plants.plain(), plants.plain('required')];
  }

  /** Sends the steps in their order, up to the first that is not answered as it must be. */
  async play(steps: readonly Step[]): Promise<Fault | undefined> {
    const known: Known = { ids: new Map(), idInUse: new Set(), nameInUse: new Set() };
    const before: Before[] = [];
    const round = this.bench.nextId();
    // What came before a sequence is not to matter for it, nor is the connection that it was sent on.
    await this.bench.send(creating(this.bench.plants.plain()));
    for (const [moment, together] of byMoment(steps).entries()) {
      const sent = together.map((step) => this.request(step, together, moment === 0, known, round));
      const exchanges = await this.send(sent);
      const answered = sent.flatMap((one, index) => {
        const exchange = exchanges[index];
        return exchange === undefined ? [] : [{ ...one, exchange }];
      });
      for (const one of answered) learn(one, known);
      for (const one of answered) {
        const finding = this.bench.find(one.exchange, one.draft, one.rules);
        if (finding !== undefined)
          return { ...one, finding, before: [...before, ...answered.filter((other) => other !== one)] };
        this.pass(one);
      }
      before.push(...answered);
    }
    return undefined;
  }

  private pass(sent: Sent): void {
    const { wrong } = sent.step;
    this.passed.add(kindOf(sent));
    if (wrong !== undefined && 'name' in wrong) this.passed.add(wrong.name);
  }

  private async send(sent: readonly Sent[]): Promise<readonly Exchange[]> {
    const [only, ...others] = sent;
    if (only !== undefined && others.length === 0) return [await this.bench.send(only.draft)];
    return this.bench.sendAll(sent.map(({ draft }) => draft));
  }

  private request(
    step: Step,
    together: readonly Step[],
    isFirst: boolean,
    known: Known,
    round: bigint,
  ): Sent {
    const { plant: number, wrong, manner } = step;
    const connection = isFirst && step.connection !== 'own' ? 'fresh' : step.connection;
    const beside = together.filter((other) => other !== step && other.plant === number);
    const { json, id, name, isOrdinary } = this.plantOf(step, beside.length > 0, known);
    const mayBeInUse =
      (id !== undefined && known.idInUse.has(id)) ||
      (name !== undefined && known.nameInUse.has(name)) ||
      beside.some(mayCreate);
    const mustBeAccepted = wrong === undefined && manner === 'as usual' && isOrdinary && !mayBeInUse;
    const draft = this.draftOf({ ...step, connection }, json, mustBeAccepted, round);
    return { step, draft, rules: rulesFor(step, mustBeAccepted), id, name };
  }

  private plantOf({ plant: number, like }: Step, isShared: boolean, { ids }: Known): About {
    const { bench } = this;
    const fresh = this.plants[number % this.plants.length] ?? bench.plants.plain();
    const isAccented = like === 'composed' || like === 'decomposed';
    if (!ids.has(number) && (isShared || isAccented)) ids.set(number, bench.nextId());
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
    if (ownId === undefined || like === 'same') return same;
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
    const delivery = DELIVERIES[connection];
    const around: Draft = {
      ...(manner === 'in chunks' ? { framing: 'chunked' as const } : {}),
      ...(manner === 'with a query' ? { path: '/plants?page=1' } : {}),
      headers: [
        ...(manner === 'with an Idempotency-Key' ? [['idempotency-key', `${round}-${plant}`] as const] : []),
        ...(connection === 'own' ? [['connection', 'close'] as const] : []),
      ],
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

/** Those without a delivery go over other connections than those with one. */
const DELIVERIES: Readonly<Record<Step['connection'], Draft['delivery']>> = {
  kept: {},
  other: undefined,
  fresh: { freshConnection: true },
  own: { freshConnection: true },
};

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
function learn({ step, id, name, exchange }: Sent & Before, known: Known): void {
  const { request, kind, response } = exchange;
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
  const causes = new Set<string>();
  const budget = { left: SHRINK_BUDGET_REQUESTS };
  const all = sequencesOf(bench.plants.contract, bench.cases, (arbitrary) => bench.plants.draw(arbitrary));
  for (const steps of all) {
    const fault = await sequences.play(steps);
    if (fault === undefined || causes.has(causeOf(fault))) continue;
    causes.add(causeOf(fault));
    const wasRight = sequences.passed.has(asked(fault));
    const found = await shrunk(fault, steps, (some) => sequences.play(some), budget, wasRight);
    bench.book(found.exchange, found.draft, found.label, found.finding, {
      stableLabel: asked(found),
      before: found.before.slice(-MAX_BEFORE),
    });
    // What is not answered in time is not waited for again and again.
    if (causes.size === MAX_FAULTS || timedOut(fault)) return;
  }
}

const timedOut = ({ exchange }: Fault): boolean =>
  exchange.kind === 'broken' && exchange.fault.kind === 'timeout';

/** What is wrong with the answer, and with what kind of request where that belongs to it. */
const causeOf = (fault: Fault): string =>
  fault.finding.ofRequest === true ? `${fault.finding.cause}: ${kindOf(fault)}` : fault.finding.cause;

/** What of a request it would be that is answered wrongly, if nothing that came before had to do with it. */
const asked = (fault: Fault): string => {
  const { wrong } = fault.step;
  return fault.finding.ofRequest === true && wrong !== undefined && 'name' in wrong
    ? wrong.name
    : kindOf(fault);
};

/** Changes that make a step more ordinary. */
const SIMPLER: readonly Partial<Step>[] = [{ connection: 'kept' }, { manner: 'as usual' }, { like: 'same' }];

/**
 * Makes the sequence that shows a fault as short as it goes, on fresh values each time.
 * @param play sends the steps, and says what the first fault is
 * @param wasRight whether such a request was answered as it must be before
 */
async function shrunk(
  fault: Fault,
  steps: readonly Step[],
  play: (steps: readonly Step[]) => Promise<Fault | undefined>,
  budget: { left: number },
  wasRight: boolean,
): Promise<Fault & { readonly label: string }> {
  let latest = fault;
  const shows = async (some: readonly Step[]): Promise<boolean | undefined> => {
    if (budget.left < some.length) return undefined;
    budget.left -= some.length;
    const again = await play(some);
    if (again === undefined || causeOf(again) !== causeOf(fault)) return false;
    latest = again;
    return true;
  };
  const whole = upTo(fault, steps);
  const unshrunk = (what: string) => ({ ...fault, label: `${summaryOf(whole, fault)}, ${what}` });
  if (timedOut(fault)) return unshrunk('which was not tried again');
  if (wasRight && whole.length > 1 && (await shows([fault.step])) === true) return unshrunk('and ever since');
  let comesAgain = false;
  for (let left = MAX_TRIES; left > 0 && !comesAgain; left -= 1) comesAgain = (await shows(whole)) === true;
  if (!comesAgain) return unshrunk('which did not come again');
  let least = upTo(latest, await shortest(upTo(latest, whole), shows));
  for (let at = 0; at < least.length; at += 1)
    for (const change of SIMPLER) {
      const simpler = least.map((step, index) => (index === at ? { ...step, ...change } : step));
      if (isSame(simpler[at], least[at]) || (await shows(simpler)) !== true) continue;
      least = upTo(latest, simpler);
    }
  return { ...latest, label: labelOf(least, latest.step) };
}

/** Tries of a whole sequence before it counts as one that fails now and then. */
const MAX_TRIES = 3;

const upTo = ({ step: { moment } }: Fault, steps: readonly Step[]): readonly Step[] =>
  steps.filter((one) => one.moment <= moment);

const isSame = (one: Step | undefined, other: Step | undefined): boolean =>
  one?.connection === other?.connection && one?.manner === other?.manner && one?.like === other?.like;

/** A fault and what came before it, by kinds, where that could not be made short. */
function summaryOf(steps: readonly Step[], fault: Fault): string {
  const counts = new Map<string, number>();
  for (const { wrong } of steps.filter((step) => step !== fault.step)) {
    const kind = wrong === undefined ? 'a valid request' : `a request ${SAID[wrong.kind]}`;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const all = [...counts].map(([kind, count]) => (count === 1 ? kind : `${count} × ${kind}`));
  return `${all.length === 0 ? '' : `after: ${all.join(' | ')}; then: `}${kindOf(fault)}`;
}

function labelOf(steps: readonly Step[], last: Step): string {
  const words = wordsOf(steps);
  const earlier = steps.filter(({ moment }) => moment < last.moment).map(words);
  const beside = steps.filter((step) => step.moment === last.moment && step !== last).map(words);
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
        'Every invalid body (64 at most), each on a connection of its own; every invalid credential, and nine aborted requests; after each of these rows an ordinary plant, one without a token, and an invalid body. Plants that resemble an earlier one in their bytes, id, name or Idempotency-Key, with and without a fault; and eight at the same time. Then one sequence for every twelve random cases (100 at most), of 8 to 16 steps of all these kinds and oversized ones, over several connections.',
      run: anySequence,
      alone: true,
    },
  ),
];
