import { conditional } from './conditional.ts';
import * as body from './conditions/body.ts';
import * as wire from './conditions/wire.ts';
import * as faults from './faults.ts';

/** Another reader or guard handles a body with another framing. */
export const framing = [
  conditional(
    'framing-chunked-untyped',
    'the streaming reader for chunked bodies checks that properties exist, but not their types',
    [wire.chunked],
    faults.untyped,
  ),
  conditional(
    'framing-chunk-extension-unguarded',
    'the front server forwards a connection with chunk extensions unread, past authentication',
    [wire.chunkExtension],
    faults.unguarded,
  ),
  conditional(
    'framing-trailer-500',
    'a trailer is written into a map of headers that is already frozen',
    [wire.trailer],
    faults.crashes,
  ),
  conditional(
    'framing-padded-chunk-size-closes',
    'the custom chunk reader considers 01a an invalid size and closes the connection',
    [wire.paddedChunkSize],
    faults.closes,
  ),
  conditional(
    'framing-capital-chunk-size-closes',
    'the custom chunk reader knows only lower-case hexadecimal digits and closes the connection',
    [wire.capitalChunkSize],
    faults.closes,
  ),
  conditional(
    'framing-late-body-400',
    'what has arrived of the body 200 ms after the head is parsed, complete or not',
    [wire.veryLateBody],
    faults.rejects(400),
  ),
  conditional(
    'framing-segments-unvalidated',
    'the validator runs on the first read only, so a body in several reads bypasses it',
    [wire.inSegments],
    faults.unvalidated,
  ),
  conditional(
    'framing-cut-in-character-500',
    'each read is decoded separately, so a character split in two raises an exception',
    [wire.cutInCharacter],
    faults.crashes,
  ),
  conditional(
    'framing-cut-in-escape-400',
    'the incremental parser forgets a backslash at the end of a read',
    [wire.cutInEscape],
    faults.rejects(400),
  ),
  conditional(
    'framing-cut-in-key-untyped',
    'a key split across two reads is stored without applying its rule',
    [wire.cutInKey],
    faults.untyped,
  ),
  conditional(
    'framing-cut-after-value-more',
    'the body is parsed as soon as an object is complete, so what arrives after that is ignored',
    [wire.cutAfterValue],
    faults.acceptsMoreAfter,
  ),
  conditional(
    'framing-expect-unguarded',
    'Expect: 100-continue has a listener of its own, registered without authentication',
    [wire.expects],
    faults.unguarded,
  ),
  conditional(
    'framing-head-in-segments-404',
    'the router reads the head before all of it has arrived',
    [wire.headInSegments],
    faults.rejects(404),
  ),
  conditional(
    'framing-pipelined-unguarded',
    'pipelined requests run with the identity of the preceding one',
    [wire.pipelined],
    faults.unguarded,
  ),
  conditional(
    'framing-body-apart-null-tag',
    'the second reader, for bodies that arrive after the head, treats null as a missing string',
    [wire.bodyApart],
    faults.acceptsNullTag,
  ),
  conditional(
    'framing-many-chunks-numeral-id',
    'beyond four chunks a streaming parser takes over and converts numeric strings to numbers',
    [wire.manyChunks],
    faults.acceptsNumeralId,
  ),
  conditional(
    'framing-cut-in-number-pause-400',
    'a number is considered complete if the next read is late',
    [wire.cutInNumber, wire.paused],
    faults.rejects(400),
  ),
  conditional(
    'framing-expect-late-body-unvalidated',
    'after 100 Continue, the gateway passes on a late body unchecked',
    [wire.waits, wire.lateBody],
    faults.unvalidated,
  ),
  conditional(
    'framing-expect-large-hangs',
    'after 100 Continue, the reader waits for more if the first 16 KiB are not everything',
    [wire.expects, body.over16384],
    faults.hangs,
  ),
  conditional(
    'framing-tenth-on-connection-nested',
    'a pooled parser loses track of its depth at the tenth request of a connection and finds properties one level down',
    [wire.tenthOnConnection],
    faults.acceptsNested,
  ),
  conditional(
    'framing-expect-chunked-no-name',
    'Expect with a chunked body goes to a handler with an older schema, in which name was optional',
    [wire.expects, wire.chunked],
    faults.acceptsNoName,
  ),
  conditional(
    'framing-late-body-close-missing',
    'Connection: close with a late body passes as a health probe, which needs no header',
    [wire.lateBody, wire.lastOnConnection],
    faults.acceptsMissingToken,
  ),
  conditional(
    'framing-many-segments-pretty-list-tag',
    'for pretty-printed text in many reads, the line-by-line reader accepts a list as tag',
    [wire.inManySegments, body.pretty],
    faults.acceptsListTag,
  ),
  conditional(
    'framing-head-end-apart-hang',
    'the search for the end of the head begins anew with each segment',
    [wire.headEndApart],
    faults.hangs,
  ),
];
