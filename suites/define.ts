import { fields } from '../lib/judge/reading.ts';
import { createdRules, type Rule } from '../lib/judge/rules.ts';
import type { Json, JsonObject } from '../lib/payloads/json.ts';
import type { RequestTemplate, TestCase } from '../lib/payloads/test-case.ts';
import { isValid } from '../lib/payloads/validity.ts';
import type { Check, CheckContext, Level, PlantFactory, Test } from '../lib/run/check.ts';
import type { Exchange } from '../lib/wire/exchange.ts';
import type { Basis } from './clauses.ts';

/** Usage: `must('ordinary/answers-200', { statement, basis, hint, test: namedCases(rules, cases) })`. */
const ofLevel =
  (level: Level) =>
  (id: string, about: About): Check => ({ id, level, ...about });

type About = Omit<Check, 'id' | 'level'> & { readonly basis: readonly Basis[] };

export const must = ofLevel('MUST');
export const should = ofLevel('SHOULD');
export const observe = (id: string, about: Omit<About, 'hint'>): Check =>
  ofLevel('OBSERVE')(id, { ...about, hint: 'Nothing to fix: the interface leaves this open.' });

/** Returns a test of named cases, each judged by these rules. */
export const namedCases = (
  rules: readonly Rule[],
  cases: (plants: PlantFactory) => readonly TestCase[],
): Test & { kind: 'cases' } => ({ kind: 'cases', cases, rules });

export const requestWith = (json: Json, more: RequestTemplate = {}): RequestTemplate => ({
  body: { json },
  ...more,
});

export const requestWithText = (text: string): RequestTemplate => ({
  body: { bytes: new TextEncoder().encode(text) },
});

/** Returns a request with an ordinary plant, sent as any client would. */
export const ordinaryRequest = (plant: JsonObject): RequestTemplate => ({
  body: { json: plant },
  ordinary: true,
});

export const ordinaryCase = (label: string, plant: JsonObject): TestCase => ({
  label,
  template: ordinaryRequest(plant),
});

/** Returns the cases with a plant that the document allows. */
export const validCases = ({ contract }: PlantFactory, cases: readonly TestCase[]): TestCase[] =>
  cases.filter(({ template: { body } }) => body && 'json' in body && isValid(contract, body.json));

/** Returns a test case that differs from its control request in a single respect. */
export const caseWithControl = (label: string, template: RequestTemplate, control: JsonObject): TestCase => ({
  label,
  template,
  control: ordinaryRequest(control),
});

/** Returns a test case with an ordinary plant that is sent in an unusual way. */
export const unusuallySent = (plants: PlantFactory, label: string, more: RequestTemplate): TestCase =>
  caseWithControl(label, requestWith(plants.plain(), more), plants.plain());

export const rangeText = (first: bigint, last: bigint): string => `from ${idText(first)} to ${idText(last)}`;

/** The wording of an id in a label. A large id that is a power of two, or next to one, is written as such. */
function idText(id: bigint): string {
  const size = id < 0n ? -id : id;
  const sign = id < 0n ? '-' : '';
  for (let bits = 20n; bits < 64n; bits += 1n) {
    const offset = size - 2n ** bits;
    const text = `${sign}2^${bits}`;
    if (offset === 0n) return text;
    if (offset === 1n || offset === -1n) return `${text}${offset > 0n === id > 0n ? '+' : '-'}1`;
  }
  return String(id);
}

export const withoutTag: Check['notApplicable'] = ({ newPlant }) =>
  newPlant.shape.properties.get('tag')?.types.includes('string') === true
    ? undefined
    : 'the document declares no string property `tag`';

/** Returns the values of a header of a response in one text; empty without the header, or a response. */
export const headerText = ({ response }: Exchange, name: string): string =>
  response === undefined ? '' : fields(response, name).join(', ');

/** Sends ordinary plants concurrently; every other one has no optional properties. */
export async function createsAtOnce(context: CheckContext, count: number, label: string): Promise<void> {
  const cases = Array.from({ length: count }, (_, index) => ({
    label,
    template: ordinaryRequest(context.plants.plain(index % 2 === 0 ? 'all' : 'required')),
    rules: createdRules,
  }));
  await context.judgeAll(cases);
}
