import type { Deadline } from './deadline.ts';

/** Larger than any echo of a request, unless its nesting is indented. */
export const LARGE_BODY_BYTES = 512 * 1024;

/** A body on its way. */
export interface Arriving {
  pause(): void;
  resume(): void;
}

/** Returns a body that a stream carries. Time for which it is paused does not count towards its deadline. */
export const arrivingOn = (stream: Arriving, deadline: Deadline | undefined): Arriving => ({
  pause() {
    stream.pause();
    deadline?.stop();
  },
  resume() {
    deadline?.restart();
    stream.resume();
  },
});

/** Reads large bodies one at a time: those of all connections together would fill the memory. */
export class LargeBodies {
  private current: Arriving | undefined;
  private readonly waiting: Arriving[] = [];

  /** Call once a body turns out to be large. Pauses it until the earlier ones have ended. */
  add(body: Arriving): void {
    if (this.current === undefined) this.current = body;
    else {
      body.pause();
      this.waiting.push(body);
    }
  }

  /** Call when a body has ended, in whatever way. */
  end(body: Arriving): void {
    if (body !== this.current) {
      const index = this.waiting.indexOf(body);
      if (index >= 0) this.waiting.splice(index, 1);
      return;
    }
    const next = this.waiting.shift();
    this.current = next;
    // Later, because undici reads from one connection at a time, and may be reading the end of this body.
    setImmediate(() => {
      if (this.current === next) next?.resume();
    });
  }
}
