import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { packageFile } from '../../lib/package.ts';
import { connected, type Hostile, listening, secured, serve } from './store.ts';

const pair = (path: string) => ({
  key: readFileSync(packageFile(`test/${path}.key`), 'utf8'),
  cert: readFileSync(packageFile(`test/${path}.pem`), 'utf8'),
});
const [localhost, elsewhere, expired] = [
  pair('fixtures/localhost'),
  pair('hostile/fixtures/elsewhere'),
  pair('hostile/fixtures/expired'),
] as const;
const trusting = (path: string) => ({ ca: packageFile(`test/${path}.pem`) });

const untrusted = { outcome: 'undetermined', stop: 'untrusted' } as const;
const passes = { outcome: ['conformant', 'partial'] } as const;

const asHttps =
  (start: Hostile['start']): Hostile['start'] =>
  async (token) => {
    const running = await start(token);
    return { ...running, url: running.url.replace('http:', 'https:') };
  };

/** What a store can do with TLS. */
export const tls: readonly Hostile[] = [
  {
    name: 'tls-right',
    does: 'a right store with a trusted certificate',
    start: secured(localhost, trusting('fixtures/localhost'), 'localhost'),
    expected: passes,
  },
  {
    name: 'tls-self-signed',
    does: 'a self-signed certificate',
    start: secured(localhost, {}, 'localhost'),
    expected: untrusted,
  },
  {
    name: 'tls-self-signed-insecure',
    does: 'an untrusted certificate with --insecure',
    start: secured(expired, { insecure: true }),
    expected: passes,
  },
  {
    name: 'tls-expired',
    does: 'an expired certificate',
    start: secured(expired, trusting('hostile/fixtures/expired'), 'localhost'),
    expected: untrusted,
  },
  {
    name: 'tls-wrong-host',
    does: 'a certificate of another host',
    start: secured(elsewhere, trusting('hostile/fixtures/elsewhere'), 'localhost'),
    expected: untrusted,
  },
  {
    name: 'tls-old',
    does: 'only TLS 1.0',
    start: secured(
      { ...localhost, minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' },
      trusting('fixtures/localhost'),
      'localhost',
    ),
    expected: { outcome: 'undetermined', stop: 'not-http' },
  },
  {
    name: 'plain-on-a-tls-url',
    does: 'plain HTTP on an https:// URL',
    start: asHttps(
      connected((socket) =>
        socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n')),
      ),
    ),
    expected: { outcome: 'undetermined', stop: 'not-http' },
  },
  {
    name: 'tls-on-a-plain-url',
    does: 'TLS on an http:// URL',
    start: async (token) => {
      const running = await secured(localhost)(token);
      return { ...running, url: running.url.replace('https:', 'http:') };
    },
    expected: { outcome: 'undetermined', stop: 'not-http' },
  },
  {
    name: 'tls-handshake-hangs',
    does: 'accepts, and never answers the handshake',
    start: asHttps(connected((socket) => socket.resume())),
    options: { timeout: 600 },
    expected: { outcome: 'undetermined', stop: 'unreachable' },
  },
  {
    name: 'tls-handshake-drips',
    does: 'answers the handshake with a byte every 50 ms',
    start: asHttps(
      connected((socket) => {
        socket.write(Buffer.from([22, 3, 3, 0x40, 0]));
        const timer = setInterval(() => socket.write(Buffer.from([2])), 50);
        socket.once('close', () => clearInterval(timer));
      }),
    ),
    options: { timeout: 600 },
    expected: { outcome: 'undetermined' },
  },
  {
    name: 'tls-handshake-reset',
    does: 'resets in the handshake',
    start: asHttps(connected((socket) => socket.once('data', () => socket.resetAndDestroy()))),
    expected: { outcome: 'nonconformant', fails: ['invariants/answers'] },
  },
  {
    name: 'tls-alert-on-a-tls-url',
    does: 'rejects every handshake with an alert',
    start: asHttps(
      connected((socket) => socket.once('data', () => socket.end(Buffer.from([21, 3, 3, 0, 2, 2, 40])))),
    ),
    expected: { outcome: 'undetermined', stop: 'untrusted' },
  },
  {
    name: 'nothing-listens',
    does: 'a port that nobody listens on',
    start: async (token) => {
      const { url, stop } = await listening(createServer(serve(token, () => {})));
      await stop();
      return { url, stop: async () => {} };
    },
    expected: { outcome: 'undetermined', stop: 'unreachable' },
  },
];
