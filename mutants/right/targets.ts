import { json, Rejection } from '../../reference/store.ts';
import { type Change, type RightStore, right, rightBy } from '../fleet.ts';
import { html, plain, sending } from '../helpers.ts';

const target = (url = '') => ({ url, path: url.split('?')[0] ?? '', query: url.split('?')[1] });
const isAbsolute = (url = '') => /^https?:\/\//i.test(url) && URL.canParse(url);
const isEncoded = (path: string) => /%[0-9a-f]{2}/i.test(path);

/** Normalises paths before the lookup. */
const normalising =
  (normalise: (path: string) => string): Change =>
  (reference) => ({
    route: (request) => reference.route({ ...request, path: normalise(request.path) }),
  });

/** Rejects some targets before authentication. */
const rejecting =
  (when: (url: string, host: string) => boolean, status: number): Change =>
  (reference) => ({
    route(request) {
      if (when(request.message.url ?? '', request.headers.host?.[0] ?? ''))
        throw new Rejection(status, status, 'such a target is not served');
      reference.route(request);
    },
  });

/** A proxy answers some targets. */
const diverting = (
  when: (url: string, host: string) => boolean,
  answer: (url: string) => ReturnType<typeof html>,
): Change =>
  sending((usual, { message: { url = '' }, headers }) =>
    when(url, headers.host?.[0] ?? '') ? answer(url) : usual,
  );

const normalises = rightBy(normalising);
const diverts = rightBy(diverting);

/**
 * Stores with unusual request targets: "Path, query and header parameters: None are declared"; other paths
 * are unspecified.
 */
export const targets: readonly RightStore[] = [
  normalises('absolute-form-accepted', 'accepts a target in absolute form (RFC 9112 section 3.2.2)', (path) =>
    path.replace(/^https?:\/\/[^/]*/i, ''),
  ),
  right(
    'absolute-form-400',
    'answers a target in absolute form with 400 and an Error: only POST {base_url}/plants is specified',
    rejecting(isAbsolute, 400),
  ),
  diverts(
    'absolute-form-html-403',
    'answers a target in absolute form with 403 in HTML: it is not an open proxy',
    isAbsolute,
    () => html(403, 'Forbidden'),
  ),
  diverts(
    'absolute-form-redirects',
    'redirects a target in absolute form to its path',
    isAbsolute,
    (url) => ({ status: 301, headers: { location: new URL(url).pathname } }),
  ),
  diverts(
    'absolute-form-other-host-400',
    'answers 400 in HTML to a target in absolute form with another host than Host (RFC 9112 section 3.2.2)',
    (url, host) => isAbsolute(url) && new URL(url).host !== host.toLowerCase(),
    () => html(400, 'Bad request'),
  ),
  right(
    'misdirected-421',
    'answers 421 in plain text to a foreign Host (RFC 9110 section 15.5.20)',
    sending((answer, { headers: { host }, message: { url = '', socket } }) => {
      const own = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${socket.localPort}`);
      const asked = isAbsolute(url) ? new URL(url).host : host?.[0];
      const known = host?.length === 1 && own.includes(asked?.toLowerCase() ?? '');
      return known ? answer : plain(421, 'Misdirected Request');
    }),
  ),
  normalises(
    'encoded-path-accepted',
    'decodes a percent-encoded path, like many proxies: /%70lants is /plants (RFC 3986 section 6.2.2.2)',
    (path) => (isEncoded(path) ? path.replace(/%70/gi, 'p').replace(/%6c/gi, 'l') : path),
  ),
  diverts(
    'encoded-path-redirects',
    'redirects a percent-encoded path to the decoded one',
    (url) => isEncoded(target(url).path),
    () => ({ status: 308, headers: { location: '/plants' } }),
  ),
  diverts(
    'encoded-path-page',
    'takes a percent-encoded path for another one, and answers all others with the page of an app',
    (url) => isEncoded(target(url).path),
    () => html(200, 'Plants'),
  ),
  right(
    'encoded-path-400',
    'answers a percent-encoded path with 400 and an Error, before authentication',
    rejecting((url) => isEncoded(target(url).path), 400),
  ),
  diverts(
    'encoded-path-403',
    'answers a percent-encoded path with 403 in HTML, from a firewall',
    (url) => isEncoded(target(url).path),
    () => html(403, 'Request blocked'),
  ),
  normalises('slashes-merged', 'merges repeated slashes and dot segments, like nginx', (path) =>
    path.replace(/\/(?:\.?\/)+/g, '/'),
  ),
  normalises(
    'path-parameters',
    'accepts /plants;v=1, like servlet containers: the path ends at the semicolon',
    (path) => path.replace(/;.*$/, ''),
  ),
  normalises(
    'front-controller',
    'creates plants at every path: other paths are unspecified',
    () => '/plants',
  ),
  right(
    'queries-400',
    'answers any query with 400 and an Error: "query … parameters: None are declared"',
    rejecting((url) => url.includes('?'), 400),
  ),
  diverts(
    'queries-404',
    'answers any query with 404 without a body: the route is the whole target',
    (url) => url.includes('?'),
    () => ({ status: 404 }),
  ),
  diverts(
    'queries-redirect',
    'redirects any query to the target without it',
    (url) => url.includes('?'),
    (url) => ({ status: 301, headers: { location: target(url).path } }),
  ),
  diverts(
    'iis-request-filtering',
    'answers 404.15 in HTML to a query of more than 1,024 characters, and 404.5 to a quote or < in it, like IIS',
    (url) => (target(url).query?.length ?? 0) > 1024 || /['"<]|%3c|%27/i.test(target(url).query ?? ''),
    () => html(404, '404 - File or directory not found.'),
  ),
  diverts(
    'long-targets-414',
    'answers targets longer than 1,000 characters with 414 in HTML: limits are unspecified',
    (url) => url.length > 1000,
    () => html(414, 'Request-URI Too Long'),
  ),
  right(
    'api-gateway',
    'answers unknown routes with 403 and {"message"}, like an API gateway, without a challenge or Allow',
    (reference) => ({
      reject(rejection, request) {
        if (![401, 404, 405].includes(rejection.status)) return reference.reject(rejection, request);
        const message = rejection.status === 401 ? 'Unauthorized' : 'Missing Authentication Token';
        return json(
          rejection.status === 401 ? 401 : 403,
          { message },
          {
            'x-amzn-requestid': '0b4c6a7e-6c1e-4b1c-9a44-6a1d7c2f0001',
            'x-amzn-errortype': 'MissingAuthenticationTokenException',
          },
        );
      },
    }),
  ),
];
