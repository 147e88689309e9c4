import { beforeAll, describe, expect, test } from 'vitest';
import type { RunRecord } from '../index.ts';
import { ciResultOf } from '../lib/report/baseline/ci-result.ts';
import { annotations } from '../lib/report/formats/annotations.ts';
import { steadyRecordOf } from './helpers/hostile-record.ts';
import { withStore } from './helpers/stores.ts';

const recordOf = (baseUrl: string, only: readonly string[], more = {}): Promise<RunRecord> =>
  steadyRecordOf(baseUrl, { only, ...more });

const ofStore = (name: string, only: readonly string[], more = {}) =>
  withStore(name, ({ url }) => recordOf(url, only, more));

const starting = (lines: readonly string[], kind: string) =>
  lines.filter((line) => line.startsWith(`::${kind} `));

describe('annotations', () => {
  let broken: RunRecord;

  beforeAll(async () => {
    broken = await ofStore('id-numeral-string', ['invalid/rejects-n*', 'invalid/rejects-any-wrong-type']);
  });

  test('of a conformant store are at most a notice about skipped checks', async () => {
    const record = await ofStore('reference', ['ordinary/answers-*']);
    expect(annotations({ ...record, outcome: 'conformant' })).toEqual([]);
    expect(annotations(record)).toEqual([
      expect.stringContaining('::notice title=passed the selected checks%3A 3 of '),
    ]);
  });

  test('contain one error for each cause of failed MUSTs', () => {
    expect(annotations(broken)).toMatchInlineSnapshot(`
      [
        "::error title=MUST Accepts a numeric string such as "7" as id::confirmed: 12 of 12 such requests failed, 0 of 129 others%0Achecks: invalid/rejects-numeric-string-id%0AAn id sent as a numeric string is rejected. 10 of 16 failed.%0Aexpected: a status other than 2xx%0Aactual: 200 application/json%0Afix: Check the JSON type before using the value, and do not convert it: "7", true, 7.5 and [7] are not integers, and 7 is not a string. Fastify: set ajv: { customOptions: { coerceTypes: false } }. Joi: set convert: false. Zod: no z.coerce. Many libraries convert by default.",
      ]
    `);
  });

  test('are warnings for SHOULDs, and errors under --strict', async () => {
    const only = ['auth/accepts-*', 'ordinary/answers-200'];
    const [warning, ...none] = annotations(await ofStore('scheme-case', only));
    expect(none).toEqual([expect.stringContaining('::notice title=passed the selected checks')]);
    expect(warning).toMatch(
      /^::warning title=SHOULD Answers 401 to valid requests.*::.*%0Achecks: auth\/accepts-scheme-in-any-case%0A/,
    );
    const strict = annotations(await ofStore('scheme-case', only, { strict: true }));
    expect(strict).toEqual([warning?.replace('::warning', '::error')]);
  });

  test('give the reason for a run without a verdict', async () => {
    const lines = annotations(await recordOf('http://127.0.0.1:1', ['ordinary/*']));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(
      '::error title=could not be judged::http://127.0.0.1:1/plants: nothing listens there',
    );
  });

  test('list known deviations, and outdated baseline entries with their remedies', () => {
    const ciResult = ciResultOf(broken, {
      file: 'baseline.json',
      entries: [
        {
          id: 'invalid/rejects-numeric-string-id',
          reason: 'old clients',
          issue: 'PLANT-7',
          until: '2026-12-31',
        },
        { id: 'invalid/rejects-null', reason: 'was broken once' },
        { id: 'invalid/rejects-any-wrong-type', reason: 'late', until: '2026-01-01' },
      ],
    });
    expect(annotations({ ...broken, ciResult })).toMatchInlineSnapshot(`
      [
        "::error title=stale baseline entry invalid/rejects-null::delete the entry invalid/rejects-null: the check passes now",
        "::error title=expired baseline entry invalid/rejects-any-wrong-type::delete the entry invalid/rejects-any-wrong-type or extend its date: it expired after 2026-01-01",
        "::notice title=known deviation invalid/rejects-numeric-string-id::old clients (PLANT-7, until 2026-12-31)",
      ]
    `);
  });

  test('are limited to ten per level, the last of which counts the others', () => {
    const [cause] = broken.causes;
    if (cause === undefined) throw new Error('nothing failed');
    const many = (count: number) =>
      annotations({
        ...broken,
        causes: Array.from({ length: count }, (_, index) => ({ ...cause, title: `Cause ${index}.` })),
      });
    expect(starting(many(10), 'error')).toHaveLength(10);
    expect(many(10).at(-1)).toContain('Cause 9.');
    expect(many(25)).toHaveLength(10);
    expect(many(25).at(-1)).toBe('::error title=16 more::the reports of the run have 16 more');
  });

  test('cannot be escaped by untrusted text', () => {
    const nasty = 'a,b:c::d%0Ae\r\n::add-mask::x\n##[add-mask]y\u001b';
    const causes = broken.causes.map((cause) => ({ ...cause, title: `x,title=x::${nasty}`, advice: nasty }));
    for (const line of annotations({ ...broken, causes })) {
      expect(line).toMatch(/^::error title=[^:,\r\n]*::[^\r\n]*$/);
      expect(line).toContain(
        ',title=x::a,b:c::d%0Ae'.replace('%', '%25').replace(/,/g, '%2C').replace(/:/g, '%3A'),
      );
      expect(line).toContain('fix: a,b:c::d%250Ae\\r\\n::add-mask::x\\n#\\u0023[add-mask]y\\u001b');
    }
  });
});
