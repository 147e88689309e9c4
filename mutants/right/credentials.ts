import { answer, bearerToken, type Received, Rejection, type Steps } from '../../reference/store.ts';
import { type Change, type RightStore, right } from '../fleet.ts';
import {
  type Asked,
  authorization,
  beyondPerSecond,
  challenging,
  html,
  later,
  plain,
  rejected,
  sending,
  withFreshState,
} from '../helpers.ts';
import { rejectingEarly, serving } from './serving.ts';

/**
 * After so many consecutive invalid credentials, answers 429 for a second: "Limits (rate limits …): not
 * shown".
 */
const lockingOut = (
  after: number,
  whom: 'invalid credentials' | 'everybody',
  headers: Record<string, string> = { 'retry-after': '1' },
): Change =>
  withFreshState(() => {
    let [failures, until] = [0, 0];
    return (reference) => ({
      authenticate(request) {
        const locked = Date.now() < until;
        if (locked && whom === 'everybody') throw new Rejection(429, 429, 'too many failures', headers);
        try {
          reference.authenticate(request);
          failures = 0;
        } catch (error) {
          if (locked) throw new Rejection(429, 429, 'too many failures', headers);
          failures += 1;
          if (failures % after === 0) until = Date.now() + 1000;
          throw error;
        }
      },
    });
  });

const CONSECUTIVE = 100;
const unauthorised: Asked = (request) => authorization(request) === undefined;

/**
 * Stores with unusual responses to a missing or invalid token: "missing or invalid bearer token … unspecified".
 */
export const credentials: readonly RightStore[] = [
  right(
    'lockout-of-the-invalid',
    'after 100 consecutive invalid credentials, answers further ones with 429 and Retry-After for a second',
    lockingOut(CONSECUTIVE, 'invalid credentials'),
  ),
  right(
    'lockout-of-everybody',
    'after 100 consecutive invalid credentials, answers everybody with 429 and Retry-After for a second',
    lockingOut(CONSECUTIVE, 'everybody'),
  ),
  right(
    'lockout-without-retry-after',
    'after 100 consecutive invalid credentials, answers further ones with 429 for a second, without Retry-After',
    lockingOut(CONSECUTIVE, 'invalid credentials', {}),
  ),
  right(
    'scheme-exactly',
    'answers 401 unless the credential begins with Bearer and one space: any case is a SHOULD',
    (reference) => ({
      authenticate(request) {
        if (!/^Bearer \S/.test(authorization(request) ?? ''))
          throw new Rejection(401, 401, 'no bearer token');
        reference.authenticate(request);
      },
    }),
  ),
  right('tarpit', 'answers an invalid credential after 40 ms, to slow down guessing', (reference) => ({
    async send(answer, response, request) {
      if (answer.status === 401) await later(40);
      reference.send(answer, response, request);
    },
  })),
  right(
    'closes-on-wrong-tokens',
    'sends Connection: close with a 401 and closes the connection',
    sending((answer) =>
      answer.status === 401 ? { ...answer, headers: { ...answer.headers, connection: 'close' } } : answer,
    ),
  ),
  serving(
    'rejects-before-the-body',
    'answers 401 before the body of an unauthorised request arrives, and closes the connection',
    { meet: rejectingEarly((line, request) => line.authenticate(request), true) },
  ),
  serving(
    'rejects-before-the-body-and-stays',
    'answers 401 before the body of an unauthorised request arrives, and keeps the connection',
    { meet: rejectingEarly((line, request) => line.authenticate(request), false) },
  ),
  serving(
    'continues-only-for-the-known',
    'answers Expect: 100-continue with 100 if the credential is valid, otherwise with 401 at once',
    {
      meet: async (line, message, response) => {
        if (message.headers.expect === undefined) return answer(line, message, response);
        const look = (steps: Steps, request: Received) => {
          steps.authenticate(request);
          response.writeContinue();
        };
        await rejectingEarly(look, true)(line, message, response);
      },
      setUp(server) {
        server.on('checkContinue', (message, response) => server.emit('request', message, response));
      },
    },
  ),
  right(
    'long-credentials-431',
    'answers an Authorization header of more than 500 characters with 431 in HTML',
    sending((answer, request) =>
      (authorization(request)?.length ?? 0) > 500 ? html(431, 'Request Header Fields Too Large') : answer,
    ),
  ),
  right(
    'other-schemes-400',
    'answers a scheme other than Bearer with 400 and an Error, a missing credential with 401',
    (reference) => ({
      authenticate(request) {
        if (!unauthorised(request) && !/^bearer\b/i.test(authorization(request) ?? ''))
          throw new Rejection(400, 40, 'the scheme is Bearer');
        reference.authenticate(request);
      },
    }),
  ),
  right(
    'token-characters-400',
    'answers a token with characters outside RFC 6750 with 400, an Error and a challenge',
    (reference) => ({
      authenticate(request) {
        const token = bearerToken(request);
        if (token !== undefined && !/^[\w.~+/-]+=*$/.test(token))
          throw new Rejection(400, 41, 'this is not a token', {
            'www-authenticate': 'Bearer error="invalid_request"',
          });
        reference.authenticate(request);
      },
    }),
  ),
  right(
    'basic-403',
    'answers Basic with 403 in plain text; 401 carries additional challenges for Negotiate and NTLM',
    sending((answer, request) => {
      if (/^basic(?: |$)/i.test(authorization(request) ?? '')) return plain(403, 'Forbidden');
      if (answer.status !== 401) return answer;
      const challenges = ['Negotiate', 'NTLM', 'Bearer realm="plants", charset="UTF-8"'];
      return { ...answer, headers: { ...answer.headers, 'www-authenticate': challenges } };
    }),
  ),
  right(
    'iis-401',
    'answers 401.2 in HTML, like IIS, with the challenge in capitals',
    challenging(() => ({
      ...html(401, '401 - Unauthorized: Access is denied due to invalid credentials.'),
      headers: {
        'content-type': 'text/html',
        server: 'Microsoft-IIS/10.0',
        'x-powered-by': 'ASP.NET',
        'www-authenticate': 'BEARER',
      },
    })),
  ),
  right(
    'session-expires',
    'clears the cookies with every 401, and forbids storing it',
    sending((answer) =>
      answer.status === 401
        ? {
            ...answer,
            headers: {
              ...answer.headers,
              'set-cookie': ['session=; Max-Age=0; Path=/', 'csrf=; Max-Age=0; Path=/'],
              'clear-site-data': '"cookies", "storage"',
              'cache-control': 'no-store',
            },
          }
        : answer,
    ),
  ),
  right(
    'rejections-429',
    'answers 429 with Retry-After: 1 beyond 200 rejected plants per second',
    withFreshState(() => {
      const tooMany = beyondPerSecond(200);
      const headers = { 'content-type': 'text/plain', 'retry-after': '1' };
      return rejected((answer) => (tooMany() ? { ...plain(429, 'Too Many Requests'), headers } : answer));
    }),
  ),
];
