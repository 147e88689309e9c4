import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { FORMATS, type RunRecord } from '../index.ts';
import { COMPARISON_FORMATS } from '../lib/compare/formats.ts';
import { decoded } from '../lib/wire/codings.ts';
import { listen } from '../reference/store.ts';
import { type Ended, suite } from './helpers/command.ts';

/** A token that looks different in every encoding and that nothing else resembles. */
const CANARY = 'Kanari/Vogel+Xq7Zw~93_hJ-pLmB=';

const [third, half] = [CANARY.length / 3, CANARY.length / 2];
const HALVES = [CANARY.slice(0, half), CANARY.slice(half)];
const THIRDS = [CANARY.slice(0, third), CANARY.slice(third, 2 * third), CANARY.slice(2 * third)];
const base64 = (text: string) => Buffer.from(text).toString('base64');
const each = (text: string, write: (code: string) => string) =>
  [...text].map((c) => write(c.charCodeAt(0).toString(16).padStart(2, '0'))).join('');

/** All encodings in which a store may echo a text, regardless of case. */
const encodingsOf = (text: string): string[] => [
  text,
  [...text].reverse().join(''),
  encodeURIComponent(text),
  encodeURIComponent(encodeURIComponent(text)),
  each(text, (code) => `%${code}`),
  each(text, (code) => `\\u00${code}`),
  each(text, (code) => `&#x${code};`),
  text.replaceAll('/', '\\/'),
  base64(text),
  base64(`user:${text}`).slice(7),
  Buffer.from(text).toString('base64url'),
  Buffer.from(text).toString('hex'),
];

/** What must not be found; of base64, without the end that depends on the adjacent text. */
const CANARIES = [CANARY, ...HALVES, ...THIRDS].flatMap((text) =>
  encodingsOf(text).map((form) => form.replace(/=+$/, '').slice(0, -1).toLowerCase()),
);

const ECHOES = [CANARY, CANARY.toUpperCase(), CANARY.toLowerCase(), ...HALVES, ...THIRDS].flatMap(
  encodingsOf,
);

const json = { 'content-type': 'application/json' };
const said = (value: unknown) => JSON.stringify(value);
const packed = (pack: (bytes: Buffer) => Buffer) =>
  pack(Buffer.from(said({ error: CANARY, message: HALVES })));

/** Each leaks the token in its own way. */
const REPLIES: readonly ((response: ServerResponse) => unknown)[] = [
  (response) => response.writeHead(400, json).end(said({ error: 'no', message: ECHOES })),
  (response) => response.writeHead(400, json).end(said({ error: HALVES[0], message: HALVES[1] })),
  (response) => response.writeHead(200, json).end(said({ name: CANARY, tag: THIRDS, [CANARY]: 1 })),
  (response) =>
    response
      .writeHead(418, `${HALVES[0]} ${CANARY}`, {
        server: HALVES[0],
        'x-rest': HALVES[1],
        location: `/?token=${encodeURIComponent(CANARY)}`,
        'www-authenticate': ECHOES.join(' '),
        'content-type': `text/${HALVES[0]}`,
      })
      .end(ECHOES.join('\n')),
  (response) =>
    response.writeHead(500, { 'content-type': 'text/plain' }).end(`Error: ${CANARY}\n    at ${CANARY}:1`),
  (response) => response.writeHead(400, json).end(Buffer.from(`\u00ff${CANARY}`, 'utf16le')),
  (response) => response.writeHead(400, json).end(Buffer.from(`\u00ff${HALVES[1]}`, 'latin1')),
  (response) => response.writeHead(400, { ...json, 'content-encoding': 'gzip' }).end(packed(gzipSync)),
  (response) =>
    response.writeHead(400, { ...json, 'content-encoding': 'br' }).end(packed(brotliCompressSync)),
  (response) => response.writeHead(400, { ...json, 'content-encoding': 'zstd' }).end(packed(gzipSync)),
  (response) => response.writeHead(400, json).end(packed(gzipSync)),
  (response) => response.writeHead(400, json).end(packed(deflateSync)),
  (response) => response.writeHead(400, json).end(packed(deflateRawSync)),
  (response) => response.writeHead(400, json).end(packed(brotliCompressSync)),
  // Truncated within the token, and longer than the part that reports contain.
  (response) => response.writeHead(400, json).end(`"${'x'.repeat(4090)}${CANARY}${'y'.repeat(5000)}`),
  (response) => {
    response.writeHead(200, { ...json, 'content-length': 500 }).write(`{"name":"${CANARY.slice(0, 20)}`);
    setTimeout(() => response.destroy(), 5);
  },
];

/** A store that leaks the token: in one way, or in each in turn. */
const leakingStore = (way?: number) => {
  let asked = 0;
  return createServer((message, response) => {
    message.resume().once('end', () => {
      asked += 1;
      // The first responses are correct, so that the store can be judged.
      const reply = asked > 3 ? REPLIES[way ?? asked % REPLIES.length] : undefined;
      if (reply === undefined) response.writeHead(200, json).end(said({ name: 'x' }));
      else reply(response);
    });
  });
};

/** Streams and files by name. */
const outputs = new Map<string, string>();
let record: RunRecord;

const addStreams = (name: string, { code, stdout, stderr }: Ended) => {
  expect([0, 1, 2, 3], `${name}: ${stderr}`).toContain(code);
  expect(stderr).not.toContain('suite itself');
  outputs.set(`${name} on standard output`, stdout);
  outputs.set(`${name} on standard error`, stderr);
};

const addFiles = (folder: string) => {
  for (const file of readdirSync(folder))
    outputs.set(join(folder, file), readFileSync(join(folder, file), 'utf8'));
};

beforeAll(async () => {
  const stores = await Promise.all(
    [leakingStore(), leakingStore(), leakingStore(0), leakingStore(2)].map((store) => listen(store)),
  );
  const [one = '', other = '', constant = '', another = ''] = stores.map(({ url }) => url);
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
  const inFolder = (name: string) => join(folder, name);
  const env = { PLANT_STORE_TOKEN: CANARY };
  const chosen = [
    ...['--cases=4', '--seed=3', '--concurrency=1', '--timeout=1000', '--first-id=5000000', '--explain=200'],
    ...[
      'ordinary/answers-*',
      'ordinary/accepts-any-plant',
      'invalid/rejects-missing-*',
      'invalid/rejects-non-json',
      'invalid/rejects-null',
      'auth/rejects-missing-token',
      'observe/id',
      'invariants/*',
    ].map((id) => `--only=${id}`),
  ];
  const github = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: inFolder('summary.md') };
  const all = ['--out', folder, '--format', Object.keys(FORMATS).join(',')];
  const dying = `--start=printf '%s\\n' "$PLANT_STORE_TOKEN" "half ${HALVES[0]}" >&2; echo "${HALVES[1]}"`;
  addStreams('run', await suite(['run', one, ...chosen, ...all, '--verbose'], { ...env, ...github }));
  addStreams('run --start', await suite(['run', 'http://127.0.0.1:1', ...chosen, dying], env));
  const report = inFolder('report.json');
  record = JSON.parse(readFileSync(report, 'utf8')) as RunRecord;
  const failed = record.results.find(({ verdict }) => verdict === 'fail')?.id ?? '';
  const formats = Object.keys(COMPARISON_FORMATS).join(',');
  const wrong = ['run', '--token', CANARY, `--header=Authorization Bearer ${CANARY}`];
  await Promise.all([
    suite(['run', other, ...chosen, '--quiet', '--write-baseline', inFolder('baseline.yaml')], env).then(
      (ended) => addStreams('run --quiet', ended),
    ),
    suite(
      ['compare', `a=${constant}`, `b=${another}`, ...chosen, '--out', folder, '--format', formats],
      env,
    ).then((ended) => addStreams('compare', ended)),
    suite(['replay', report, failed], env).then((ended) => addStreams('replay', ended)),
    suite(['diff', report, report]).then((ended) => addStreams('diff', ended)),
    suite(['render', report, '--format', 'terminal']).then((ended) => addStreams('render', ended)),
    suite(wrong).then((ended) => addStreams('a wrong call', ended)),
  ]);
  await Promise.all(stores.map((store) => store.stop()));
  addFiles(folder);
});

/** The encodings of the token that occur in a text. */
const found = (text: string) => CANARIES.filter((form) => text.toLowerCase().includes(form));

describe('a token that a store leaks', () => {
  test('was leaked in many ways', () => {
    const failures = record.results.flatMap(({ exchanges }) => exchanges);
    expect(JSON.stringify(failures).split('[redacted]').length).toBeGreaterThan(100);
    expect(new Set(failures.map(({ response }) => response?.status)).size).toBeGreaterThan(2);
    expect(found(said(ECHOES)).length).toBeGreaterThan(40);
  });

  test('is in no file and no stream', () => {
    const files = [...Object.values(FORMATS), ...Object.values(COMPARISON_FORMATS)].map(({ file }) => file);
    for (const file of [...files, 'summary.md', 'baseline.yaml'])
      expect(
        [...outputs.keys()].some((name) => name.endsWith(`/${file}`)),
        file,
      ).toBe(true);
    for (const [name, text] of outputs) {
      expect(text === '' ? [] : found(text), name).toEqual([]);
      if (/^run on|comparison.json$/.test(name)) expect(text, name).toContain('[redacted]');
    }
  });

  test('is in no recorded bytes, compressed or not', () => {
    const bytes = [...outputs]
      .filter(([name]) => name.endsWith('.json'))
      .flatMap(([, text]) =>
        [...text.matchAll(/"base64": "([^"]*)"/g)].map(([, body = '']) => Buffer.from(body, 'base64')),
      );
    expect(bytes.length).toBeGreaterThan(0);
    for (const body of bytes) {
      const decompressed = ['gzip', 'deflate', 'br'].flatMap((coding) => {
        try {
          return [decoded(coding, body, 1024 * 1024, true)];
        } catch {
          return [];
        }
      });
      for (const one of [body, ...decompressed]) {
        expect(found(Buffer.from(one).toString('latin1'))).toEqual([]);
        expect(found(Buffer.from(one).toString('utf16le'))).toEqual([]);
      }
    }
  });
});
