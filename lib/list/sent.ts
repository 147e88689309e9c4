import { groupBy } from '../collections.ts';
import type { Contract } from '../contract/contract.ts';
import { sampleAfter } from '../payloads/random.ts';
import { type RequestTemplate, type TestCase, validCredential } from '../payloads/test-case.ts';
import { shownText, visible } from '../report/wording/format-text.ts';
import type { Check, Test } from '../run/check.ts';
import { DEFAULTS } from '../run/defaults.ts';
import { sampleCount } from '../run/plan/plan.ts';
import { plantsFor } from '../run/plant-factory.ts';
import { DEFAULT_HEADERS, fill, inUsualCase } from '../run/send/fill-template.ts';
import { counted, withSeparators } from '../text.ts';
import { TOKEN_IN_SHELL, TOKEN_VARIABLE } from '../token-variable.ts';
import { utf8Text } from '../utf8.ts';

export interface SentExamples {
  readonly text: string;
  readonly examples: readonly string[];
}

/** The examples, except for their ids, are those of a run with this seed. */
const SEED = 1;
const FIRST_ID = 1_000_001n;
const MAX_EXAMPLES = 3;
const MAX_EXAMPLE_CHARACTERS = 160;

const filled = (template: RequestTemplate, id: bigint) =>
  fill(template, id, { token: TOKEN_VARIABLE, host: '', prefix: '', headers: DEFAULT_HEADERS });

export function examplesOf({ id, test, notApplicable }: Check, contract: Contract): SentExamples {
  const reason = notApplicable?.(contract);
  if (reason !== undefined)
    return {
      text: `Nothing with the bundled document, because ${reason}; an overlay may change that.`,
      examples: [],
    };
  switch (test.kind) {
    case 'cases':
      return named(id, test, contract);
    case 'property':
      return sampled(id, test, contract);
    case 'invariant':
      return {
        text: `Nothing of its own. It judges all matching exchanges of the run, whichever check sent them. Skipped if ${test.absent}.`,
        examples: [],
      };
    case 'scenario':
      return { text: test.sends, examples: [] };
  }
}

function named(id: string, test: Test & { kind: 'cases' }, contract: Contract): SentExamples {
  const cases = test.cases(plantsFor(contract, SEED, id));
  return {
    text: [
      `${counted(cases.length, 'request')}: ${labelSummary(cases.map(({ label }) => label))}.`,
      ...control(cases),
      'The first:',
    ].join(' '),
    examples: cases.slice(0, 1).map(({ template }) => request(template)),
  };
}

function sampled(id: string, test: Test & { kind: 'property' }, contract: Contract): SentExamples {
  const plants = plantsFor(contract, SEED, id);
  const arbitrary = test.cases(plants);
  const named = test.named?.(plants) ?? [];
  const cases = Array.from(
    { length: MAX_EXAMPLES },
    (_, index) => sampleAfter(named, arbitrary, SEED, id, index).value,
  );
  const coverage = test.covers?.(plants, [...named.keys()]);
  if (coverage !== undefined)
    return {
      text: [
        `${counted(named.length, 'request')} that cover all ${withSeparators(coverage.covered)} pairs of values of ${coverage.dimensions} dimensions, or with --thorough all triples; some are sent right after another request. A larger --cases adds random combinations of the same values.`,
        ...control(named),
        `The first ${MAX_EXAMPLES}:`,
      ].join(' '),
      examples: named.slice(0, MAX_EXAMPLES).map(({ label }) => visible(label)),
    };
  return {
    text: [
      `${countText(named.length, test.weight)}.`,
      ...control(cases),
      `The first ${MAX_EXAMPLES} with --seed ${SEED}, except for their ids:`,
    ].join(' '),
    examples: cases.map(
      ({ label, template }, index) =>
        `${visible(label)}: ${body(template, FIRST_ID + BigInt(index)) || '(no body)'}`,
    ),
  };
}

function countText(named: number, weight: number): string {
  const count = sampleCount(weight, DEFAULTS.cases);
  const share = `(${weight} × --cases)`;
  if (named === 0) return `${withSeparators(count)} random requests ${share}`;
  const requests = `${counted(count, 'request')} ${share}`;
  return named < count
    ? `${requests}: the first ${named} are the same in every run, the others random`
    : `${requests}, all the same in every run; a --cases above ${Math.floor(named / weight)} adds random ones`;
}

const control = (cases: readonly TestCase[]): string[] =>
  cases.some(({ control }) => control !== undefined)
    ? [
        'Also a control request: an ordinary plant with the token. If it is not accepted, the check cannot be tested.',
      ]
    : [];

/** If the labels combine every `a` with every `b` as `a, b`, each `a` and `b` is listed only once. */
function labelSummary(labels: readonly string[]): string {
  const parts = labels.map((label) => label.split(', '));
  const [before, after] = [0, 1].map((side) => [...new Set(parts.map((part) => part[side] ?? ''))]);
  const inPairs = parts.every(({ length }) => length === 2) && new Set(labels).size === labels.length;
  if (inPairs && before && after && after.length > 1 && before.length * after.length === labels.length)
    return `${listed(before)} – each of these with ${listed(after)}`;
  return listed(
    groupBy(labels, (label) => label).map(([label, all]) =>
      all.length === 1 ? label : `${label} (${all.length} times)`,
    ),
  );
}

const listed = (labels: readonly string[]) => labels.map(visible).join('; ');

/** A request approximately as it goes over the wire, with $PLANT_STORE_TOKEN in place of the token. */
function request(template: RequestTemplate): string {
  const { method, path, headers, framing } = filled(template, FIRST_ID);
  const content = body(template, FIRST_ID);
  const { header = 'authorization', shell } = template.credential ?? validCredential;
  return [
    `${method} ${nameToken(path)}`,
    ...shell.map((value) => `${inUsualCase(header)}: ${value}`),
    ...headers
      .filter(([name]) => ![header, 'user-agent'].includes(name.toLowerCase()))
      .map(([name, value]) => `${name}: ${shownText(value, MAX_EXAMPLE_CHARACTERS)}`),
    ...(framing === 'chunked' ? ['Transfer-Encoding: chunked'] : []),
    ...(content === '' ? [] : ['', content]),
  ].join('\n');
}

const body = (template: RequestTemplate, id: bigint) =>
  shownText(nameToken(textOf(filled(template, id).body ?? new Uint8Array())), MAX_EXAMPLE_CHARACTERS);

const nameToken = (text: string) => text.replaceAll(TOKEN_VARIABLE, () => TOKEN_IN_SHELL);

/** Bytes as text. If they are not UTF-8, bytes other than printable ASCII become hexadecimal escapes. */
const textOf = (bytes: Uint8Array): string =>
  utf8Text(bytes) ??
  [...bytes]
    .map((byte) =>
      byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`,
    )
    .join('');
