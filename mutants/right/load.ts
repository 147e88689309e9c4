import { type Change, type RightStore, right } from '../fleet.ts';
import { beyondPerSecond, deferring, every, later } from '../helpers.ts';

/** Takes a while for each response, and serves only so many requests at once. */
const atOnce =
  (limit: number, status = 429): Change =>
  (reference) => {
    const full = deferring(
      status,
      () => '1',
      () => () => true,
    )(reference);
    let inside = 0;
    return {
      async send(answer, response, request) {
        if (inside >= limit) return full.send?.(answer, response, request);
        inside += 1;
        await later(10);
        inside -= 1;
        reference.send(answer, response, request);
      },
    };
  };

const perSecond = (limit: number) => () => beyondPerSecond(limit);

/** Stores with rate limits or delays: limits are unspecified. */
export const load: readonly RightStore[] = [
  right(
    '429-above-200',
    '429 with Retry-After: 1 beyond 200 requests per second',
    deferring(429, () => '1', perSecond(200)),
  ),
  right(
    '429-above-50',
    '429 with Retry-After: 1 beyond 50 requests per second',
    deferring(429, () => '1', perSecond(50)),
  ),
  right(
    '429-above-6-at-once',
    '429 with Retry-After: 1 while more than six requests are in progress',
    atOnce(6),
  ),
  right(
    '429-date',
    '429 with a date in Retry-After beyond 200 requests per second',
    deferring(429, () => new Date(Date.now() + 1500).toUTCString(), perSecond(200)),
  ),
  right(
    '429-at-times',
    '429 with Retry-After: 0 to one request in 30',
    deferring(
      429,
      () => '0',
      () => every(30),
    ),
  ),
  right(
    '503-at-times',
    '503 with Retry-After: 1 to one request in 100: RFC 9110 defines it for temporary overload',
    deferring(
      503,
      () => '1',
      () => every(100),
    ),
  ),
  right(
    '503-above-1-at-once',
    '503 with Retry-After: 1 while another request is in progress',
    atOnce(1, 503),
  ),
  right(
    '503-above-200',
    '503 with Retry-After: 1 beyond 200 requests per second',
    deferring(503, () => '1', perSecond(200)),
  ),
  right(
    'warm-up-503',
    '503 with Retry-After: 1 to the first request, while the store warms up',
    deferring(
      503,
      () => '1',
      () => {
        let first = true;
        return () => {
          const cold = first;
          first = false;
          return cold;
        };
      },
    ),
  ),
  right('serial', 'processes one request at a time, for 3 ms each', (reference) => {
    let queue = Promise.resolve();
    return {
      send(answer, response, request) {
        queue = queue.then(() => later(3)).then(() => reference.send(answer, response, request));
      },
    };
  }),
  right('out-of-order', 'answers concurrent requests out of order', (reference) => {
    let turn = 0;
    return {
      async send(answer, response, request) {
        turn = (turn + 7) % 20;
        await later(turn);
        reference.send(answer, response, request);
      },
    };
  }),
];
