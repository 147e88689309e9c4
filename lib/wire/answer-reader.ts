import { Bytes } from './bytes.ts';
import { HEAD_CAP, INTERIM_CAP } from './endpoint.ts';
import type { HeaderPair, Response } from './exchange.ts';

interface Head {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly HeaderPair[];
}

type Framing =
  | { readonly kind: 'none' | 'chunked' | 'until-close' }
  | { readonly kind: 'length'; readonly length: number };

/** Reads one HTTP/1.x answer out of the bytes of a connection, RFC 9112. */
export class AnswerReader {
  readonly interim: number[] = [];
  private readonly method: string;
  private readonly cap: number;
  private pending: Buffer = Buffer.alloc(0);
  private head: Head | undefined;
  private readonly body = new Bytes();
  private left = 0;
  private framing: Framing = { kind: 'none' };

  /** @param cap bytes of body after which the rest is not waited for */
  constructor(method: string, cap: number) {
    this.method = method;
    this.cap = cap;
  }

  /**
   * Takes the next bytes; gives the answer once it is whole.
   * @throws Error when the bytes are not HTTP
   */
  take(chunk: Buffer): Response | undefined {
    this.pending = Buffer.concat([this.pending, chunk]);
    while (this.head === undefined) {
      const end = this.pending.indexOf('\r\n\r\n');
      if (end < 0) {
        if (this.pending.length > HEAD_CAP) throw new Error('bad answer: the header does not end');
        if (!'HTTP/1.'.startsWith(this.pending.toString('latin1', 0, 7)))
          throw new Error('bad answer: this is not HTTP/1');
        return undefined;
      }
      const head = headOf(this.pending.toString('latin1', 0, end));
      this.pending = this.pending.subarray(end + 4);
      if (head.status >= 100 && head.status < 200 && head.status !== 101) {
        if (this.interim.length < INTERIM_CAP) this.interim.push(head.status);
      } else {
        this.head = head;
        this.framing = framingOf(head, this.method);
        this.left = this.framing.kind === 'length' ? this.framing.length : 0;
      }
    }
    const complete = this.readBody();
    const over = this.body.length > this.cap;
    return complete || over ? this.whole(over) : undefined;
  }

  /** The connection has ended: gives the answer, if it was to end so. */
  closed(): Response | undefined {
    return this.head !== undefined && this.framing.kind === 'until-close' ? this.whole(false) : undefined;
  }

  /** What there is of an answer that did not become whole. */
  partial(): Response | undefined {
    return this.head === undefined ? undefined : this.whole(true);
  }

  private whole(truncated: boolean): Response | undefined {
    if (this.head === undefined) return undefined;
    return { ...this.head, body: this.body.first(this.cap), truncated };
  }

  private keep(length: number): void {
    const bytes = this.pending.subarray(0, length);
    this.body.add(bytes);
    this.pending = this.pending.subarray(bytes.length);
  }

  /** Whether the body is complete. */
  private readBody(): boolean {
    switch (this.framing.kind) {
      case 'none':
        return true;
      case 'until-close':
        this.keep(this.pending.length);
        return false;
      case 'length': {
        const before = this.body.length;
        this.keep(Math.min(this.left, this.pending.length));
        this.left -= this.body.length - before;
        return this.left === 0;
      }
      case 'chunked':
        return this.readChunks();
    }
  }

  private readChunks(): boolean {
    for (;;) {
      if (this.left > 0) {
        const before = this.body.length;
        this.keep(Math.min(this.left, this.pending.length));
        this.left -= this.body.length - before;
        if (this.left > 0) return false;
        // The line end that closes a chunk.
        this.left = -2;
      }
      if (this.left < 0) {
        if (this.pending.length < 2) return false;
        this.pending = this.pending.subarray(2);
        this.left = 0;
      }
      const end = this.pending.indexOf('\r\n');
      if (end < 0) return this.awaits('a chunk size does not end');
      const size = /^([\da-f]+)[ \t]*(?:;.*)?$/i.exec(this.pending.toString('latin1', 0, end))?.[1];
      if (size === undefined) throw new Error('bad answer: a chunk has no size');
      if (Number.parseInt(size, 16) === 0) {
        const trailers = this.pending.subarray(end);
        return trailers.indexOf('\r\n\r\n') >= 0 || this.awaits('the trailers do not end');
      }
      this.left = Number.parseInt(size, 16);
      this.pending = this.pending.subarray(end + 2);
    }
  }

  /** Not yet, unless what is waited for is too long already. */
  private awaits(problem: string): false {
    if (this.pending.length > HEAD_CAP) throw new Error(`bad answer: ${problem}`);
    return false;
  }
}

function headOf(text: string): Head {
  const [first = '', ...lines] = text.split('\r\n');
  const status = /^HTTP\/1\.[01] (\d{3})(?: (.*))?$/.exec(first);
  if (status === null) throw new Error(`bad answer: its first line is ${JSON.stringify(first.slice(0, 80))}`);
  const headers = lines.map((line): HeaderPair => {
    const colon = line.indexOf(':');
    if (colon < 1) throw new Error(`bad answer: a header line is ${JSON.stringify(line.slice(0, 80))}`);
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  return { status: Number(status[1]), statusText: status[2] ?? '', headers };
}

/** RFC 9112 section 6.3. */
function framingOf({ status, headers }: Head, method: string): Framing {
  const field = (wanted: string) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
  if (method === 'HEAD' || status === 204 || status === 304) return { kind: 'none' };
  if (/\bchunked\s*$/i.test(field('transfer-encoding') ?? '')) return { kind: 'chunked' };
  const length = field('content-length');
  if (length === undefined) return { kind: 'until-close' };
  if (!/^\d+$/.test(length)) throw new Error('bad answer: its Content-Length is no number');
  return { kind: 'length', length: Number(length) };
}
