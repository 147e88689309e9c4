import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import type { RunRecord } from '../index.ts';
import { ciResultOf } from '../lib/report/baseline/ci-result.ts';
import { junitReport } from '../lib/report/formats/junit.ts';
import type { Baseline } from '../lib/report/record/record.ts';
import { steadyRecordOf } from './helpers/hostile-record.ts';
import { withStore } from './helpers/stores.ts';

const schema = readFileSync(new URL('fixtures/junit.xsd', import.meta.url), 'utf8');

async function expectValid(xml: string): Promise<void> {
  const { errors } = await validateXML({
    xml: [{ fileName: 'report.xml', contents: xml }],
    schema: [{ fileName: 'junit.xsd', contents: schema }],
  });
  expect(errors.map(({ message }) => message)).toEqual([]);
}

const ofStore = (name: string, more = {}): Promise<RunRecord> =>
  withStore(name, ({ url }) => steadyRecordOf(url, more));

const BASELINE: Baseline = {
  file: 'baseline.json',
  entries: [
    {
      id: 'invalid/rejects-numeric-string-id',
      reason: 'the old clients send it',
      issue: 'PLANT-7',
      until: '2026-12-31',
    },
    { id: 'invalid/rejects-null', reason: 'was broken once' },
    { id: 'invalid/rejects-any-wrong-type', reason: 'should be fixed by now', until: '2026-01-01' },
    { id: 'state/answers-alternating-requests', reason: 'not selected in this run' },
  ],
};

const withBaseline = (record: RunRecord, baseline: Baseline): RunRecord => ({
  ...record,
  ciResult: ciResultOf(record, baseline),
});

const count = (xml: string, tag: string) => xml.match(new RegExp(`<${tag}[ >/]`, 'g'))?.length ?? 0;

const SOME = [
  'ordinary/answers-*',
  'auth/accepts-*',
  'auth/answers-401',
  'observe/id',
  'invalid/rejects-null',
];
const records: Record<string, RunRecord> = {};

beforeAll(async () => {
  records.conformant = await ofStore('reference', { only: SOME });
  records['always-400'] = await ofStore('always-400', { only: SOME });
  records['scheme-case'] = await ofStore('scheme-case', { only: SOME });
  records['scheme-case-strict'] = await ofStore('scheme-case', { only: SOME, strict: true });
  records.undetermined = await steadyRecordOf('http://127.0.0.1:1', { only: SOME });
  const broken = await ofStore('id-numeral-string', {
    only: ['invalid/rejects-n*', 'invalid/rejects-any-wrong-type'],
  });
  records.baseline = withBaseline(broken, BASELINE);
  records.known = withBaseline(broken, {
    file: 'baseline.json',
    entries: broken.results
      .filter(({ verdict }) => verdict === 'fail')
      .map(({ id }) => ({ id, reason: 'known' })),
  });
  records.limit = await ofStore('slow', { only: ['ordinary/answers-*', 'observe/id'], maxSeconds: 1 });
}, 60_000);

const record = (name: string): RunRecord => {
  const found = records[name];
  if (found === undefined) throw new Error(`there is no record ${name}`);
  return found;
};

const NAMES = [
  'conformant',
  'always-400',
  'scheme-case',
  'scheme-case-strict',
  'undetermined',
  'baseline',
  'known',
  'limit',
];

describe.each(NAMES)('the JUnit report, %s', (name) => {
  test('is valid against the common schema', async () => {
    await expectValid(junitReport(record(name)));
  });

  test('contains a failure or an error exactly if the CI result is fail', () => {
    const xml = junitReport(record(name));
    expect(count(xml, 'failure') + count(xml, 'error') > 0).toBe(record(name).ciResult.exitCode !== 0);
  });

  test('counts its elements correctly', () => {
    const xml = junitReport(record(name));
    for (const [attribute, tag] of [
      ['tests', 'testcase'],
      ['failures', 'failure'],
      ['errors', 'error'],
      ['skipped', 'skipped'],
    ] as const) {
      const suites = [...xml.matchAll(new RegExp(`<testsuite [^>]*\\b${attribute}="(\\d+)"`, 'g'))];
      expect(
        suites.reduce((sum, [, n]) => sum + Number(n), 0),
        attribute,
      ).toBe(count(xml, tag));
      const all = new RegExp(`<testsuites [^>]*\\b${attribute}="(\\d+)"`).exec(xml)?.[1];
      if (all !== undefined) expect(Number(all), attribute).toBe(count(xml, tag));
    }
  });
});

describe('the JUnit report', () => {
  test.each(['conformant', 'always-400', 'scheme-case', 'undetermined', 'baseline'])(
    'of %s matches its golden file',
    async (name) => {
      await expect(junitReport(record(name))).toMatchFileSnapshot(`golden/junit-${name}.xml`);
    },
  );

  test('reports a failed SHOULD as a passing test case, and as a failure under --strict', () => {
    expect(junitReport(record('scheme-case'))).toMatch(
      /<testcase name="auth\/accepts-scheme-in-any-case"[^>]*>\s*<system-out>FAILED SHOULD \(advisory\)\nAnswers 401 to valid requests.*\n {3}auth/,
    );
    expect(junitReport(record('scheme-case-strict'))).toMatch(
      /<testcase name="auth\/accepts-scheme-in-any-case"[^>]*>\s*<failure message="[^"]*" type="SHOULD">/,
    );
  });

  test('skips known deviations, with the reason', () => {
    expect(junitReport(record('baseline'))).toContain(
      '<skipped message="known deviation: the old clients send it (PLANT-7, until 2026-12-31)"/>',
    );
  });

  test('contains no error for untestable checks if the CI result is pass', () => {
    const { results, ...rest } = record('conformant');
    const untestable = results.map((result) =>
      result.level === 'SHOULD'
        ? { ...result, verdict: 'untestable' as const, blockedBy: 'x', reason: 'no control request' }
        : result,
    );
    const xml = junitReport({ ...rest, results: untestable });
    expect(xml).toContain('<skipped message="could not be tested: no control request"/>');
    expect(xml).not.toMatch(/<failure|<error/);
  });

  test('contains an error for a run that was stopped after its last check', () => {
    const stop = { kind: 'gone', reason: 'it went away', remedy: 'start it again' } as const;
    const stopped = { ...record('conformant'), outcome: 'undetermined', stop } as const;
    const xml = junitReport({ ...stopped, ciResult: ciResultOf(stopped) });
    expect(xml).toContain('<error message="it went away; start it again" type="gone"/>');
  });

  test('contains no illegal XML characters and no commands for its readers', async () => {
    const nasty = 'a\u0000\u001b[31m\ud800\ufffe\uffff]]><b a="\'">&\r\n\t[[ATTACHMENT|/etc/passwd]]\u202e🌵';
    const [first, ...others] = record('conformant').results;
    if (first === undefined) throw new Error('there are no results');
    const xml = junitReport({
      ...record('conformant'),
      target: { ...record('conformant').target, name: nasty },
      results: [{ ...first, observations: { [nasty]: nasty } }, ...others],
    });
    await expectValid(xml);
    const shown =
      'a\\u0000\\u001b[31m\\ud800\\ufffe\\uffff]]&gt;&lt;b a=&quot;&apos;&quot;&gt;&amp;\\r\\n\\t[\\u005bATTACHMENT|/etc/passwd]]\\u202e🌵';
    expect(xml).toContain(`<property name="target.name" value="${shown}"/>`);
    expect(xml).toContain(`<system-out>${shown}: ${shown}</system-out>`);
  });

  test('stays small regardless of the size of the responses', () => {
    const long = '🌵"\u0000'.repeat(10_000);
    const xml = junitReport({
      ...record('always-400'),
      results: record('always-400').results.map((result) => ({
        ...result,
        actual: long,
        reason: long,
        observations: Object.fromEntries(Array.from({ length: 40 }, (_, key) => [`key/${key}`, long])),
        exchanges: result.exchanges.map((exchange) => ({ ...exchange, actual: long, command: long })),
      })),
    });
    expect(xml.length / record('always-400').results.length).toBeLessThan(30_000);
  });
});
