import type { Contract } from '../contract/contract.ts';
import { groupBy } from '../groups.ts';
import { bearer, type Case, type Draft } from '../payloads/case.ts';
import { drawAfter } from '../payloads/random.ts';
import { short, visible } from '../report/explain.ts';
import type { Check, Test } from '../run/check.ts';
import { fill, USUAL } from '../run/fill.ts';
import { DEFAULTS } from '../run/plan.ts';
import { plantsFor } from '../run/plants.ts';

/** What a check sends: in words, and examples to be shown as they are, one or more lines each. */
export interface Sent {
  readonly text: string;
  readonly examples: readonly string[];
}

/** The examples are those of a run with this seed, but for the ids. */
const SEED = 1;
const FIRST_ID = 1_000_001n;
/** Random payloads that are shown. */
const DRAWN = 3;
/** Characters of a line that are shown. */
const LONGEST = 160;

/** Stands for the token while a request is made; no encoding of a request changes it. */
const TOKEN = 'PLANT_STORE_TOKEN';

const filled = (draft: Draft, id: bigint) =>
  fill(draft, id, { token: TOKEN, host: '', prefix: '', headers: USUAL });

/** What a check sends under a contract: the same words and bytes each time. */
export function sentBy({ id, test, silent }: Check, contract: Contract): Sent {
  const reason = silent?.(contract);
  if (reason !== undefined)
    return {
      text: `Nothing with the document of the suite, as ${reason}; an overlay may change that.`,
      examples: [],
    };
  switch (test.kind) {
    case 'cases':
      return named(id, test, contract);
    case 'property':
      return drawn(id, test, contract);
    case 'standing':
      return {
        text: `Nothing of its own: every exchange of the run that it concerns, whatever check sent it, is looked at. Skipped where ${test.lacking}.`,
        examples: [],
      };
    case 'procedure':
      return { text: test.sends, examples: [] };
  }
}

function named(id: string, test: Test & { kind: 'cases' }, contract: Contract): Sent {
  const cases = test.cases(plantsFor(contract, SEED, id));
  const [first] = cases;
  return {
    text: [
      `${counted(cases.length, 'request')}: ${combined(cases.map(({ label }) => label))}.`,
      ...control(cases),
      ...(first === undefined ? [] : ['The first:']),
    ].join(' '),
    examples: first === undefined ? [] : [request(first.draft)],
  };
}

function drawn(id: string, test: Test & { kind: 'property' }, contract: Contract): Sent {
  const plants = plantsFor(contract, SEED, id);
  const arbitrary = test.cases(plants);
  const named = test.named?.(plants) ?? [];
  const cases = Array.from(
    { length: DRAWN },
    (_, index) => drawAfter(named, arbitrary, SEED, id, index).value,
  );
  const coverage = test.covers?.(plants, [...named.keys()]);
  if (coverage !== undefined)
    return {
      text: [
        `${counted(named.length, 'request')} in which all ${coverage.covered.toLocaleString('en')} pairs of the values of ${coverage.dimensions} dimensions occur, with --thorough all triples; some are sent right after another request. More --cases combine the same values at random.`,
        ...control(named),
        `The first ${DRAWN}:`,
      ].join(' '),
      examples: named.slice(0, DRAWN).map(({ label }) => visible(label)),
    };
  return {
    text: [
      `${counted(Math.ceil(DEFAULTS.cases * test.share), 'request')} ${named.length === 0 ? '' : `(the first ${named.length} the same in every run, the others) `}drawn at random, ${test.share} times --cases (${DEFAULTS.cases} by default).`,
      ...control(cases),
      `The first ${DRAWN} with --seed ${SEED}, but for their fresh ids:`,
    ].join(' '),
    examples: cases.map(
      ({ label, draft }, index) =>
        `${visible(label)}: ${body(draft, FIRST_ID + BigInt(index)) || '(no body)'}`,
    ),
  };
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

const control = (cases: readonly Case[]): string[] =>
  cases.some(({ twin }) => twin !== undefined)
    ? ['Also an ordinary plant with the token; where that is not taken, the check is untestable.']
    : [];

/** All labels in one line; where they are every `a, b` of some a and some b, these alone. */
function combined(labels: readonly string[]): string {
  const parts = labels.map((label) => label.split(', '));
  const [before, after] = [0, 1].map((place) => [...new Set(parts.map((part) => part[place] ?? ''))]);
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

/** A request as it goes over the wire, with the token as a shell names it. */
function request(draft: Draft): string {
  const { method, path, headers, framing } = filled(draft, FIRST_ID);
  const content = body(draft, FIRST_ID);
  return [
    `${method} ${nameToken(path)}`,
    ...(draft.credential ?? bearer).shell.map((value) => `authorization: ${value}`),
    ...headers
      .filter(([name]) => name !== 'authorization' && name !== 'user-agent')
      .map(([name, value]) => `${name}: ${short(value, LONGEST)}`),
    ...(framing === 'chunked' ? ['transfer-encoding: chunked'] : []),
    ...(content === '' ? [] : ['', content]),
  ].join('\n');
}

const body = (draft: Draft, id: bigint) =>
  short(nameToken(textOf(filled(draft, id).body ?? new Uint8Array())), LONGEST);

const nameToken = (text: string) => text.replaceAll(TOKEN, () => `$${TOKEN}`);

/** Bytes as text; where they are not UTF-8, what is not ASCII as hexadecimal digits. */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return [...bytes]
      .map((byte) =>
        byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`,
      )
      .join('');
  }
}
