import { groupBy } from '../collections.ts';
import type { Contract } from '../contract/contract.ts';
import { signatureOf } from '../judge/signature.ts';
import { sample } from '../payloads/random.ts';
import { shrink } from '../payloads/shrink.ts';
import type { RequestTemplate, TestCase } from '../payloads/test-case.ts';
import type { Answered } from '../report/record/record.ts';
import { sentAndReceived } from '../report/record/record-exchange.ts';
import type { Redact } from '../report/record/redact.ts';
import { inShellOf, requestCommand } from '../report/reproduce/steps.ts';
import type { Check } from '../run/check.ts';
import { plantsFor } from '../run/plant-factory.ts';
import type { Exchange } from '../wire/exchange.ts';
import { headerValues } from '../wire/headers.ts';
import type { Answer, Comparison, Disagreement } from './comparison.ts';

interface DifferentialTarget {
  readonly name: string;
  readonly baseUrl: string;
  readonly tokenEnv?: string | undefined;
  /** Returns the exchanges in the order of the templates; undefined if the store no longer responds. */
  send(templates: readonly RequestTemplate[]): Promise<readonly Exchange[] | undefined>;
}

interface Sampling {
  readonly contract: Contract;
  readonly seed: number;
  readonly redact: Redact;
  /** Number of random cases of a check of weight 1, as in a run. */
  readonly cases: number;
}

/** Number of payloads to send, as a fraction of the random cases of a run. */
export const SAMPLE_FRACTION = 0.5;
const MAX_DISAGREEMENTS = 30;
const MAX_BODY_CHARACTERS = 600;

/** Identifies how the stores answered one payload: their signatures, in the order of the stores. */
const keyOf = (vector: readonly string[]) => vector.join('\n');

/**
 * Sends every store the payloads of the random checks, and shrinks one payload for each disagreement.
 * Payloads that divide the stores in the same way show the same disagreement.
 */
export async function differentialOf(
  stores: readonly DifferentialTarget[],
  checks: readonly Check[],
  sampling: Sampling,
): Promise<Comparison['differential']> {
  const { contract } = sampling;
  const sampled = checks.flatMap((check) => samplesOf(check, sampling));
  const answers = new Map<DifferentialTarget, readonly Exchange[]>();
  await Promise.all(
    stores.map(async (store) => {
      const exchanges = await store.send(sampled.map(({ value }) => value.value.template));
      if (exchanges !== undefined) answers.set(store, exchanges);
    }),
  );
  const responding = stores.filter((store) => answers.has(store));
  const split = sampled.flatMap((one, index) => {
    const vector = responding.map((store) => signature(answers.get(store)?.[index], contract));
    return new Set(vector).size < 2 ? [] : [{ one, key: keyOf(vector) }];
  });
  const distinct = groupBy(split, ({ key }) => key).sort(([, a], [, b]) => b.length - a.length);
  const disagreements: Disagreement[] = [];
  for (const [key, [first, ...others]] of distinct.slice(0, MAX_DISAGREEMENTS)) {
    const shrunk = await shrunkPayload(first.one, key, responding, contract);
    if (shrunk !== undefined) disagreements.push(describe(shrunk, 1 + others.length, responding, sampling));
  }
  return { payloads: sampled.length, disagreements, more: Math.max(0, distinct.length - MAX_DISAGREEMENTS) };
}

/** Variants of requests and credentials are not payloads. */
export const isSampled = ({ id, test }: Check): boolean =>
  test.kind === 'property' && test.covers === undefined && !id.startsWith('auth/');

function samplesOf(check: Check, { contract, seed, cases }: Sampling) {
  const { id, test } = check;
  if (test.kind !== 'property' || !isSampled(check)) return [];
  const arbitrary = test.cases(plantsFor(contract, seed, id));
  const count = Math.ceil(cases * test.weight * SAMPLE_FRACTION);
  return Array.from({ length: count }, (_, index) => ({
    value: sample(arbitrary, seed, `compare/${id}`, index),
    arbitrary,
  }));
}

const signature = (exchange: Exchange | undefined, contract: Contract): string =>
  exchange === undefined ? 'not sent' : signatureOf(exchange, contract);

/** Undefined if the original payload no longer divides the stores in the same way. */
async function shrunkPayload(
  { value, arbitrary }: ReturnType<typeof samplesOf>[number],
  key: string,
  stores: readonly DifferentialTarget[],
  contract: Contract,
) {
  const attempt = async (one: TestCase) => {
    const answers = await Promise.all(stores.map((store) => store.send([one.template])));
    const exchanges = answers.flatMap((list) => list?.slice(0, 1) ?? []);
    if (exchanges.length < stores.length) return undefined;
    const vector = exchanges.map((exchange) => signature(exchange, contract));
    return keyOf(vector) === key ? { one, exchanges, vector } : undefined;
  };
  const first = await attempt(value.value);
  if (first === undefined) return undefined;
  const { result, path } = await shrink(value, arbitrary, first, attempt);
  return { ...result, shrinks: path.length };
}

function describe(
  { one, shrinks, exchanges, vector }: NonNullable<Awaited<ReturnType<typeof shrunkPayload>>>,
  payloads: number,
  stores: readonly DifferentialTarget[],
  { redact }: Sampling,
): Disagreement {
  const messages = exchanges.map((exchange, index) =>
    sentAndReceived(exchange, one.template, stores[index]?.baseUrl ?? '', redact),
  );
  const answers = messages.map((message, index) => ({
    signature: vector[index] ?? '',
    answer: answerOf(stores[index]?.name ?? '', message),
  }));
  const [first] = messages;
  if (first === undefined) throw new Error('a disagreement without stores');
  const { request } = first;
  return {
    label: redact(one.label),
    request: {
      contentType: typeOf(request.headers),
      body: request.body,
      command: inShellOf(requestCommand(request), stores[0] ?? {}),
    },
    payloads,
    shrinks,
    ways: groupBy(answers, (one) => one.signature)
      .map(([way, members]) => ({ signature: way, answers: members.map(({ answer }) => answer) }))
      .sort((a, b) => b.answers.length - a.answers.length),
  };
}

const typeOf = (headers: readonly (readonly [string, string])[]): string =>
  headerValues(headers, 'content-type').join(', ');

function answerOf(name: string, { response, fault }: Answered): Answer {
  if (response === undefined) return { name, fault: fault?.detail ?? 'no response' };
  const { status, headers, body } = response;
  const truncated =
    'text' in body
      ? { ...body, text: body.text.slice(0, MAX_BODY_CHARACTERS) }
      : { ...body, base64: body.base64.slice(0, MAX_BODY_CHARACTERS) };
  return { name, status, contentType: typeOf(headers), body: truncated };
}
