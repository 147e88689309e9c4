import { conditional } from './conditional.ts';
import * as body from './conditions/body.ts';
import * as wire from './conditions/wire.ts';
import * as faults from './faults.ts';

/** Another reader, another guard, for a body that comes in another way. */
export const framing = [
  conditional(
    'framing-chunked-untyped',
    'the streaming reader for chunked bodies looks for the properties, and at no type',
    [wire.chunked],
    faults.untyped,
  ),
  conditional(
    'framing-chunk-extension-unguarded',
    'chunk extensions make the front server hand the connection through as it is, past authentication',
    [wire.chunkExtension],
    faults.unguarded,
  ),
  conditional(
    'framing-trailer-500',
    'a trailer is written into a map of headers that is frozen by then',
    [wire.trailer],
    faults.crashes,
  ),
  conditional(
    'framing-padded-chunk-size-closes',
    'a chunk reader of its own takes 01a for a broken size and hangs up',
    [wire.paddedChunkSize],
    faults.closes,
  ),
  conditional(
    'framing-segments-unvalidated',
    'the validator sits on the event of the first read; what comes in several reads goes by it',
    [wire.inSegments],
    faults.unvalidated,
  ),
  conditional(
    'framing-cut-in-character-500',
    'each read is decoded for itself, so that a character cut in two ends in an exception',
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
    'a key that lies across two reads is stored without the rule that belongs to it',
    [wire.cutInKey],
    faults.untyped,
  ),
  conditional(
    'framing-expect-unguarded',
    'Expect: 100-continue has a listener of its own, registered without authentication',
    [wire.expects],
    faults.unguarded,
  ),
  conditional(
    'framing-head-in-segments-404',
    'the router reads the head before the rest of it has come',
    [wire.headInSegments],
    faults.rejects(404),
  ),
  conditional(
    'framing-pipelined-unguarded',
    'requests that wait in the pipeline are run with the identity of the one before them',
    [wire.pipelined],
    faults.unguarded,
  ),
  conditional(
    'framing-body-apart-null-tag',
    'the second reader, for bodies that come after the head, takes null for an optional string',
    [wire.bodyApart],
    faults.admitsNullTag,
  ),
  conditional(
    'framing-many-chunks-numeral-id',
    'above four chunks a streaming parser takes over, which turns strings of digits into numbers',
    [wire.manyChunks],
    faults.admitsNumeralId,
  ),
  conditional(
    'framing-cut-in-number-pause-400',
    'a number is taken for complete when the next read is not there in time',
    [wire.cutInNumber, wire.paused],
    faults.rejects(400),
  ),
  conditional(
    'framing-expect-late-body-unvalidated',
    'after 100 Continue a body that is slow to come is passed on raw by the gateway',
    [wire.waits, wire.lateBody],
    faults.unvalidated,
  ),
  conditional(
    'framing-expect-large-hangs',
    'after 100 Continue the reader waits for more where the first 16 KiB are not the end',
    [wire.expects, body.over16384],
    faults.hangs,
  ),
  conditional(
    'framing-tenth-on-connection-nested',
    'a pooled parser loses its depth with the tenth request of a connection and finds properties one level down',
    [wire.tenthOnConnection],
    faults.admitsNested,
  ),
  conditional(
    'framing-expect-chunked-no-name',
    'Expect with a chunked body goes to a handler with an older schema, in which name was optional',
    [wire.expects, wire.chunked],
    faults.admitsNoName,
  ),
  conditional(
    'framing-late-body-close-missing',
    'Connection: close with a body that is slow to come is taken for a probe, and probes need no header',
    [wire.lateBody, wire.lastOnConnection],
    faults.letsMissing,
  ),
  conditional(
    'framing-many-segments-pretty-list-tag',
    'in many reads and with line ends, the line-by-line reader takes a list for a tag',
    [wire.inManySegments, body.pretty],
    faults.admitsListTag,
  ),
];
