/** Events in the order in which they happened. A reader that starts late still sees all of them. */
export class EventLog<T> implements AsyncIterable<T> {
  private readonly events: T[] = [];
  private done: { readonly error?: unknown } | undefined;
  private wake: () => void = () => {};
  private news = this.nextNews();

  append(event: T): void {
    this.events.push(event);
    this.notify();
  }

  /** @param failure an error to throw to every reader after the last event */
  end(failure: { readonly error?: unknown } = {}): void {
    this.done = failure;
    this.notify();
  }

  /** All events, for any number of readers. */
  [Symbol.asyncIterator](): AsyncGenerator<T, void> {
    let next = 0;
    return this.read(() => {
      const event = this.events[next];
      if (event !== undefined) next += 1;
      return event;
    });
  }

  /**
   * The events for a single reader. Events are dropped as they are read, because they may be as large as
   * responses.
   */
  drain(): AsyncGenerator<T, void> {
    return this.read(() => this.events.shift());
  }

  private async *read(next: () => T | undefined): AsyncGenerator<T, void> {
    for (;;) {
      const event = next();
      if (event !== undefined) yield event;
      else if (this.done === undefined) await this.news;
      else if ('error' in this.done) throw this.done.error;
      else return;
    }
  }

  private notify(): void {
    this.wake();
    this.news = this.nextNews();
  }

  private nextNews(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }
}
