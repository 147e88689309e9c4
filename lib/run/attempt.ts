import type { Contract } from '../contract/contract.ts';
import { briefly } from '../judge/reading.ts';
import {
  acceptsOrdinary,
  answers200,
  type Finding,
  isFinding,
  type Rule,
  type Sent,
  type Unseen,
} from '../judge/rules.ts';
import { bearer, type Case, type Draft } from '../payloads/case.ts';
import { type Exchange, isAborted } from '../wire/exchange.ts';
import { Untestable } from './check.ts';
import type { CheckIds } from './ids.ts';
import { kept, shortly } from './keep.ts';
import type { Failure } from './result.ts';

/** What it takes to judge an exchange. */
export interface Judging {
  readonly contract: Contract;
  readonly token: string;
  /** Called with each exchange that breaks no rule, and what it does not show, where none of them is about it. */
  readonly onUnbroken?: (unseen: Unseen | undefined) => void;
}

/** What every way of carrying out a check has at hand. */
export interface Tools extends Judging {
  readonly send: (draft: Draft, id: bigint, toBeAccepted?: boolean) => Promise<Exchange>;
  /** Sends a request as it is, whatever the store says of its id and name. */
  readonly resend: (draft: Draft, id: bigint) => Promise<Exchange>;
  /** An ordinary plant, to send beside other requests. */
  readonly control: () => Draft;
  /** After a broken exchange: waits until the store serves again. */
  readonly recover: () => Promise<void>;
  /** Requests that are left for failures that do not come again at once. */
  readonly searchBudget: { left: number };
  readonly ids: CheckIds;
  readonly seed: number;
  /** Random cases that the run asks for. */
  readonly cases: number;
  readonly concurrency: number;
  /** How many requests may be on their way at once, as far as the store lets them by now. */
  readonly atOnce: () => number;
  /** Whether so much has been found that nothing more is to be tried. */
  readonly enough: () => boolean;
  /** Milliseconds of a sample of the answers so far. */
  readonly latencies: readonly number[];
}

/** What the judge is told of a request. */
const sentOf = ({ request }: Exchange, { credential = bearer }: Draft, token: string): Sent => ({
  token,
  authorised: credential === bearer,
  get plant() {
    return plantIn(request.body);
  },
});

/** Name and tag of the plant that a body holds, if it holds one. */
function plantIn(body: Uint8Array = new Uint8Array()): Sent['plant'] {
  try {
    const { name, tag } = JSON.parse(Buffer.from(body).toString('utf8')) as Record<string, unknown>;
    return {
      name: typeof name === 'string' ? name : undefined,
      tag: typeof tag === 'string' ? tag : undefined,
    };
  } catch {
    return undefined;
  }
}

/** The first rule that an exchange breaks; else what it does not show, where none of the rules is about it. */
export function rulingOf(
  exchange: Exchange,
  draft: Draft,
  rules: readonly Rule[],
  { contract, token }: Judging,
): ReturnType<Rule> {
  if (!isAsDrafted(exchange, draft))
    return { unseen: `no request with ${draft.framing === 'chunked' ? 'chunks' : 'a length'}` };
  if (isAborted(exchange)) return { unseen: 'no request that was sent to its end' };
  const sent = sentOf(exchange, draft, token);
  const rulings = [];
  for (const rule of rules) {
    const ruling = rule(exchange, contract, sent);
    if (isFinding(ruling)) return ruling;
    rulings.push(ruling);
  }
  return rulings.includes(undefined) ? undefined : rulings[0];
}

/** Whether a request went out in the framing that it is about: not every way of sending has chunks. */
const isAsDrafted = ({ request }: Exchange, { framing = request.framing }: Draft): boolean =>
  framing === request.framing;

/** The first rule that an exchange breaks. */
export function judged(
  exchange: Exchange,
  draft: Draft,
  rules: readonly Rule[],
  judging: Judging,
): Finding | undefined {
  const ruling = rulingOf(exchange, draft, rules, judging);
  if (isFinding(ruling)) return ruling;
  judging.onUnbroken?.(ruling);
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
  const toBeAccepted =
    one.draft.ordinary === true || rules.includes(answers200) || rules.includes(acceptsOrdinary);
  const exchange = await tools.send({ ...one.draft, sentAs: stableLabel }, id, toBeAccepted);
  const finding = judged(exchange, one.draft, rules, tools);
  if (finding === undefined) return undefined;
  return {
    label: one.label,
    stableLabel,
    population: one.population,
    finding,
    draft: one.draft,
    exchange: kept(exchange),
  };
}

/**
 * Makes sure that a well-formed twin is taken, and if not at first, then alone.
 * @throws Untestable when it is not
 */
export async function mustBeTaken(twin: Draft, id: bigint, tools: Tools): Promise<void> {
  const refusal = async (freshId: bigint) => {
    const exchange = await tools.send(twin, freshId);
    const { contract, token } = tools;
    return judged(exchange, twin, [acceptsOrdinary], { contract, token }) === undefined
      ? undefined
      : shortly(briefly(exchange));
  };
  if ((await refusal(id)) === undefined) return;
  const again = await refusal(tools.ids.aside());
  if (again === undefined) return;
  throw new Untestable('create/answers-200', `the well-formed twin of the request is not taken (${again})`);
}
