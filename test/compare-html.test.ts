import { beforeAll, describe, expect, test } from 'vitest';
import type { Column, Comparison } from '../lib/compare/comparison.ts';
import { comparisonPage } from '../lib/compare/html/page.tsx';
import { differing } from '../lib/compare/table.ts';
import { packageFile } from '../lib/package.ts';
import { among, compared, widened } from './helpers/comparisons.ts';
import { withoutAssets } from './helpers/hostile-record.ts';
import {
  expectOnlyOwnAssets,
  expectOnlyText,
  expectPrintable,
  expectSameElsewhere,
  expectWellFormed,
} from './helpers/page-rules.ts';
import { readPage, valuesOf } from './helpers/read-page.ts';

let comparison: Comparison;
let narrow: Comparison;

/** A comparison without times, ports and paths of this machine. */
function steady(one: Comparison): Comparison {
  const created = { plants: 43, ids: ['1500000000..1500000042'] };
  const latency = { answers: 90, median: 1.25, p95: 8, p99: 20, longest: 250.5, buckets: [] };
  const still: Comparison = JSON.parse(
    JSON.stringify(one)
      .replace(/http:\/\/127\.0\.0\.1:\d{4,5}/g, 'http://store')
      .replaceAll(packageFile(''), '/suite/'),
  );
  return {
    ...still,
    startedAt: '2026-01-01T00:00:00.000Z',
    seconds: 2,
    columns: still.columns.map((column) =>
      column.state === 'run' && column.latency !== null
        ? { ...column, latency, created, seconds: 1, requests: 90 }
        : column,
    ),
  };
}

beforeAll(async () => {
  comparison = await compared(['reference', 'id-numeral-string', 'name-number'], {
    only: ['ordinary/answers-200', 'invalid/*', 'auth/rejects-*', 'observe/*', 'auth/observe-*'],
    cases: 30,
  });
  const few = await compared(['reference', 'name-number'], {
    only: [
      'ordinary/answers-200',
      'invalid/rejects-wrong-type',
      'invalid/rejects-any-wrong-type',
      'observe/id',
    ],
    cases: 10,
    concurrency: 1,
  });
  const tried = few.checks.filter(({ id }) =>
    few.columns.some(
      ({ name, ...column }) =>
        name === 'reference' && 'cells' in column && column.cells[id]?.verdict !== 'skipped',
    ),
  );
  narrow = steady({ ...few, checks: tried });
});

const headingOf = (one: Comparison) => /<h1>(.*?)<\/h1>/.exec(comparisonPage(one))?.[1];

const columnOf = (name: string): Column => {
  const column = comparison.columns.find((one) => one.name === name);
  if (column === undefined) throw new Error(`no column ${name}`);
  return column;
};

describe('the page of a comparison', () => {
  test('matches its golden file', async () => {
    await expect(withoutAssets(comparisonPage(narrow))).toMatchFileSnapshot('golden/comparison.html');
  });

  test('depends only on the comparison', () => {
    const copy = JSON.parse(JSON.stringify(comparison)) as Comparison;
    expectSameElsewhere(comparisonPage(comparison), () => comparisonPage(copy));
  });

  test('is well-formed, and links only within itself, to existing targets', () => {
    for (const one of [
      comparison,
      widened(comparison, 30),
      among(comparison, ['reference', 'name-number']),
      { ...comparison, differential: null },
    ]) {
      const page = readPage(comparisonPage(one));
      expectWellFormed(page);
      const ids = valuesOf(page, 'id');
      const hrefs = valuesOf(page, 'href');
      expect(hrefs.length).toBeGreaterThan(30);
      for (const href of hrefs) expect(ids, href).toContain(href.replace(/^#/, ''));
      expect(valuesOf(page, 'src')).toEqual([]);
    }
  });

  test('allows only its own style and script, by their hashes', () => {
    expectOnlyOwnAssets(readPage(comparisonPage(comparison)));
  });

  test('states the result in one sentence', () => {
    const of = (...names: readonly string[]) => headingOf({ ...comparison, columns: names.map(columnOf) });
    expect(headingOf(comparison)).toBe(
      '1 of 5 stores passed the selected checks; 2 are not conformant; 1 could not be judged; 1 was not run.',
    );
    expect(of('reference', 'reference')).toBe('Both stores passed the selected checks; checks were skipped.');
    const whole = columnOf('reference');
    const conformant = { ...whole, outcome: 'conformant' } as typeof whole;
    const all = [conformant, conformant, conformant];
    expect(headingOf({ ...comparison, columns: all })).toBe('All 3 stores are conformant.');
    expect(of('name-number', 'name-number')).toBe('None of 2 stores is conformant.');
    expect(of('name-number', 'gone')).toBe('None of 2 stores is conformant; 1 could not be judged.');
    expect(of('gone', 'absent')).toBe('None of 2 stores could be judged.');
  });

  test('shows a store that could not be judged or run with its reason, without a column of causes or checks', () => {
    const page = comparisonPage(comparison);
    const row = (number: number) => page.slice(page.indexOf(`id="store-${number}"`)).split('</tr>')[0];
    expect(row(4)).toContain('could not be judged');
    expect(row(4)).toContain('nothing listens there');
    expect(row(5)).toContain('not run');
    expect(row(5)).toContain('this machine has no erlang');
    for (const number of [4, 5]) expect(row(number)).not.toMatch(/fail|not conformant/);
    expect(page.match(/<th scope="col" class="store"/g)).toHaveLength(2 * 3);
    expect(page).toMatch(/Not in the table: gone \(.*?\); absent \(this machine has no erlang\)/);
  });

  test('counts the checks that differ', () => {
    const page = comparisonPage(comparison);
    const count = differing(comparison).length;
    expect(count).toBeGreaterThan(2);
    expect(page).toContain(`<strong>${count}</strong> of ${comparison.checks.length}`);
  });

  test('has a mark for each check at each store, and the details of failures', () => {
    const page = comparisonPage(comparison);
    const row = page.slice(page.indexOf('<tr id="invalid/rejects-wrong-type"')).split('</tr>')[0] ?? '';
    expect(row.match(/<td class="(pass|fail)">/g)).toHaveLength(3);
    expect(row).toContain('<td class="pass">');
    expect(row).toContain('href="#invalid/rejects-wrong-type~3"');
    const entry = page.slice(page.indexOf('<li id="invalid/rejects-wrong-type~3"')).split('</li>')[0];
    expect(entry).toContain('name-number');
    expect(entry).toContain('curl -sS');
  });

  test('of saved records contains no disagreements', () => {
    const page = comparisonPage({ ...comparison, differential: null });
    expect(page).toContain('Saved records were compared, so no payloads were sent.');
    expect(page).not.toContain('Every store was sent the same payloads');
    expect(comparisonPage(comparison)).toContain('Every store was sent the same payloads, except for ids.');
  });

  test('counts disagreements that are not shown, and says so if there are none', () => {
    const differential = { payloads: 1234, disagreements: [], more: 0 };
    expect(comparisonPage({ ...comparison, differential })).toContain(
      'All stores agree on 1,234 generated payloads.',
    );
    const { disagreements = [] } = comparison.differential ?? {};
    expect(disagreements.length).toBeGreaterThan(0);
    const more = { ...differential, disagreements, more: 7 };
    expect(comparisonPage({ ...comparison, differential: more })).toContain(
      '7 more disagreements are not shown.',
    );
  });
});

describe('text from stores', () => {
  const NASTY = [
    '</pre></code></details></script></style><script>window.__pwned = 1</script>',
    '<img src=x onerror="window.__pwned = 1">',
    `" onmouseover="window.__pwned = 1" style='color:red' x="`,
    '\u001b]0;owned\u0007\u001b[2J \u202edesrever\u2066\u200b\ufeff \u0000\u0085',
    '\u2028\u2029\r\n::error::x\n##[add-mask]x',
    '\ud800 lone \udfff',
  ].join(' ');
  /** Keys of a comparison whose values a store or a user may control. */
  const UNTRUSTED_KEYS = new Set([
    ...[
      'title',
      'symptom',
      'condition',
      'name',
      'reason',
      'remedy',
      'advice',
      'text',
      'label',
      'signature',
      'cause',
      'expected',
      'actual',
    ],
    ...[
      'curl',
      'baseUrl',
      'server',
      'contentType',
      'fault',
      'language',
      'framework',
      'version',
      'note',
      'file',
    ],
  ]);

  const poisoned = (text: string): Comparison => {
    const changed = JSON.parse(JSON.stringify(comparison), (key, value: unknown) => {
      if (typeof value === 'string' && UNTRUSTED_KEYS.has(key)) return text;
      if (key === 'steps') return [text];
      if (key === 'observations') return { ...(value as object), [text]: text };
      return value;
    }) as Comparison;
    return { ...changed, suite: comparison.suite };
  };

  test('stays text, whatever it contains', () => {
    expectOnlyText(comparisonPage(poisoned(NASTY)), comparisonPage(comparison));
  });

  test('contains no control characters and no commands for a log', () => {
    expectPrintable(comparisonPage(poisoned(NASTY)));
  });

  test('does not make the page large', () => {
    const page = comparisonPage(poisoned('🌵<b>"'.repeat(200_000)));
    expect(page.length).toBeLessThan(1_500_000);
    expect(/\p{Cs}/u.exec(page)?.[0]).toBeUndefined();
    expect(page).toContain('(1,200,000 characters)');
  });
});
