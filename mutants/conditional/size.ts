import { conditional } from './conditional.ts';
import * as body from './conditions/body.ts';
import * as wire from './conditions/wire.ts';
import * as faults from './faults.ts';

/** Large or small requests take another code path. */
export const size = [
  conditional(
    'size-over-512-413',
    'a limit of 512 bytes, meant for a single field, is applied to the body',
    [body.over512],
    faults.rejects(413),
  ),
  conditional(
    'size-over-4096-unguarded',
    'beyond 4096 bytes the body is spooled to a file, and the file handler does not authenticate',
    [body.over4096],
    faults.unguarded,
  ),
  conditional(
    'size-over-8192-unvalidated',
    'beyond 8192 bytes a second buffer is used, which the validator never sees',
    [body.over8192],
    faults.unvalidated,
  ),
  conditional(
    'size-over-16384-html-400',
    'beyond 16,384 bytes the proxy buffers the request and rejects with a page of its own',
    [body.over16384],
    faults.html400,
  ),
  conditional(
    'size-over-32768-502',
    'beyond 32,768 bytes the worker runs out of memory and the proxy answers 502',
    [body.over32768],
    faults.badGateway,
  ),
  conditional(
    'size-tiny-422',
    'a body shorter than 30 bytes is treated as a ping',
    [body.tiny],
    faults.rejects(422),
  ),
  conditional(
    'size-full-block-400',
    'a body whose length is a multiple of 64 bytes loses its last block',
    [body.fullBlock],
    faults.rejects(400),
  ),
  conditional(
    'size-name-over-255-name-null',
    'a name longer than 255 does not fit the column, so null is stored and answered',
    [body.nameOver255],
    faults.namesNull,
  ),
  conditional(
    'size-tag-over-1024-500',
    'a tag longer than 1024 breaks its index',
    [body.tagOver1024],
    faults.crashes,
  ),
  conditional(
    'size-spaces-before-unvalidated',
    'only the first 256 bytes are inspected to recognise JSON, and they are white space',
    [body.spacesBefore],
    faults.unvalidated,
  ),
  conditional(
    'size-spaces-after-400',
    'the reader stops within trailing white space and reads the rest as a second value',
    [body.spacesAfter],
    faults.rejects(400),
  ),
  conditional(
    'size-many-properties-number-name',
    'beyond 20 undeclared properties the object becomes a hash map, which does not check strings',
    [body.manyProperties],
    faults.acceptsNumberName,
  ),
  conditional(
    'size-long-key-boolean-tag',
    'a key longer than 255 selects the dynamic reader, which reads true as a string',
    [body.longKey],
    faults.acceptsBooleanTag,
  ),
  conditional(
    'size-over-1024-more-after',
    'beyond 1 KiB the streaming parser stops after the first value',
    [body.over1024],
    faults.acceptsMoreAfter,
  ),
  conditional(
    'size-over-4096-longer-token',
    'large bodies are authenticated by a gateway that compares only a prefix of the token',
    [body.over4096],
    faults.acceptsLongerToken,
  ),
  conditional(
    'size-over-1024-chunked-unguarded',
    'chunked and over 1 KiB means an upload, and the guard for uploads was forgotten',
    [body.over1024, wire.chunked],
    faults.unguarded,
  ),
  conditional(
    'size-spaces-within-charset-500',
    'with a charset, a long run of white space exceeds the limit of a regular expression',
    [body.spacesWithin, wire.charset],
    faults.crashes,
  ),
  conditional(
    'size-over-4096-crashes-unauthenticated',
    'the response to an unauthorised request quotes the body, and beyond 4096 bytes it does not fit',
    [body.over4096],
    faults.crashesOnUnauthorised,
  ),
  conditional(
    'size-long-undeclared-name-first-no-id',
    'the reader gives up after a long string, and considers a plant complete that begins with its name',
    [body.longUndeclared, body.nameFirst],
    faults.acceptsNoId,
  ),
  conditional(
    'size-name-over-4096-chunked-gzip-truncated',
    'compressed responses with a large name are flushed too early after a chunked request',
    [body.nameOver4096, wire.chunked, wire.anyCoding],
    faults.truncatesCompressed,
  ),
  conditional(
    'size-over-16384-expect-numeral-id',
    'Expect beyond 16,384 bytes selects the importer, where ids are numeric strings',
    [body.over16384, wire.expects],
    faults.acceptsNumeralId,
  ),
];
