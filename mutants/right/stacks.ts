import { Refusal } from '../../reference/store.ts';
import { type RightStore, right, stacked } from '../fleet.ts';
import { anew, later } from '../helpers.ts';
import { answers, elsewhere } from './answers.ts';
import { connections } from './connections.ts';
import { credentials } from './credentials.ts';
import { dressing } from './dressing.ts';
import { headers } from './headers.ts';
import { identity } from './identity.ts';
import { parsers } from './parsers.ts';
import { refusals } from './refusals.ts';
import { repeats } from './repeats.ts';
import { sizes } from './sizes.ts';
import { targets } from './targets.ts';
import { transports } from './transports.ts';
import { uniqueness } from './uniqueness.ts';

/** A proxy that limits knows nothing of what is behind it: what it puts off has created nothing. */
const limiting = right(
  'limits-before-creating',
  '429 with Retry-After: 1 above 400 requests a second, before a plant is created',
  anew(() => {
    let [since, count] = [0, 0];
    return (reference) => ({
      route(request) {
        if (Date.now() - since >= 1000) [since, count] = [Date.now(), 0];
        count += 1;
        if (count > 400) throw new Refusal(429, 429, 'too many requests', { 'retry-after': '1' });
        reference.route(request);
      },
    });
  }),
);

/** Each answer has to wait a little, so that requests overlap. */
const unhurried = right('unhurried', 'every answer takes 5 ms', (reference) => ({
  async send(answer, response, request) {
    await later(5);
    reference.send(answer, response, request);
  },
}));

const known = new Map(
  [
    ...[answers, connections, credentials, dressing, elsewhere, headers, identity, parsers],
    ...[refusals, repeats, sizes, targets, transports, uniqueness, [limiting, unhurried]],
  ]
    .flat()
    .map((store) => [store.name, store] as const),
);

const stack = (name: string, odd: string, ...names: readonly string[]): RightStore =>
  stacked(
    name,
    odd,
    names.map((one) => {
      const store = known.get(one);
      if (store === undefined) throw new Error(`there is no odd-but-right store ${one}`);
      return store;
    }),
  );

/** Several oddities at once, as a framework and what stands in front of it have them. */
export const stacks: readonly RightStore[] = [
  limiting,
  stack(
    'nginx-and-php',
    'nginx in front of PHP: paths are normalised, errors of the proxy are HTML, slashes are escaped',
    ...['few-keys', 'escaped-slashes', 'names-of-255-bytes', 'unique-names-normalised', 'framework-errors'],
    ...['encoded-path-accepted', 'slashes-merged', 'repeated-fields-400', 'closes-after-4xx'],
    ...['compressed-where-accepted', 'no-large-bodies'],
  ),
  stack(
    'spring-behind-envoy',
    'Spring behind Envoy: Origin, Accept, charset and unknown properties are looked at before the plant',
    ...[
      'no-undeclared',
      'numbers-of-30',
      'strings-of-5000',
      'utf-16-accepted',
      'unique-ids',
      'duplicates-refused',
    ],
    ...['other-charsets-415', 'accept-406', 'foreign-origin-403', 'path-parameters', 'envoy-413'],
    ...['limits-before-creating', 'chunked'],
  ),
  stack(
    'asp-net-behind-iis',
    'ASP.NET behind IIS: names of properties differ by more than case, JSON is escaped, 401 and 404 are HTML',
    ...['case-twins-400', 'comments', 'trailing-commas', 'markup-escaped', 'iis-401', 'framework-errors'],
    ...['other-charsets-415', 'original-url-404', 'iis-request-filtering', 'any-path-case', 'obs-text-403'],
  ),
  stack(
    'rails-behind-cloudflare',
    'Rails behind Cloudflare: overrides and forwarding fields count, firewalls and cookies come first',
    ...['method-override-405', 'https-redirects', 'cookies-need-csrf-token', 'conditions-412'],
    ...[
      'unique-names-and-tags-422',
      'malformed-422',
      'compressed-where-accepted',
      'cloudflare',
      'waf-challenge-403',
    ],
  ),
  stack(
    'fastify-behind-api-gateway',
    'Fastify behind an API gateway: prototypes, media types and sizes are looked at; 403 to what is not known',
    ...['prototype-keys-400', 'media-type-to-the-letter', 'boundary-422', 'idempotent-ids', 'api-gateway'],
    ...['queries-404', 'envoy-413', 'waf-403', 'http-1.0'],
  ),
  stack(
    'django-behind-apache',
    'Django behind Apache and ModSecurity: hosts, forwarding fields and fields beyond a number are rejected',
    ...['unique-slugs-400', 'misdirected-421', 'forwarded-host-421', 'forwarded-for-403', 'many-fields-431'],
    ...['accept-charset-406', 'languages', 'modsecurity-406', 'encoded-path-403', 'connection-close'],
  ),
  stack(
    'strictest',
    'whatever is left open is rejected: the narrowest store that still accepts what any must',
    ...[
      'no-undeclared',
      'flat',
      'few-keys',
      'ascii-letters',
      'lower-case-tags',
      'no-large-ids',
      'no-ids-below-1',
    ],
    ...[
      'integers-plain',
      'duplicates-refused',
      'surrogates-400',
      'no-long-names',
      'no-long-tags',
      'no-bodies-above-1-kib',
    ],
    ...['ids-used-once', 'names-used-once-400', 'unique-names-normalised', 'unique-ids-400'],
    ...[
      'trailers-400',
      'chunked-400',
      'media-type-to-the-letter',
      'accept-literally-406',
      'identity-coding-415',
    ],
    ...['conditions-412', 'only-capital-bearer', 'one-space', 'token-characters-400', 'other-schemes-400'],
    ...['absolute-form-400', 'encoded-path-400', 'queries-400', 'method-override-405', 'original-url-404'],
    ...[
      'foreign-origin-403',
      'cross-site-403',
      'cookies-need-csrf-token',
      'forwarded-host-421',
      'forwarded-for-403',
    ],
    ...['early-data-425', 'obs-text-403', 'many-fields-431', 'repeated-fields-400', 'long-targets-414'],
    ...['long-credentials-431', 'waf-403', 'connection-close'],
  ),
  stack(
    'most-lenient',
    'whatever is left open is accepted: the widest store that still rejects what any must',
    ...['json5', 'bom-taken', 'utf-16-accepted', 'coded-bodies-accepted', 'first-wins', 'saturates'],
    ...[
      'any-content-type',
      'two-headers',
      'absolute-form-accepted',
      'encoded-path-accepted',
      'slashes-merged',
    ],
    ...['path-parameters', 'any-path-case', 'front-controller', 'nameless', 'continue'],
  ),
  stack(
    'unique-and-unhurried',
    'ids and names are unique, answers take a while, and connections end after 7 answers',
    ...['unique-ids', 'unique-names-400', 'idempotency-key-422', 'unhurried', 'closes-after-7'],
  ),
  stack(
    'unique-and-resent',
    'connections end in the place of their 8th answer, once the plant is created: the same plant gets its 200 again',
    ...['idempotent-ids', 'closes-in-the-place-of-the-8th'],
  ),
  stack(
    'unique-and-cut-off',
    'connections end in the place of their 8th answer, once the plant is created: sent again, it gets 409',
    ...['unique-ids', 'closes-in-the-place-of-the-8th'],
  ),
  stack(
    'validates-first-behind-a-firewall',
    'validation and uniqueness come before authentication, a firewall before both',
    ...['unique-names', 'validates-first', 'message-quotes', 'waf-403', 'errors-compressed-where-accepted'],
  ),
];
