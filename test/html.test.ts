import { h } from 'preact';
import { renderToString as render } from 'preact-render-to-string';
import { beforeAll, describe, expect, test } from 'vitest';
import type { RunRecord } from '../index.ts';
import { anchorOf, docsOf, packageText } from '../lib/package.ts';
import { ciResultOf } from '../lib/report/baseline/ci-result.ts';
import { explainedChecks } from '../lib/report/baseline/deviations.ts';
import { issueMarkdown } from '../lib/report/formats/cause-markdown.ts';
import { difference } from '../lib/report/formats/html/kit/expected.tsx';
import { AboutCheck } from '../lib/report/formats/html/kit/text.tsx';
import { htmlReport } from '../lib/report/formats/html/page.tsx';
import { isResponseTime } from '../lib/report/wording/facts.ts';
import { plainText, profileOf } from '../lib/report/wording/profile.ts';
import { steady, tried, withoutAssets } from './helpers/hostile-record.ts';
import {
  expectOnlyOwnAssets,
  expectOnlyText,
  expectPrintable,
  expectSameElsewhere,
  expectWellFormed,
} from './helpers/page-rules.ts';
import { readPage } from './helpers/read-page.ts';
import { smallRecordOf, TOKEN, withStore } from './helpers/stores.ts';

const ofStore = (name: string, more: object = {}) => withStore(name, ({ url }) => smallRecordOf(url, more));

let conformant: RunRecord;
let broken: RunRecord;
let known: RunRecord;
let undetermined: RunRecord;

beforeAll(async () => {
  conformant = await ofStore('reference', { only: ['ordinary/*', 'auth/*', 'observe/*'] });
  broken = tried(
    steady(
      await ofStore('id-numeral-string', {
        only: [
          'invalid/rejects-n*',
          'invalid/rejects-any-wrong-type',
          'auth/accepts-*',
          'observe/id',
          'state/accepts-among-many-rejections',
        ],
      }),
    ),
  );
  known = {
    ...broken,
    ciResult: ciResultOf(broken, {
      file: 'known.yaml',
      entries: [
        {
          id: 'invalid/rejects-numeric-string-id',
          reason: 'the old clients send it',
          issue: 'https://tracker.example/7',
        },
        { id: 'invalid/rejects-null', reason: 'was broken once', issue: 'javascript:alert(1)' },
        { id: 'invalid/rejects-any-wrong-type', reason: 'should be fixed by now', until: '2026-01-01' },
        { id: 'ordinary/echoes-name', reason: 'not selected in this run' },
      ],
    }),
  };
  undetermined = await smallRecordOf('http://127.0.0.1:1');
});

describe('the page', () => {
  test('of a broken store matches its golden file', async () => {
    await expect(withoutAssets(htmlReport(broken))).toMatchFileSnapshot('golden/page.html');
  });

  test('depends only on the record', () => {
    const copy = JSON.parse(JSON.stringify(broken)) as RunRecord;
    expectSameElsewhere(htmlReport(broken), () => htmlReport(copy));
  });

  test('is well-formed for every outcome', () => {
    for (const record of [conformant, broken, known, undetermined])
      expectWellFormed(readPage(htmlReport(record)));
  });

  test('links only within itself, and to existing targets', () => {
    for (const record of [conformant, broken, known, undetermined]) {
      const { tags } = readPage(htmlReport(record));
      const ids = tags.flatMap(({ attributes }) => attributes.get('id') ?? []);
      const hrefs = tags.flatMap(({ attributes }) => attributes.get('href') ?? []);
      expect(hrefs.length).toBeGreaterThan(5);
      for (const href of hrefs)
        if (href !== 'https://tracker.example/7') expect(ids, href).toContain(href.replace(/^#/, ''));
      expect(tags.some(({ attributes }) => attributes.has('src'))).toBe(false);
    }
  });

  test('says where each check is described, with a link once the package has a homepage', () => {
    for (const id of broken.results.map((result) => result.id))
      expect(htmlReport(broken)).toContain(
        `About this check: <span class="code">npx plant-store-conformance list ${id}</span>`,
      );
    const described = packageText('docs/checks.md').split('\n');
    for (const { id } of broken.results) {
      const [page, anchor] = docsOf(id, 'https://home.example')?.split('#') ?? [];
      expect(page).toBe('https://home.example/blob/HEAD/docs/checks.md');
      const isDescribed = (line: string) => line.startsWith('### ') && anchorOf(line.slice(4)) === anchor;
      expect(described.some(isDescribed)).toBe(true);
    }
    expect(render(h(AboutCheck, { id: 'state/x', href: 'https://home.example/#x' }))).toBe(
      '<a href="https://home.example/#x" rel="noreferrer">About this check</a>',
    );
  });

  test('numbers the causes as all reports do, whatever their level', () => {
    const mixed: RunRecord = {
      ...broken,
      causes: broken.causes.map((cause, index) => ({ ...cause, level: index === 0 ? 'MUST' : 'SHOULD' })),
    };
    const ranks = (record: RunRecord) =>
      [...htmlReport(record).matchAll(/<span class="rank">(\d+)</g)].map(([, rank]) => Number(rank));
    for (const record of [broken, known, mixed])
      expect(ranks(record)).toEqual(explainedChecks(record).map((_, index) => index + 1));
  });

  test('allows only its own style and script, by their hashes', () => {
    expectOnlyOwnAssets(readPage(htmlReport(broken)));
  });

  test('states the verdict in one sentence', () => {
    const verdictOf = (record: RunRecord) =>
      /<h1>(.*?)<\/h1>/.exec(htmlReport(record))?.[1]?.replaceAll(/<[^>]*>/g, '');
    expect(verdictOf(conformant)).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+ passed the selected checks: all \d+ MUST checks passed, \d+ were skipped\.$/,
    );
    expect(verdictOf(broken)).toMatch(/ is not conformant: 2 of 7 MUST checks failed, due to 1 cause\.$/);
    expect(verdictOf(undetermined)).toBe('http://127.0.0.1:1 could not be judged: it cannot be reached.');
    const strict: RunRecord = {
      ...conformant,
      outcome: 'nonconformant',
      summary: { ...conformant.summary, SHOULD: { ...conformant.summary.SHOULD, fail: 2 } },
    };
    expect(verdictOf(strict)).toMatch(
      /MUST checks passed, but 2 SHOULD checks failed, and the run was strict\.$/,
    );
  });

  test('says what to do if the store could not be judged', () => {
    const page = htmlReport(undetermined);
    expect(page).toContain('nothing listens there');
    expect(page).toContain('Start the store');
    expect(page).toMatch(/CI result: <strong class="fail">fail/);
  });

  test('lists known deviations and what to do about outdated entries', () => {
    const page = htmlReport(known);
    expect(page).toContain('the old clients send it');
    expect(page).toContain('href="https://tracker.example/7"');
    expect(page).not.toContain('href="javascript:');
    expect(page).toContain('Delete the entry invalid/rejects-null: the check passes now.');
    expect(page).toContain(' or extend its date: it expired after 2026-01-01.');
    expect(page).toContain('expired</span>');
    const entries = page.slice(page.indexOf('<ul class="entries">'));
    expect(entries.indexOf('expired</span>')).toBeLessThan(entries.indexOf('known deviation</span>'));
  });

  test('contains the command that repeats the run', () => {
    expect(htmlReport(broken)).toContain(
      '<code>npx plant-store-conformance run http://127.0.0.1:8080 --seed 9 --first-id 1000000 --cases 3 --concurrency 1 --timeout 2000</code>',
    );
  });
});

describe('a cause as Markdown for an issue tracker', () => {
  const ENTITIES = { quot: '"', lt: '<', amp: '&' };
  const issuesIn = (record: RunRecord): readonly string[] =>
    readPage(htmlReport(record))
      .tags.filter(({ name }) => name === 'button')
      .flatMap(({ attributes }) => attributes.get('data-exact') ?? [])
      .map((text) => text.replace(/&(quot|lt|amp);/g, (_, name: 'quot') => ENTITIES[name]))
      .map((text) => String(JSON.parse(text)));

  test('has the title, the request, the response, the fix, the steps and the checks', () => {
    const [issue = '', ...others] = issuesIn(broken);
    expect(others).toHaveLength(broken.causes.length - 1);
    expect(issue).toMatch(
      /^## `Accepts a numeric string such as "7" as id`\n\n```text\nconfirmed 12 of 12 [^\n]*\nrequest {3}POST \/plants [^\n]*\nresponse {2}200 OK [^\n]*\nexpected {2}a rejection, preferably 400 with an Error\nfix {7}Check the JSON type [^\n]*\n```\n\n```sh\nID=.*\ncurl .*\n```\n/,
    );
    expect(issue).toContain('\nFailed checks (`npx plant-store-conformance list ID` describes one):\n');
    for (const { id, level } of explainedChecks(broken)[0]?.checks ?? [])
      expect(issue).toContain(`- \`${id}\`, ${level}\n`);
    expect(issue).not.toContain(TOKEN);
  });

  test('links the checks to their descriptions once the package has a homepage', () => {
    const [first] = explainedChecks(broken);
    if (first === undefined) throw new Error('there is no cause');
    const addressOf = (id: string) => docsOf(id, 'https://home.example');
    const issue = issueMarkdown(first, broken, addressOf);
    expect(issue).toContain('\nFailed checks:\n');
    for (const { id, level } of first.checks)
      expect(issue).toContain(`- [\`${id}\`](${addressOf(id)}), ${level}\n`);
  });

  test('keeps text from a store in code, whatever it contains', () => {
    const nasty = '``` ## @everyone ![x](http://x) <b> \n/close\n::error::x\u202e';
    const changed = JSON.parse(JSON.stringify(broken), (key, value: unknown) =>
      ['title', 'advice', 'text', 'statusText'].includes(key) ? nasty : key === 'steps' ? [nasty] : value,
    ) as RunRecord;
    const [issue = ''] = issuesIn(changed);
    // Code blocks end only where they should, and nothing is left of the text outside of code.
    const outside = issue
      .replace(/^(`{3,})\w+\n[\s\S]*?\n\1$/gm, '')
      .replace(/(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, '');
    expect(outside).not.toMatch(/everyone|close|error|<b>/);
    expect(issue).not.toMatch(/^\/|^::|[^\P{Cc}\n]|\p{Cf}/mu);
  });
});

describe('text from a store', () => {
  const NASTY = [
    '</pre></code></details></script><script>window.__pwned = 1</script>',
    '<img src=x onerror="window.__pwned = 1">',
    `" onmouseover="window.__pwned = 1" style='color:red' x="`,
    `]]> --> &amp; &#0; \${x} {{x}} \`x\``,
    '\u001b]0;owned\u0007\u001b[2J\u001b[31m',
    '\u202edesrever\u2066\u200b\ufeff',
    '\u0000\u0008\u007f\u0085\u009b',
    '\u2028\u2029\r\n::error::x\n##[add-mask]x',
    '\ud800 lone \udfff',
  ].join(' ');
  /** Keys of a record whose values a store may control. */
  const UNTRUSTED_KEYS = new Set([
    ...['server', 'reason', 'remedy', 'advice', 'statusText', 'text', 'cause', 'label', 'detail', 'curl'],
    ...['expected', 'actual', 'name', 'file', 'version'],
    ...['title', 'symptom', 'condition', 'advice', 'part', 'value'],
  ]);

  /** A record with a text in every place that a store, a team or a user can control. */
  function poisoned(record: RunRecord, text: string): RunRecord {
    const changed = JSON.parse(JSON.stringify(record), (key, value: unknown) => {
      if (typeof value === 'string' && UNTRUSTED_KEYS.has(key)) return text;
      if (key === 'ladders') return [{ part: text, tried: [{ value: text, shows: true }] }];
      if (key === 'steps' || key === 'matters') return [text, 'name'];
      if (key === 'headers' && Array.isArray(value)) return [...value, [text, text]];
      if (key === 'observations')
        return { ...(value as object), [text]: text, 'missing-token/challenge': text };
      return value;
    }) as RunRecord;
    const [first, ...others] = changed.results;
    const exchange = first?.exchanges[0];
    if (first === undefined || exchange?.response === undefined) throw new Error('nothing failed');
    const base64 = Buffer.from('\u001b[31m<script>').toString('base64');
    return {
      ...changed,
      suite: record.suite,
      stop: { kind: 'gone', reason: text, remedy: text },
      advice: text,
      results: [
        {
          ...first,
          exchanges: [
            { ...exchange, response: { ...exchange.response, body: { bytes: 14, base64 } } },
            { ...exchange, fault: { kind: 'closed', detail: text }, response: exchange.response },
          ],
        },
        ...others,
      ],
    };
  }

  const ofFailures = (record: RunRecord): RunRecord => ({
    ...record,
    results: record.results.toSorted((a, b) => b.exchanges.length - a.exchanges.length),
  });

  test('stays text, whatever it contains', () => {
    const page = htmlReport(poisoned(ofFailures(known), NASTY));
    expectOnlyText(page, htmlReport(poisoned(ofFailures(known), 'plain')));
    expectOnlyOwnAssets(readPage(page));
    expect(page).toContain(Buffer.from('\u001b[31m<script>').toString('base64'));
  });

  test('contains no control characters and no commands for a log', () => {
    expectPrintable(htmlReport(poisoned(ofFailures(known), NASTY)));
  });

  test('does not make the page large', () => {
    const page = htmlReport(poisoned(ofFailures(known), '🌵<b>"'.repeat(200_000)));
    expect(page.length).toBeLessThan(1_000_000);
    expect(page).not.toMatch(/\p{Cs}/u);
    expect(page).toContain('(1,200,000 characters)');
  });
});

describe('expected and actual', () => {
  test('have their difference highlighted if they are similar', () => {
    expect(difference('name "Zoë Aloe"', '"Zoe Aloe"')).toEqual({
      expected: ['name "Zo', 'ë', ' Aloe"'],
      actual: ['"Zo', 'e', ' Aloe"'],
    });
    expect(difference('"a🌵bcdef"', '"a🌴bcdef"')?.actual).toEqual(['"a', '🌴', 'bcdef"']);
    expect(difference('name "é"', '"e"')?.expected).toEqual(['name "', 'é', '"']);
    expect(difference('tag "fern "', '"fern"')?.expected).toEqual(['tag "fern', ' ', '"']);
  });

  test('are not highlighted otherwise', () => {
    expect(difference('status 200', '201 application/json')).toBeUndefined();
    expect(difference('a status other than 2xx', '200 application/json')).toBeUndefined();
    expect(difference('the same', 'the same')).toBeUndefined();
    expect(difference('', '')).toBeUndefined();
    expect(difference('name "Aloe"', 'no name')).toBeUndefined();
  });
});

describe('the profile', () => {
  const keysOf = (record: Pick<RunRecord, 'observations'>) =>
    profileOf(record.observations).flatMap(({ entries }) => entries.flatMap(({ keys }) => keys));

  test.each([
    'reference',
    'always-400',
    'always-500',
    'no-long-names',
    'id-as-string',
    'proto-field',
    'unique-ids',
    'close-delimited',
  ])('of %s words every observation exactly once', async (name) => {
    const record = await ofStore(name, {
      only: ['auth/observe-*', 'observe/*'],
      timeout: 300,
      concurrency: 24,
    });
    const keys = Object.keys(record.observations).filter((key) => !isResponseTime(key));
    expect(keysOf(record).sort()).toEqual(keys.sort());
    expect(Object.keys(record.observations).length).toBeGreaterThan(50);
    expect(profileOf(record.observations).map(({ heading }) => heading)).not.toContain('Other');
  });

  test('reads like sentences', () => {
    const sentences = profileOf(conformant.observations).flatMap(({ entries }) =>
      entries.map(({ sentence }) => plainText(sentence)),
    );
    for (const sentence of sentences) expect(sentence).toMatch(/^[A-Z].*[^.]\.$/);
    expect(sentences).toContain(
      'A missing token gets 401 with the challenge Bearer realm="plants", as application/json.',
    );
    expect(sentences).toContain(
      'GET without a token gets 405; GET, HEAD and OPTIONS get 405 with Allow: POST.',
    );
    expect(sentences).toContain('The token is checked before the body.');
  });

  test('words missing responses and unknown values', () => {
    const sentences = (observations: RunRecord['observations']) =>
      profileOf(observations).flatMap(({ entries }) => entries.map(({ sentence }) => plainText(sentence)));
    expect(
      sentences({
        'framing/no-http/status': 'no response (closed)',
        'framing/no-host/status': 'no response (closed)',
      }),
    ).toEqual(['A missing Host and text that is not HTTP get no response (closed).']);
    expect(sentences({ 'authentication/order': 'constructor' })).toHaveLength(1);
    expect(sentences({ 'id/echo': '__proto__' })).toEqual(['The id in the response: __proto__.']);
    expect(sentences({ 'duplicate-name/counts': 'the first' })).toHaveLength(1);
  });

  test('lists observations without a wording by their keys', () => {
    const [other] = profileOf({ 'weather/today': true });
    expect(other).toEqual({
      heading: 'Other',
      entries: [
        { keys: ['weather/today'], label: 'weather/today', sentence: ['weather/today: ', { value: 'true' }] },
      ],
    });
  });

  test('marks the observed values', () => {
    const [topic] = profileOf({ 'missing-token/status': 403, 'missing-token/challenge': '' });
    expect(topic?.entries[0]?.sentence).toEqual([
      'A missing token gets',
      ' ',
      { value: '403' },
      ' ',
      { value: 'without a challenge' },
      '.',
    ]);
  });
});
