import type { Exchange, Fault, Request } from './exchange.ts';

export interface ResponseLimits {
  /** Milliseconds for the complete response, not including the time to connect. */
  readonly timeout: number;
  /** Bytes of body after which it is truncated. */
  readonly bodyBytes: number;
  /** Milliseconds that a body waits for 100 Continue before it is sent anyway. */
  readonly continueWait: number;
}

/**
 * Carries one request at a time. Opens when a request is sent, and stays open for the next one if the store
 * allows it.
 */
export interface Connection {
  /**
   * Sends a request and waits for its outcome. After a broken exchange the next request uses a fresh
   * connection.
   */
  send(request: Request, limits: ResponseLimits): Promise<Exchange>;
  /** Abandons the request that is under way. */
  close(): Promise<void>;
}

/** Milliseconds after which we close an idle connection. Most stores keep one for five seconds or longer. */
export const IDLE_MS = 4000;

/** We closed the connection because the run ended; this says nothing about the store. */
export const ABANDONED: Fault = { kind: 'closed', detail: 'the run has ended' };

export const timeoutFault = (timeout: number, isPartial: boolean): Fault => ({
  kind: 'timeout',
  detail: `no ${isPartial ? 'complete response' : 'response'} within ${timeout} ms`,
});
