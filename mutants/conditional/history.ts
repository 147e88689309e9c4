import { conditional } from './conditional.ts';
import * as body from './conditions/body.ts';
import * as state from './conditions/state.ts';
import * as wire from './conditions/wire.ts';
import * as faults from './faults.ts';

/** Earlier requests decide. */
export const history = [
  conditional(
    'history-first-202',
    'the first plant is queued until the database is awake',
    [state.firstOfAll],
    faults.answersStatus(202),
  ),
  conditional(
    'history-first-name-null',
    'the first plant is answered before the mapping is compiled, with name null',
    [state.firstOfAll],
    faults.namesNull,
  ),
  conditional(
    'history-same-bytes-unguarded',
    'a response cache keyed by the body precedes authentication',
    [state.sameBytes],
    faults.unguarded,
  ),
  conditional(
    'history-same-id-unvalidated',
    'an existing id selects the update route, which validates nothing',
    [state.sameId],
    faults.unvalidated,
  ),
  conditional(
    'history-same-name-500',
    'a duplicate name violates a unique index, and nothing catches the exception',
    [state.sameName],
    faults.crashes,
  ),
  conditional(
    'history-other-case-500',
    'a unique index ignores case, but the lookup before it does not',
    [state.caseTwin],
    faults.crashes,
  ),
  conditional(
    'history-other-normal-form-500',
    'a unique index compares normal forms, but the lookup before it compares bytes',
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
    'a connection that was rejected once is rejected from then on, whatever it sends',
    [state.onConnectionAfterUnauthenticated],
    faults.rejectsToken,
  ),
  conditional(
    'history-after-aborted-400',
    'the rest of an aborted body stays in a shared buffer, before the next body',
    [state.afterAborted],
    faults.rejects(400),
  ),
  conditional(
    'history-after-aborted-unguarded',
    'the lock of an aborted request is reused together with its identity',
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
    'a reused buffer is not truncated, so the end of a longer body follows a shorter one',
    [state.onConnectionAfterLonger],
    faults.rejects(400),
  ),
  conditional(
    'history-after-15-unauthenticated-403',
    'after 15 requests without a token, everybody is locked out',
    [state.after15Unauthenticated],
    faults.rejects(403),
  ),
  conditional(
    'history-bytes-rejected-401',
    'a rejection is cached by the body, so the same body with a token is rejected too',
    [state.bytesRejectedBefore],
    faults.rejectsToken,
  ),
  conditional(
    'history-rejected-id-500',
    'the id is noted before the rest of the body is validated, so it cannot be stored later',
    [state.idRejectedBefore],
    faults.crashes,
  ),
  conditional(
    'history-after-3-aborted-500',
    'each aborted request leaks one of three database connections',
    [state.after3Aborted],
    faults.crashes,
  ),
  conditional(
    'history-idempotency-key-unguarded',
    'the response to an Idempotency-Key is stored and given to anybody',
    [state.sameKey],
    faults.unguarded,
  ),
  conditional(
    'history-after-rejected-no-name',
    'the object of the preceding request is reused, so name may be missing after a rejection',
    [state.onConnectionAfterRejected],
    faults.acceptsNoName,
  ),
  conditional(
    'history-same-id-number-name',
    'the update of an existing id converts numbers to strings',
    [state.sameId],
    faults.acceptsNumberName,
  ),
  conditional(
    'history-100-accepted-any-token',
    'the token cache is full after 100 plants, and then every token counts as known',
    [state.after100Accepted],
    faults.acceptsAnyToken,
  ),
  conditional(
    'history-same-name-chunked-unguarded',
    'a chunked body is cached by its name, before authentication',
    [state.sameName, wire.chunked],
    faults.unguarded,
  ),
  conditional(
    'history-after-unauthenticated-tag-500',
    'the response to an unauthorised request leaves a scope open, in which no tag can be bound',
    [state.afterUnauthenticated, body.hasTag],
    faults.crashes,
  ),
  conditional(
    'history-40-rejected-html-400',
    'after 40 rejections a firewall answers instead of the store',
    [state.after40Rejected],
    faults.html400,
  ),
  conditional(
    'history-same-id-query-missing',
    'an existing id with a query passes as a read, which is public',
    [state.sameId, wire.query],
    faults.acceptsMissingToken,
  ),
  conditional(
    'history-after-rejected-fresh-connection-null-tag',
    'after a rejection the next connection gets a worker that still has the lenient settings of its error page',
    [state.onAnotherConnectionAfterRejected, wire.lastOnConnection],
    faults.acceptsNullTag,
  ),
  conditional(
    'history-after-accepted-pipelined-name-null',
    'behind an accepted plant in the pipeline, the tag overwrites the name',
    [state.afterAccepted, wire.pipelined, body.hasTag],
    faults.namesNull,
  ),
];
