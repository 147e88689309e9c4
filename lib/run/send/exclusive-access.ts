import type { RequestContext } from './request-context.ts';

/** A lock: lets either all contexts send requests, or only one. */
export class ExclusiveAccess {
  private inFlight = 0;
  private holder: RequestContext | undefined;
  private waiting: (() => void)[] = [];

  excludes(context: RequestContext): boolean {
    return this.holder !== undefined && this.holder !== context;
  }

  isHeldBy(context: RequestContext): boolean {
    return this.holder === context;
  }

  async waitFor(context: RequestContext): Promise<void> {
    while (this.excludes(context)) await this.nextChange();
  }

  /** Call `enter` when a request goes out, and `leave` when it has ended. */
  enter(): void {
    this.inFlight += 1;
  }

  leave(): void {
    this.inFlight -= 1;
    if (this.holder !== undefined) this.wakeAll();
  }

  /**
   * Waits until the requests in flight have ended, then runs `work`. Until it completes, only this context
   * may send requests.
   */
  async exclusively<T>(context: RequestContext, work: () => Promise<T>): Promise<T> {
    while (this.holder !== undefined) await this.nextChange();
    this.holder = context;
    while (this.inFlight > 0) await this.nextChange();
    try {
      return await work();
    } finally {
      this.holder = undefined;
      this.wakeAll();
    }
  }

  private nextChange(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private wakeAll(): void {
    const { waiting } = this;
    this.waiting = [];
    for (const wake of waiting) wake();
  }
}
