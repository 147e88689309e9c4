import { Bytes } from './bytes.ts';
import { MAX_HEAD_BYTES, MAX_INTERIM_RESPONSES } from './endpoint.ts';
import type { HeaderPair, Response } from './exchange.ts';
import { headerValue, headerValues } from './headers.ts';

interface Head {
  readonly version: string;
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly HeaderPair[];
}

/** What ends a body. */
type Framing = 'none' | 'chunked' | 'until-close' | 'length';

/** Parses one HTTP/1.x response from the bytes of a connection (RFC 9112). */
export class ResponseReader {
  readonly interim: number[] = [];
  private readonly method: string;
  private pending: Buffer = Buffer.alloc(0);
  private head: Head | undefined;
  private readonly body: Bytes;
  /** Number of bytes still to come of a body with a length, or of one chunk. */
  private left = 0;
  /** The element of a chunked body that comes next. */
  private next: 'size' | 'data' | 'data-end' | 'trailers' = 'size';
  /** Number of characters of trailers so far. */
  private trailers = 0;
  private ended = false;
  private framing: Framing = 'none';

  /** @param maxBodyBytes size of the body in bytes at which the response is truncated */
  constructor(method: string, maxBodyBytes: number) {
    this.method = method;
    this.body = new Bytes(maxBodyBytes);
  }

  /**
   * @returns the response once it is complete
   * @throws Error if the bytes are not valid HTTP
   */
  take(chunk: Buffer): Response | undefined {
    this.pending = Buffer.concat([this.pending, chunk]);
    while (this.head === undefined) {
      const end = this.pending.indexOf('\r\n\r\n');
      if (end < 0) {
        if (this.pending.length > MAX_HEAD_BYTES) throw new Error('bad response: the header does not end');
        if (!'HTTP/1.'.startsWith(this.pending.toString('latin1', 0, 7)))
          throw new Error('bad response: this is not HTTP/1');
        return undefined;
      }
      const head = headOf(this.pending.toString('latin1', 0, end));
      this.pending = this.pending.subarray(end + 4);
      if (head.status >= 100 && head.status < 200 && head.status !== 101) {
        if (this.interim.length < MAX_INTERIM_RESPONSES) this.interim.push(head.status);
      } else {
        this.framing = framingOf(head, this.method);
        this.head = head;
        this.left = Number(headerValue(head.headers, 'content-length') ?? 0);
      }
    }
    this.ended = this.readBody();
    const { isTooLong, isTooMuch } = this.body;
    return this.ended || isTooMuch ? this.response(!this.ended || isTooLong) : undefined;
  }

  /** Number of bytes of the body that have arrived. */
  get bodyBytes(): number {
    return this.body.length;
  }

  get rest(): Buffer {
    return this.pending;
  }

  /** Whether the response is complete and does not announce that the connection closes. */
  get keepsConnection(): boolean {
    if (this.head === undefined || !this.ended || this.head.status === 101) return false;
    const options = listIn(this.head, 'connection');
    return this.head.version === '1.1' ? !options.includes('close') : options.includes('keep-alive');
  }

  /** Call when the connection has closed. Returns the response if it is one that ends with its connection. */
  closed(): Response | undefined {
    return this.framing === 'until-close' ? this.response(false) : undefined;
  }

  /** The part of an incomplete response that has arrived. */
  partial(): Response | undefined {
    return this.response(true);
  }

  private response(truncated: boolean): Response | undefined {
    if (this.head === undefined) return undefined;
    const { status, statusText, headers } = this.head;
    return { status, statusText, headers, body: this.body.kept, truncated };
  }

  private readBytes(length: number): void {
    const bytes = this.pending.subarray(0, length);
    this.body.add(bytes);
    this.pending = this.pending.subarray(bytes.length);
  }

  private readBody(): boolean {
    switch (this.framing) {
      case 'none':
        return true;
      case 'until-close':
        this.readBytes(this.pending.length);
        return false;
      case 'length':
        return this.readRemaining();
      case 'chunked':
        return this.readChunks();
    }
  }

  /** Reads the remaining bytes. Returns whether all of them have arrived. */
  private readRemaining(): boolean {
    const before = this.body.length;
    this.readBytes(Math.min(this.left, this.pending.length));
    this.left -= this.body.length - before;
    return this.left === 0;
  }

  /** RFC 9112 section 7.1. Every line must end with CRLF. */
  private readChunks(): boolean {
    for (;;) {
      if (this.next === 'data') {
        if (!this.readRemaining()) return false;
        this.next = 'data-end';
      }
      if (this.next === 'data-end') {
        if (!'\r\n'.startsWith(this.pending.toString('latin1', 0, 2)))
          throw new Error('bad response: the data of a chunk is not followed by CRLF');
        if (this.pending.length < 2) return false;
        this.pending = this.pending.subarray(2);
        this.next = 'size';
      }
      const line = this.line(this.next === 'size' ? 'a chunk size does not end' : 'the trailers do not end');
      if (line === undefined) return false;
      if (this.next === 'size') {
        this.left = sizeIn(line);
        this.next = this.left === 0 ? 'trailers' : 'data';
        continue;
      }
      if (line === '') return true;
      fieldIn(line);
      this.trailers += line.length;
      if (this.trailers > MAX_HEAD_BYTES) throw new Error('bad response: the trailers do not end');
    }
  }

  /**
   * The next line without its CRLF; undefined until all of it has arrived.
   * @throws Error with this problem if it is already too long
   */
  private line(problem: string): string | undefined {
    const end = this.pending.indexOf('\r\n');
    if (end < 0) {
      if (this.pending.length > MAX_HEAD_BYTES) throw new Error(`bad response: ${problem}`);
      return undefined;
    }
    const line = this.pending.toString('latin1', 0, end);
    this.pending = this.pending.subarray(end + 2);
    return line;
  }
}

function headOf(text: string): Head {
  const [first = '', ...lines] = text.split('\r\n');
  const [, version, status, statusText = ''] = /^HTTP\/(1\.[01]) (\d{3})(?: (.*))?$/.exec(first) ?? [];
  if (version === undefined)
    throw new Error(`bad response: its first line is ${JSON.stringify(first.slice(0, 80))}`);
  return { version, status: Number(status), statusText, headers: lines.map(fieldIn) };
}

/** RFC 9110 section 5: the name is a token, and the value contains no NUL, CR or LF. */
function fieldIn(line: string): HeaderPair {
  const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):([^\0\r\n]*)$/.exec(line) ?? [];
  if (name === undefined || value === undefined)
    throw new Error(`bad response: a header line is ${JSON.stringify(line.slice(0, 80))}`);
  return [name, value.trim()];
}

function sizeIn(line: string): number {
  const digits = /^([\da-f]+)(?:[ \t]*;[^\0\r\n]*)?$/i.exec(line)?.[1];
  const size = Number.parseInt(digits ?? '', 16);
  if (!Number.isSafeInteger(size)) throw new Error('bad response: a chunk has no valid size');
  return size;
}

const listIn = (head: Head, wanted: string): string[] =>
  headerValues(head.headers, wanted).flatMap((value) =>
    value.split(',').map((one) => one.trim().toLowerCase()),
  );

/** RFC 9112 section 6.3, as strict as undici: rejects everything that a recipient may reject. */
function framingOf(head: Head, method: string): Framing {
  const codings = listIn(head, 'transfer-encoding');
  const [length, ...lengths] = headerValues(head.headers, 'content-length');
  if (length !== undefined && !/^\d+$/.test(length))
    throw new Error('bad response: its Content-Length is not a number');
  if (lengths.length > 0) throw new Error('bad response: it has more than one Content-Length');
  if (length !== undefined && codings.length > 0)
    throw new Error('bad response: it has both Content-Length and Transfer-Encoding');
  // After a 101, the bytes belong to another protocol (RFC 9110 section 15.2.2).
  if (method === 'HEAD' || [101, 204, 304].includes(head.status)) return 'none';
  if (codings.at(-1) === 'chunked') return 'chunked';
  return length === undefined ? 'until-close' : 'length';
}
