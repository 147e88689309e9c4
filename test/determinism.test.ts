import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTap, type Tap } from '../bench/determinism/recording-proxy.ts';
import { findingsOf, type RunTrace } from '../bench/determinism/run-trace.ts';
import { run } from '../index.ts';
import { TOKEN, withStore } from './helpers/stores.ts';

/* A short form of `npm run determinism`, which also compares several versions of Node. */

let tap: Tap;
beforeAll(async () => {
  tap = await startTap();
});
afterAll(() => tap.stop());

const runTrace = (name: string, concurrency: number, only: readonly string[]): Promise<RunTrace> =>
  withStore(name, async ({ url }) => {
    tap.leadTo(url);
    const { record } = run({
      baseUrl: tap.url,
      token: TOKEN,
      seed: 7,
      firstId: 1_000_000n,
      cases: 2,
      concurrency,
      only,
    });
    return { run: name, findings: findingsOf(await record), requests: tap.requests() };
  });

// The checks that find the fault and the first experiments are enough, as the whole run shows the other requests.
const SOME = ['ordinary/*', 'unconstrained/*', 'combinations/*', 'invariants/*'];

describe.each([
  ['reference', []],
  ['crash-apostrophe', SOME],
])('against %s', (name, only) => {
  test('a run sends the same bytes and has the same findings at any concurrency', async () => {
    const sequential = await runTrace(name, 1, only);
    const concurrent = await runTrace(name, 24, only);
    const texts = ({ requests }: RunTrace) => requests.map((bytes) => bytes.toString('latin1'));
    expect(sequential.requests.length).toBeGreaterThan(500);
    expect(texts(concurrent)).toEqual(texts(sequential));
    expect(concurrent.findings).toEqual(sequential.findings);
  });
});

test('the recording proxy separates the requests of a connection exactly, whatever they contain', async () => {
  await withStore('reference', async ({ url }) => {
    tap.leadTo(url);
    const only = ['ordinary/accepts-chunked-body', 'observe/broken-framing'];
    const { requests } = await run({ baseUrl: tap.url, token: TOKEN, cases: 1, concurrency: 1, only }).record;
    const cut = tap.requests().map((bytes) => bytes.toString('latin1'));
    expect(cut.length).toBeGreaterThanOrEqual(requests);
    expect(cut).toContain('HELLO\r\n\r\n');
    expect(cut.filter((text) => text.endsWith('\r\n0\r\n\r\n'))).not.toEqual([]);
  });
});
