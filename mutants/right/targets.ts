import { json, Refusal } from '../../reference/store.ts';
import { type Change, type RightStore, right } from '../fleet.ts';
import { html, plain } from '../helpers.ts';

const target = (url = '') => ({ url, path: url.split('?')[0] ?? '', query: url.split('?')[1] });
const isAbsolute = (url = '') => /^https?:\/\//i.test(url) && URL.canParse(url);
const isEncoded = (path: string) => /%[0-9a-f]{2}/i.test(path);

/** Paths are read in another way before they are looked up. */
const normalising =
  (normalise: (path: string) => string): Change =>
  (reference) => ({
    route: (request) => reference.route({ ...request, path: normalise(request.path) }),
  });

/** Some targets are rejected before the credential is looked at. */
const rejecting =
  (when: (url: string, host: string) => boolean, status: number): Change =>
  (reference) => ({
    route(request) {
      if (when(request.message.url ?? '', request.headers.host?.[0] ?? ''))
        throw new Refusal(status, status, 'such a target is not served');
      reference.route(request);
    },
  });

/** Some targets are answered by whatever stands in front. */
const diverting =
  (when: (url: string) => boolean, answer: (url: string) => ReturnType<typeof html>): Change =>
  (reference) => ({
    send: (said, response, request) => {
      const url = request.message.url ?? '';
      reference.send(when(url) ? answer(url) : said, response, request);
    },
  });

/** Targets other than /plants: "Path, query and header parameters: None are declared"; other paths are not shown. */
export const targets: readonly RightStore[] = [
  right(
    'absolute-form-accepted',
    'a target in absolute form is accepted, as RFC 9112 section 3.2.2 has it',
    normalising((path) => path.replace(/^https?:\/\/[^/]*/i, '')),
  ),
  right(
    'absolute-form-400',
    'a target in absolute form gets 400 with an Error: only POST {base_url}/plants is shown',
    rejecting(isAbsolute, 400),
  ),
  right(
    'absolute-form-html-403',
    'a target in absolute form gets 403 in HTML: it is no open proxy',
    diverting(isAbsolute, () => html(403, 'Forbidden')),
  ),
  right(
    'absolute-form-redirects',
    'a target in absolute form redirects to its path',
    diverting(isAbsolute, (url) => ({ status: 301, headers: { location: new URL(url).pathname } })),
  ),
  right(
    'misdirected-421',
    'a Host that is not its own gets 421 in plain text, as RFC 9110 section 15.5.20 has it',
    (reference) => ({
      send(answer, response, request) {
        const { localPort } = request.message.socket;
        const own = [`127.0.0.1:${localPort}`, `localhost:${localPort}`, `[::1]:${localPort}`];
        const asked = isAbsolute(request.message.url)
          ? new URL(request.message.url ?? '').host
          : request.headers.host?.[0];
        const known = request.headers.host?.length === 1 && own.includes(asked?.toLowerCase() ?? '');
        reference.send(known ? answer : plain(421, 'Misdirected Request'), response, request);
      },
    }),
  ),
  right(
    'encoded-path-accepted',
    'a percent-encoded path is decoded first, as proxies do: /%70lants is /plants (RFC 3986 section 6.2.2.2)',
    normalising((path) => (isEncoded(path) ? path.replace(/%70/gi, 'p').replace(/%6c/gi, 'l') : path)),
  ),
  right(
    'encoded-path-redirects',
    'a percent-encoded path redirects to the decoded one',
    diverting(
      (url) => isEncoded(target(url).path),
      () => ({ status: 308, headers: { location: '/plants' } }),
    ),
  ),
  right(
    'encoded-path-400',
    'a percent-encoded path gets 400 with an Error, before the credential is looked at',
    rejecting((url) => isEncoded(target(url).path), 400),
  ),
  right(
    'encoded-path-403',
    'a percent-encoded path gets 403 in HTML, from a firewall',
    diverting(
      (url) => isEncoded(target(url).path),
      () => html(403, 'Request blocked'),
    ),
  ),
  right(
    'slashes-merged',
    'repeated slashes and dot segments are merged, as nginx does',
    normalising((path) => path.replace(/\/(?:\.?\/)+/g, '/')),
  ),
  right(
    'path-parameters',
    '/plants;v=1 is accepted, as servlet containers do: the path that is looked up ends at ;',
    normalising((path) => path.replace(/;.*$/, '')),
  ),
  right(
    'front-controller',
    'plants are created at every path: other paths are not shown',
    normalising(() => '/plants'),
  ),
  right(
    'queries-400',
    'any query gets 400 with an Error: "query … parameters: None are declared"',
    rejecting((url) => url.includes('?'), 400),
  ),
  right(
    'queries-404',
    'any query gets 404 without a body: the route is the whole target',
    diverting(
      (url) => url.includes('?'),
      () => ({ status: 404 }),
    ),
  ),
  right(
    'queries-redirect',
    'any query redirects to the target without it',
    diverting(
      (url) => url.includes('?'),
      (url) => ({ status: 301, headers: { location: target(url).path } }),
    ),
  ),
  right(
    'iis-request-filtering',
    'IIS answers 404.15 in HTML to a query above 1,024 characters, and 404.5 to one with a quote or <',
    diverting(
      (url) => (target(url).query?.length ?? 0) > 1024 || /['"<]|%3c|%27/i.test(target(url).query ?? ''),
      () => html(404, '404 - File or directory not found.'),
    ),
  ),
  right(
    'long-targets-414',
    'targets above 1,000 characters get 414 in HTML: limits are not shown',
    diverting(
      (url) => url.length > 1000,
      () => html(414, 'Request-URI Too Long'),
    ),
  ),
  right(
    'api-gateway',
    'an API gateway answers what it does not know with 403 and {"message"}, without a challenge or allow',
    (reference) => ({
      refuse(refusal, request) {
        if (![401, 404, 405].includes(refusal.status)) return reference.refuse(refusal, request);
        const message = refusal.status === 401 ? 'Unauthorized' : 'Missing Authentication Token';
        return json(
          refusal.status === 401 ? 401 : 403,
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
