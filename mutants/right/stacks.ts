import { Rejection } from '../../reference/store.ts';
import { type RightStore, right, stacked } from '../fleet.ts';
import { beyondPerSecond, delaying, withFreshState } from '../helpers.ts';
import { answers, otherTargets } from './answers.ts';
import { connections } from './connections.ts';
import { credentials } from './credentials.ts';
import { dressing } from './dressing.ts';
import { headers } from './headers.ts';
import { identity } from './identity.ts';
import { parsers } from './parsers.ts';
import { rejections } from './rejections.ts';
import { repeats } from './repeats.ts';
import { sizes } from './sizes.ts';
import { targets } from './targets.ts';
import { transports } from './transports.ts';
import { uniqueness } from './uniqueness.ts';

/**
 * A rate-limiting proxy knows nothing of the store behind it: a request that it defers has created nothing.
 */
const limiting = right(
  'limits-before-creating',
  '429 with Retry-After: 1 beyond 400 requests per second, before a plant is created',
  withFreshState(() => {
    const tooMany = beyondPerSecond(400);
    return (reference) => ({
      route(request) {
        if (tooMany()) throw new Rejection(429, 429, 'too many requests', { 'retry-after': '1' });
        reference.route(request);
      },
    });
  }),
);

/** Delays every response a little, so that requests overlap. */
const unhurried = right('unhurried', 'takes 5 ms for every response', delaying(5));

const known = new Map(
  [
    ...[answers, connections, credentials, dressing, otherTargets, headers, identity, parsers],
    ...[rejections, repeats, sizes, targets, transports, uniqueness, [limiting, unhurried]],
  ]
    .flat()
    .map((store) => [store.name, store] as const),
);

/** Combines the stores whose names are given, with white space between them. */
const stack = (name: string, odd: string, names: string): RightStore =>
  stacked(
    name,
    odd,
    names.split(/\s+/).map((one) => {
      const store = known.get(one);
      if (store === undefined) throw new Error(`there is no odd-but-right store ${one}`);
      return store;
    }),
  );

/** Stores with several oddities at once, as in a framework behind a proxy. */
export const stacks: readonly RightStore[] = [
  limiting,
  stack(
    'nginx-and-php',
    'nginx in front of PHP: normalised paths, HTML errors from the proxy, escaped slashes',
    `few-keys escaped-slashes names-of-255-bytes unique-names-normalised framework-errors
     encoded-path-accepted slashes-merged repeated-fields-400 closes-after-4xx compressed-where-accepted
     no-large-bodies`,
  ),
  stack(
    'spring-behind-envoy',
    'Spring behind Envoy: checks Origin, Accept, charset and unknown properties before the plant',
    `no-undeclared numbers-of-30 strings-of-5000 utf-16-accepted unique-ids duplicates-rejected
     other-charsets-415 accept-406 foreign-origin-403 path-parameters envoy-413 limits-before-creating
     chunked`,
  ),
  stack(
    'asp-net-behind-iis',
    'ASP.NET behind IIS: case-insensitive property names, escaped JSON, 401 and 404 in HTML',
    `names-in-another-case-400 comments trailing-commas markup-escaped iis-401 framework-errors
     other-charsets-415 original-url-404 iis-request-filtering any-path-case obs-text-403`,
  ),
  stack(
    'rails-behind-cloudflare',
    'Rails behind Cloudflare: honours override and forwarding headers, with a firewall and CSRF check in front',
    `method-override-405 https-redirects cookies-need-csrf-token conditions-412 unique-names-and-tags-422
     malformed-422 compressed-where-accepted cloudflare waf-challenge-403`,
  ),
  stack(
    'fastify-behind-api-gateway',
    'Fastify behind an API gateway: checks prototype keys, media type and size; 403 for unknown routes',
    `prototype-keys-400 media-type-to-the-letter boundary-422 idempotent-ids api-gateway queries-404
     envoy-413 waf-403 http-1.0`,
  ),
  stack(
    'django-behind-apache',
    'Django behind Apache and ModSecurity: rejects foreign hosts, forwarding headers and too many fields',
    `unique-slugs-400 misdirected-421 forwarded-host-421 forwarded-for-403 many-fields-431
     accept-charset-406 languages modsecurity-406 encoded-path-403 connection-close`,
  ),
  stack(
    'strictest',
    'rejects everything that is unspecified: the narrowest store that still accepts what it must',
    `no-undeclared flat few-keys ascii-letters no-short-names lower-case-tags no-large-ids no-ids-below-1
     integers-plain duplicates-rejected surrogates-400 no-long-names no-long-tags no-bodies-above-1-kib
     ids-used-once names-used-once-400 unique-names-normalised unique-ids-400 trailers-400 chunked-400
     media-type-to-the-letter accept-literally-406 identity-excluded-406 identity-coding-415
     conditions-412 only-capital-bearer one-space token-characters-400 other-schemes-400
     absolute-form-400 encoded-path-400 queries-400 method-override-405 original-url-404
     foreign-origin-403 cross-site-403 cookies-need-csrf-token forwarded-host-421 forwarded-for-403
     early-data-425 obs-text-403 many-fields-431 repeated-fields-400 long-targets-414
     long-credentials-431 waf-403 connection-close`,
  ),
  stack(
    'most-lenient',
    'accepts everything that is unspecified: the widest store that still rejects what it must',
    `json5 bom-accepted utf-16-accepted coded-bodies-accepted first-wins saturates any-content-type
     two-headers absolute-form-accepted encoded-path-accepted slashes-merged path-parameters
     any-path-case front-controller nameless continue`,
  ),
  stack(
    'unique-and-unhurried',
    'keeps ids and names unique, takes a while for every response, and closes connections after 7 responses',
    `unique-ids unique-names-400 idempotency-key-422 unhurried closes-after-7`,
  ),
  stack(
    'unique-and-resent',
    'closes the connection instead of every 8th response, after creating the plant: the same plant gets its 200 again',
    `idempotent-ids closes-in-the-place-of-the-8th`,
  ),
  stack(
    'unique-and-cut-off',
    'closes the connection instead of every 8th response, after creating the plant: sent again, it gets 409',
    `unique-ids closes-in-the-place-of-the-8th`,
  ),
  stack(
    'validates-first-behind-a-firewall',
    'checks validity and uniqueness before authentication, behind a firewall',
    `unique-names validates-first message-quotes waf-403 errors-compressed-where-accepted`,
  ),
];
