import { type Answer, json, type Received, Refusal, type Steps } from '../../reference/store.ts';
import { type RightStore, right } from '../fleet.ts';
import { authorization, challenging, html, plain } from '../helpers.ts';

const missing = (request: Received) => authorization(request) === undefined;
const both = (answer: Answer) => challenging(() => answer);
const error = (status: number, headers: Record<string, string> = {}) =>
  json(status, { error: status, message: 'no' }, headers);

/** Only those are let in whose header also meets the pattern. */
const strict =
  (pattern: RegExp) =>
  (reference: Steps): Partial<Steps> => ({
    authenticate(request) {
      if (!pattern.test(authorization(request) ?? ''))
        throw new Refusal(401, 401, 'no', { 'www-authenticate': 'Bearer' });
      reference.authenticate(request);
    },
  });

/** Those who carry no valid token are turned away in another way: the answer is not shown. */
export const identity: readonly RightStore[] = [
  right(
    'wrong-403',
    '403 to wrong tokens',
    challenging((request) => (missing(request) ? undefined : error(403))),
  ),
  right('all-403', '403 in HTML to missing and wrong tokens', both(html(403, 'Forbidden'))),
  right(
    'missing-400',
    '400 with an Error to missing tokens, as RFC 6750 has it for malformed requests',
    challenging((request) => (missing(request) ? error(400) : undefined)),
  ),
  right('all-400', '400 with an Error to missing and wrong tokens', both(error(400))),
  right(
    'all-302',
    '302 to a page to log in',
    both({ status: 302, headers: { location: 'http://127.0.0.1:9/login' } }),
  ),
  right(
    'all-303-here',
    '303 to a page of its own that needs a token too',
    both({ status: 303, headers: { location: '/login' } }),
  ),
  right('all-404', '404: there is nothing to see without a token', both(error(404))),
  right('all-407', '407, from the proxy', both({ status: 407, headers: { 'proxy-authenticate': 'Basic' } })),
  right('401-empty', '401 without a body', both({ status: 401, headers: { 'www-authenticate': 'Bearer' } })),
  right(
    '401-plain',
    '401 in plain text, without a challenge: that there is one is a SHOULD',
    both(plain(401, 'Unauthorized')),
  ),
  right(
    '401-other-shape',
    '401 in another shape: only a 400 is an Error',
    both(json(401, { error: 'invalid_token', error_description: 'no' }, { 'www-authenticate': 'Bearer' })),
  ),
  right(
    '401-one-field',
    'several challenges in one field',
    both(
      error(401, {
        'www-authenticate':
          'Basic realm="a, Bearer b", DPoP algs="ES256 PS256", Bearer realm="plants", scope="x"',
      }),
    ),
  ),
  right(
    '401-two-fields',
    'several challenges in two fields',
    both({
      ...error(401),
      headers: { 'content-type': 'application/json', 'www-authenticate': ['Basic realm="plants"', 'bearer'] },
    }),
  ),
  right(
    'validates-first',
    'validation comes before authentication: which is first is not shown',
    (reference) => ({
      authenticate: () => {},
      create(plant, request) {
        reference.authenticate(request);
        return reference.create(plant, request);
      },
    }),
  ),
  right('media-type-first', 'the media type is looked at before the credential', (reference) => ({
    authenticate: () => {},
    negotiate(request) {
      reference.negotiate(request);
      reference.authenticate(request);
    },
  })),
  right(
    'authenticates-first',
    'the credential is looked at before the path: 401 to whatever is asked',
    (reference) => ({
      route(request) {
        reference.authenticate(request);
        reference.route(request);
      },
    }),
  ),
  right(
    'only-capital-bearer',
    'only Bearer is taken, not bearer: that case means nothing is a SHOULD',
    strict(/^Bearer /),
  ),
  right('one-space', 'only one space is taken before the token', strict(/^bearer \S+$/i)),
  right(
    'two-headers',
    'two Authorization headers are taken if the first is right: not shown',
    (reference) => ({
      authenticate: (request) =>
        reference.authenticate({
          ...request,
          headers: { ...request.headers, authorization: request.headers.authorization?.slice(0, 1) },
        }),
    }),
  ),
  right('session-cookie', 'a session cookie is set, and means nothing', (reference) => ({
    create(plant, request) {
      const answer = reference.create(plant, request);
      return { ...answer, headers: { ...answer.headers, 'set-cookie': 'session=1; HttpOnly' } };
    },
  })),
];
