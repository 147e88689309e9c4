import { beforeAll, describe, expect, test } from 'vitest';
import type { RunRecord } from '../index.ts';
import { annotations } from '../lib/report/annotations.ts';
import { gateOf } from '../lib/report/gate.ts';
import { steadyRecordOf } from './hostile.ts';
import { withStore } from './stores.ts';

const recordOf = (baseUrl: string, only: readonly string[], more = {}): Promise<RunRecord> =>
  steadyRecordOf(baseUrl, { only, ...more });

const ofStore = (name: string, only: readonly string[], more = {}) =>
  withStore(name, ({ url }) => recordOf(url, only, more));

const starting = (lines: readonly string[], kind: string) =>
  lines.filter((line) => line.startsWith(`::${kind} `));

describe('annotations', () => {
  let broken: RunRecord;

  beforeAll(async () => {
    broken = await ofStore('id-numeral-string', ['refuse/n*', 'refuse/any-wrong-type']);
  });

  test('of a healthy store are none, but for a notice where checks were left out', async () => {
    const record = await ofStore('reference', ['create/answers-*']);
    expect(annotations({ ...record, outcome: 'conformant' })).toEqual([]);
    expect(annotations(record)).toEqual([
      expect.stringContaining('::notice title=passed what was checked%3A 3 of '),
    ]);
  });

  test('are one error for each cause of failed MUSTs', () => {
    expect(annotations(broken)).toMatchInlineSnapshot(`
      [
        "::error title=MUST refuse/numeral-in-a-string::cause: taken: id is a numeral in a string%0AAn id that is a numeral in a string is refused. 8 of 14 failed.%0Aexpected: no success (2xx)%0Aactual: 200 application/json%0Amend: Check the JSON type of the value before you convert it; switch coercion off. Refuse it, best with status 400 and an Error; never answer it with a success.",
      ]
    `);
  });

  test('are warnings for SHOULDs, and errors under --strict', async () => {
    const only = ['auth/takes-*', 'create/answers-200'];
    const [warning, ...none] = annotations(await ofStore('scheme-case', only));
    expect(none).toEqual([expect.stringContaining('::notice title=passed what was checked')]);
    expect(warning).toContain('::warning title=SHOULD auth/takes-scheme-in-any-case::cause: answered 401%0A');
    const strict = annotations(await ofStore('scheme-case', only, { strict: true }));
    expect(strict).toEqual([warning?.replace('::warning', '::error')]);
  });

  test('say of a run without a verdict why it has none', async () => {
    const lines = annotations(await recordOf('http://127.0.0.1:1', ['create/*']));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(
      '::error title=could not be judged::http://127.0.0.1:1/plants: nothing listens there',
    );
  });

  test('tell the known deviations, and what is to be deleted from it', () => {
    const gate = gateOf(broken, {
      file: 'baseline.json',
      entries: [
        { id: 'refuse/numeral-in-a-string', reason: 'old clients', issue: 'PLANT-7', until: '2026-12-31' },
        { id: 'refuse/null', reason: 'was broken once' },
        { id: 'refuse/any-wrong-type', reason: 'late', until: '2026-01-01' },
      ],
    });
    expect(annotations({ ...broken, gate })).toMatchInlineSnapshot(`
      [
        "::error title=stale in the baseline refuse/null::delete the entry refuse/null: the check passes now",
        "::error title=expired in the baseline refuse/any-wrong-type::delete the entry refuse/any-wrong-type, or give it another date: it held until 2026-01-01",
        "::notice title=known deviation refuse/numeral-in-a-string::old clients (PLANT-7, until 2026-12-31)",
      ]
    `);
  });

  test('are ten of a kind at most, and the last says how many more', () => {
    const [failed] = broken.results.filter(({ verdict }) => verdict === 'fail');
    const [exchange] = failed?.exchanges ?? [];
    if (failed === undefined || exchange === undefined) throw new Error('nothing failed');
    const many = (count: number) =>
      annotations({
        ...broken,
        results: Array.from({ length: count }, (_, index) => ({
          ...failed,
          id: `some/check-${index}`,
          exchanges: [{ ...exchange, cause: `cause ${index}` }],
        })),
      });
    expect(starting(many(10), 'error')).toHaveLength(10);
    expect(many(10).at(-1)).toContain('some/check-9');
    expect(many(25)).toHaveLength(10);
    expect(many(25).at(-1)).toBe(
      '::error title=16 more::16 more of this kind; the reports of the run have them',
    );
  });

  test('cannot be broken out of', () => {
    const nasty = 'a,b:c::d%0Ae\r\n::add-mask::x\n##[add-mask]y\u001b';
    const results = broken.results.map((result) => ({
      ...result,
      id: `${result.id},title=x::${nasty}`,
      exchanges: result.exchanges.map((exchange) => ({ ...exchange, cause: nasty })),
    }));
    for (const line of annotations({ ...broken, results })) {
      expect(line).toMatch(/^::error title=[^:,\r\n]*::[^\r\n]*$/);
      expect(line).toContain(
        ',title=x::a,b:c::d%0Ae'.replace('%', '%25').replace(/,/g, '%2C').replace(/:/g, '%3A'),
      );
      expect(line).toContain('cause: a,b:c::d%250Ae\\r\\n::add-mask::x\\n#\\u0023[add-mask]y\\u001b%0A');
    }
  });
});
