import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { RunRecord } from '../index.ts';
import { ciResultOf } from '../lib/report/baseline/ci-result.ts';
import { markdownReport } from '../lib/report/formats/markdown.ts';
import { withUnexplained } from '../lib/report/record/unexplained.ts';
import { steadyRecordOf, withoutCode } from './helpers/hostile-record.ts';
import { withStore } from './helpers/stores.ts';

const recordOf = (baseUrl: string, only: readonly string[]): Promise<RunRecord> =>
  steadyRecordOf(baseUrl, { only });

const SOME = ['ordinary/*', 'auth/accepts-*', 'auth/answers-401', 'observe/id', 'invalid/rejects-null'];
const records: Record<string, RunRecord> = {};

const record = (name: string): RunRecord => {
  const found = records[name];
  if (found === undefined) throw new Error(`there is no record ${name}`);
  return found;
};

beforeAll(async () => {
  const ofStore = (name: string, only: readonly string[] = SOME) =>
    withStore(name, ({ url }) => recordOf(url, only));
  records.conformant = await ofStore('reference');
  records['always-400'] = await ofStore('always-400');
  records['scheme-case'] = await ofStore('scheme-case');
  records.undetermined = await recordOf('http://127.0.0.1:1', SOME);
  const broken = await ofStore('id-numeral-string', [
    'invalid/rejects-n*',
    'invalid/rejects-any-wrong-type',
    'state/accepts-among-many-rejections',
  ]);
  records.baseline = {
    ...broken,
    ciResult: ciResultOf(broken, {
      file: 'baseline.json',
      entries: [
        {
          id: 'invalid/rejects-numeric-string-id',
          reason: 'the old `clients` send it, see @them',
          issue: 'PLANT-7',
          until: '2026-12-31',
        },
        { id: 'invalid/rejects-null', reason: 'was broken once' },
        { id: 'invalid/rejects-any-wrong-type', reason: 'should be fixed by now', until: '2026-01-01' },
        { id: 'ordinary/echoes-name', reason: 'not selected in this run' },
      ],
    }),
  };
}, 60_000);

describe('the Markdown report', () => {
  test.each(['conformant', 'always-400', 'scheme-case', 'undetermined', 'baseline'])(
    'of %s matches its golden file',
    async (name) => {
      await expect(markdownReport(record(name))).toMatchFileSnapshot(`golden/markdown-${name}.md`);
    },
  );

  test('of a conformant store fits one screen', () => {
    expect(markdownReport(record('conformant')).split('\n').length).toBeLessThan(40);
  });

  test('has balanced details elements, with blank lines around Markdown', () => {
    const text = markdownReport(record('always-400'));
    expect(text.match(/^<details>$/gm)).toHaveLength(text.match(/^<\/details>$/gm)?.length ?? -1);
    expect(text).not.toMatch(/<\/summary>\n[^\n]|[^\n]\n<\/details>/);
  });

  test('fits into a comment, and lists what it omits', () => {
    const results = record('always-400').results.flatMap((result) =>
      Array.from({ length: 20 }, (_, copy) => ({
        ...result,
        id: `${result.id}-${copy}`,
        exchanges: result.exchanges.map((exchange) => ({
          ...exchange,
          problem: `${'`'.repeat(300)} ${result.id} ${copy}`,
          actual: '`'.repeat(10_000),
          command: `curl ${'x`'.repeat(100_000)}`,
        })),
      })),
    );
    const causes = withUnexplained([], results);
    const text = markdownReport({ ...record('always-400'), results, causes });
    expect(text.length).toBeLessThan(60_001);
    expect(text.length).toBeGreaterThan(40_000);
    expect(text.match(/^Omitted for length: \d+ causes, of `ordinary\/.* and \d+ more\./gm)).toHaveLength(2);
    withoutCode(text);
  });

  test('stays below the limit if all texts are as long as possible', () => {
    const long = '`'.repeat(5000);
    const entry = { reason: long, issue: long, id: long };
    const text = markdownReport({
      ...record('always-400'),
      target: { name: long, baseUrl: `http://${long}`, server: long },
      document: { file: long, sha256: long, version: long },
      advice: long,
      stop: { kind: 'gone', reason: long, remedy: long },
      ciResult: {
        exitCode: 1,
        reason: 'all',
        baseline: {
          file: long,
          entries: (['known', 'stale', 'expired', 'not-evaluated'] as const).flatMap((state) =>
            Array.from({ length: 50 }, () => ({ ...entry, state, remedy: long })),
          ),
        },
      },
      results: record('always-400').results.flatMap((result) =>
        Array.from({ length: 20 }, (_, copy) => ({
          ...result,
          verdict: 'untestable' as const,
          reason: `${copy} ${long}`,
        })),
      ),
    });
    expect(text.length).toBeLessThan(65_536);
    withoutCode(text);
  });

  test('keeps untrusted text in code', () => {
    const plain = withoutCode(markdownReport({ ...record('conformant'), advice: 'plain' }));
    const piece = fc.constantFrom(
      '`',
      '``',
      '```',
      '<b>',
      '\\',
      '\n',
      '\r',
      ' ',
      '@a',
      '#1',
      '|',
      '$',
      '[a](b)',
    );
    const text = fc
      .array(fc.oneof(piece, fc.string({ unit: 'binary' })), { minLength: 1 })
      .map((all) => all.join(''));
    fc.assert(
      fc.property(text, (advice) => {
        fc.pre(advice.trim() !== '');
        expect(withoutCode(markdownReport({ ...record('conformant'), advice }))).toBe(plain);
      }),
    );
  });

  test('escapes the text of the suite', () => {
    const [first, ...others] = record('always-400').results.filter(({ verdict }) => verdict === 'fail');
    if (first === undefined) throw new Error('nothing failed');
    const statement = 'Names such as __proto__ or <b> are data, \\u0041 too.';
    const results = [{ ...first, statement }, ...others.map((other) => ({ ...other, statement }))];
    const text = markdownReport({ ...record('always-400'), results });
    expect(text).toContain('</code> Names such as __proto__ or &lt;b&gt; are data, \\u0041 too.</summary>');
    expect(text).toContain('Names such as \\_\\_proto\\_\\_ or \\<b\\> are data, \\u0041 too.');
  });
});
