import type { Exchange, Fault, Request } from './exchange.ts';
import type { LargeBodies } from './large-bodies.ts';

export interface ResponseLimits {
  /** Milliseconds to receive the complete response, after connecting. */
  readonly timeout: number;
  /** Size of a response body in bytes at which it is truncated. */
  readonly maxBodyBytes: number;
  /** Milliseconds for which a body waits for 100 Continue before it is sent anyway. */
  readonly continueWait: number;
  /** Shared by all connections. */
  readonly largeBodies: LargeBodies;
}

/** Carries one request at a time. Opens when a request is sent, and stays open if the store allows it. */
export interface Connection {
  /** After a broken exchange, the next request uses a new connection. */
  send(request: Request, limits: ResponseLimits): Promise<Exchange>;
  /** Abandons the current request. */
  close(): Promise<void>;
}

/** After this time, we close an idle connection. Most stores keep it for at least five seconds. */
export const IDLE_MS = 4000;

/** We closed the connection because the run ended; this says nothing about the store. */
export const ABANDONED: Fault = { kind: 'closed', detail: 'the run has ended' };

export const timeoutFault = (timeout: number, isPartial: boolean): Fault => ({
  kind: 'timeout',
  detail: `no ${isPartial ? 'complete response' : 'response'} within ${timeout} ms`,
});
