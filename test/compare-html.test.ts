import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Column, Comparison } from '../lib/compare/comparison.ts';
import { comparisonPage } from '../lib/compare/html/page.tsx';
import { differing } from '../lib/compare/table.ts';
import { docsOf, packageFile } from '../lib/package.ts';
import { among, compared, widened } from './helpers/comparisons.ts';
import { withoutAssets } from './helpers/hostile-record.ts';
import { attributesOf, type Page, readPage, valuesOf } from './helpers/read-page.ts';

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
    const again = JSON.parse(JSON.stringify(comparison)) as Comparison;
    const [locale, zone] = [process.env.LC_ALL, process.env.TZ];
    const first = comparisonPage(comparison);
    Object.assign(process.env, { LC_ALL: 'de_DE.UTF-8', TZ: 'Asia/Tokyo' });
    expect(comparisonPage(again)).toBe(first);
    for (const [name, value] of [
      ['LC_ALL', locale],
      ['TZ', zone],
    ] as const) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  test('is well-formed, and links only within itself and to the documentation, to existing targets', () => {
    for (const one of [
      comparison,
      widened(comparison, 30),
      among(comparison, ['reference', 'name-number']),
      { ...comparison, differential: null },
    ]) {
      const page = readPage(comparisonPage(one));
      const ids = valuesOf(page, 'id');
      expect(new Set(ids).size).toBe(ids.length);
      const hrefs = valuesOf(page, 'href');
      expect(hrefs.length).toBeGreaterThan(30);
      for (const href of hrefs)
        if (!one.checks.some(({ id }) => href === docsOf(id)))
          expect(ids, href).toContain(href.replace(/^#/, ''));
      expect(valuesOf(page, 'src')).toEqual([]);
      const headings = page.tags.flatMap(({ name }) => /^h([1-6])$/.exec(name)?.[1] ?? []).map(Number);
      expect(headings.filter((level) => level === 1)).toEqual([1]);
      for (const [index, level] of headings.entries())
        expect(level).toBeLessThanOrEqual((headings[index - 1] ?? 0) + 1);
    }
  });

  test('allows only its own style and script, by their hashes', () => {
    const page = readPage(comparisonPage(comparison));
    const hash = (name: string) =>
      `'sha256-${createHash('sha256')
        .update(page.raw.get(name) ?? '')
        .digest('base64')}'`;
    expect(page.tags.find(({ attributes }) => attributes.has('http-equiv'))?.attributes.get('content')).toBe(
      `default-src 'none'; style-src ${hash('style')}; script-src ${hash('script')}; base-uri 'none'; form-action 'none'`,
    );
    expect(page.tags.filter(({ name }) => name === 'script' || name === 'style')).toHaveLength(2);
    expect(attributesOf(page).filter((name) => /^(?:style|on.*)$/i.test(name))).toEqual([]);
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
    const clean = readPage(comparisonPage(comparison));
    const page = comparisonPage(poisoned(NASTY));
    const { tags, raw } = readPage(page);
    const names = ({ tags: list }: Pick<Page, 'tags'>) => [...new Set(list.map(({ name }) => name))].sort();
    expect(names({ tags })).toEqual(names(clean));
    expect(raw).toEqual(clean.raw);
    expect(attributesOf({ tags, raw }).filter((name) => /^(?:style|on.*|src)$/i.test(name))).toEqual([]);
    const text = page.replace(/<(style|script)>[\s\S]*?<\/\1>/g, '');
    expect(text).not.toContain('<script>window');
    expect(text).toContain('&lt;script>window.__pwned');
  });

  test('contains no control characters and no commands for a log', () => {
    const page = comparisonPage(poisoned(NASTY));
    expect(/[^\P{Cc}\n]|\p{Cf}|\p{Zl}|\p{Zp}|\p{Cs}/u.exec(page)?.[0]).toBeUndefined();
    expect(/^\s*::[a-z-]+[^\n]*::/m.exec(page)?.[0]).toBeUndefined();
    expect(/##(?:\[|vso\[)/i.exec(page)?.[0]).toBeUndefined();
    expect(page).toContain('\\u202edesrever');
  });

  test('does not make the page large', () => {
    const page = comparisonPage(poisoned('🌵<b>"'.repeat(200_000)));
    expect(page.length).toBeLessThan(1_500_000);
    expect(/\p{Cs}/u.exec(page)?.[0]).toBeUndefined();
    expect(page).toContain('(1,200,000 characters)');
  });
});
