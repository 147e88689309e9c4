import type { CheckIds } from './ids.ts';

/** On whose behalf requests are sent: a check that is being carried out, or what a run sends for none. */
export interface Errand {
  /** The id of the check, or what stands for one. */
  readonly id: string;
  readonly ids: CheckIds;
  /** Requests that got no sound answer, where one was promised. */
  broken: number;
  /** Requests that wait for the store to come back. */
  away: number;
  /** How ordinary the least ordinary of both is. */
  ordinariness: number;
}

/** Lets the requests of all errands through side by side, or those of one alone. */
export class Gate {
  private inside = 0;
  private holder: Errand | undefined;
  private waiting: (() => void)[] = [];

  isClosedTo(errand: Errand): boolean {
    return this.holder !== undefined && this.holder !== errand;
  }

  isHeldBy(errand: Errand): boolean {
    return this.holder === errand;
  }

  /** Waits until nobody else has the store to itself. */
  async openTo(errand: Errand): Promise<void> {
    while (this.isClosedTo(errand)) await this.change();
  }

  /** A request is on its way, until it leaves. */
  enter(): void {
    this.inside += 1;
  }

  leave(): void {
    this.inside -= 1;
    if (this.holder !== undefined) this.move();
  }

  /** Does `work` once what is on its way has ended; what it sends for this errand has no company. */
  async alone<T>(errand: Errand, work: () => Promise<T>): Promise<T> {
    while (this.holder !== undefined) await this.change();
    this.holder = errand;
    while (this.inside > 0) await this.change();
    try {
      return await work();
    } finally {
      this.holder = undefined;
      this.move();
    }
  }

  private change(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private move(): void {
    const { waiting } = this;
    this.waiting = [];
    for (const wake of waiting) wake();
  }
}
