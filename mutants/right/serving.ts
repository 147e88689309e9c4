import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import {
  answer,
  headOf,
  listen,
  type Received,
  Rejection,
  rightSteps,
  type Steps,
} from '../../reference/store.ts';
import type { Change, RightStore } from '../fleet.ts';

/** Answers one request, instead of the reference store. */
type Meet = (line: Steps, message: IncomingMessage, response: ServerResponse) => Promise<void>;

interface Serving {
  readonly change?: Change;
  readonly options?: ServerOptions;
  readonly meet?: Meet;
  readonly setUp?: (server: Server) => void;
}

/** A store whose HTTP server, or the proxy in front of it, is set up in an unusual way. */
export const serving = (
  name: string,
  odd: string,
  { change = () => ({}), options = {}, meet = answer, setUp = () => {} }: Serving,
): RightStore => ({
  name,
  odd,
  async start(token) {
    const reference = rightSteps(token);
    const line = { ...reference, ...change(reference) };
    const server = createServer(options, (message, response) => {
      meet(line, message, response).catch(() => response.destroy());
    });
    setUp(server);
    return { token, ...(await listen(server)) };
  },
});

const LINGER_MS = 2000;

/**
 * Closes the connection after the client has sent everything: closing earlier would lose the response in a
 * reset.
 */
function lingering(message: IncomingMessage, response: ServerResponse): void {
  response.shouldKeepAlive = false;
  const end = response.end.bind(response);
  response.end = ((bytes: Uint8Array) => {
    response.flushHeaders();
    response.write(bytes);
    const timer = setTimeout(end, LINGER_MS).unref();
    message.once('close', () => {
      clearTimeout(timer);
      end();
    });
    return response;
  }) as typeof end;
}

/** Rejects some requests as soon as their head has arrived, then reads and discards the body. */
export const rejectingEarly =
  (look: (line: Steps, request: Received) => void, close: boolean): Meet =>
  async (line, message, response) => {
    const request = headOf(message);
    try {
      look(line, request);
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      const rejected = line.reject(error, request);
      message.resume();
      if (close) lingering(message, response);
      line.send(rejected, response, request);
      return;
    }
    await answer(line, message, response);
  };
