import { answer, bearerToken, type Received, Refusal, type Steps } from '../../reference/store.ts';
import { type Change, type RightStore, right } from '../fleet.ts';
import {
  type Asked,
  anew,
  authorization,
  challenging,
  html,
  later,
  plain,
  refused,
  sending,
} from '../helpers.ts';
import { rejectingEarly, serving } from './serving.ts';

/** After so many invalid credentials in a row, some get 429 for a second: "Limits (rate limits …): not shown". */
const lockingOut = (
  after: number,
  whom: 'the invalid' | 'everybody',
  headers: Record<string, string> = { 'retry-after': '1' },
): Change =>
  anew(() => {
    let [failures, until] = [0, 0];
    return (reference) => ({
      authenticate(request) {
        const locked = Date.now() < until;
        if (locked && whom === 'everybody') throw new Refusal(429, 429, 'too many failures', headers);
        try {
          reference.authenticate(request);
          failures = 0;
        } catch (error) {
          if (locked) throw new Refusal(429, 429, 'too many failures', headers);
          failures += 1;
          if (failures % after === 0) until = Date.now() + 1000;
          throw error;
        }
      },
    });
  });

const CONSECUTIVE = 100;
const unauthorised: Asked = (request) => authorization(request) === undefined;

/** What becomes of those without a valid credential: "missing or invalid bearer token … not shown". */
export const credentials: readonly RightStore[] = [
  right(
    'lockout-of-the-invalid',
    'after 100 invalid credentials in a row, more of them get 429 with Retry-After for a second',
    lockingOut(CONSECUTIVE, 'the invalid'),
  ),
  right(
    'lockout-of-everybody',
    'after 100 invalid credentials in a row, everybody from that address gets 429 with Retry-After for a second',
    lockingOut(CONSECUTIVE, 'everybody'),
  ),
  right(
    'lockout-without-retry-after',
    'after 100 invalid credentials in a row, more of them get 429 for a second, and nobody says for how long',
    lockingOut(CONSECUTIVE, 'the invalid', {}),
  ),
  right('tarpit', 'an invalid credential is answered after 40 ms: guessing is to be slow', (reference) => ({
    async send(answer, response, request) {
      if (answer.status === 401) await later(40);
      reference.send(answer, response, request);
    },
  })),
  right(
    'closes-on-strangers',
    'a 401 says Connection: close, and the connection ends',
    sending((answer) =>
      answer.status === 401 ? { ...answer, headers: { ...answer.headers, connection: 'close' } } : answer,
    ),
  ),
  serving(
    'rejects-before-the-body',
    'a request without a valid credential gets 401 before its body comes, and the end of the connection',
    { meet: rejectingEarly((line, request) => line.authenticate(request), true) },
  ),
  serving(
    'rejects-before-the-body-and-stays',
    'a request without a valid credential gets 401 before its body comes; the connection is kept',
    { meet: rejectingEarly((line, request) => line.authenticate(request), false) },
  ),
  serving(
    'continues-only-for-the-known',
    'Expect: 100-continue gets 100 with a valid credential, and without one 401 at once',
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
    'an Authorization above 500 characters gets 431 in HTML',
    sending((answer, request) =>
      (authorization(request)?.length ?? 0) > 500 ? html(431, 'Request Header Fields Too Large') : answer,
    ),
  ),
  right(
    'other-schemes-400',
    'another scheme than Bearer gets 400 with an Error, no credential 401',
    (reference) => ({
      authenticate(request) {
        if (!unauthorised(request) && !/^bearer\b/i.test(authorization(request) ?? ''))
          throw new Refusal(400, 40, 'the scheme is Bearer');
        reference.authenticate(request);
      },
    }),
  ),
  right(
    'token-characters-400',
    'a token of characters that RFC 6750 does not have gets 400 with an Error and a challenge',
    (reference) => ({
      authenticate(request) {
        const token = bearerToken(request);
        if (token !== undefined && !/^[\w.~+/-]+=*$/.test(token))
          throw new Refusal(400, 41, 'that is no token', {
            'www-authenticate': 'Bearer error="invalid_request"',
          });
        reference.authenticate(request);
      },
    }),
  ),
  right(
    'basic-403',
    'Basic gets 403 in plain text from the proxy, Negotiate and NTLM 401 with challenges of their own',
    (reference) => ({
      send(answer, response, request) {
        const scheme = authorization(request)?.split(' ')[0]?.toLowerCase();
        if (scheme === 'basic') return reference.send(plain(403, 'Forbidden'), response, request);
        const challenges = ['Negotiate', 'NTLM', 'Bearer realm="plants", charset="UTF-8"'];
        const more = answer.status === 401 ? { 'www-authenticate': challenges } : {};
        reference.send({ ...answer, headers: { ...answer.headers, ...more } }, response, request);
      },
    }),
  ),
  right(
    'iis-401',
    'IIS answers 401.2 in HTML, with the challenge in capitals',
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
    'every 401 takes the cookies away, and is never to be stored',
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
    'more than 200 rejected plants in a second get 429 with Retry-After: 1',
    anew(() => {
      let [since, count] = [0, 0];
      return refused((answer) => {
        if (Date.now() - since >= 1000) [since, count] = [Date.now(), 0];
        count += 1;
        return count > 200
          ? {
              ...plain(429, 'Too Many Requests'),
              headers: { 'content-type': 'text/plain', 'retry-after': '1' },
            }
          : answer;
      });
    }),
  ),
];
