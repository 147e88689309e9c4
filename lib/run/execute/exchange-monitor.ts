import { isOutsideContract, type RequestTemplate } from '../../payloads/test-case.ts';
import { type Exchange, isAborted } from '../../wire/exchange.ts';
import { headerValue } from '../../wire/headers.ts';
import type { Ids } from '../plan/ids.ts';
import { PREFLIGHT } from '../plan/plan.ts';
import type { Shard } from '../plan/shard.ts';
import type { StatusCounts } from '../result/cause.ts';
import { Created } from '../result/created.ts';
import { truncate } from '../result/truncate.ts';
import { ordinariness } from '../send/ordinariness.ts';
import { RateLimitDetector } from '../send/rate-limit-detector.ts';
import type { Recovery } from '../send/recovery.ts';
import type { RequestContext } from '../send/request-context.ts';
import type { ExchangeListener } from '../send/transport.ts';
import { didNotReachStore, isUnanswered } from '../send/unreachable.ts';
import type { JudgeContext } from './apply-rules.ts';
import type { Invariants } from './invariants.ts';
import { LastRequests } from './last-requests.ts';

/** Positions within a rank are below this. */
const MAX_POSITION = 2 ** 40;

interface MonitorOptions {
  readonly judging: JudgeContext;
  readonly ids: Ids;
  readonly firstId: bigint;
  readonly shard: Shard;
  readonly invariants: Invariants;
  readonly recovery: Recovery;
  readonly onExchange: (exchange: Exchange, template: RequestTemplate, during: string) => void;
}

/** Counts responses by status, so that reports can tell what preceded a breakdown of the store. */
class ResponseCounts {
  private readonly before = new Map<number, number>();
  private readonly after = new Map<number, number>();

  add(status: number): void {
    this.after.set(status, (this.after.get(status) ?? 0) + 1);
    if (status !== 200) return;
    for (const [counted, count] of this.after)
      this.before.set(counted, (this.before.get(counted) ?? 0) + count);
    this.after.clear();
  }

  /** The counts up to and including the last 200, sorted by status. */
  get untilLastAccepted(): StatusCounts {
    return [...this.before]
      .sort(([one], [other]) => one - other)
      .map(([status, count]) => ({ status, count }));
  }
}

/** Observes what the store created, whether it limits its clients, and whether the invariants hold. */
export class ExchangeMonitor implements ExchangeListener {
  readonly created = new Created();
  readonly limiter = new RateLimitDetector();
  readonly last: LastRequests;
  server: string | undefined;
  readonly statusCounts = new ResponseCounts();
  /** Number of unanswered requests since the last answer. */
  brokenInRow = 0;
  private readonly options: MonitorOptions;
  /** Exchanges of the preflight, to which the invariants apply only if the store can be judged. */
  private readonly held: (() => void)[] = [];

  constructor(options: MonitorOptions) {
    this.options = options;
    this.last = new LastRequests(options.judging.contract);
  }

  onExchange(exchange: Exchange, template: RequestTemplate, context: RequestContext): void {
    const { invariants, judging, shard, recovery, onExchange } = this.options;
    onExchange(exchange, template, context.id);
    this.last.record(exchange, template, context.id);
    const server = headerValue(exchange.response?.headers ?? [], 'server');
    if (server !== undefined) this.server ??= truncate(server);
    if (exchange.response !== undefined) this.statusCounts.add(exchange.response.status);
    if (isAborted(exchange)) {
      this.created.record(exchange, template);
      return;
    }
    if (!isOutsideContract(template) && isUnanswered(exchange)) recovery.recordBroken(context, template);
    this.brokenInRow = exchange.kind === 'broken' ? this.brokenInRow + 1 : 0;
    const isPreflight = context.id === PREFLIGHT;
    // Every shard begins with the same requests; only the first one counts them.
    if (isPreflight && shard.index > 0) return;
    this.created.record(exchange, template);
    this.limiter.record(exchange, template);
    const watch = () =>
      invariants.watch(
        exchange,
        template,
        context.id,
        () => this.positionOf(exchange, template),
        judging,
        () => this.last.answeredBefore(template),
      );
    if (!isPreflight) watch();
    else if (!didNotReachStore(exchange)) this.held.push(watch);
  }

  /** Applies the invariants to the exchanges of the preflight, since the store can be judged. */
  releasePreflight(): void {
    for (const watch of this.held) watch();
  }

  /** The position of a failure in the plan. Among unanswered requests, the least ordinary one comes first. */
  private positionOf(exchange: Exchange, template: RequestTemplate): number {
    const { judging, ids, firstId } = this.options;
    const rank = isUnanswered(exchange) ? ordinariness(template, judging.contract) : 0;
    return rank * MAX_POSITION + ids.positionOf(exchange.request.freshId ?? firstId);
  }
}
