import type { Socket } from 'node:net';
import type { Endpoint } from './endpoint.ts';
import type { Delivery, HeaderPair, Request } from './exchange.ts';

/** Milliseconds between two segments: long enough that they are read one by one. */
export const PAUSE_MS = 10;
/** Milliseconds after which a body is sent that no 100 Continue was sent for. */
export const CONTINUE_WAIT_MS = 1000;

/** Whether the body waits for 100 Continue. */
export const awaitsContinue = ({ delivery, body = new Uint8Array() }: Request): boolean =>
  delivery?.expectContinue === true && body.length > 0;

/** The bytes of a request as they follow one another, with a pause in between. */
export function segmentsOf(request: Request, { origin }: Endpoint): Uint8Array[] {
  const { verbatim, delivery = {} } = request;
  if (verbatim !== undefined) return [verbatim];
  const body = bodyOf(request);
  const { cuts = [], headFirst, headCut, abortAfter = body.length } = delivery;
  const end = Math.max(0, Math.min(abortAfter, body.length));
  const places = cuts
    .map((cut) => (cut < 0 ? body.length + cut : cut))
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
  const lines = headers.map((pair) => pair.join(': '));
  const isOwn =
    delivery?.headerOrder !== undefined || headers[0]?.[0] !== 'host' || holds(headers, 'connection');
  // Where undici puts it.
  if (!isOwn) lines.splice(1, 0, 'connection: keep-alive');
  return Buffer.from([`${method} ${target} HTTP/1.1`, ...lines, '', ''].join('\r\n'), 'latin1');
}

export const holds = (headers: readonly HeaderPair[], name: string): boolean =>
  headers.some(([own]) => own.toLowerCase() === name);

/** The body as it is sent: with its transfer coding. */
function bodyOf({ body = new Uint8Array(), framing, delivery }: Request): Uint8Array {
  if (framing === 'length') return body;
  const { chunks = 'halves' } = delivery ?? {};
  const extension = chunks === 'extensions' ? ';part=1;note="a b"' : '';
  return Buffer.concat([
    ...divided(body, chunks).flatMap((part) => [
      Buffer.from(`${part.length.toString(16)}${extension}\r\n`),
      part,
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`0${extension}\r\n${chunks === 'trailer' ? `${TRAILER}: done\r\n` : ''}\r\n`),
  ]);
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

  /** @param awaitsContinue whether all but the first segment wait for 100 Continue */
  constructor(awaitsContinue: boolean) {
    this.awaitsContinue = awaitsContinue;
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
      await this.pause(this.awaitsContinue && !this.done ? CONTINUE_WAIT_MS : PAUSE_MS);
      if (this.stopped) return;
      this.awaitsContinue = false;
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
