import { conditional } from './conditional.ts';
import * as body from './conditions/body.ts';
import * as state from './conditions/state.ts';
import * as wire from './conditions/wire.ts';
import * as faults from './faults.ts';

/** Concurrent requests decide. */
export const load = [
  conditional(
    'load-beside-valid-unguarded',
    'the identity is a global variable, so an unauthorised request takes that of a concurrent one',
    [state.besideValid],
    faults.unguarded,
  ),
  conditional(
    'load-three-name-null',
    'there are three name buffers, and a fourth request gets none',
    [state.besideThree],
    faults.namesNull,
  ),
  conditional(
    'load-five-unvalidated',
    'under load, with more than five requests, validation is skipped',
    [state.besideFive],
    faults.unvalidated,
  ),
  conditional(
    'load-five-broken-off',
    'with more than five requests at once, one loses its writer before its response is complete',
    [state.besideFive],
    faults.breaksOff,
  ),
  conditional(
    'load-beside-invalid-400',
    'errors are collected in a shared list, so a plant next to an invalid one is rejected',
    [state.besideInvalid],
    faults.rejects(400),
  ),
  conditional(
    'load-beside-invalid-token-401',
    'the identity is shared, so a valid request next to an unauthorised one is rejected',
    [state.besideUnauthorised],
    faults.rejectsToken,
  ),
  conditional(
    'load-beside-same-name-500',
    'two concurrent plants with the same name end in a database deadlock',
    [state.besideSameName],
    faults.crashes,
  ),
  conditional(
    'load-beside-same-bytes-unguarded',
    'equal concurrent requests are merged before authentication',
    [state.besideSameBytes],
    faults.unguarded,
  ),
  conditional(
    'load-beside-same-id-500',
    'two inserts with the same id race, and nothing catches the exception of the loser',
    [state.besideSameId],
    faults.crashes,
  ),
  conditional(
    'load-concurrent-half-token',
    'with two concurrent comparisons, the shared buffer contains only half of the token',
    [state.concurrent],
    faults.acceptsHalfToken,
  ),
  conditional(
    'load-beside-valid-no-name',
    'a shared object supplies the name of a concurrent request',
    [state.besideValid],
    faults.acceptsNoName,
  ),
  conditional(
    'load-beside-large-untyped',
    'next to a large body, a worker pool with an older schema is used',
    [state.besideLarge],
    faults.untyped,
  ),
  conditional(
    'load-tagged-tag-null',
    'a plant without a tag, next to one with a tag, gets tag null',
    [state.besideTagged, body.noTag],
    faults.tagsNull,
  ),
  conditional(
    'load-three-chunked-500',
    'the parser supports at most three concurrent chunked bodies',
    [state.besideThree, wire.chunked],
    faults.crashes,
  ),
  conditional(
    'load-concurrent-pretty-no-type',
    'the content type of the response is shared, and a pretty-printed text resets it',
    [state.concurrent, body.pretty],
    faults.untagsType,
  ),
  conditional(
    'load-three-list-error',
    'errors are collected, and those of three concurrent requests are sent as a list',
    [state.besideThree],
    faults.list400,
  ),
  conditional(
    'load-same-token-numeral-id',
    'concurrent requests of one user are batched, and a batch is read from strings',
    [state.besideSameToken],
    faults.acceptsNumeralId,
  ),
  conditional(
    'load-concurrent-large-truncated',
    'with two concurrent requests, one of them over 4 KiB, the shorter buffer is closed with extra brackets',
    [state.concurrent, body.over4096],
    faults.acceptsTruncated,
  ),
  conditional(
    'load-three-charset-basic',
    'next to three others, a charset is decoded in another thread, where Basic is still enabled',
    [state.besideThree, wire.charset],
    faults.acceptsBasic,
  ),
  conditional(
    'load-concurrent-tag-apostrophe-500',
    'concurrent requests share a prepared statement, which a quoted name and a tag do not fit',
    [state.concurrent, body.hasTag, body.apostrophe],
    faults.crashes,
  ),
  conditional(
    'load-concurrent-name-first-number-tag',
    'concurrent requests are compared, and a name before the id makes the tag a number',
    [state.concurrent, body.nameFirst],
    faults.acceptsNumberTag,
  ),
];
