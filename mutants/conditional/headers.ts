import { conditional } from './conditional.ts';
import * as body from './conditions/body.ts';
import * as wire from './conditions/wire.ts';
import * as faults from './faults.ts';

/** Headers that a stack looks at, though the interface does not know them. */
export const headers = [
  conditional(
    'headers-method-override-unguarded',
    'a method-override header leads to a route that nobody guarded',
    [wire.overridesMethod],
    faults.unguarded,
  ),
  conditional(
    'headers-original-url-unvalidated',
    'the validator looks at the original URL of a proxy, for which it has no rules',
    [wire.originalUrl],
    faults.unvalidated,
  ),
  conditional(
    'headers-forwarded-for-loopback-unguarded',
    'who says to come from 127.0.0.1 is trusted',
    [wire.forwardedForLoopback],
    faults.unguarded,
  ),
  conditional(
    'headers-remote-user-unguarded',
    'a header with the name of a user is believed, as if the proxy had set it',
    [wire.remoteUser],
    faults.unguarded,
  ),
  conditional(
    'headers-via-unvalidated',
    'what comes through a gateway counts as validated there',
    [wire.viaProxy],
    faults.unvalidated,
  ),
  conditional(
    'headers-if-none-match-304',
    'an ETag in If-None-Match is answered 304, to a POST as well',
    [wire.ifNoneMatch],
    faults.says(304),
  ),
  conditional(
    'headers-range-206',
    'Range is applied to the answer of a POST',
    [wire.range],
    faults.says(206),
  ),
  conditional(
    'headers-prefer-204',
    'Prefer: return=minimal is answered 204',
    [wire.prefersMinimal],
    faults.saysNothing,
  ),
  conditional(
    'headers-only-if-cached-502',
    'Cache-Control: only-if-cached is passed to a cache that has nothing',
    [wire.onlyIfCached],
    faults.badGateway,
  ),
  conditional(
    'headers-lower-case-authorization-401',
    'the name of the header Authorization is compared with regard to case',
    [wire.lowerCaseAuthorization],
    faults.rejectsToken,
  ),
  conditional(
    'headers-upper-case-length-hangs',
    'CONTENT-LENGTH is not found, and the body is read until the connection closes',
    [wire.upperCaseLength],
    faults.hangs,
  ),
  conditional(
    'headers-lower-case-type-415',
    'the name of the header Content-Type is compared with regard to case',
    [wire.lowerCaseType],
    faults.rejects(415),
  ),
  conditional(
    'headers-authorization-last-500',
    'a hand-written loop over the headers ends one too early, and the last is not there',
    [wire.authorizationLast],
    faults.crashes,
  ),
  conditional(
    'headers-script-word-error',
    'XMLHttpRequest gets errors in the shape of an older front end',
    [wire.byScript],
    faults.wordError400,
  ),
  conditional(
    'headers-probe-any-token',
    'health checks and crawlers pass with any token, so that they see the store alive',
    [wire.probeAgent],
    faults.letsAnyToken,
  ),
  conditional(
    'headers-session-cookie-other-scheme',
    'beside a session cookie only the value of Authorization is looked at, not the scheme',
    [wire.sessionCookie],
    faults.letsOtherScheme,
  ),
  conditional(
    'headers-empty-field-no-body',
    'an empty header value is taken for the blank line after the head, so that no body is expected',
    [wire.emptyField],
    faults.admitsNoBody,
  ),
  conditional(
    // A rejection would be sound: to accept what comes from another origin is not required.
    'headers-origin-escaped-key-500',
    'the reader for requests from browsers looks for keys in the text, where escaped ones are not found',
    [wire.origin, body.escapedKey],
    faults.crashes,
  ),
  conditional(
    'headers-identity-encoding-object-tag',
    'Content-Encoding: identity goes through a decompressor, after which types are not checked again',
    [wire.identityEncoding],
    faults.admitsObjectTag,
  ),
  conditional(
    'headers-type-after-length-fraction-id',
    'where Content-Type comes after Content-Length, the body is parsed before its type is known, and ids are rounded',
    [wire.typeAfterLength],
    faults.admitsFractionId,
  ),
  conditional(
    'headers-many-traced-same-length',
    'tracing with many headers moves the token into a buffer of which only the length is compared',
    [wire.manyFields, wire.traced],
    faults.letsSameLength,
  ),
  conditional(
    'headers-browser-null-origin-list-of-one',
    'a browser in a sandbox uses the batch form, a list of one plant',
    [wire.browserAgent, wire.nullOrigin],
    faults.admitsListOfOne,
  ),
  conditional(
    'headers-forwarded-chain-large-tag-unguarded',
    'a chain of proxies and more than 4 KiB: authentication is left to the first of them',
    [wire.forwardedForMany, body.over4096, body.hasTag],
    faults.unguarded,
  ),
];
