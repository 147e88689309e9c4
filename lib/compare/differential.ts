import type { Value } from 'fast-check';
import type { Contract } from '../contract/contract.ts';
import { signatureOf } from '../judge/signature.ts';
import type { Case, Draft } from '../payloads/case.ts';
import { draw } from '../payloads/random.ts';
import { curlOf } from '../report/curl.ts';
import { sidesOf } from '../report/recorded.ts';
import type { Redact } from '../report/redact.ts';
import type { Check } from '../run/check.ts';
import { plantsFor } from '../run/plants.ts';
import type { Exchange } from '../wire/exchange.ts';
import type { Answer, Comparison, Disagreement } from './comparison.ts';

/** A store that can be asked. */
export interface Asked {
  readonly name: string;
  readonly baseUrl: string;
  /** The answers in the order of the drafts; undefined once the store cannot be asked any more. */
  ask(drafts: readonly Draft[]): Promise<readonly Exchange[] | undefined>;
}

interface Surroundings {
  readonly contract: Contract;
  readonly seed: number;
  readonly redact: Redact;
  /** Random cases of a generated check of share 1, as in a run. */
  readonly cases: number;
}

/** Payloads in proportion to those of a run. */
export const OF_A_RUN = 0.5;
/** Disagreements that are shrunk and shown. */
const MOST = 30;
/** Payloads tried to shrink one. */
const SHRINK_BUDGET = 40;
/** Characters of a body that are kept. */
const BODY = 600;

/** How each of the stores answered a payload. */
type Vector = readonly string[];

const keyOf = (vector: Vector) => vector.join('\n');

/**
 * Sends every store the payloads of the generated checks, finds those that are not answered alike, and makes
 * one of each kind of disagreement as small as it goes. Two payloads show the same disagreement where they
 * divide the stores in the same way.
 */
export async function differentialOf(
  stores: readonly Asked[],
  checks: readonly Check[],
  surroundings: Surroundings,
): Promise<Comparison['differential']> {
  const { contract } = surroundings;
  const drawn = checks.flatMap((check) => drawsOf(check, surroundings));
  const asked = new Map<Asked, readonly Exchange[]>();
  await Promise.all(
    stores.map(async (store) => {
      const exchanges = await store.ask(drawn.map(({ value }) => value.value.draft));
      if (exchanges !== undefined) asked.set(store, exchanges);
    }),
  );
  const able = stores.filter((store) => asked.has(store));
  const found = new Map<string, { readonly index: number; payloads: number }>();
  for (const index of drawn.keys()) {
    const vector = able.map((store) => signature(asked.get(store)?.[index], contract));
    if (new Set(vector).size < 2) continue;
    const known = found.get(keyOf(vector));
    if (known === undefined) found.set(keyOf(vector), { index, payloads: 1 });
    else known.payloads += 1;
  }
  const kinds = [...found].sort(([, a], [, b]) => b.payloads - a.payloads || a.index - b.index);
  const disagreements: Disagreement[] = [];
  for (const [key, { index, payloads }] of kinds.slice(0, MOST)) {
    const one = drawn[index];
    const small = one === undefined ? undefined : await smallest(one, key, able, contract);
    if (small !== undefined) disagreements.push(told(small, payloads, able, surroundings));
  }
  return { payloads: drawn.length, disagreements, more: Math.max(0, kinds.length - MOST) };
}

interface Drawn {
  readonly value: Value<Case>;
  readonly shrink: (value: Value<Case>) => Iterable<Value<Case>>;
}

/** Whether stores are asked for what a check generates; ways of sending and credentials are no payloads. */
export const isAsked = ({ id, test }: Check): boolean =>
  test.kind === 'property' && test.covers === undefined && !id.startsWith('auth/');

/** Payloads of a generated check. */
function drawsOf(check: Check, { contract, seed, cases }: Surroundings): Drawn[] {
  const { id, test } = check;
  if (test.kind !== 'property' || !isAsked(check)) return [];
  const arbitrary = test.cases(plantsFor(contract, seed, id));
  const count = Math.ceil(cases * test.share * OF_A_RUN);
  return Array.from({ length: count }, (_, index) => ({
    value: draw(arbitrary, seed, `compare/${id}`, index),
    shrink: ({ value, context }) => arbitrary.shrink(value, context),
  }));
}

const signature = (exchange: Exchange | undefined, contract: Contract): string =>
  exchange === undefined ? 'not asked' : signatureOf(exchange, contract);

interface Small {
  readonly one: Case;
  readonly shrinks: number;
  readonly exchanges: readonly Exchange[];
  readonly vector: Vector;
}

/** A smaller payload that divides the stores in the same way; undefined where the first one no longer does. */
async function smallest(
  { value, shrink }: Drawn,
  key: string,
  stores: readonly Asked[],
  contract: Contract,
): Promise<Small | undefined> {
  const attempt = async (one: Case, shrinks: number): Promise<Small | undefined> => {
    const answers = await Promise.all(stores.map((store) => store.ask([one.draft])));
    const exchanges = answers.flatMap((list) => list?.slice(0, 1) ?? []);
    if (exchanges.length < stores.length) return undefined;
    const vector = exchanges.map((exchange) => signature(exchange, contract));
    return keyOf(vector) === key ? { one, shrinks, exchanges, vector } : undefined;
  };
  let small = await attempt(value.value, 0);
  let [current, budget] = [value, SHRINK_BUDGET];
  for (let found = small !== undefined; found && budget > 0; ) {
    found = false;
    for (const candidate of shrink(current)) {
      if (budget === 0) break;
      budget -= 1;
      const smaller = await attempt(candidate.value, (small?.shrinks ?? 0) + 1);
      if (smaller === undefined) continue;
      [small, current, found] = [smaller, candidate, true];
      break;
    }
  }
  return small;
}

function told(
  { one, shrinks, exchanges, vector }: Small,
  payloads: number,
  stores: readonly Asked[],
  { redact }: Surroundings,
): Disagreement {
  const sides = exchanges.map((exchange, index) =>
    sidesOf(exchange, one.draft, stores[index]?.baseUrl ?? '', redact),
  );
  const ways = new Map<string, Answer[]>();
  for (const [index, side] of sides.entries()) {
    const way = vector[index] ?? '';
    ways.set(way, [...(ways.get(way) ?? []), answerOf(stores[index]?.name ?? '', side)]);
  }
  const [first] = sides;
  if (first === undefined) throw new Error('a disagreement of nobody');
  const { request } = first;
  return {
    label: redact(one.label),
    request: {
      contentType: typeOf(request.headers),
      body: request.body,
      curl: curlOf(request),
    },
    payloads,
    shrinks,
    ways: [...ways]
      .map(([way, answers]) => ({ signature: way, answers }))
      .sort((a, b) => b.answers.length - a.answers.length),
  };
}

const typeOf = (headers: readonly (readonly [string, string])[]): string =>
  headers
    .filter(([name]) => name.toLowerCase() === 'content-type')
    .map(([, value]) => value)
    .join(', ');

function answerOf(name: string, { response, fault }: Partial<ReturnType<typeof sidesOf>>): Answer {
  if (response === undefined) return { name, fault: fault?.detail ?? 'no answer' };
  const { status, headers, body } = response;
  const short =
    'text' in body
      ? { ...body, text: body.text.slice(0, BODY) }
      : { ...body, base64: body.base64.slice(0, BODY) };
  return { name, status, contentType: typeOf(headers), body: short };
}
