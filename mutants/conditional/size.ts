import { conditional } from './conditional.ts';
import * as body from './conditions/body.ts';
import * as wire from './conditions/wire.ts';
import * as faults from './faults.ts';

/** The branch for what is large, or small, is another program. */
export const size = [
  conditional(
    'size-over-512-413',
    'a limit of 512 bytes, meant for a single field, is applied to the body',
    [body.over512],
    faults.rejects(413),
  ),
  conditional(
    'size-over-4096-unguarded',
    'above 4096 bytes the body is put into a file, and the handler of files is not guarded',
    [body.over4096],
    faults.unguarded,
  ),
  conditional(
    'size-over-8192-unvalidated',
    'above 8192 bytes the second buffer is used, which the validator never sees',
    [body.over8192],
    faults.unvalidated,
  ),
  conditional(
    'size-over-16384-html-400',
    'above 16,384 bytes the proxy buffers and answers what is rejected with a page',
    [body.over16384],
    faults.html400,
  ),
  conditional(
    'size-over-32768-502',
    'above 32,768 bytes the worker is out of memory and the proxy says 502',
    [body.over32768],
    faults.badGateway,
  ),
  conditional('size-tiny-422', 'under 30 bytes a body is taken for a ping', [body.tiny], faults.rejects(422)),
  conditional(
    'size-full-block-400',
    'a body that fills the last block of 64 bytes loses it',
    [body.fullBlock],
    faults.rejects(400),
  ),
  conditional(
    'size-name-over-255-name-null',
    'a name over 255 does not fit the column, and null is stored and answered',
    [body.nameOver255],
    faults.namesNull,
  ),
  conditional(
    'size-tag-over-1024-500',
    'a tag over 1024 breaks its index',
    [body.tagOver1024],
    faults.crashes,
  ),
  conditional(
    'size-spaces-before-unvalidated',
    'only the first 256 bytes are looked at to tell JSON, and white space is not',
    [body.spacesBefore],
    faults.unvalidated,
  ),
  conditional(
    'size-spaces-after-400',
    'the reader stops within white space at the end and takes the rest for a second value',
    [body.spacesAfter],
    faults.rejects(400),
  ),
  conditional(
    'size-many-properties-number-name',
    'above 20 undeclared properties the object becomes a hash map, which checks no strings',
    [body.manyProperties],
    faults.admitsNumberName,
  ),
  conditional(
    'size-long-key-boolean-tag',
    'a key over 255 sends the object to the dynamic reader, to which true is a string',
    [body.longKey],
    faults.admitsBooleanTag,
  ),
  conditional(
    'size-over-1024-more-after',
    'above 1 KiB the streaming parser stops after the first value',
    [body.over1024],
    faults.admitsMoreAfter,
  ),
  conditional(
    'size-over-4096-longer-token',
    'large bodies are authenticated by a gateway that compares the beginning of the token',
    [body.over4096],
    faults.letsLonger,
  ),
  conditional(
    'size-over-1024-chunked-unguarded',
    'chunked and over 1 KiB means an upload, and uploads have a guard of their own that was forgotten',
    [body.over1024, wire.chunked],
    faults.unguarded,
  ),
  conditional(
    'size-spaces-within-charset-500',
    'with a charset, a long run of white space runs into the limit of a regular expression',
    [body.spacesWithin, wire.charset],
    faults.crashes,
  ),
  conditional(
    'size-over-4096-crashes-on-strangers',
    'the answer to strangers quotes the body, and above 4096 bytes it does not fit',
    [body.over4096],
    faults.crashesOnStrangers,
  ),
  conditional(
    'size-long-undeclared-name-first-no-id',
    'the reader gives up after a long string, and a plant with its name first is complete to it',
    [body.longUndeclared, body.nameFirst],
    faults.admitsNoId,
  ),
  conditional(
    'size-name-over-4096-chunked-gzip-truncated',
    'compressed answers with large names are flushed too early where the request was streamed',
    [body.nameOver4096, wire.chunked, wire.anyCoding],
    faults.truncatesCompressed,
  ),
  conditional(
    'size-over-16384-expect-numeral-id',
    'Expect above 16,384 bytes goes to the importer, where ids are strings of digits as in its files',
    [body.over16384, wire.expects],
    faults.admitsNumeralId,
  ),
];
