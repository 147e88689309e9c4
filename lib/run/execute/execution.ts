import { type Finding, isFinding, type Rule } from '../../judge/rules.ts';
import type { RequestTemplate } from '../../payloads/test-case.ts';
import type { Exchange } from '../../wire/exchange.ts';
import type { HttpClient } from '../../wire/http-client.ts';
import type { CheckIds } from '../plan/ids.ts';
import type { Tally } from '../result/tally.ts';
import type { RunState } from '../run-state.ts';
import type { Recovery } from '../send/recovery.ts';
import type { RequestContext } from '../send/request-context.ts';
import type { Sender } from '../send/sender.ts';
import { type JudgeContext, rulingOf } from './apply-rules.ts';
import type { ExchangeMonitor } from './exchange-monitor.ts';

/** Number of consecutive unanswered requests after which no check tries anything more. */
const MAX_UNANSWERED = 500;

export interface RunServices {
  readonly judging: JudgeContext;
  readonly client: HttpClient;
  readonly sender: Sender;
  readonly monitor: ExchangeMonitor;
  readonly recovery: Recovery;
  readonly state: RunState;
  readonly seed: number;
  readonly cases: number;
  readonly concurrency: number;
  readonly confirmationBudget: { left: number };
  /** An ordinary plant to send concurrently with other requests. Its response is judged like any other. */
  readonly ordinary: RequestTemplate;
}

export class Execution {
  readonly services: RunServices;
  readonly context: RequestContext;
  readonly tally: Tally;

  constructor(services: RunServices, context: RequestContext, tally: Tally) {
    this.services = services;
    this.context = context;
    this.tally = tally;
  }

  get ids(): CheckIds {
    return this.context.ids;
  }

  /** @throws Stopped if the run has ended */
  send(template: RequestTemplate, id: bigint, toBeAccepted?: boolean): Promise<Exchange> {
    return this.services.sender.send(template, id, this.context, toBeAccepted);
  }

  /** Sends a request even if its id or name is in use. */
  sendAsIs(template: RequestTemplate, id: bigint): Promise<Exchange> {
    return this.services.sender.send(template, id, this.context, false);
  }

  async recover(): Promise<void> {
    await this.services.recovery.wait(this.context, this.services.sender);
  }

  /** Returns the finding of the first broken rule. If there is none, records a pass or why none applied. */
  judge(exchange: Exchange, template: RequestTemplate, rules: readonly Rule[]): Finding | undefined {
    const ruling = rulingOf(exchange, template, rules, this.services.judging);
    if (isFinding(ruling)) return ruling;
    this.tally.recordPass(ruling);
    return undefined;
  }

  /** Maximum number of requests in flight; lower once the store has turned requests away. */
  get concurrencyLimit(): number {
    return this.services.client.concurrencyLimit;
  }

  get isOver(): boolean {
    return this.services.state.stop !== undefined || this.services.monitor.brokenInRow >= MAX_UNANSWERED;
  }
}

export interface TestRun {
  run(limit: number): Promise<void>;
  /** Whether no cases are left; valid once `run` has been called. */
  readonly ended: boolean;
  /** Retries the cases that were not answered, with nothing else in flight. */
  retryInIsolation?(): Promise<void>;
}
