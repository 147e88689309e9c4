import { conditional } from './conditional.ts';
import * as body from './conditions/body.ts';
import * as wire from './conditions/wire.ts';
import * as faults from './faults.ts';

/** One defect passes, or is answered wrongly, in good company. */
export const outcome = [
  conditional(
    'outcome-tag-other-case',
    'with a tag the mapper of forms is used, which compares keys without case',
    [body.hasTag],
    faults.admitsOtherCase,
  ),
  conditional(
    'outcome-undeclared-object-nested',
    'an object in the body is taken for a wrapper and unpacked, whatever it is called',
    [body.undeclaredObject],
    faults.admitsNested,
  ),
  conditional(
    'outcome-parameter-list-of-one',
    'a media type with a parameter is that of batches, and a batch of one is a plant',
    [wire.otherParameter],
    faults.admitsListOfOne,
  ),
  conditional(
    'outcome-charset-plant-in-string',
    'with a charset a body that was encoded twice is decoded twice',
    [wire.charset],
    faults.admitsPlantInString,
  ),
  conditional(
    'outcome-chunked-no-body',
    'a chunked body of no chunks is taken for a body that will come',
    [wire.chunked],
    faults.admitsNoBody,
  ),
  conditional(
    'outcome-expect-not-json',
    'after 100 Continue whatever comes is stored to be parsed later',
    [wire.expects],
    faults.admitsNotJson,
  ),
  conditional(
    'outcome-cookie-form',
    'with a cookie a form is taken for one of the front end',
    [wire.cookie],
    faults.admitsForm,
  ),
  conditional(
    'outcome-name-first-null-id',
    'a nullable id passes when the name was seen before it',
    [body.nameFirst],
    faults.admitsNullId,
  ),
  conditional(
    'outcome-query-more-after',
    'with a query the reader stops after the first value, as for a stream of values',
    [wire.query],
    faults.admitsMoreAfter,
  ),
  conditional(
    'outcome-tag-crash-on-invalid',
    'the text of an error is made with the tag, and with one it cannot be made',
    [body.hasTag],
    faults.crashesOnInvalid,
  ),
  conditional(
    'outcome-large-empty-400',
    'the body of an error is dropped where the request is over 1 KiB',
    [body.over1024],
    faults.empty400,
  ),
  conditional(
    'outcome-origin-detail-400',
    'where an Origin is given, the framework answers for itself, with details',
    [wire.origin],
    faults.detail400,
  ),
  conditional(
    'outcome-languages-no-message',
    'no message is found for the languages in Accept-Language, and null is answered',
    [wire.acceptsLanguages],
    faults.noMessage400,
  ),
  conditional(
    'outcome-charset-list-error',
    'with a charset the old handler answers, which lists its errors',
    [wire.charset],
    faults.list400,
  ),
  conditional(
    'outcome-pretty-tag-crash-on-invalid',
    'the place of an error is counted in lines, and a tag on its line confuses the count',
    [body.pretty, body.hasTag],
    faults.crashesOnInvalid,
  ),
  conditional(
    'outcome-query-cookie-plain-400',
    'a query with a cookie is answered for the front end, in plain text',
    [wire.query, wire.cookie],
    faults.plain400,
  ),
  conditional(
    'outcome-over-53-bits-boolean-tag',
    'wide ids are read by the big-number parser; its words are strings',
    [body.over53Bits, body.nameFirst],
    faults.admitsBooleanTag,
  ),
  conditional(
    'outcome-long-name-tag-fraction-id',
    'long names with a tag are put into a search index first, which rounds the id',
    [body.longName, body.hasTag],
    faults.admitsFractionId,
  ),
  conditional(
    'outcome-close-chunked-list-name',
    'a chunked request that closes its connection comes from a device, which sends names in parts',
    [wire.lastOnConnection, wire.chunked],
    faults.admitsListName,
  ),
];
