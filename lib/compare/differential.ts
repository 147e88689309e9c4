import { compact, groupBy } from '../collections.ts';
import type { Contract } from '../contract/contract.ts';
import { signatureOf } from '../judge/signature.ts';
import { sample } from '../payloads/random.ts';
import { shrink } from '../payloads/shrink.ts';
import type { TestCase } from '../payloads/test-case.ts';
import type { Answered } from '../report/record/record.ts';
import { sentAndReceived } from '../report/record/record-exchange.ts';
import { type Redact, redactor } from '../report/record/redact.ts';
import { inShellOf, requestCommand } from '../report/reproduce/steps.ts';
import type { Check } from '../run/check.ts';
import { plantsFor } from '../run/plant-factory.ts';
import type { LoadedOptions, OpenRun } from '../run/run.ts';
import type { Exchange } from '../wire/exchange.ts';
import { headerValues } from '../wire/headers.ts';
import type { Answer, Comparison, Disagreement } from './comparison.ts';

interface OpenStore {
  readonly target: {
    readonly name: string;
    readonly loaded: LoadedOptions;
    readonly secrets: readonly string[];
  };
  readonly run: Pick<OpenRun, 'header' | 'sendOutsideChecks'>;
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
export async function differentialOf(stores: readonly OpenStore[]): Promise<Comparison['differential']> {
  const [first] = stores;
  if (first === undefined) return null;
  const { contract, catalogue, selected } = first.target.loaded;
  const redact = redactor(stores.flatMap(({ target }) => target.secrets));
  const checks = catalogue.filter(({ id }) => selected?.(id) ?? true);
  const sampled = checks.flatMap((check) => samplesOf(check, first));
  const templates = sampled.map(({ value }) => value.value.template);
  const answers = await Promise.all(stores.map(({ run }) => run.sendOutsideChecks(templates)));
  const responding = stores.filter((_, index) => answers[index] !== undefined);
  const split = sampled.flatMap((one, index) => {
    const vector = compact(...answers).map((exchanges) => signature(exchanges[index], contract));
    return new Set(vector).size < 2 ? [] : [{ one, key: keyOf(vector) }];
  });
  const distinct = groupBy(split, ({ key }) => key).sort(([, a], [, b]) => b.length - a.length);
  const disagreements: Disagreement[] = [];
  for (const [key, same] of distinct.slice(0, MAX_DISAGREEMENTS)) {
    const shrunk = await shrunkPayload(same[0].one, key, responding, contract);
    if (shrunk !== undefined) disagreements.push(describe(shrunk, same.length, responding, redact));
  }
  return { payloads: sampled.length, disagreements, more: Math.max(0, distinct.length - MAX_DISAGREEMENTS) };
}

/**
 * Returns whether disagreements are looked for with the payloads of a check. Combinations and credentials are
 * not payloads.
 */
export const isSampled = ({ id, test }: Check): boolean =>
  test.kind === 'property' && test.covers === undefined && !id.startsWith('auth/');

function samplesOf(check: Check, { target, run }: OpenStore) {
  const { id, test } = check;
  if (test.kind !== 'property' || !isSampled(check)) return [];
  const { seed, cases } = run.header.options;
  const arbitrary = test.cases(plantsFor(target.loaded.contract, seed, id));
  const count = Math.ceil(cases * test.weight * SAMPLE_FRACTION);
  return Array.from({ length: count }, (_, index) => ({
    value: sample(arbitrary, seed, `compare/${id}`, index),
    arbitrary,
  }));
}

const signature = (exchange: Exchange | undefined, contract: Contract): string =>
  exchange === undefined ? 'not sent' : signatureOf(exchange, contract);

/** Shrinks a payload; undefined if the original one no longer divides the stores in the same way. */
async function shrunkPayload(
  { value, arbitrary }: ReturnType<typeof samplesOf>[number],
  key: string,
  stores: readonly OpenStore[],
  contract: Contract,
) {
  const attempt = async (one: TestCase) => {
    const answers = await Promise.all(stores.map(({ run }) => run.sendOutsideChecks([one.template])));
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
  stores: readonly OpenStore[],
  redact: Redact,
): Disagreement {
  const found = stores.flatMap(({ target: { name, loaded } }, index) => {
    const exchange = exchanges[index];
    if (exchange === undefined) return [];
    const messages = sentAndReceived(exchange, one.template, loaded.baseUrl, redact);
    return [{ messages, loaded, way: vector[index] ?? '', answer: answerOf(name, messages) }];
  });
  const [first] = found;
  if (first === undefined) throw new Error('a disagreement without stores');
  const { request } = first.messages;
  return {
    label: redact(one.label),
    request: {
      contentType: typeOf(request.headers),
      body: request.body,
      command: inShellOf(requestCommand(request), first.loaded),
    },
    payloads,
    shrinks,
    ways: groupBy(found, ({ way }) => way)
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
