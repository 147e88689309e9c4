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
import { type Ended, suite } from './command.ts';

/** A token in which every way of writing it down looks different, and which nothing else can look like. */
const CANARY = 'Kanari/Vogel+Xq7Zw~93_hJ-pLmB=';

const [third, half] = [CANARY.length / 3, CANARY.length / 2];
const HALVES = [CANARY.slice(0, half), CANARY.slice(half)];
const THIRDS = [CANARY.slice(0, third), CANARY.slice(third, 2 * third), CANARY.slice(2 * third)];
const base64 = (text: string) => Buffer.from(text).toString('base64');
const each = (text: string, write: (code: string) => string) =>
  [...text].map((c) => write(c.charCodeAt(0).toString(16).padStart(2, '0'))).join('');

/** All the ways in which a store may give a text back, without regard to case. */
const disguised = (text: string): string[] => [
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

/** What must not be found: of base64, what does not depend on what stands beside it. */
const CANARIES = [CANARY, ...HALVES, ...THIRDS].flatMap((text) =>
  disguised(text).map((form) => form.replace(/=+$/, '').slice(0, -1).toLowerCase()),
);

const ECHOES = [CANARY, CANARY.toUpperCase(), CANARY.toLowerCase(), ...HALVES, ...THIRDS].flatMap(disguised);

const json = { 'content-type': 'application/json' };
const said = (value: unknown) => JSON.stringify(value);
const packed = (pack: (bytes: Buffer) => Buffer) =>
  pack(Buffer.from(said({ error: CANARY, message: HALVES })));

/** Each gives the token away in a way of its own. */
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
  // Cut within the token, and at every length around the one that reports keep.
  (response) => response.writeHead(400, json).end(`"${'x'.repeat(4090)}${CANARY}${'y'.repeat(5000)}`),
  (response) => {
    response.writeHead(200, { ...json, 'content-length': 500 }).write(`{"name":"${CANARY.slice(0, 20)}`);
    setTimeout(() => response.destroy(), 5);
  },
];

/** A store that gives the token away: in one way, or in each in turn. */
const gossip = (way?: number) => {
  let asked = 0;
  return createServer((message, response) => {
    message.resume().once('end', () => {
      asked += 1;
      // The first ones are ordinary, so that the store can be judged.
      const reply = asked > 3 ? REPLIES[way ?? asked % REPLIES.length] : undefined;
      if (reply === undefined) response.writeHead(200, json).end(said({ name: 'x' }));
      else reply(response);
    });
  });
};

/** A stream or a file, by its name. */
const seen = new Map<string, string>();
let record: RunRecord;

const look = (name: string, { code, stdout, stderr }: Ended) => {
  expect([0, 1, 2, 3], `${name}: ${stderr}`).toContain(code);
  expect(stderr).not.toContain('suite itself');
  seen.set(`${name} on standard output`, stdout);
  seen.set(`${name} on standard error`, stderr);
};

const lookInto = (folder: string) => {
  for (const file of readdirSync(folder))
    seen.set(join(folder, file), readFileSync(join(folder, file), 'utf8'));
};

beforeAll(async () => {
  const stores = await Promise.all([gossip(), gossip(), gossip(0), gossip(2)].map((store) => listen(store)));
  const [one = '', other = '', constant = '', another = ''] = stores.map(({ url }) => url);
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
  const inFolder = (name: string) => join(folder, name);
  const env = { PLANT_STORE_TOKEN: CANARY };
  const chosen = [
    ...['--cases=4', '--seed=3', '--concurrency=1', '--timeout=3000', '--first-id=5000000'],
    ...[
      'create/answers-*',
      'create/takes-any-ordinary-plant',
      'refuse/null',
      'auth/rejects-missing-token',
      'observe/id',
      'always/*',
    ].map((id) => `--only=${id}`),
  ];
  const github = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: inFolder('summary.md') };
  const all = ['--out', folder, '--format', Object.keys(FORMATS).join(',')];
  const echo = `--start=printf '%s\\n' "$PLANT_STORE_TOKEN" "half ${HALVES[0]}" >&2; echo "${HALVES[1]}"`;
  look('run', await suite(['run', one, ...chosen, ...all, '--verbose', echo], { ...env, ...github }));
  const report = inFolder('report.json');
  record = JSON.parse(readFileSync(report, 'utf8')) as RunRecord;
  const failed = record.results.find(({ verdict }) => verdict === 'fail')?.id ?? '';
  const formats = Object.keys(COMPARISON_FORMATS).join(',');
  const wrong = ['run', '--token', CANARY, `--header=Authorization Bearer ${CANARY}`];
  await Promise.all([
    suite(['run', other, ...chosen, '--quiet', '--write-baseline', inFolder('baseline.yaml')], env).then(
      (ended) => look('run --quiet', ended),
    ),
    suite(
      ['compare', `a=${constant}`, `b=${another}`, ...chosen, '--out', folder, '--format', formats],
      env,
    ).then((ended) => look('compare', ended)),
    suite(['replay', report, failed], env).then((ended) => look('replay', ended)),
    suite(['diff', report, report]).then((ended) => look('diff', ended)),
    suite(['render', report, '--format', 'terminal']).then((ended) => look('render', ended)),
    suite(wrong).then((ended) => look('a wrong call', ended)),
  ]);
  await Promise.all(stores.map((store) => store.stop()));
  lookInto(folder);
});

/** The forms of the token that are in a text. */
const found = (text: string) => CANARIES.filter((form) => text.toLowerCase().includes(form));

describe('a token that a store gives away', () => {
  test('was given away, and in many ways', () => {
    const failures = record.results.flatMap(({ exchanges }) => exchanges);
    expect(JSON.stringify(failures).split('[redacted]').length).toBeGreaterThan(100);
    expect(new Set(failures.map(({ response }) => response?.status)).size).toBeGreaterThan(2);
    expect(found(said(ECHOES)).length).toBeGreaterThan(40);
  });

  test('is in no file and no stream', () => {
    const files = [...Object.values(FORMATS), ...Object.values(COMPARISON_FORMATS)].map(({ file }) => file);
    for (const file of [...files, 'summary.md', 'baseline.yaml'])
      expect(
        [...seen.keys()].some((name) => name.endsWith(`/${file}`)),
        file,
      ).toBe(true);
    for (const [name, text] of seen) {
      expect(text === '' ? [] : found(text), name).toEqual([]);
      if (/^run on|comparison.json$/.test(name)) expect(text, name).toContain('[redacted]');
    }
  });

  test('is in no bytes that a record holds, compressed or not', () => {
    const bytes = [...seen]
      .filter(([name]) => name.endsWith('.json'))
      .flatMap(([, text]) =>
        [...text.matchAll(/"base64": "([^"]*)"/g)].map(([, body = '']) => Buffer.from(body, 'base64')),
      );
    expect(bytes.length).toBeGreaterThan(0);
    for (const body of bytes) {
      const unpacked = ['gzip', 'deflate', 'br'].flatMap((coding) => {
        try {
          return [decoded(coding, body, 1024 * 1024, true)];
        } catch {
          return [];
        }
      });
      for (const one of [body, ...unpacked]) {
        expect(found(Buffer.from(one).toString('latin1'))).toEqual([]);
        expect(found(Buffer.from(one).toString('utf16le'))).toEqual([]);
      }
    }
  });
});
