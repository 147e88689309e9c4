import type { Contract } from '../contract/contract.ts';
import { briefly } from '../judge/reading.ts';
import { answers200, type Finding, type Rule, type Sent } from '../judge/rules.ts';
import { bearer, type Case, type Draft } from '../payloads/case.ts';
import { JsonObject } from '../payloads/json.ts';
import type { Exchange } from '../wire/exchange.ts';
import { Untestable } from './check.ts';
import type { CheckIds } from './ids.ts';
import { kept, shortly } from './keep.ts';
import type { Failure } from './result.ts';

/** What it takes to judge an exchange. */
export interface Judging {
  readonly contract: Contract;
  readonly token: string;
}

/** What every way of carrying out a check has at hand. */
export interface Tools extends Judging {
  readonly send: (draft: Draft, id: bigint) => Promise<Exchange>;
  readonly ids: CheckIds;
  readonly seed: number;
  readonly concurrency: number;
  /** Whether so much has been found that nothing more is to be tried. */
  readonly enough: () => boolean;
  /** Milliseconds of a sample of the answers so far. */
  readonly latencies: readonly number[];
}

/** What the judge is told of a request. */
function sentOf({ body, credential = bearer }: Draft, token: string): Sent {
  const json = body !== undefined && 'json' in body ? body.json : undefined;
  const authorised = credential === bearer;
  if (!(json instanceof JsonObject)) return { token, authorised };
  const text = (name: string) => {
    const value = json.get(name);
    return typeof value === 'string' ? value : undefined;
  };
  return { token, authorised, plant: { name: text('name'), tag: text('tag') } };
}

/** The first rule that an exchange breaks. */
export function judged(
  exchange: Exchange,
  draft: Draft,
  rules: readonly Rule[],
  { contract, token }: Judging,
): Finding | undefined {
  const sent = sentOf(draft, token);
  for (const rule of rules) {
    const finding = rule(exchange, contract, sent);
    if (finding !== undefined) return finding;
  }
  return undefined;
}

/** Sends a case and judges the answer. */
export async function attempt(
  one: Case,
  id: bigint,
  rules: readonly Rule[],
  tools: Tools,
): Promise<Failure | undefined> {
  const stableLabel = one.stableLabel ?? one.label;
  const exchange = await tools.send({ ...one.draft, sentAs: stableLabel }, id);
  const finding = judged(exchange, one.draft, rules, tools);
  if (finding === undefined) return undefined;
  return {
    label: one.label,
    stableLabel,
    population: one.population,
    finding,
    draft: one.draft,
    exchange: kept(exchange),
    when: 'always',
  };
}

/**
 * Makes sure that a well-formed twin is taken, and if not at first, then alone.
 * @throws Untestable when it is not
 */
export async function mustBeTaken(twin: Draft, id: bigint, tools: Tools): Promise<void> {
  const refusal = async (freshId: bigint) => {
    const exchange = await tools.send(twin, freshId);
    return judged(exchange, twin, [answers200], tools) === undefined ? undefined : shortly(briefly(exchange));
  };
  if ((await refusal(id)) === undefined) return;
  const again = await refusal(tools.ids.aside());
  if (again === undefined) return;
  throw new Untestable('create/answers-200', `the well-formed twin of the request is not taken (${again})`);
}
