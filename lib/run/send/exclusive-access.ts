/** A lock: lets either everyone send requests, or only one owner. Any object can be an owner. */
export class ExclusiveAccess {
  private inFlight = 0;
  private holder: object | undefined;
  private waiting: (() => void)[] = [];

  excludes(owner: object): boolean {
    return this.holder !== undefined && this.holder !== owner;
  }

  isHeldBy(owner: object): boolean {
    return this.holder === owner;
  }

  async waitFor(owner: object): Promise<void> {
    while (this.excludes(owner)) await this.nextChange();
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
   * Waits until the requests in flight have ended, then runs `work`. Until it completes, only this owner
   * may send.
   */
  async exclusively<T>(owner: object, work: () => Promise<T>): Promise<T> {
    while (this.holder !== undefined) await this.nextChange();
    this.holder = owner;
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
