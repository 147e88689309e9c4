/** Events in the order in which they happened. Every reader gets all of them, also those from before it began. */
export class EventLog<T> implements AsyncIterable<T> {
  private readonly events: T[] = [];
  private done: { readonly error?: unknown } | undefined;
  private wake: () => void = () => {};
  private news = this.nextNews();

  append(event: T): void {
    this.events.push(event);
    this.notify();
  }

  /** @param failure thrown to every reader after the last event */
  end(failure: { readonly error?: unknown } = {}): void {
    this.done = failure;
    this.notify();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for (let next = 0; ; ) {
      const event = this.events[next];
      if (event !== undefined) {
        next += 1;
        yield event;
      } else if (this.done === undefined) await this.news;
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
