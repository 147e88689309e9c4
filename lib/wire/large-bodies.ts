import type { Deadline } from './deadline.ts';

/** Larger than any echo of a request, unless its nesting is indented. */
export const LARGE_BODY_BYTES = 512 * 1024;

/** What a body arrives on. */
interface Stream {
  pause(): unknown;
  resume(): unknown;
}

/** Reads large bodies one at a time: those of all connections together would fill the memory. */
export class LargeBodies {
  private current: Stream | undefined;
  private readonly waiting = new Map<Stream, Deadline | undefined>();

  /**
   * Call when a part of a body has arrived. A large one pauses until the earlier ones have ended; that time does
   * not count towards its deadline.
   * @param bytes size of the body so far
   */
  add(stream: Stream, bytes: number, deadline: Deadline | undefined): void {
    if (bytes <= LARGE_BODY_BYTES || stream === this.current || this.waiting.has(stream)) return;
    if (this.current === undefined) this.current = stream;
    else {
      stream.pause();
      deadline?.stop();
      this.waiting.set(stream, deadline);
    }
  }

  /** Call when a body has ended, in whatever way. */
  end(stream: Stream): void {
    this.waiting.delete(stream);
    if (stream !== this.current) return;
    const [[next, deadline] = []] = this.waiting;
    this.current = next;
    if (next === undefined) return;
    this.waiting.delete(next);
    // Later, because undici reads from one connection at a time, and may be reading the end of this body.
    setImmediate(() => {
      if (this.current !== next) return;
      deadline?.restart();
      next.resume();
    });
  }
}
