import { conditional } from './conditional.ts';
import * as body from './conditions/body.ts';
import * as state from './conditions/state.ts';
import * as wire from './conditions/wire.ts';
import * as faults from './faults.ts';

/** One kind of credential is accepted, always or under one condition. */
export const credential = [
  conditional(
    'credential-long-unguarded',
    'beyond 1024 characters the comparison leaves its buffer and finds no difference',
    [state.longCredential],
    faults.unguarded,
  ),
  conditional(
    'credential-three-parts-unguarded',
    'a JWT is decoded but its signature is not verified',
    [state.threeParts],
    faults.unguarded,
  ),
  conditional(
    'credential-word-for-nothing-unguarded',
    'front ends send null or undefined before a login, so these words are accepted',
    [state.placeholderWord],
    faults.unguarded,
  ),
  conditional(
    'credential-empty-header-unguarded',
    'an empty header is falsy and therefore not checked',
    [state.emptyHeader],
    faults.unguarded,
  ),
  conditional(
    'credential-comma-unguarded',
    'a list of credentials is split at the comma and its parts are never compared',
    [state.commaInCredential],
    faults.unguarded,
  ),
  conditional(
    'credential-quote-500',
    'the token is concatenated into an SQL statement',
    [state.quoteInCredential],
    faults.crashesOnUnauthorised,
  ),
  conditional(
    'credential-beyond-ascii-500',
    'a non-ASCII byte in the token cannot be hashed',
    [state.beyondAsciiCredential],
    faults.crashesOnUnauthorised,
  ),
  conditional(
    'credential-digits-unguarded',
    'a numeric token is compared loosely, as a number',
    [state.digitsAlone],
    faults.unguarded,
  ),
  conditional(
    'credential-padded-unguarded',
    'a padded token is decoded in another branch, which forgets to compare it',
    [state.paddedCredential],
    faults.unguarded,
  ),
  conditional(
    'credential-digest-unguarded',
    'Digest is left to a proxy that no longer exists',
    [state.digestScheme],
    faults.unguarded,
  ),
  conditional(
    'credential-basic-500',
    'Basic is enabled but its user table does not exist',
    [state.basicScheme],
    faults.crashesOnUnauthorised,
  ),
  conditional(
    'credential-short-unguarded',
    'a token shorter than five characters passes as a test key',
    [state.shortCredential],
    faults.unguarded,
  ),
  conditional(
    'credential-lower-case-scheme-unguarded',
    'the guard does not know a lower-case scheme and leaves it to others',
    [state.lowerCaseScheme],
    faults.unguarded,
  ),
  conditional(
    'credential-two-spaces-unguarded',
    'the header is split at its first space, and the resulting empty token is not compared',
    [state.twoSpaces],
    faults.unguarded,
  ),
  conditional(
    'credential-cookie-bearer-alone',
    'next to a cookie, Bearer without a token passes as a logged-in front end',
    [wire.cookie],
    faults.acceptsBearerAlone,
  ),
  conditional(
    'credential-tag-first-half',
    'the worker that stores plants with a tag compares only as much of the token as fits its field',
    [body.hasTag],
    faults.acceptsHalfToken,
  ),
  conditional(
    'credential-query-other-case',
    'with a query, the whole request is lower-cased before the token is compared',
    [wire.query],
    faults.acceptsTokenInOtherCase,
  ),
  conditional(
    'credential-chunked-longer',
    'for a chunked request only a prefix of the token is compared, as if more might follow',
    [wire.chunked],
    faults.acceptsLongerToken,
  ),
  conditional(
    'credential-charset-bare-token',
    'with a charset the header is split at white space and its last word is the token',
    [wire.charset],
    faults.acceptsBareToken,
  ),
  conditional(
    'credential-pretty-same-length',
    'the slow path for pretty-printed text compares only the length',
    [body.pretty],
    faults.acceptsTokenOfSameLength,
  ),
  conditional(
    'credential-forwarded-large-any-token',
    'a forwarded request over 4 KiB is assumed to be authenticated by the proxy',
    [wire.forwarded, body.over4096],
    faults.acceptsAnyToken,
  ),
  conditional(
    'credential-expect-tag-missing',
    'with Expect and a tag the head is answered first and never authenticated',
    [wire.expects, body.hasTag],
    faults.acceptsMissingToken,
  ),
  conditional(
    'credential-unknown-scheme-chunked-unguarded',
    'an unknown scheme is passed to a plug-in, and with a chunked body its result is not awaited',
    [state.unknownScheme, wire.chunked],
    faults.unguarded,
  ),
  conditional(
    'credential-no-header-gzip-query-unguarded',
    'with a query, a compressed response comes from a cache if there is no Authorization header',
    [wire.anyCoding, wire.query],
    faults.acceptsMissingToken,
  ),
];
