import { conditional } from './conditional.ts';
import * as body from './conditions/body.ts';
import * as wire from './conditions/wire.ts';
import * as faults from './faults.ts';

/** The guards of /plants are bound to one spelling of the target. */
export const target = [
  conditional(
    'target-query-unguarded',
    'the guard compares the whole target with /plants, so a query bypasses it',
    [wire.query],
    faults.unguarded,
  ),
  conditional(
    'target-empty-query-untyped',
    'a trailing question mark selects a route without type checks, because the other pattern ends at the path',
    [wire.emptyQuery],
    faults.untyped,
  ),
  conditional(
    'target-repeated-parameter-500',
    'a repeated query parameter is a list where a string is expected',
    [wire.repeatedParameter],
    faults.crashes,
  ),
  conditional(
    'target-absolute-form-unguarded',
    'the rule for /plants does not match the absolute form, which the router strips',
    [wire.absoluteForm],
    faults.unguarded,
  ),
  conditional(
    'target-encoded-path-unvalidated',
    'the validator looks up its operation by the raw path, the router by the decoded one',
    [wire.encodedPath],
    faults.unvalidated,
  ),
  conditional(
    'target-encoded-path-unguarded',
    'the guard compares the raw path with /plants, which the router decodes',
    [wire.encodedPath],
    faults.unguarded,
  ),
  conditional(
    'target-token-in-query-unguarded',
    'any token in the query is trusted',
    [wire.tokenInQuery],
    faults.unguarded,
  ),
  conditional(
    'target-method-in-query-untyped',
    '_method in the query selects the update route, which accepts any type',
    [wire.methodInQuery],
    faults.untyped,
  ),
  conditional(
    'target-long-query-html-400',
    'with a long query the proxy replaces every 400 by a page of its own',
    [wire.longQuery],
    faults.html400,
  ),
  conditional(
    'target-callback-jsonp',
    'callback in the query wraps the response in a call',
    [wire.callbackInQuery],
    faults.callsBack,
  ),
  conditional(
    'target-encoded-query-500',
    'the query is decoded twice, and the second time it contains an invalid escape',
    [wire.encodedQuery],
    faults.crashes,
  ),
  conditional(
    'target-query-without-value-null-id',
    'a parameter without a value is merged into the body, which makes null acceptable',
    [wire.queryWithoutValue],
    faults.acceptsNullId,
  ),
  conditional(
    'target-brackets-list-name',
    'brackets in the query activate the form parser, which reads a list as a string',
    [wire.bracketsInQuery],
    faults.acceptsListName,
  ),
  conditional(
    'target-query-bare-token',
    'with a query the last word of the header is used as the token, with or without a scheme',
    [wire.query],
    faults.acceptsBareToken,
  ),
  conditional(
    'target-absolute-chunked-unvalidated',
    'the proxy code for the absolute form streams chunked bodies past the validator',
    [wire.absoluteForm, wire.chunked],
    faults.unvalidated,
  ),
  conditional(
    'target-id-in-query-no-id',
    'a missing property is taken from the query, whatever its value',
    [wire.idInQuery],
    faults.acceptsNoId,
  ),
  conditional(
    'target-many-parameters-tag-name-null',
    'beyond ten parameters the field table is full and the name is lost in the response',
    [wire.manyParameters, body.hasTag],
    faults.namesNull,
  ),
  conditional(
    'target-slash-in-query-other-case',
    'a slash in the query selects a deeper route, whose property reader ignores case',
    [wire.slashInQuery],
    faults.acceptsOtherCase,
  ),
  conditional(
    'target-encoded-path-charset-any-token',
    'an encoded path with a charset falls through to a catch-all that accepts any token',
    [wire.encodedPath, wire.charset],
    faults.acceptsAnyToken,
  ),
  conditional(
    'target-query-expect-truncated',
    'with a query and Expect, the body is repaired as if the connection had been cut',
    [wire.query, wire.expects],
    faults.acceptsTruncated,
  ),
  conditional(
    'target-host-without-port-cookie-large-unguarded',
    'a Host without a port, a cookie and more than 1 KiB pass as the front end on the same machine',
    [wire.hostWithoutPort, wire.cookie, body.over1024],
    faults.unguarded,
  ),
];
