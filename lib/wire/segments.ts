import type { Socket } from 'node:net';
import { Deadline } from './deadline.ts';
import type { Endpoint } from './endpoint.ts';
import type { Delivery, Request } from './exchange.ts';
import { closesConnection, hasHeader } from './headers.ts';

/** Milliseconds between two segments; long enough for the server to read them one by one. */
export const SEGMENT_PAUSE_MS = 3;
/** Milliseconds after which the body is sent without 100 Continue; `lowerLimit` can shorten them. */
export const CONTINUE_WAIT_MS = 1000;

export const awaitsContinue = ({ delivery, body = new Uint8Array() }: Request): boolean =>
  delivery?.expectContinue === true && body.length > 0;

/** Divides a request into segments, to be sent with a pause after each. */
export function segmentsOf(request: Request, { origin }: Endpoint): Uint8Array[] {
  const { rawBytes, delivery = {} } = request;
  if (rawBytes !== undefined) return [rawBytes];
  const { bytes: body, positionOf } = coded(request);
  const { cuts = [], headFirst, headCut, abortAfter } = delivery;
  const end = abortAfter === undefined ? body.length : positionOf(abortAfter);
  const offsets = cuts
    .map(positionOf)
    .filter((cut) => cut > 0 && cut < end)
    .sort((a, b) => a - b);
  const bounds = [...new Set([0, ...offsets, end])];
  const parts = bounds.slice(1).map((to, index) => body.subarray(bounds[index], to));
  const whole = headOf(request, origin);
  const position = headCut === undefined ? 0 : positionInHead(headCut, whole.length);
  const headStart = position > 0 ? [whole.subarray(0, position)] : [];
  const head = whole.subarray(position);
  if (headFirst === true || awaitsContinue(request)) return [...headStart, head, ...parts];
  const [first = new Uint8Array(), ...others] = parts;
  return [...headStart, Buffer.concat([head, first]), ...others];
}

/** The offset at which a head of this many bytes is divided. */
export const positionInHead = (cut: NonNullable<Delivery['headCut']>, bytes: number): number =>
  cut === 'middle' ? Math.floor(bytes / 2) : bytes - 2;

function headOf({ method, path, headers, delivery }: Request, origin: string): Buffer {
  const target = delivery?.absoluteTarget === true ? `${origin}${path}` : path;
  const lines = headers.map((pair) => pair.join(`:${delivery?.headerGap ?? ' '}`));
  const setsConnection =
    delivery?.headerOrder !== undefined || headers[0]?.[0] !== 'host' || hasHeader(headers, 'connection');
  // Where undici puts it.
  if (!setsConnection && delivery?.version === undefined) lines.splice(1, 0, 'connection: keep-alive');
  return Buffer.from(
    [`${method} ${target} HTTP/${delivery?.version ?? '1.1'}`, ...lines, '', ''].join('\r\n'),
    'latin1',
  );
}

/**
 * Returns whether a request ends its connection, whatever the response (RFC 9112 section 9.6), or may switch
 * to another protocol.
 */
export const endsConnection = ({ headers, delivery }: Request): boolean =>
  delivery?.version === '1.0' || hasHeader(headers, 'upgrade') || closesConnection(headers);

/** `positionOf` maps an offset in the plain body to one in `bytes`; negative offsets count from the end. */
interface Coded {
  readonly bytes: Uint8Array;
  readonly positionOf: (offset: number) => number;
}

/** RFC 9110 section 8.6 and RFC 9112 section 7.1 allow any number of digits. */
export const LEADING_ZEROS = '00';

const CHUNK_SIZES: Readonly<Record<NonNullable<Delivery['chunkSizes']>, (size: string) => string>> = {
  zeros: (size) => `${LEADING_ZEROS}${size}`,
  capitals: (size) => size.toUpperCase(),
};

function coded({ body = new Uint8Array(), framing, delivery }: Request): Coded {
  const clamped = (offset: number) =>
    Math.max(0, Math.min(offset < 0 ? body.length + offset : offset, body.length));
  if (framing === 'length') return { bytes: body, positionOf: clamped };
  const { chunks = 'halves', chunkEnd, chunkSizes } = delivery ?? {};
  const written = chunkSizes === undefined ? (size: string) => size : CHUNK_SIZES[chunkSizes];
  const extension = chunks === 'extensions' ? ';part=1;note="a b"' : '';
  const pieces: Uint8Array[] = [];
  const starts: { readonly offset: number; readonly position: number }[] = [];
  let [offset, position] = [0, 0];
  // An empty chunk would end the body (RFC 9112 section 7.1).
  for (const part of body.length === 0 ? [] : divided(body, chunks, chunkEnd)) {
    const size = Buffer.from(`${written(part.length.toString(16))}${extension}\r\n`);
    pieces.push(size, part, Buffer.from('\r\n'));
    starts.push({ offset, position: position + size.length });
    offset += part.length;
    position += size.length + part.length + 2;
  }
  const trailer = chunks === 'trailer' ? `${TRAILER}: done\r\n` : '';
  const bytes = Buffer.concat([...pieces, Buffer.from(`0${extension}\r\n${trailer}\r\n`)]);
  return {
    bytes,
    positionOf(of) {
      const plainOffset = clamped(of);
      if (plainOffset === body.length) return bytes.length;
      const start = starts.findLast((one) => one.offset < plainOffset);
      return start === undefined ? 0 : start.position + plainOffset - start.offset;
    },
  };
}

/** The name of the field in a trailer section. */
export const TRAILER = 'x-trailer';

function divided(
  body: Uint8Array,
  chunks: Delivery['chunks'],
  end = Math.floor(body.length / 2),
): Uint8Array[] {
  if (chunks === 'one') return [body];
  if (chunks !== 'many') return [body.subarray(0, end), body.subarray(end)].filter((part) => part.length > 0);
  return Array.from({ length: Math.ceil(body.length / 7) }, (_, index) =>
    body.subarray(7 * index, 7 * index + 7),
  );
}

/** Event-loop turns after a pause: before we write more, we read what arrived while the process was busy. */
const TURNS_AFTER_PAUSE = 3;

const afterTurns = (turns: number, then: () => void): unknown =>
  turns === 0 ? then() : setImmediate(() => afterTurns(turns - 1, then));

/** Writes a request in segments, with a pause after each, and waits for 100 Continue if it asks for that. */
export class SegmentWriter {
  /** Whether the last segment has been passed to the socket. */
  hasReachedLast = false;
  /** Milliseconds after which the body was sent without 100 Continue, because that did not arrive in time. */
  waitedInVainMs: number | undefined;
  private stopped = false;
  private wake = () => {};
  private readonly segments: readonly Uint8Array[];
  private readonly headEnd: number;
  private readonly pauseMs: number;
  /** Milliseconds to wait for 100 Continue; undefined if that is not, or no longer, to be awaited. */
  private continueWait: number | undefined;

  /** @param headEnd index of the segment in which the head ends */
  constructor(
    segments: readonly Uint8Array[],
    headEnd: number,
    pauseMs: number,
    continueWait: number | undefined,
  ) {
    this.segments = segments;
    this.headEnd = headEnd;
    this.pauseMs = pauseMs;
    this.continueWait = continueWait;
  }

  /** Milliseconds that all pauses and waits take together. */
  get pausesMs(): number {
    const { length } = this.segments;
    return length > 1 ? length * this.pauseMs + (this.continueWait ?? 0) : 0;
  }

  /** Resolves after the pause that follows the last segment, or when the writer is stopped. */
  async write(socket: Socket): Promise<void> {
    const { segments, headEnd } = this;
    if (segments.length > 1) socket.setNoDelay(true);
    for (const [index, segment] of segments.entries()) {
      this.hasReachedLast = index === segments.length - 1;
      await new Promise<void>((resolve) => void socket.write(segment, () => resolve()));
      if (this.stopped) return;
      const { continueWait } = this;
      const waits = continueWait !== undefined && index === headEnd;
      await (waits ? this.awaitContinue(continueWait) : this.pause());
      if (this.stopped) return;
      if (!waits) continue;
      this.waitedInVainMs = this.continueWait;
      this.continueWait = undefined;
    }
  }

  /** Call when 100 Continue has arrived. */
  goOn(): void {
    if (this.continueWait === undefined) return;
    this.continueWait = undefined;
    this.wake();
  }

  stop(): void {
    this.stopped = true;
    this.wake();
  }

  /** Resolves when 100 Continue arrives, or when the wait is over. */
  private awaitContinue(maxMs: number): Promise<void> {
    return new Promise((resolve) => {
      const deadline = new Deadline(maxMs, () => setImmediate(resolve));
      this.wake = () => {
        deadline.stop();
        resolve();
      };
    });
  }

  private pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => afterTurns(TURNS_AFTER_PAUSE, resolve), this.pauseMs);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
