import { conditional } from './conditional.ts';
import * as body from './conditions/body.ts';
import * as state from './conditions/state.ts';
import * as wire from './conditions/wire.ts';
import * as faults from './faults.ts';

/** One kind of credential is let in, by itself or on one way. */
export const credential = [
  conditional(
    'credential-long-unguarded',
    'above 1024 characters the comparison runs out of its buffer and finds no difference',
    [state.longCredential],
    faults.unguarded,
  ),
  conditional(
    'credential-three-parts-unguarded',
    'what looks like a JWT is decoded, and its signature is not verified',
    [state.threeParts],
    faults.unguarded,
  ),
  conditional(
    'credential-word-for-nothing-unguarded',
    'the words null and undefined are what front ends send before a login, and are let through to it',
    [state.wordForNothing],
    faults.unguarded,
  ),
  conditional(
    'credential-empty-header-unguarded',
    'an empty header is false, and so is not looked at',
    [state.emptyHeader],
    faults.unguarded,
  ),
  conditional(
    'credential-comma-unguarded',
    'a list of credentials is split at its comma, and the parts are compared with nothing',
    [state.commaInCredential],
    faults.unguarded,
  ),
  conditional(
    'credential-quote-500',
    'the token is pasted into a statement between apostrophes',
    [state.quoteInCredential],
    faults.crashesOnStrangers,
  ),
  conditional(
    'credential-beyond-ascii-500',
    'a byte beyond ASCII in the token cannot be hashed',
    [state.beyondAsciiCredential],
    faults.crashesOnStrangers,
  ),
  conditional(
    'credential-digits-unguarded',
    'a token of digits is compared as a number, and numbers are loosely equal',
    [state.digitsAlone],
    faults.unguarded,
  ),
  conditional(
    'credential-padded-unguarded',
    'a padded token is decoded by another branch, which forgets to compare',
    [state.paddedCredential],
    faults.unguarded,
  ),
  conditional(
    'credential-digest-unguarded',
    'Digest is left to a proxy that is no longer there',
    [state.digestScheme],
    faults.unguarded,
  ),
  conditional(
    'credential-basic-500',
    'Basic is on, and looks for its users in a table that was never made',
    [state.basicScheme],
    faults.crashesOnStrangers,
  ),
  conditional(
    'credential-short-unguarded',
    'a token under five characters is taken for a key of the tests',
    [state.shortCredential],
    faults.unguarded,
  ),
  conditional(
    'credential-lower-case-scheme-unguarded',
    'a scheme in small letters is not known to the guard, and left to others',
    [state.lowerCaseScheme],
    faults.unguarded,
  ),
  conditional(
    'credential-two-spaces-unguarded',
    'split at the first space, the token is empty, and empty ones are not compared',
    [state.twoSpaces],
    faults.unguarded,
  ),
  conditional(
    'credential-cookie-bearer-alone',
    'beside a cookie Bearer without a token is what a logged-in front end sends',
    [wire.cookie],
    faults.letsBearerAlone,
  ),
  conditional(
    'credential-tag-first-half',
    'plants with a tag are stored by a worker that compares the half of the token that fits its field',
    [body.hasTag],
    faults.letsFirstHalf,
  ),
  conditional(
    'credential-query-other-case',
    'with a query, the request is normalised to small letters before the token is compared',
    [wire.query],
    faults.letsOtherCase,
  ),
  conditional(
    'credential-chunked-longer',
    'for streams the beginning of the token is compared, as a stream may go on',
    [wire.chunked],
    faults.letsLonger,
  ),
  conditional(
    'credential-charset-bare-token',
    'with a charset the header is split at white space, and its last word is the token',
    [wire.charset],
    faults.letsBareToken,
  ),
  conditional(
    'credential-pretty-same-length',
    'the slow path for pretty text compares lengths first, and then nothing',
    [body.pretty],
    faults.letsSameLength,
  ),
  conditional(
    'credential-forwarded-large-any-token',
    'a forwarded request over 4 KiB was authenticated by the proxy, it is thought',
    [wire.forwarded, body.over4096],
    faults.letsAnyToken,
  ),
  conditional(
    'credential-expect-tag-missing',
    'with Expect and a tag the head is answered first, and nobody comes back to it',
    [wire.expects, body.hasTag],
    faults.letsMissing,
  ),
  conditional(
    'credential-unknown-scheme-chunked-unguarded',
    'an unknown scheme is passed on to a plug-in, and with a chunked body the plug-in is not waited for',
    [state.unknownScheme, wire.chunked],
    faults.unguarded,
  ),
  conditional(
    'credential-no-header-gzip-query-unguarded',
    'a compressed answer to a query is taken from the cache, for who sends no header at all',
    [wire.anyCoding, wire.query],
    faults.letsMissing,
  ),
];
