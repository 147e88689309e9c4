import type { Contract } from '../../contract/contract.ts';
import { isOutsideContract, type RequestTemplate } from '../../payloads/test-case.ts';
import { type Exchange, failedBy, isAborted } from '../../wire/exchange.ts';
import type { SentRequest } from '../check.ts';
import { MAX_KEPT_BODY_BYTES, truncated } from '../result/truncate.ts';
import { ordinariness } from '../send/ordinariness.ts';

/** A request that may have killed the store. */
export interface RequestInFlight extends SentRequest {
  readonly check: string;
}

interface Kept extends RequestInFlight {
  readonly sentAt: number;
  readonly endedAt: number;
}

const MAX_KEPT = 200;
/** Faults that depend on earlier requests usually depend on one of the last few. */
const MAX_RECENT = 48;
/** How long a store may still answer other requests after an unanswered one that kills it. */
const GRACE_MS = 1000;
/** The same after a request that we aborted. */
const GRACE_IF_ABORTED_MS = 200;
/** The same if nothing else can have killed the store, since a busy store may notice an abort late. */
const LONG_GRACE_IF_ABORTED_MS = 3000;

/** Remembers requests that may be the reason for a failure of others. */
export class LastRequests {
  private readonly contract: Contract;
  private readonly kept: Kept[] = [];
  private answeredAt = 0;
  private recent: RequestTemplate[] = [];

  constructor(contract: Contract) {
    this.contract = contract;
  }

  record(exchange: Exchange, template: RequestTemplate, check: string): void {
    const now = performance.now();
    if (exchange.kind === 'answered') {
      this.answeredAt = now;
      this.recent.push(template);
      if (this.recent.length > 2 * MAX_RECENT) this.recent = this.recent.slice(-MAX_RECENT);
    } else if (
      failedBy(exchange, 'closed', 'timeout', 'not-http', 'aborted') &&
      (isAborted(exchange) || !isOutsideContract(template))
    ) {
      this.kept.push({
        exchange: truncated(exchange, MAX_KEPT_BODY_BYTES),
        template,
        check,
        sentAt: now - exchange.ms,
        endedAt: now,
      });
      if (this.kept.length > MAX_KEPT) this.kept.shift();
    }
  }

  /** The last requests that were answered before one that has just ended, oldest first. */
  answeredBefore(template: RequestTemplate): readonly RequestTemplate[] {
    const own = this.recent.lastIndexOf(template);
    return this.recent.slice(0, own < 0 ? undefined : own).slice(-MAX_RECENT);
  }

  /** The likeliest culprit first: requests that we aborted, then the least ordinary, then the earliest. */
  get inFlightAtLastAnswer(): readonly RequestInFlight[] {
    const rank = ({ exchange, template }: Kept) => {
      if (isAborted(exchange)) return -1;
      const degree = ordinariness(template, this.contract);
      const isPlain = PLAIN.test(Buffer.from(exchange.request.body ?? []).toString('latin1'));
      return degree > 0 && isPlain ? degree + 0.5 : degree;
    };
    const unanswered = this.kept.filter(
      ({ exchange, endedAt }) => !isAborted(exchange) && endedAt >= this.answeredAt - GRACE_MS,
    );
    // A store that hangs may still answer one request after the others have timed out.
    const hangsSince = Math.min(this.answeredAt, ...unanswered.map(({ sentAt }) => sentAt));
    const lastWithin = (graceMs: number) =>
      this.kept.filter((one) =>
        isAborted(one.exchange) ? one.endedAt >= hangsSince - graceMs : unanswered.includes(one),
      );
    const soon = this.answeredAt === 0 ? [] : lastWithin(GRACE_IF_ABORTED_MS);
    const last = soon.length > 0 || this.answeredAt === 0 ? soon : lastWithin(LONG_GRACE_IF_ABORTED_MS);
    const diedAt = Math.min(...last.flatMap(({ exchange, endedAt }) => (isAborted(exchange) ? [] : endedAt)));
    // Requests that arrived after the store began to hang cannot have caused it.
    const latest = Math.max(this.answeredAt, Math.min(...last.map(({ sentAt }) => sentAt))) + GRACE_MS;
    return last
      .filter(({ sentAt }) => sentAt <= Math.min(diedAt, latest))
      .toSorted((a, b) => rank(a) - rank(b) || a.sentAt - b.sentAt);
  }
}

/** Matches bodies without characters that mean something to programs. */
const PLAIN = /^[\w\s{}":,]*$/;
