import type { Exchange, Fault, Request } from './exchange.ts';

/** Carries one request at a time: opened when one is sent, and kept for the next while the store keeps it. */
export interface Connection {
  /**
   * Sends a request and waits for its end, whatever it is. After a broken exchange the next goes over a fresh connection.
   * @param timeout milliseconds for the whole answer, without those that it takes to connect
   */
  send(request: Request, timeout: number): Promise<Exchange>;
  /** Gives up what is on its way. */
  close(): Promise<void>;
}

/** Milliseconds after which an idle connection is closed by us: most stores keep one for five seconds or longer. */
export const IDLE_MS = 4000;

/** The wire was closed; nothing is said of the store. */
export const ABANDONED: Fault = { kind: 'closed', detail: 'the run has ended' };

export const timedOut = (timeout: number, begun: boolean): Fault => ({
  kind: 'timeout',
  detail: `no ${begun ? 'whole answer' : 'answer'} within ${timeout} ms`,
});
