import { type Answer, json, type Received, Rejection, type Steps } from '../../reference/store.ts';
import { type RightStore, right } from '../fleet.ts';
import { authorization, challenging, html, plain } from '../helpers.ts';

const missing = (request: Received) => authorization(request) === undefined;
const both = (answer: Answer) => challenging(() => answer);
const error = (status: number, headers: Record<string, string> = {}) =>
  json(status, { error: status, message: 'no' }, headers);

/** Accepts only requests whose Authorization header also matches the pattern. */
const strict =
  (pattern: RegExp) =>
  (reference: Steps): Partial<Steps> => ({
    authenticate(request) {
      if (!pattern.test(authorization(request) ?? ''))
        throw new Rejection(401, 401, 'no', { 'www-authenticate': 'Bearer' });
      reference.authenticate(request);
    },
  });

/** Stores with another response to a missing or invalid token: its form is unspecified. */
export const identity: readonly RightStore[] = [
  right(
    'wrong-403',
    'answers a wrong token with 403',
    challenging((request) => (missing(request) ? undefined : error(403))),
  ),
  right('all-403', 'answers a missing or wrong token with 403 in HTML', both(html(403, 'Forbidden'))),
  right(
    'missing-400',
    'answers a missing token with 400 and an Error, as RFC 6750 does for malformed requests',
    challenging((request) => (missing(request) ? error(400) : undefined)),
  ),
  right('all-400', 'answers a missing or wrong token with 400 and an Error', both(error(400))),
  right(
    'all-302',
    'redirects to a login page with 302',
    both({ status: 302, headers: { location: 'http://127.0.0.1:9/login' } }),
  ),
  right(
    'all-303-here',
    'redirects with 303 to a page of its own that also requires a token',
    both({ status: 303, headers: { location: '/login' } }),
  ),
  right('all-404', 'answers a missing or wrong token with 404, to reveal nothing', both(error(404))),
  right(
    'all-407',
    'answers a missing or wrong token with 407, from the proxy',
    both({ status: 407, headers: { 'proxy-authenticate': 'Basic' } }),
  ),
  right(
    '401-empty',
    'answers 401 without a body',
    both({ status: 401, headers: { 'www-authenticate': 'Bearer' } }),
  ),
  right(
    '401-plain',
    'answers 401 in plain text without a challenge: sending one is a SHOULD',
    both(plain(401, 'Unauthorized')),
  ),
  right(
    '401-other-shape',
    'answers 401 with another schema: only a 400 has to be an Error',
    both(json(401, { error: 'invalid_token', error_description: 'no' }, { 'www-authenticate': 'Bearer' })),
  ),
  right(
    '401-one-field',
    'sends several challenges in one field',
    both(
      error(401, {
        'www-authenticate':
          'Basic realm="a, Bearer b", DPoP algs="ES256 PS256", Bearer realm="plants", scope="x"',
      }),
    ),
  ),
  right(
    '401-two-fields',
    'sends several challenges in two fields',
    both({
      ...error(401),
      headers: { 'content-type': 'application/json', 'www-authenticate': ['Basic realm="plants"', 'bearer'] },
    }),
  ),
  right('validates-first', 'validates before it authenticates: the order is unspecified', (reference) => ({
    authenticate: () => {},
    create(plant, request) {
      reference.authenticate(request);
      return reference.create(plant, request);
    },
  })),
  right('media-type-first', 'checks the media type before it authenticates', (reference) => ({
    authenticate: () => {},
    negotiate(request) {
      reference.negotiate(request);
      reference.authenticate(request);
    },
  })),
  right(
    'authenticates-first',
    'authenticates before it looks up the path: 401 for any target',
    (reference) => ({
      route(request) {
        reference.authenticate(request);
        reference.route(request);
      },
    }),
  ),
  right(
    'only-capital-bearer',
    'accepts only Bearer, not bearer: ignoring the case is a SHOULD',
    strict(/^Bearer /),
  ),
  right('one-space', 'accepts exactly one space before the token', strict(/^bearer \S+$/i)),
  right(
    'two-headers',
    'accepts two Authorization headers if the first is right: unspecified',
    (reference) => ({
      authenticate: (request) =>
        reference.authenticate({
          ...request,
          headers: { ...request.headers, authorization: request.headers.authorization?.slice(0, 1) },
        }),
    }),
  ),
  right('session-cookie', 'sets a session cookie that has no effect', (reference) => ({
    create(plant, request) {
      const answer = reference.create(plant, request);
      return { ...answer, headers: { ...answer.headers, 'set-cookie': 'session=1; HttpOnly' } };
    },
  })),
];
