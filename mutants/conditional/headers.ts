import { conditional } from './conditional.ts';
import * as body from './conditions/body.ts';
import * as wire from './conditions/wire.ts';
import * as faults from './faults.ts';

/** A stack interprets headers that the interface does not declare. */
export const headers = [
  conditional(
    'headers-method-override-unguarded',
    'a method-override header selects an unguarded route',
    [wire.overridesMethod],
    faults.unguarded,
  ),
  conditional(
    'headers-original-url-unvalidated',
    'the validator uses the original URL of a proxy, for which it has no rules',
    [wire.originalUrl],
    faults.unvalidated,
  ),
  conditional(
    'headers-forwarded-for-loopback-unguarded',
    'a client that claims to be 127.0.0.1 is trusted',
    [wire.forwardedForLoopback],
    faults.unguarded,
  ),
  conditional(
    'headers-forwarded-for-private-unguarded',
    'a client that claims a private address is trusted',
    [wire.forwardedForPrivate],
    faults.unguarded,
  ),
  conditional(
    'headers-remote-user-unguarded',
    'a header with a user name is trusted as if the proxy had set it',
    [wire.remoteUser],
    faults.unguarded,
  ),
  conditional(
    'headers-via-unvalidated',
    'a request through a gateway is assumed to be validated there',
    [wire.viaProxy],
    faults.unvalidated,
  ),
  conditional(
    'headers-if-none-match-304',
    'an ETag in If-None-Match is answered with 304, even for POST',
    [wire.ifNoneMatch],
    faults.answersStatus(304),
  ),
  conditional(
    'headers-prefer-204',
    'Prefer: return=minimal is answered with 204',
    [wire.prefersMinimal],
    faults.answers204,
  ),
  conditional(
    'headers-no-transform-502',
    'the compression before the store fails with Cache-Control: no-transform',
    [wire.noTransform],
    faults.badGateway,
  ),
  conditional(
    'headers-lower-case-authorization-401',
    'the header name Authorization is compared case-sensitively',
    [wire.lowerCaseAuthorization],
    faults.rejectsToken,
  ),
  conditional(
    'headers-upper-case-length-hangs',
    'CONTENT-LENGTH is not recognised, so the body is read until the connection closes',
    [wire.upperCaseLength],
    faults.hangs,
  ),
  conditional(
    'headers-lower-case-type-415',
    'the header name Content-Type is compared case-sensitively',
    [wire.lowerCaseType],
    faults.rejects(415),
  ),
  conditional(
    'headers-authorization-last-500',
    'a hand-written loop over the headers misses the last one',
    [wire.authorizationLast],
    faults.crashes,
  ),
  conditional(
    'headers-script-word-error',
    'XMLHttpRequest gets errors in the shape an older front end expects',
    [wire.byScript],
    faults.wordError400,
  ),
  conditional(
    'headers-probe-any-token',
    'health checks and crawlers pass with any token',
    [wire.probeAgent],
    faults.acceptsAnyToken,
  ),
  conditional(
    'headers-session-cookie-other-scheme',
    'next to a session cookie only the value of Authorization is checked, not the scheme',
    [wire.sessionCookie],
    faults.acceptsOtherScheme,
  ),
  conditional(
    'headers-empty-field-no-body',
    'an empty header value is read as the blank line after the head, so no body is expected',
    [wire.emptyField],
    faults.acceptsNoBody,
  ),
  conditional(
    'headers-lower-case-scheme-untyped',
    'the scheme bearer leads to an older handler, which does not look at types',
    [wire.lowerCaseScheme],
    faults.untyped,
  ),
  conditional(
    'headers-two-spaces-500',
    'a credential of three words breaks the code that splits it',
    [wire.twoSpacesAfterScheme],
    faults.crashes,
  ),
  conditional(
    // Rejecting would be allowed: accepting a request from another origin is not required.
    'headers-origin-escaped-key-500',
    'the reader for browser requests searches the text for keys, and does not find escaped ones',
    [wire.origin, body.escapedKey],
    faults.crashes,
  ),
  conditional(
    'headers-identity-encoding-object-tag',
    'Content-Encoding: identity goes through a decompressor that drops the type checks',
    [wire.identityEncoding],
    faults.acceptsObjectTag,
  ),
  conditional(
    'headers-idempotent-unguarded',
    'the response to an Idempotency-Key is looked up before authentication',
    [wire.idempotent],
    faults.unguarded,
  ),
  conditional(
    'headers-idempotent-unvalidated',
    'a request with an Idempotency-Key goes to a queue, whose worker does not validate',
    [wire.idempotent],
    faults.unvalidated,
  ),
  conditional(
    'headers-type-after-length-fraction-id',
    'if Content-Type follows Content-Length, the body is parsed before its type is known, and ids are truncated',
    [wire.typeAfterLength],
    faults.acceptsFractionId,
  ),
  conditional(
    'headers-many-traced-same-length',
    'tracing with many headers moves the token into a buffer of which only the length is compared',
    [wire.manyFields, wire.traced],
    faults.acceptsTokenOfSameLength,
  ),
  conditional(
    'headers-browser-null-origin-list-of-one',
    'a sandboxed browser uses the batch format, a list of one plant',
    [wire.browserAgent, wire.nullOrigin],
    faults.acceptsListOfOne,
  ),
  conditional(
    'headers-forwarded-chain-large-tag-unguarded',
    'behind a chain of proxies, a request over 4 KiB is assumed to be authenticated by the first of them',
    [wire.forwardedForMany, body.over4096, body.hasTag],
    faults.unguarded,
  ),
];
