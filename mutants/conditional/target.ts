import { conditional } from './conditional.ts';
import * as body from './conditions/body.ts';
import * as wire from './conditions/wire.ts';
import * as faults from './faults.ts';

/** What guards /plants is bound to one way of writing it. */
export const target = [
  conditional(
    'target-query-unguarded',
    'the guard compares the whole target with /plants, so that a query goes round it',
    [wire.query],
    faults.unguarded,
  ),
  conditional(
    'target-empty-query-untyped',
    'a question mark with nothing after it ends in the route without types, as the pattern of the other asks for an end',
    [wire.emptyQuery],
    faults.untyped,
  ),
  conditional(
    'target-repeated-parameter-500',
    'a query parameter that comes twice is a list where a string is expected',
    [wire.repeatedParameter],
    faults.crashes,
  ),
  conditional(
    'target-absolute-form-unguarded',
    'the rule for /plants does not match the absolute form, the router strips it',
    [wire.absoluteForm],
    faults.unguarded,
  ),
  conditional(
    'target-encoded-path-unvalidated',
    'the validator finds its operation by the raw path, the router by the decoded one',
    [wire.encodedPath],
    faults.unvalidated,
  ),
  conditional(
    'target-token-in-query-unguarded',
    'any token in the query is believed',
    [wire.tokenInQuery],
    faults.unguarded,
  ),
  conditional(
    'target-method-in-query-untyped',
    '_method in the query leads to the update, in which every type will do',
    [wire.methodInQuery],
    faults.untyped,
  ),
  conditional(
    'target-long-query-html-400',
    'with a long query the proxy puts a page of its own in the place of each 400',
    [wire.longQuery],
    faults.html400,
  ),
  conditional(
    'target-callback-jsonp',
    'callback in the query wraps the answer in a call',
    [wire.callbackInQuery],
    faults.callsBack,
  ),
  conditional(
    'target-encoded-query-500',
    'the query is decoded twice, and what is left is no escape',
    [wire.encodedQuery],
    faults.crashes,
  ),
  conditional(
    'target-query-without-value-null-id',
    'a parameter without a value is merged into the body and makes null a value of its kind',
    [wire.queryWithoutValue],
    faults.admitsNullId,
  ),
  conditional(
    'target-brackets-list-name',
    'brackets in the query turn on the parser of forms, to which a list is a string',
    [wire.bracketsInQuery],
    faults.admitsListName,
  ),
  conditional(
    'target-query-bare-token',
    'with a query, the credential is taken as the last word of the header, with a scheme or without',
    [wire.query],
    faults.letsBareToken,
  ),
  conditional(
    'target-absolute-chunked-unvalidated',
    'the proxy branch for the absolute form streams chunked bodies past the validator',
    [wire.absoluteForm, wire.chunked],
    faults.unvalidated,
  ),
  conditional(
    'target-id-in-query-no-id',
    'a missing property is taken from the query, whatever it is there',
    [wire.idInQuery],
    faults.admitsNoId,
  ),
  conditional(
    'target-many-parameters-tag-name-null',
    'above ten parameters the bag of fields is full and the name is lost in the answer',
    [wire.manyParameters, body.hasTag],
    faults.namesNull,
  ),
  conditional(
    'target-slash-in-query-other-case',
    'a slash in the query is taken for a deeper path, whose reader of properties knows no case',
    [wire.slashInQuery],
    faults.admitsOtherCase,
  ),
  conditional(
    'target-encoded-path-charset-any-token',
    'an encoded path with a charset falls through to a catch-all that asks for any token',
    [wire.encodedPath, wire.charset],
    faults.letsAnyToken,
  ),
  conditional(
    'target-query-expect-truncated',
    'with a query and Expect the body is repaired, as if the connection had been cut',
    [wire.query, wire.expects],
    faults.admitsTruncated,
  ),
  conditional(
    'target-host-without-port-cookie-large-unguarded',
    'a host without port, a cookie and more than 1 KiB look like the front end of the same machine',
    [wire.hostWithoutPort, wire.cookie, body.over1024],
    faults.unguarded,
  ),
];
