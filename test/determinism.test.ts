import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findingsOf, type Taken } from '../determinism/taken.ts';
import { startTap, type Tap } from '../determinism/tap.ts';
import { run } from '../index.ts';
import { TOKEN, withStore } from './stores.ts';

/* What `npm run determinism` shows at length, by several versions of Node. */

let tap: Tap;
beforeAll(async () => {
  tap = await startTap();
});
afterAll(() => tap.stop());

const taken = (name: string, concurrency: number): Promise<Taken> =>
  withStore(name, async ({ url }) => {
    tap.leadTo(url);
    const { record } = run({
      baseUrl: tap.url,
      token: TOKEN,
      seed: 7,
      firstId: 1_000_000n,
      cases: 6,
      concurrency,
    });
    return { run: name, findings: findingsOf(await record), requests: tap.requests() };
  });

describe.each(['reference', 'crash-apostrophe'])('against %s', (name) => {
  test('the same requests are sent byte for byte, and the same is found, at any concurrency', async () => {
    const alone = await taken(name, 1);
    const crowded = await taken(name, 24);
    const texts = ({ requests }: Taken) => requests.map((bytes) => bytes.toString('latin1'));
    expect(alone.requests.length).toBeGreaterThan(500);
    expect(texts(crowded)).toEqual(texts(alone));
    expect(crowded.findings).toEqual(alone.findings);
  });
});

test('a request is cut from a connection as it was sent, whatever it is', async () => {
  await withStore('reference', async ({ url }) => {
    tap.leadTo(url);
    const only = ['create/takes-chunked-body', 'observe/broken-framing'];
    const { requests } = await run({ baseUrl: tap.url, token: TOKEN, cases: 1, concurrency: 1, only }).record;
    const cut = tap.requests().map((bytes) => bytes.toString('latin1'));
    expect(cut.length).toBeGreaterThanOrEqual(requests);
    expect(cut).toContain('HELLO\r\n\r\n');
    expect(cut.filter((text) => text.endsWith('\r\n0\r\n\r\n'))).not.toEqual([]);
  });
});
