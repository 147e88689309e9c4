import { conditional } from './conditional.ts';
import * as body from './conditions/body.ts';
import * as state from './conditions/state.ts';
import * as wire from './conditions/wire.ts';
import * as faults from './faults.ts';

/** What came before decides. */
export const history = [
  conditional(
    'history-first-202',
    'the first plant is put off until the database is awake',
    [state.firstOfAll],
    faults.says(202),
  ),
  conditional(
    'history-first-name-null',
    'the first plant is answered before the mapping is compiled, with a null name',
    [state.firstOfAll],
    faults.namesNull,
  ),
  conditional(
    'history-same-bytes-unguarded',
    'a response cache, keyed by the body, comes before authentication',
    [state.sameBytes],
    faults.unguarded,
  ),
  conditional(
    'history-same-id-unvalidated',
    'an id that is known leads to an update, which validates nothing',
    [state.sameId],
    faults.unvalidated,
  ),
  conditional(
    'history-same-name-500',
    'a unique index on names is violated, and nobody catches it',
    [state.sameName],
    faults.crashes,
  ),
  conditional(
    'history-case-twin-500',
    'a unique index compares without case, the look-up before it with case',
    [state.caseTwin],
    faults.crashes,
  ),
  conditional(
    'history-normal-form-twin-500',
    'a unique index compares normal forms, the look-up before it bytes',
    [state.normalFormTwin],
    faults.crashes,
  ),
  conditional(
    'history-connection-trusted',
    'a connection that was authenticated once is trusted from then on',
    [state.onConnectionAfterAccepted],
    faults.unguarded,
  ),
  conditional(
    'history-after-unauthenticated-401',
    'who was turned away is turned away on that connection, whatever the next request carries',
    [state.onConnectionAfterUnauthenticated],
    faults.rejectsToken,
  ),
  conditional(
    'history-after-aborted-400',
    'the rest of an aborted body stays in a shared buffer, in front of the next one',
    [state.afterAborted],
    faults.rejects(400),
  ),
  conditional(
    'history-after-aborted-unguarded',
    'the lock of an aborted request is taken over, and its identity with it',
    [state.afterAborted],
    faults.unguarded,
  ),
  conditional(
    'history-after-large-unvalidated',
    'after a large body the connection stays in streaming mode, without a validator',
    [state.onConnectionAfterLarge],
    faults.unvalidated,
  ),
  conditional(
    'history-after-longer-400',
    'a buffer is used again and not cut, so that the end of a longer body follows a shorter one',
    [state.onConnectionAfterLonger],
    faults.rejects(400),
  ),
  conditional(
    'history-after-15-strangers-403',
    'after 15 without a token, all are locked out',
    [state.after15Unauthenticated],
    faults.rejects(403),
  ),
  conditional(
    'history-bytes-rejected-401',
    'a rejection is cached by the body, so that the same with a token is rejected as well',
    [state.bytesRejectedBefore],
    faults.rejectsToken,
  ),
  conditional(
    'history-after-3-aborted-500',
    'each aborted request keeps a connection to the database, of which there are three',
    [state.after3Aborted],
    faults.crashes,
  ),
  conditional(
    'history-idempotency-key-unguarded',
    'the answer to an Idempotency-Key is kept and given to anybody',
    [state.sameKey],
    faults.unguarded,
  ),
  conditional(
    'history-after-rejected-no-name',
    'the object of the request before is used again, so that a name may be missing after a rejection',
    [state.onConnectionAfterRejected],
    faults.admitsNoName,
  ),
  conditional(
    'history-same-id-number-name',
    'an update of a known id makes strings of numbers',
    [state.sameId],
    faults.admitsNumberName,
  ),
  conditional(
    'history-100-accepted-any-token',
    'the cache of tokens is full after 100, and then each is taken for known',
    [state.after100Accepted],
    faults.letsAnyToken,
  ),
  conditional(
    'history-same-name-chunked-unguarded',
    'a streamed body is cached by the name in it, before authentication',
    [state.sameName, wire.chunked],
    faults.unguarded,
  ),
  conditional(
    'history-after-unauthenticated-tag-500',
    'the answer to a stranger leaves a scope open, in which a tag cannot be bound',
    [state.afterUnauthenticated, body.hasTag],
    faults.crashes,
  ),
  conditional(
    'history-40-rejected-html-400',
    'after 40 rejections a firewall answers in the place of the store',
    [state.after40Rejected],
    faults.html400,
  ),
  conditional(
    'history-same-id-query-missing',
    'a known id with a query is taken for a read, which is open to all',
    [state.sameId, wire.query],
    faults.letsMissing,
  ),
  conditional(
    'history-after-rejected-fresh-connection-null-tag',
    'after a rejection, the next connection is given a warm worker with the lenient settings of its error page',
    [state.onAnotherConnectionAfterRejected, wire.lastOnConnection],
    faults.admitsNullTag,
  ),
  conditional(
    'history-after-accepted-pipelined-name-null',
    'behind an accepted plant in the pipeline, a tag takes the place of the name',
    [state.afterAccepted, wire.pipelined, body.hasTag],
    faults.namesNull,
  ),
];
