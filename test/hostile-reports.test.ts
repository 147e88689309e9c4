import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { type RunRecord, run } from '../index.ts';
import { annotations } from '../lib/report/formats/annotations.ts';
import { FORMATS, type Format } from '../lib/report/formats/formats.ts';
import {
  formsOf,
  HOSTILE_TOKEN,
  MARK,
  startHostile,
  steady,
  tried,
  withoutAssets,
  withoutCode,
} from './helpers/hostile-record.ts';

const formats = Object.keys(FORMATS) as Format[];
const EXTENSIONS = {
  terminal: 'txt',
  json: 'json',
  html: 'html',
  junit: 'xml',
  markdown: 'md',
  badge: 'svg',
} as const;

let record: RunRecord;

beforeAll(async () => {
  const store = await startHostile();
  const whole = await run({
    baseUrl: store.url,
    token: HOSTILE_TOKEN,
    seed: 5,
    firstId: 1_000_000n,
    cases: 4,
    // One request at a time, so that the order is always the same.
    concurrency: 1,
    timeout: 5000,
    // Few, so that their number does not depend on the speed of the machine.
    explain: 150,
    only: [
      'ordinary/answers-*',
      'ordinary/accepts-white-space',
      'ordinary/accepts-names-of-many-kinds',
      'invalid/rejects-null',
      'invalid/rejects-wrong-type',
      'invalid/answers-400',
      'auth/rejects-missing-token',
      'auth/answers-401',
      'observe/id',
      'observe/methods',
      'invariants/*',
    ],
  }).record;
  await store.stop();
  record = tried(steady(whole));
});

const rendered = (format: Format) => FORMATS[format].render(record);

test('the hostile store makes checks fail in many ways', () => {
  const failed = record.results.filter(({ verdict }) => verdict === 'fail');
  expect(failed.length).toBeGreaterThan(8);
  expect(new Set(failed.map(({ exchanges }) => exchanges[0]?.problem)).size).toBeGreaterThan(4);
  const text = JSON.stringify(record.results);
  for (const piece of [
    '<script>',
    ']]>',
    '```',
    '\\u001b',
    '##[',
    '::error::',
    '@EVIL',
    '[redacted]',
    'base64',
  ])
    expect(text, piece).toContain(piece);
});

describe.each(formats)('%s of a hostile store', (format) => {
  test('contains no form of the token', () => {
    const text = rendered(format).toLowerCase();
    for (const form of formsOf(`Bearer ${HOSTILE_TOKEN}`)) {
      // The last characters of base64 depend on what follows.
      expect(text, form).not.toContain(form.toLowerCase().replace(/=+$/, '').slice(0, -2));
    }
  });

  test('stays small', () => {
    expect(rendered(format).length).toBeLessThan(400_000);
  });

  test('contains no control or formatting characters', () => {
    const text = rendered(format);
    // JSON is for programs, and forbids only control characters below the space.
    expect(text).not.toMatch(
      format === 'json' ? /[^\P{Cc}\n\u007f-\u009f]|\p{Cs}/u : /[^\P{Cc}\n]|\p{Cf}|\p{Cs}/u,
    );
  });

  test('contains no commands for a CI runner', () => {
    const text = rendered(format);
    expect(text).not.toMatch(/^\s*::[a-z-]+[^\n]*::/m);
    if (format === 'markdown') expect(text).not.toMatch(/^\s*\//m);
    if (format !== 'json') expect(text).not.toMatch(/##(?:\[|vso\[)/i);
  });

  test('matches its golden file', async () => {
    const text = rendered(format);
    await expect(format === 'html' ? withoutAssets(text) : text).toMatchFileSnapshot(
      `golden/hostile.${EXTENSIONS[format]}`,
    );
  });
});

test('the JSON is the record', () => {
  expect(JSON.parse(rendered('json'))).toEqual(record);
});

test('the JUnit report is valid, and text of the store stays text', async () => {
  const xml = rendered('junit');
  const schema = readFileSync(new URL('fixtures/junit.xsd', import.meta.url), 'utf8');
  const { valid, errors } = await validateXML({
    xml: [{ fileName: 'report.xml', contents: xml }],
    schema: [{ fileName: 'junit.xsd', contents: schema }],
  });
  expect(errors.slice(0, 3)).toEqual([]);
  expect(valid).toBe(true);
  expect(xml).not.toContain(`<${MARK}`);
  expect(xml).not.toContain('<!--');
  expect(xml).not.toContain('[[ATTACHMENT|');
});

test('the HTML report contains no element from the store', () => {
  expect(rendered('html')).not.toMatch(
    /<(?:script|img|a|b)\b[^>]*?(?:EVIL|onerror)|<script>EVIL|javascript:EVIL"/i,
  );
});

test('the Markdown report contains text of the store only in code', () => {
  const text = rendered('markdown');
  expect(text).toContain(MARK);
  const rest = withoutCode(text);
  expect(rest).not.toContain(MARK);
  expect(rest).not.toMatch(/<(?!\/?(?:details|summary|code)>)/);
  expect(rest).not.toContain('@');
  expect(text.length).toBeLessThan(60_001);
});

test('each annotation is a single command on one line', () => {
  const lines = annotations(record);
  expect(lines.length).toBeGreaterThan(4);
  for (const line of lines) {
    expect(line).toMatch(/^::(?:error|warning|notice) title=[^:,\r\n]*::[^\r\n]*$/);
    expect(line).not.toMatch(/\p{Cc}|\p{Cf}|\p{Cs}|##\[/u);
  }
});
