import type { Socket } from 'node:net';
import type { Endpoint } from './endpoint.ts';
import type { Delivery, HeaderPair, Request } from './exchange.ts';

/** Milliseconds between two segments: long enough that they are read one by one. */
export const PAUSE_MS = 3;
/** Milliseconds after which a body is sent that no 100 Continue was sent for. */
export const CONTINUE_WAIT_MS = 1000;

/** Whether the body waits for 100 Continue. */
export const awaitsContinue = ({ delivery, body = new Uint8Array() }: Request): boolean =>
  delivery?.expectContinue === true && body.length > 0;

/** The bytes of a request as they follow one another, with a pause in between. */
export function segmentsOf(request: Request, { origin }: Endpoint): Uint8Array[] {
  const { verbatim, delivery = {} } = request;
  if (verbatim !== undefined) return [verbatim];
  const { bytes: body, placeOf } = coded(request);
  const { cuts = [], headFirst, headCut, abortAfter } = delivery;
  const end = abortAfter === undefined ? body.length : placeOf(abortAfter);
  const places = cuts
    .map(placeOf)
    .filter((cut) => cut > 0 && cut < end)
    .sort((a, b) => a - b);
  const bounds = [...new Set([0, ...places, end])];
  const parts = bounds.slice(1).map((to, index) => body.subarray(bounds[index], to));
  const whole = headOf(request, origin);
  const middle = Math.floor(whole.length / 2);
  const begun = headCut === true ? [whole.subarray(0, middle)] : [];
  const head = headCut === true ? whole.subarray(middle) : whole;
  if (headFirst === true || awaitsContinue(request)) return [...begun, head, ...parts];
  const [first = new Uint8Array(), ...others] = parts;
  return [...begun, Buffer.concat([head, first]), ...others];
}

function headOf({ method, path, headers, delivery }: Request, origin: string): Buffer {
  const target = delivery?.absoluteTarget === true ? `${origin}${path}` : path;
  const lines = headers.map((pair) => pair.join(`:${delivery?.headerGap ?? ' '}`));
  const isOwn =
    delivery?.headerOrder !== undefined || headers[0]?.[0] !== 'host' || holds(headers, 'connection');
  // Where undici puts it.
  if (!isOwn) lines.splice(1, 0, 'connection: keep-alive');
  return Buffer.from([`${method} ${target} HTTP/1.1`, ...lines, '', ''].join('\r\n'), 'latin1');
}

/** Whether nothing may follow it on its connection, whatever the answer (RFC 9112 section 9.6). */
export const endsConnection = ({ headers }: Request): boolean =>
  headers.some(([name, value]) => /^connection$/i.test(name) && /\bclose\b/i.test(value));

export const holds = (headers: readonly HeaderPair[], name: string): boolean =>
  headers.some(([own]) => own.toLowerCase() === name);

/** A body as it is sent, and the place in it of an offset in the body itself, which counts from the end below 0. */
interface Coded {
  readonly bytes: Uint8Array;
  readonly placeOf: (offset: number) => number;
}

/** A length, with zeros in front where the delivery asks for that. */
export const digits = (text: string, { leadingZeros }: Delivery = {}): string =>
  leadingZeros === true ? `00${text.toUpperCase()}` : text;

/** The body with its transfer coding. */
function coded({ body = new Uint8Array(), framing, delivery }: Request): Coded {
  const within = (offset: number) =>
    Math.max(0, Math.min(offset < 0 ? body.length + offset : offset, body.length));
  if (framing === 'length') return { bytes: body, placeOf: within };
  const { chunks = 'halves' } = delivery ?? {};
  const extension = chunks === 'extensions' ? ';part=1;note="a b"' : '';
  const pieces: Uint8Array[] = [];
  const starts: { readonly offset: number; readonly place: number }[] = [];
  let [offset, place] = [0, 0];
  for (const part of divided(body, chunks)) {
    const size = Buffer.from(`${digits(part.length.toString(16), delivery)}${extension}\r\n`);
    pieces.push(size, part, Buffer.from('\r\n'));
    starts.push({ offset, place: place + size.length });
    offset += part.length;
    place += size.length + part.length + 2;
  }
  const trailer = chunks === 'trailer' ? `${TRAILER}: done\r\n` : '';
  const bytes = Buffer.concat([...pieces, Buffer.from(`0${extension}\r\n${trailer}\r\n`)]);
  return {
    bytes,
    placeOf(of) {
      const own = within(of);
      if (own === body.length) return bytes.length;
      const start = starts.findLast((one) => one.offset < own);
      return start === undefined ? 0 : start.place + own - start.offset;
    },
  };
}

/** The field of a trailer section. */
export const TRAILER = 'x-trailer';

function divided(body: Uint8Array, chunks: Delivery['chunks']): Uint8Array[] {
  if (chunks === 'one') return [body];
  if (chunks !== 'many') return halves(body);
  return Array.from({ length: Math.ceil(body.length / 7) }, (_, index) =>
    body.subarray(7 * index, 7 * index + 7),
  );
}

/** The two parts of a body that are sent as chunks. */
export function halves(body: Uint8Array): Uint8Array[] {
  const middle = Math.floor(body.length / 2);
  return [body.subarray(0, middle), body.subarray(middle)].filter((part) => part.length > 0);
}

/** Writes segments to a socket with a pause after each of them. */
export class SegmentWriter {
  /** Whether the last segment was handed over. */
  done = false;
  private stopped = false;
  private timer: NodeJS.Timeout | undefined;
  private wake = () => {};
  private awaitsContinue: boolean;
  private readonly headEnd: number;
  private readonly pauseMs: number;

  /**
   * @param awaitsContinue whether the body waits for 100 Continue
   * @param headEnd the place of the segment that ends the head
   * @param pauseMs milliseconds between two segments
   */
  constructor(awaitsContinue: boolean, headEnd: number, pauseMs: number) {
    this.awaitsContinue = awaitsContinue;
    this.headEnd = headEnd;
    this.pauseMs = pauseMs;
  }

  /** Ends when the last segment has left, and a pause after that; or when it is stopped. */
  async write(socket: Socket, segments: readonly Uint8Array[]): Promise<void> {
    if (segments.length > 1) socket.setNoDelay(true);
    for (const [index, segment] of segments.entries()) {
      this.done = index === segments.length - 1;
      await new Promise<void>((resolve) => {
        socket.write(segment, () => resolve());
      });
      if (this.stopped) return;
      const waits = this.awaitsContinue && index === this.headEnd;
      await this.pause(waits ? CONTINUE_WAIT_MS : this.pauseMs);
      if (this.stopped) return;
      if (waits) this.awaitsContinue = false;
    }
  }

  /** 100 Continue has come. */
  goOn(): void {
    if (this.awaitsContinue) {
      this.awaitsContinue = false;
      this.wake();
    }
  }

  /** Nothing more is written. */
  stop(): void {
    this.stopped = true;
    this.wake();
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.wake = () => {
        clearTimeout(this.timer);
        resolve();
      };
      // What has come in a busy moment is read before more is written.
      this.timer = setTimeout(() => setImmediate(resolve), ms);
    });
  }
}
