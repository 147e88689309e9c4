import type { HttpClient } from '../../wire/http-client.ts';

/** Number of answers after which to try a higher limit again; doubled each time when that was too early. */
const FIRST_ANSWERS_BEFORE_RAISE = 200;

/** Lowers the concurrency limit for a store that asks for pauses, and raises it again once it does not. */
export class ConcurrencyBackoff {
  private readonly client: HttpClient;
  /** The limit from which it was lowered, and the present one. */
  private limits: { readonly usual: number; readonly own: number } | undefined;
  private answersBeforeRaise = FIRST_ANSWERS_BEFORE_RAISE;
  private answers = 0;
  private hasRaised = false;

  constructor(client: HttpClient) {
    this.client = client;
  }

  lower(): void {
    const { concurrencyLimit } = this.client;
    const usual = concurrencyLimit === this.limits?.own ? this.limits.usual : concurrencyLimit;
    if (this.hasRaised) this.answersBeforeRaise *= 2;
    this.client.setConcurrencyLimit(Math.max(1, Math.floor(concurrencyLimit / 2)));
    this.setOwn(usual, false);
  }

  /** Counts an answer that asks for no pause. */
  recordAnswer(): void {
    const { limits } = this;
    // Another part of the run may have changed the limit for its own reasons.
    if (limits === undefined || limits.own !== this.client.concurrencyLimit) return;
    this.answers += 1;
    if (limits.own >= limits.usual || this.answers < this.answersBeforeRaise) return;
    this.client.setConcurrencyLimit(Math.min(limits.usual, limits.own * 2));
    this.setOwn(limits.usual, true);
  }

  private setOwn(usual: number, hasRaised: boolean): void {
    this.limits = { usual, own: this.client.concurrencyLimit };
    this.answers = 0;
    this.hasRaised = hasRaised;
  }
}
