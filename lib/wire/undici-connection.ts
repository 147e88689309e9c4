import type { Dispatcher } from 'undici';
// Not the package's index, which also loads fetch, caches and mocks.
import Client from 'undici/lib/dispatcher/client.js';
import { Bytes } from './bytes.ts';
import { type Connection, IDLE_MS, type ResponseLimits, timeoutFault } from './connection.ts';
import { Deadline } from './deadline.ts';
import { type Endpoint, MAX_HEAD_BYTES, MAX_INTERIM_RESPONSES } from './endpoint.ts';
import { type Exchange, type Fault, faultOf, type HeaderPair, type Request } from './exchange.ts';

/** A connection that is managed by undici, for all ordinary requests with a Content-Length. */
export class UndiciConnection implements Connection {
  private readonly endpoint: Endpoint;
  private client: Client;
  private closed = false;

  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint;
    this.client = this.opened();
  }

  async send(request: Request, limits: ResponseLimits): Promise<Exchange> {
    const exchange = await new Promise<Exchange>((resolve) => {
      const { path, body = null } = request;
      const method = request.method as Dispatcher.HttpMethod;
      const headers = withoutFraming(request.headers);
      this.client.dispatch({ method, path, headers, body }, collector(request, limits, resolve));
    });
    // The rest of a broken response must not be read as the next response.
    if (exchange.kind === 'broken' && !this.closed) {
      void this.client.destroy();
      this.client = this.opened();
    }
    return exchange;
  }

  close(): Promise<void> {
    this.closed = true;
    return this.client.destroy();
  }

  private opened(): Client {
    return new Client(this.endpoint.origin, {
      pipelining: 1,
      keepAliveTimeout: IDLE_MS,
      // We enforce timeouts ourselves, since undici's do not catch a body that arrives byte by byte.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEAD_BYTES,
      connect: { ...this.endpoint.tls, timeout: this.endpoint.timeout },
    });
  }
}

/** Alternating names and values, without the framing headers, which undici writes itself. */
const withoutFraming = (headers: readonly HeaderPair[]): string[] =>
  headers.filter(([name]) => !/^(?:content-length|transfer-encoding)$/i.test(name)).flat();

const NO_RESPONSE: Fault = { kind: 'closed', detail: 'no response' };

/** Builds one response from the events of undici. */
function collector(
  request: Request,
  { timeout, maxBodyBytes, largeBodies }: ResponseLimits,
  resolve: (exchange: Exchange) => void,
): Dispatcher.DispatchHandler {
  const interim: number[] = [];
  const body = new Bytes(maxBodyBytes);
  let started = performance.now();
  let deadline: Deadline | undefined;
  let head: { status: number; statusText: string; headers: readonly HeaderPair[] } | undefined;
  let stream: Dispatcher.DispatchController | undefined;
  let ended = false;
  const end = (fault?: Fault, isComplete = true) => {
    if (ended) return;
    ended = true;
    deadline?.stop();
    if (stream !== undefined) largeBodies.end(stream);
    const truncated = !isComplete || body.isTooLong || fault !== undefined;
    const common = { request, ms: performance.now() - started, interim };
    const response = head && { ...head, body: body.kept, truncated };
    if (fault === undefined && response !== undefined) resolve({ kind: 'answered', ...common, response });
    else resolve({ kind: 'broken', ...common, fault: fault ?? NO_RESPONSE, response });
  };
  return {
    onRequestStart(controller) {
      started = performance.now();
      stream = controller;
      deadline = new Deadline(timeout, () => {
        const fault = timeoutFault(timeout, head !== undefined);
        end(fault);
        controller.abort(new Error(fault.detail));
      });
    },
    onResponseStart(controller, status, _headers, statusText = '') {
      if (status < 200) {
        if (interim.length < MAX_INTERIM_RESPONSES) interim.push(status);
        return;
      }
      head = { status, statusText, headers: pairs(controller.rawHeaders) };
      if (status !== 304) return;
      // A 304 ends with its head, whatever its Content-Length (RFC 9112 section 6.3), but undici would wait for
      // a body.
      end();
      controller.abort(new Error('a 304 has no body'));
    },
    onResponseData(controller, chunk) {
      body.add(chunk);
      if (body.isTooMuch) {
        end(undefined, false);
        controller.abort(new Error('the response is long enough'));
      } else largeBodies.add(controller, body.length, deadline);
    },
    onResponseEnd: () => end(),
    onResponseError(_controller, error) {
      const fault = faultOf(error);
      // If there is no head, undici reports in this way that the head was invalid.
      const isBadHead = head === undefined && fault.detail.includes('UND_ERR_RES_CONTENT_LENGTH_MISMATCH');
      end(isBadHead ? { kind: 'not-http', detail: 'bad response: its header cannot be read' } : fault);
    },
  };
}

function pairs(raw: unknown): HeaderPair[] {
  const fields = (Array.isArray(raw) ? raw : []).map((field: unknown) =>
    Buffer.isBuffer(field) ? field.toString('latin1') : String(field),
  );
  const found: HeaderPair[] = [];
  for (let index = 0; index + 1 < fields.length; index += 2)
    found.push([fields[index] ?? '', (fields[index + 1] ?? '').trim()]);
  return found;
}
