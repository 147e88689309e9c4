import { conditional } from './conditional.ts';
import * as body from './conditions/body.ts';
import * as wire from './conditions/wire.ts';
import * as faults from './faults.ts';

/** One defect is accepted, or answered wrongly, under one or two conditions. */
export const outcome = [
  conditional(
    'outcome-tag-other-case',
    'with a tag the form mapper is used, which compares keys case-insensitively',
    [body.hasTag],
    faults.acceptsOtherCase,
  ),
  conditional(
    'outcome-undeclared-object-nested',
    'an object in the body is treated as a wrapper and unpacked, whatever its name',
    [body.undeclaredObject],
    faults.acceptsNested,
  ),
  conditional(
    'outcome-parameter-list-of-one',
    'a media type with a parameter selects batches, and a batch of one is a plant',
    [wire.otherParameter],
    faults.acceptsListOfOne,
  ),
  conditional(
    'outcome-charset-plant-in-string',
    'with a charset a doubly encoded body is decoded twice',
    [wire.charset],
    faults.acceptsPlantInString,
  ),
  conditional(
    'outcome-chunked-no-body',
    'an empty chunked body is treated as a body that is still to come',
    [wire.chunked],
    faults.acceptsNoBody,
  ),
  conditional(
    'outcome-expect-not-json',
    'after 100 Continue anything is stored, to be parsed later',
    [wire.expects],
    faults.acceptsNotJson,
  ),
  conditional(
    'outcome-cookie-form',
    'with a cookie a form is assumed to come from the front end',
    [wire.cookie],
    faults.acceptsForm,
  ),
  conditional(
    'outcome-name-first-null-id',
    'a null id passes if the name precedes it',
    [body.nameFirst],
    faults.acceptsNullId,
  ),
  conditional(
    'outcome-query-more-after',
    'with a query the reader stops after the first value, as in a stream of values',
    [wire.query],
    faults.acceptsMoreAfter,
  ),
  conditional(
    'outcome-tag-crash-on-invalid',
    'the error message is built from the tag, which fails if there is one',
    [body.hasTag],
    faults.crashesOnInvalid,
  ),
  conditional(
    'outcome-half-character-crash-on-invalid',
    'the error message quotes the name, and cannot be encoded with a lone surrogate',
    [body.halfCharacter],
    faults.crashesOnInvalid,
  ),
  conditional(
    'outcome-large-empty-400',
    'the error body is dropped if the request is over 1 KiB',
    [body.over1024],
    faults.empty400,
  ),
  conditional(
    'outcome-origin-detail-400',
    'with an Origin the framework answers itself, with details',
    [wire.origin],
    faults.detail400,
  ),
  conditional(
    'outcome-languages-no-message',
    'there is no message for the languages in Accept-Language, so null is sent',
    [wire.acceptsLanguages],
    faults.noMessage400,
  ),
  conditional(
    'outcome-charset-list-error',
    'with a charset the old handler answers, with a list of errors',
    [wire.charset],
    faults.list400,
  ),
  conditional(
    'outcome-pretty-tag-crash-on-invalid',
    'the error position is counted in lines, and a tag on its own line confuses the count',
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
    'large ids are read by a big-number parser, which reads words as strings',
    [body.over53Bits, body.nameFirst],
    faults.acceptsBooleanTag,
  ),
  conditional(
    'outcome-long-name-tag-fraction-id',
    'long names with a tag are indexed for search first, which rounds the id',
    [body.longName, body.hasTag],
    faults.acceptsFractionId,
  ),
  conditional(
    'outcome-close-chunked-list-name',
    'a chunked request with Connection: close passes as a device, which sends names in parts',
    [wire.lastOnConnection, wire.chunked],
    faults.acceptsListName,
  ),
];
