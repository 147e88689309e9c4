import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { listing } from '../cli/list.ts';
import { catalogue, run } from '../index.ts';
import { loadContract } from '../lib/contract/load-contract.ts';
import { type CatalogueEntry, entryOf } from '../lib/list/entry.ts';
import { wrappedLines } from '../lib/list/terminal.ts';
import { nearest } from '../lib/nearest.ts';
import { anchorOf, packageFile } from '../lib/package.ts';
import { CLAUSES } from '../suites/clauses.ts';
import { suite } from './helpers/command.ts';
import { TOKEN, withStore } from './helpers/stores.ts';

interface Listed extends Omit<CatalogueEntry, 'sends'> {
  readonly sends: readonly string[];
}

const parsed = (text: string) => JSON.parse(text) as Listed[];

const ids = catalogue.map(({ id }) => id);

test('docs/checks.md is up to date; npm run docs regenerates it', async () => {
  const current = await listing(undefined, 'markdown');
  const committed = readFileSync(packageFile('docs/checks.md'), 'utf8');
  expect(committed === current, 'docs/checks.md is out of date: regenerate it with `npm run docs`').toBe(
    true,
  );
});

describe('the number of requests in the description of a check', () => {
  const NUMBERS = ['no', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine', 'Ten'];
  const numberOf = (word: string) => (/^\d/.test(word) ? Number(word) : NUMBERS.indexOf(word));
  /** The number of requests in a sentence that begins or ends with one. */
  const countIn = (sentence: string): number | undefined => {
    const [, first, rest = ''] = /^(\w+)(?: ordinary)? (?:plants|requests)\b(.*)/.exec(sentence) ?? [];
    if (first !== undefined && first !== 'Ordinary')
      return numberOf(first) + (rest.match(/, then an? /g)?.length ?? 0);
    const all = /(\w+) in all\.$/.exec(sentence)?.[1];
    return all === undefined ? undefined : NUMBERS.findIndex((word) => word.toLowerCase() === all);
  };
  const counts = catalogue.flatMap(({ id, test: { ...how } }) => {
    const count = how.kind === 'scenario' ? countIn(how.sends) : undefined;
    return count === undefined ? [] : [{ id, count }];
  });

  test('is the number that it sends', async () => {
    expect(counts.map(({ id }) => id)).toEqual(
      expect.arrayContaining([
        'auth/rejects-after-an-accepted-request',
        'observe/longest-name',
        'state/answers-at-the-end',
      ]),
    );
    const { results } = await withStore(
      'reference',
      ({ url }) => run({ baseUrl: url, token: TOKEN, only: counts.map(({ id }) => id) }).record,
    );
    const sent = new Map(results.map(({ id, cases }) => [id, cases]));
    expect(counts.map(({ id }) => ({ id, count: sent.get(id) }))).toEqual(counts);
  });
});

describe('the documentation of every check', () => {
  let all: Listed[];
  beforeAll(async () => {
    all = parsed(await listing(undefined, 'json'));
  });

  test('is complete and in the order of the run', () => {
    expect(all.map(({ id }) => id)).toEqual(ids);
    for (const [index, one] of all.entries()) {
      const { id, level, statement, basis, hint, test } = catalogue[index] ?? {};
      expect(Object.keys(one)).toEqual(['id', 'level', 'statement', 'basis', 'kind', 'sends', 'hint']);
      expect(one).toMatchObject({ id, level, statement, hint, kind: test?.kind });
      expect(one.basis.map(({ ref }) => ref)).toEqual(basis);
    }
  });

  test('quotes clauses of the interface, and nothing else', () => {
    const clauses: Readonly<Record<string, { readonly text: string }>> = CLAUSES;
    for (const { ref, text } of all.flatMap(({ basis }) => basis)) expect(text).toBe(clauses[ref]?.text);
  });

  test('describes the requests in whole sentences, with examples if there are any', () => {
    for (const { id, kind, sends } of all) {
      const [text = '', ...examples] = sends;
      expect(text, id).toMatch(/^[A-Z\d].{15,}[.:]$/);
      expect(text.endsWith(':'), id).toBe(examples.length > 0);
      const notApplicable = text.startsWith('Nothing with the bundled document');
      expect(examples.length, id).toBe(
        notApplicable ? 0 : { cases: 1, property: 3, invariant: 0, scenario: 0 }[kind],
      );
      for (const example of examples) if (kind === 'cases') expect(example, id).toMatch(/^POST \/plants/);
    }
  });

  test('contains no control characters', () => {
    for (const line of all.flatMap(({ sends }) => sends).flatMap((one) => one.split('\n')))
      expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
  });

  test('names the token as a shell variable in headers, queries and bodies', () => {
    const sent = (id: string) => all.find((one) => one.id === id)?.sends.join('\n');
    expect(sent('ordinary/answers-200')).toContain('Authorization: Bearer $PLANT_STORE_TOKEN\n');
    expect(sent('auth/rejects-other-schemes')).toContain(
      'Authorization: Basic $(printf %s "$PLANT_STORE_TOKEN:"',
    );
    expect(sent('auth/rejects-token-in-query')).toContain('POST /plants?access_token=$PLANT_STORE_TOKEN\n');
    expect(sent('auth/rejects-token-in-form')).toContain('&access_token=$PLANT_STORE_TOKEN');
    expect(sent('auth/rejects-missing-token')).not.toMatch(/authorization:/i);
  });

  test.each([
    ['ordinary/answers-200', /^2 requests: with every property; with the required properties\. The first:$/],
    [
      'ordinary/accepts-ids-of-every-magnitude',
      /^24 requests: an id from 2\^20 to 2\^21-1; an odd id from 2\^20 to 2\^21-1, without optional properties; /,
    ],
    [
      'ordinary/accepts-chunked-body',
      /^1 request: chunked\. Also a control request: an ordinary plant with the token/,
    ],
    ['auth/rejects-missing-token', /^3 requests: no Authorization header; .*; Bearer without a token\. /],
    [
      'combinations/rejects-invalid-bodies',
      /^\d+ requests that cover all [\d,]+ pairs of values of \d\d dimensions, or with --thorough all triples/,
    ],
    ['invalid/rejects-wrong-type', /^98 requests: name is a boolean \(4 times\); /],
    ['invalid/rejects-any-wrong-type', /^60 random requests \(0\.5 × --cases\)\./],
    [
      'invalid/rejects-constraint-violation',
      /^Nothing with the bundled document, because the document declares no limits/,
    ],
    [
      'ordinary/echoes-name',
      /^72 requests \(0\.6 × --cases\): the first 70 are the same in every run, the others random\./,
    ],
    [
      'unconstrained/accepts-any-name',
      /^78 requests \(0\.65 × --cases\), all the same in every run; a --cases above 167 adds random ones\./,
    ],
    ['invariants/400-is-json', /Skipped if the store never answered with 400\.$/],
    ['observe/paths', /^An ordinary plant to \/plants\/, and one to \/PLANTS\.$/],
  ])('%s', (id, text) => {
    expect(all.find((one) => one.id === id)?.sends[0]).toMatch(text);
  });

  test('is the same every time, and depends on the contract', async () => {
    expect(parsed(await listing(undefined, 'json'))).toEqual(all);
    const limited = await loadContract(packageFile('openapi.yaml'), [
      packageFile('mutants/overlays/limits.yaml'),
    ]);
    const constraint = catalogue.find(({ id }) => id === 'invalid/rejects-constraint-violation');
    if (constraint === undefined) throw new Error('there is no invalid/rejects-constraint-violation');
    expect(entryOf(constraint, limited, CLAUSES).sends.text).toMatch(/^\d+ requests: /);
  });
});

describe('the table', () => {
  test('groups the checks by area, with counts at the end', async () => {
    const text = await listing(undefined);
    const lines = text.split('\n');
    expect(lines[0]).toMatch(/^ordinary {2}\d+ MUST, \d+ SHOULD$/);
    expect(lines.filter((line) => /^ {2}\S/.test(line)).map((line) => line.trim().split(' ')[0])).toEqual(
      ids,
    );
    const count = (level: string) => catalogue.filter((check) => check.level === level).length;
    expect(lines.at(-2)).toBe(
      `${ids.length} checks: ${count('MUST')} MUST, ${count('SHOULD')} SHOULD, ${count('OBSERVE')} OBSERVE`,
    );
  });

  test.each([72, 80, 100, 140])('fits into %d columns, with or without colour', async (width) => {
    for (const wanted of [undefined, 'state/answers-at-the-end']) {
      const plain = await listing(wanted, 'table', width);
      expect(plain).not.toContain('\u001b');
      expect(stripVTControlCharacters(await listing(wanted, 'table', width, true))).toBe(plain);
      for (const line of plain.split('\n')) expect(line.length, line).toBeLessThanOrEqual(width);
    }
  });

  test('wraps text at spaces and keeps long words whole', () => {
    expect(wrappedLines(`${'a '.repeat(20)}${'b'.repeat(50)} c`, 30)).toEqual([
      'a '.repeat(15).trim(),
      'a '.repeat(5).trim(),
      'b'.repeat(50),
      'c',
    ]);
  });
});

describe('a part of the catalogue', () => {
  test('one check in detail: basis, requests, fix and command', async () => {
    const text = await listing('auth/rejects-token-in-query');
    expect(text).toMatchSnapshot();
  });

  test('an invariant cannot run alone', async () => {
    expect(await listing('invariants/answers')).toMatch(
      /run {4}plant-store-conformance run URL {2}\(it judges the exchanges of other checks/,
    );
  });

  test('one check in Markdown and JSON', async () => {
    const id = 'invalid/rejects-inherited-property';
    const markdown = await listing(id, 'markdown');
    expect(markdown).toMatchSnapshot();
    expect(await listing(undefined, 'markdown')).toContain(markdown.trimEnd());
    expect(parsed(await listing(id, 'json')).map((one) => one.id)).toEqual([id]);
  });

  test.each(['auth', 'auth/', 'auth/*'])('an area: %s', async (wanted) => {
    const area = ids.filter((id) => id.startsWith('auth/'));
    expect(parsed(await listing(wanted, 'json')).map(({ id }) => id)).toEqual(area);
    expect(await listing(wanted)).toMatch(new RegExp(`^auth .*\n\n${area.length} checks: .*\n$`, 's'));
  });

  test('a pattern that matches one check gives a table', async () => {
    expect(await listing('*/rejects-missing-t*')).toContain('\n\n1 check: 1 MUST\n');
  });
});

describe('the reference in Markdown', () => {
  test('every check has its own anchor, and a link to it', async () => {
    const text = await listing(undefined, 'markdown');
    const headings = [...text.matchAll(/^### (.*)$/gm)].map(([, id = '']) => id);
    expect(headings).toEqual(ids);
    expect(new Set(ids.map(anchorOf)).size).toBe(ids.length);
    for (const id of ids) expect(text).toContain(`[${id}](#${anchorOf(id)})`);
  });

  test('text is escaped for Markdown', async () => {
    const text = await listing('unconstrained/answers-hostile-names', 'markdown');
    expect(text).toContain('name "\\<script>alert(1)\\</script>"');
    expect(text).toContain('name "\\_\\_proto\\_\\_"');
  });
});

describe('an unknown check id', () => {
  test.each([
    ['auth/rejects-mising-token', 'auth/rejects-missing-token'],
    ['auht', 'auth'],
  ])('%s: the nearest id is suggested', async (wanted, near) => {
    await expect(listing(wanted)).rejects.toThrow(`No check is called ${wanted}; did you mean ${near}?`);
  });

  test('names the checks whose ids contain it', async () => {
    await expect(listing('echoes')).rejects.toThrow(
      'No check is called echoes; these contain it: ordinary/echoes-name, ordinary/echoes-tag, unconstrained/echoes-any-name and 1 more',
    );
  });

  test('without a similar id: the command that lists them is suggested', async () => {
    await expect(listing('xyzzy/plugh')).rejects.toThrow('plant-store-conformance list shows all checks');
  });

  test('similar means at most a third of the name, or six letters', () => {
    expect(nearest('seeed', ['token', 'seed'])).toBe('seed');
    expect(nearest('ca', ['cb', 'out'])).toBe('cb');
    expect(nearest('ca', ['out'])).toBeUndefined();
    expect(nearest('abcdefghijklmnopqrstuvwxyz', ['abcdefghijklmnopqrs'])).toBeUndefined();
    expect(nearest('seed', [])).toBeUndefined();
  });
});

describe('at the command line', () => {
  test('list prints the same as the function', async () => {
    for (const format of ['table', 'json', 'markdown'] as const) {
      const { code, stdout, stderr } = await suite(['list', '--format', format]);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout === (await listing(undefined, format)), format).toBe(true);
    }
  });

  test('lines are as wide as COLUMNS says, even in a pipe', async () => {
    const widest = async (columns: string) => {
      const { stdout } = await suite(['list'], { COLUMNS: columns });
      return Math.max(...stdout.split('\n').map((line) => line.length));
    };
    expect(await widest('70')).toBeLessThanOrEqual(70);
    expect(await widest('160')).toBeGreaterThan(110);
    expect(await widest('wide')).toBe(await widest(''));
  });

  test('there is no colour in a pipe', async () => {
    const { stdout } = await suite(['list', 'auth/rejects-missing-token'], { FORCE_COLOR: '1' });
    expect(stdout).toContain('--only auth/rejects-missing-token');
    expect(stdout).not.toContain('\u001b');
  });

  test.each([
    [['list', 'ordinary/answer-200'], 'did you mean ordinary/answers-200?'],
    [['list', '--format', 'yaml'], 'Allowed choices are table, json, markdown'],
  ])('2 for %j', async (args, says) => {
    const { code, stdout, stderr } = await suite(args);
    expect(stderr).toContain(says);
    expect([code, stdout]).toEqual([2, '']);
  });
});
