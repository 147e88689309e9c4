import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { listing } from '../cli/list.ts';
import { catalogue, run } from '../index.ts';
import { type Entry, entryOf } from '../lib/catalogue/entry.ts';
import { anchor } from '../lib/catalogue/markdown.ts';
import { wrapped } from '../lib/catalogue/terminal.ts';
import { loadContract } from '../lib/contract/contract.ts';
import { nearest } from '../lib/nearest.ts';
import { packageFile } from '../lib/package.ts';
import { CLAUSES } from '../suites/clauses.ts';
import { suite } from './command.ts';
import { TOKEN, withStore } from './stores.ts';

interface Listed extends Omit<Entry, 'sends'> {
  readonly sends: readonly string[];
}

const parsed = (text: string) => JSON.parse(text) as Listed[];

const ids = catalogue.map(({ id }) => id);

test('docs/checks.md is what the catalogue says; npm run docs makes it anew', async () => {
  const current = await listing(undefined, 'markdown');
  const committed = readFileSync(packageFile('docs/checks.md'), 'utf8');
  expect(committed === current, 'docs/checks.md is out of date: make it anew with `npm run docs`').toBe(true);
});

describe('the number of requests that a check says it sends', () => {
  const NUMBERS = ['no', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine', 'Ten'];
  const numberOf = (word: string) => (/^\d/.test(word) ? Number(word) : NUMBERS.indexOf(word));
  /** How many requests a sentence tells, where it begins with a number or ends with one. */
  const toldIn = (sentence: string): number | undefined => {
    const [, first, rest = ''] = /^(\w+)(?: ordinary)? (?:plants|requests)\b(.*)/.exec(sentence) ?? [];
    if (first !== undefined && first !== 'Ordinary')
      return numberOf(first) + (rest.match(/, then an? /g)?.length ?? 0);
    const all = /(\w+) in all\.$/.exec(sentence)?.[1];
    return all === undefined ? undefined : NUMBERS.findIndex((word) => word.toLowerCase() === all);
  };
  const told = catalogue.flatMap(({ id, test: { ...how } }) => {
    const count = how.kind === 'procedure' ? toldIn(how.sends) : undefined;
    return count === undefined ? [] : [{ id, count }];
  });

  test('is the number that it sends', async () => {
    expect(told.map(({ id }) => id)).toEqual(
      expect.arrayContaining([
        'auth/decides-each-request-alone',
        'observe/longest-name',
        'serving/to-the-end',
      ]),
    );
    const { results } = await withStore(
      'reference',
      ({ url }) => run({ baseUrl: url, token: TOKEN, only: told.map(({ id }) => id) }).record,
    );
    const sent = new Map(results.map(({ id, cases }) => [id, cases]));
    expect(told.map(({ id }) => ({ id, count: sent.get(id) }))).toEqual(told);
  });
});

describe('what is told of every check', () => {
  let all: Listed[];
  beforeAll(async () => {
    all = parsed(await listing(undefined, 'json'));
  });

  test('each is there, in the order of the run, with all of its parts and no others', () => {
    expect(all.map(({ id }) => id)).toEqual(ids);
    for (const [index, one] of all.entries()) {
      const { id, level, statement, basis, hint, test } = catalogue[index] ?? {};
      expect(Object.keys(one)).toEqual(['id', 'level', 'statement', 'basis', 'kind', 'sends', 'hint']);
      expect(one).toMatchObject({ id, level, statement, hint, kind: test?.kind });
      expect(one.basis.map(({ ref }) => ref)).toEqual(basis);
    }
  });

  test('a section of the interface comes with its words, and nothing else does', () => {
    const clauses: Readonly<Record<string, { readonly text: string }>> = CLAUSES;
    for (const { ref, text } of all.flatMap(({ basis }) => basis)) expect(text).toBe(clauses[ref]?.text);
  });

  test('what is sent is told in whole sentences, with examples where there are any', () => {
    for (const { id, kind, sends } of all) {
      const [text = '', ...examples] = sends;
      expect(text, id).toMatch(/^[A-Z\d].{15,}[.:]$/);
      expect(text.endsWith(':'), id).toBe(examples.length > 0);
      const silent = text.startsWith('Nothing with the document');
      expect(examples.length, id).toBe(
        silent ? 0 : { cases: 1, property: 3, standing: 0, procedure: 0 }[kind],
      );
      for (const example of examples) if (kind === 'cases') expect(example, id).toMatch(/^POST \/plants/);
    }
  });

  test('nothing stands there that a terminal would obey', () => {
    for (const line of all.flatMap(({ sends }) => sends).flatMap((one) => one.split('\n')))
      expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
  });

  test('the token is named as a shell names it, in headers, queries and bodies', () => {
    const sent = (id: string) => all.find((one) => one.id === id)?.sends.join('\n');
    expect(sent('create/answers-200')).toContain('authorization: Bearer $PLANT_STORE_TOKEN\n');
    expect(sent('auth/rejects-other-schemes')).toContain(
      'authorization: Basic $(printf %s "$PLANT_STORE_TOKEN:"',
    );
    expect(sent('auth/rejects-token-in-query')).toContain('POST /plants?access_token=$PLANT_STORE_TOKEN\n');
    expect(sent('auth/rejects-token-in-form')).toContain('&access_token=$PLANT_STORE_TOKEN');
    expect(sent('auth/rejects-missing-token')).not.toContain('authorization:');
  });

  test.each([
    ['create/answers-200', /^2 requests: with every property; with the required properties\. The first:$/],
    [
      'create/takes-ids-of-every-magnitude',
      /^24 requests: an id of 1048576 to 2097151; an odd id of 1048576 /,
    ],
    ['create/takes-chunked-body', /^1 request: chunked\. Also an ordinary plant with the token/],
    ['auth/rejects-missing-token', /^3 requests: no Authorization header; .*; Bearer alone\. /],
    [
      'combinations/rejects-invalid-bodies',
      /^\d+ requests in which all [\d,]+ pairs of the values of \d\d dimensions occur, with --thorough all triples/,
    ],
    ['refuse/wrong-type', /^92 requests: name is a boolean \(4 times\); /],
    ['refuse/any-wrong-type', /^60 requests drawn at random, 0\.5 times --cases \(120 by default\)\./],
    ['refuse/constraint', /^Nothing with the document of the suite, as the document declares no limits/],
    ['always/400-is-json', /Skipped where the store never answered 400\.$/],
    ['observe/paths', /^An ordinary plant to \/plants\/, and one to \/PLANTS\.$/],
  ])('%s', (id, text) => {
    expect(all.find((one) => one.id === id)?.sends[0]).toMatch(text);
  });

  test('the same bytes each time, another contract has other ones', async () => {
    expect(parsed(await listing(undefined, 'json'))).toEqual(all);
    const limited = await loadContract(packageFile('openapi.yaml'), [
      packageFile('mutants/overlays/limits.yaml'),
    ]);
    const constraint = catalogue.find(({ id }) => id === 'refuse/constraint');
    if (constraint === undefined) throw new Error('there is no refuse/constraint');
    expect(entryOf(constraint, limited, CLAUSES).sends.text).toMatch(/^\d+ requests: /);
  });
});

describe('the table', () => {
  test('groups the checks by area, with counts at the end', async () => {
    const text = await listing(undefined);
    const lines = text.split('\n');
    expect(lines[0]).toMatch(/^create {2}\d+ MUST, \d+ SHOULD$/);
    expect(lines.filter((line) => /^ {2}\S/.test(line)).map((line) => line.trim().split(' ')[0])).toEqual(
      ids,
    );
    const count = (level: string) => catalogue.filter((check) => check.level === level).length;
    expect(lines.at(-2)).toBe(
      `${ids.length} checks: ${count('MUST')} MUST, ${count('SHOULD')} SHOULD, ${count('OBSERVE')} OBSERVE`,
    );
  });

  test.each([72, 80, 100, 140])('fits into %d columns, coloured or not', async (width) => {
    for (const wanted of [undefined, 'serving/alternates']) {
      const plain = await listing(wanted, 'table', width);
      expect(plain).not.toContain('\u001b');
      expect(stripVTControlCharacters(await listing(wanted, 'table', width, true))).toBe(plain);
      for (const line of plain.split('\n')) expect(line.length, line).toBeLessThanOrEqual(width);
    }
  });

  test('text is broken at its spaces, and long words are left whole', () => {
    expect(wrapped(`${'a '.repeat(20)}${'b'.repeat(50)} c`, 30)).toEqual([
      'a '.repeat(15).trim(),
      'a '.repeat(5).trim(),
      'b'.repeat(50),
      'c',
    ]);
  });
});

describe('a part of the catalogue', () => {
  test('one check at length: clause, requests, remedy, and how to carry it out', async () => {
    const text = await listing('auth/rejects-token-in-query');
    expect(text).toMatchSnapshot();
  });

  test('a standing check is not carried out alone', async () => {
    expect(await listing('always/answers')).toMatch(/run {4}plant-store-conformance run URL {2}\(without/);
  });

  test('in Markdown and in JSON it is that check alone', async () => {
    const id = 'refuse/inherited-property';
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

  test('a pattern that matches one check is a table still', async () => {
    expect(await listing('*/rejects-missing*')).toContain('\n\n1 check: 1 MUST\n');
  });
});

describe('the reference in Markdown', () => {
  test('links lead to the section of a check, each to its own', async () => {
    const text = await listing(undefined, 'markdown');
    const headings = [...text.matchAll(/^### (.*)$/gm)].map(([, id = '']) => id);
    expect(headings).toEqual(ids);
    expect(new Set(ids.map(anchor)).size).toBe(ids.length);
    for (const id of ids) expect(text).toContain(`[${id}](#${anchor(id)})`);
  });

  test('texts mean nothing to Markdown', async () => {
    const text = await listing('whole-shape/answers-hostile-names', 'markdown');
    expect(text).toContain('name "\\<script>alert(1)\\</script>"');
    expect(text).toContain('name "\\_\\_proto\\_\\_"');
  });
});

describe('a name that no check has', () => {
  test.each([
    ['auth/rejects-mising-token', 'auth/rejects-missing-token'],
    ['auht', 'auth'],
  ])('%s: the nearest is named', async (wanted, near) => {
    await expect(listing(wanted)).rejects.toThrow(`No check is called ${wanted}; did you mean ${near}?`);
  });

  test('far from all of them: where to look', async () => {
    await expect(listing('xyzzy/plugh')).rejects.toThrow('plant-store-conformance list shows them all');
  });

  test('near is a third of the name, or six letters', () => {
    expect(nearest('seeed', ['token', 'seed'])).toBe('seed');
    expect(nearest('ca', ['cb', 'out'])).toBe('cb');
    expect(nearest('ca', ['out'])).toBeUndefined();
    expect(nearest('abcdefghijklmnopqrstuvwxyz', ['abcdefghijklmnopqrs'])).toBeUndefined();
    expect(nearest('seed', [])).toBeUndefined();
  });
});

describe('at the command line', () => {
  test('list prints the same as the sources do', async () => {
    for (const format of ['table', 'json', 'markdown'] as const) {
      const { code, stdout, stderr } = await suite(['list', '--format', format]);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout === (await listing(undefined, format)), format).toBe(true);
    }
  });

  test('there is no colour in a pipe', async () => {
    const { stdout } = await suite(['list', 'auth/rejects-missing-token'], { FORCE_COLOR: '1' });
    expect(stdout).toContain('--only auth/rejects-missing-token');
    expect(stdout).not.toContain('\u001b');
  });

  test.each([
    [['list', 'create/answer-200'], 'did you mean create/answers-200?'],
    [['list', '--format', 'yaml'], 'Allowed choices are table, json, markdown'],
  ])('2 for %j', async (args, says) => {
    const { code, stdout, stderr } = await suite(args);
    expect(stderr).toContain(says);
    expect([code, stdout]).toEqual([2, '']);
  });
});
