import { execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { packageFile } from '../../lib/package.ts';
import { TOKEN } from './stores.ts';

const isMissing = ['/bin/bash', '/usr/bin/curl', '/usr/bin/openssl', '/usr/bin/timeout', '/usr/bin/rev'].some(
  (path) => !existsSync(path),
);

/** Without these commands the tests are skipped, except in CI, where they must be installed. */
export const absent = isMissing && process.env.CI === undefined;

const fixture = (name: string) => packageFile(`test/fixtures/${name}`);
export const CERTIFICATE = fixture('localhost.pem');

/** What shell lines print. */
export async function printed(lines: readonly string[]): Promise<string> {
  const env = { ...process.env, PLANT_STORE_TOKEN: TOKEN, CURL_CA_BUNDLE: CERTIFICATE };
  const { stdout } = await promisify(execFile)('bash', ['-c', lines.join('\n')], { env, timeout: 60_000 });
  return stdout;
}

/** Types lines into an interactive bash, with the expansion of `!`. */
export async function typed(lines: readonly string[]): Promise<void> {
  const env = { ...process.env, PLANT_STORE_TOKEN: TOKEN, HISTFILE: '' };
  const child = spawn('bash', ['--norc', '--noprofile', '-i'], { env, stdio: ['pipe', 'ignore', 'ignore'] });
  child.stdin.end(`set -H\n${lines.join('\n')}\nexit\n`);
  await new Promise((resolve) => child.once('close', resolve));
}

/** A request as it arrived. */
export interface Arrived {
  readonly method: string;
  readonly target: string;
  /** Names in the letter case in which they were sent. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  readonly complete: boolean;
  /** Counts the connections. */
  readonly connection: number;
  /** The pieces of its connection up to the end of the request, as they were read. */
  readonly pieces: readonly string[];
  /** Requests whose response was still due when it arrived. */
  readonly underWay: number;
}

/** Answers every request with 200, and keeps what arrives. */
export class Recorder {
  readonly baseUrl: string;
  /** Milliseconds until it answers. */
  delayMs = 0;
  private readonly stop: () => void;
  private readonly arrived: Promise<Arrived>[] = [];
  private readonly connections = new Map<unknown, string[]>();
  private underWay = 0;

  private constructor(baseUrl: string, stop: () => void) {
    this.baseUrl = baseUrl;
    this.stop = stop;
  }

  static async start({ secure = false } = {}): Promise<Recorder> {
    const tls = () => ({ cert: readFileSync(CERTIFICATE), key: readFileSync(fixture('localhost.key')) });
    const server = secure ? createTlsServer(tls()) : createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const recorder = new Recorder(`${secure ? 'https://localhost' : 'http://127.0.0.1'}:${port}`, () => {
      server.close();
      server.closeAllConnections();
    });
    const onRequest = (message: IncomingMessage, response: ServerResponse) => {
      recorder.arrived.push(recorder.read(message, response));
    };
    server
      .on('request', onRequest)
      .on('checkContinue', (message: IncomingMessage, response: ServerResponse) => {
        response.writeContinue();
        onRequest(message, response);
      })
      .on(secure ? 'secureConnection' : 'connection', (socket) => {
        const pieces: string[] = [];
        recorder.connections.set(socket, pieces);
        socket.on('data', (piece: Buffer) => pieces.push(piece.toString('latin1')));
      });
    return recorder;
  }

  /** What arrived since the last call. */
  async taken(): Promise<readonly Arrived[]> {
    return Promise.all(this.arrived.splice(0));
  }

  close(): void {
    this.stop();
  }

  private read(message: IncomingMessage, response: ServerResponse): Promise<Arrived> {
    const { method = '', url: target = '', rawHeaders, socket } = message;
    const underWay = this.underWay;
    this.underWay += 1;
    const headers = rawHeaders.flatMap((name, at) =>
      at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ''] as const] : [],
    );
    let body = '';
    return new Promise((resolve) => {
      const settle = () => {
        const pieces = this.connections.get(socket) ?? [];
        const connection = [...this.connections.keys()].indexOf(socket);
        resolve({
          method,
          target,
          headers,
          body,
          complete: message.complete,
          connection,
          pieces: [...pieces],
          underWay,
        });
      };
      response.once('close', () => {
        this.underWay -= 1;
      });
      message
        .on('data', (piece: Buffer) => {
          body += piece.toString('latin1');
        })
        .on('error', settle)
        .once('close', settle)
        .once('end', () => {
          settle();
          setTimeout(() => response.writeHead(200).end('{"name":"x"}'), this.delayMs);
        });
    });
  }
}
