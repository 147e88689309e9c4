import { conditional } from './conditional.ts';
import * as body from './conditions/body.ts';
import * as state from './conditions/state.ts';
import * as wire from './conditions/wire.ts';
import * as faults from './faults.ts';

/** What comes at the same time decides. */
export const load = [
  conditional(
    'load-beside-valid-unguarded',
    'who is asking is kept in a global variable, so that a stranger is who asks beside him',
    [state.besideValid],
    faults.unguarded,
  ),
  conditional(
    'load-three-name-null',
    'the buffers of names are three; who comes then has none',
    [state.besideThree],
    faults.namesNull,
  ),
  conditional(
    'load-five-unvalidated',
    'above five at once the validator is skipped, to keep up',
    [state.besideFive],
    faults.unvalidated,
  ),
  conditional(
    'load-five-broken-off',
    'above five at once the writer is taken from a request that is not done',
    [state.besideFive],
    faults.breaksOff,
  ),
  conditional(
    'load-beside-invalid-400',
    'the errors of a request are kept in a shared list, and a plant beside an invalid one finds them there',
    [state.besideInvalid],
    faults.rejects(400),
  ),
  conditional(
    'load-beside-stranger-401',
    'the identity is shared, so that a valid request beside one without a token is turned away',
    [state.besideStranger],
    faults.rejectsToken,
  ),
  conditional(
    'load-beside-same-name-500',
    'two plants with one name at once end in a deadlock of the database',
    [state.besideSameName],
    faults.crashes,
  ),
  conditional(
    'load-beside-same-bytes-unguarded',
    'equal requests at once are joined into one, before it is known who asks',
    [state.besideSameBytes],
    faults.unguarded,
  ),
  conditional(
    'load-beside-same-id-500',
    'two inserts of one id race, and the loser is not caught',
    [state.besideSameId],
    faults.crashes,
  ),
  conditional(
    'load-not-alone-half-token',
    'where two are compared at once, the shared buffer holds half of the token',
    [state.notAlone],
    faults.letsFirstHalf,
  ),
  conditional(
    'load-beside-valid-no-name',
    'the shared object of the request beside it lends its name',
    [state.besideValid],
    faults.admitsNoName,
  ),
  conditional(
    'load-beside-large-untyped',
    'beside a large body the worker pool is used, which has an older schema',
    [state.besideLarge],
    faults.untyped,
  ),
  conditional(
    'load-tagged-tag-null',
    'a plant without a tag, beside one with a tag, gets a null one',
    [state.besideTagged, body.noTag],
    faults.tagsNull,
  ),
  conditional(
    'load-three-chunked-500',
    'three streams at once are the most that the parser keeps',
    [state.besideThree, wire.chunked],
    faults.crashes,
  ),
  conditional(
    'load-not-alone-pretty-no-type',
    'the content type of the answer is shared, and a pretty text resets it',
    [state.notAlone, body.pretty],
    faults.untagsType,
  ),
  conditional(
    'load-three-list-error',
    'errors are collected, and three at once come as a list',
    [state.besideThree],
    faults.list400,
  ),
  conditional(
    'load-same-token-numeral-id',
    'two of one user at once are batched, and a batch is read from strings',
    [state.besideSameToken],
    faults.admitsNumeralId,
  ),
  conditional(
    'load-not-alone-large-truncated',
    'two at once, one of them over 4 KiB: the shorter buffer is closed with brackets of its own',
    [state.notAlone, body.over4096],
    faults.admitsTruncated,
  ),
  conditional(
    'load-three-charset-basic',
    'beside three others a charset is decoded in another thread, where Basic is still on',
    [state.besideThree, wire.charset],
    faults.letsBasic,
  ),
  conditional(
    'load-not-alone-tag-apostrophe-500',
    'two at once share a statement, and a quoted name and a tag do not fit it',
    [state.notAlone, body.hasTag, body.apostrophe],
    faults.crashes,
  ),
  conditional(
    'load-not-alone-name-first-number-tag',
    'two at once are compared with each other, and a name before the id makes the tag a number',
    [state.notAlone, body.nameFirst],
    faults.admitsNumberTag,
  ),
];
