import { conditional } from './conditional.ts';
import * as body from './conditions/body.ts';
import * as wire from './conditions/wire.ts';
import * as faults from './faults.ts';

/** The validator is bound to one spelling of the content type. */
export const mediaType = [
  conditional(
    'media-charset-capitals-unvalidated',
    'an upper-case charset keeps the validator from binding',
    [wire.charsetInCapitals],
    faults.unvalidated,
  ),
  conditional(
    'media-charset-quoted-500',
    'a quoted charset reaches the decoder with its quotes and is unknown there',
    [wire.charsetQuoted],
    faults.crashes,
  ),
  conditional(
    'media-type-capitals-unvalidated',
    'the validator matches exactly application/json, the parser ignores case',
    [wire.typeInCapitals],
    faults.untyped,
  ),
  conditional(
    'media-parameter-unguarded',
    'a parameter other than charset selects a versioned route without authentication',
    [wire.otherParameter],
    faults.unguarded,
  ),
  conditional(
    'media-foreign-charset-plain-400',
    'the framework rejects a charset other than UTF-8 in plain text',
    [wire.foreignCharset],
    faults.plain400,
  ),
  conditional(
    'media-none-unvalidated',
    'without a content type the body stays raw, and the validator has nothing to check',
    [wire.noContentType],
    faults.anyType(faults.unvalidated),
  ),
  conditional(
    'media-suffix-unvalidated',
    'types that end in +json are parsed but have no schema',
    [wire.jsonSuffix],
    faults.anyType(faults.unvalidated),
  ),
  conditional(
    'media-multipart-unguarded',
    'multipart is handled by an upload filter that precedes authentication',
    [wire.multipartType],
    faults.anyType(faults.unguarded),
  ),
  conditional(
    'media-open-parameters-500',
    'after a trailing semicolon, the parameter is split at an equals sign it does not contain',
    [wire.openParameters],
    faults.crashes,
  ),
  conditional(
    'media-charset-fraction-id',
    'with a charset the text is parsed by another library, which truncates fractions',
    [wire.charset],
    faults.acceptsFractionId,
  ),
  conditional(
    'media-text-form',
    'text/plain is read as a browser form, whose fields become a plant',
    [wire.textType],
    faults.anyType(faults.acceptsForm),
  ),
  conditional(
    'media-tight-parameter-any-token',
    'without a space after the semicolon, a prefix rule of the gateway selects a pool that knows no tokens',
    [wire.tightParameter],
    faults.acceptsAnyToken,
  ),
  conditional(
    'media-charset-escapes-500',
    'with a charset the body is decoded twice, and escaped letters raise an exception the second time',
    [wire.charset, body.escapedLetter],
    faults.crashes,
  ),
  conditional(
    'media-text-json-null-name',
    'text/json is a legacy alias whose schema has a nullable name',
    [wire.textJson],
    faults.anyType(faults.acceptsNullName),
  ),
  conditional(
    'media-spaced-parameter-number-tag',
    'white space before the semicolon selects a lenient parser, which accepts numbers as tags',
    [wire.spaceBeforeSemicolon],
    faults.acceptsNumberTag,
  ),
  conditional(
    'media-two-parameters-large-html-400',
    'with two parameters and more than 4 KiB, the proxy rejects with a page of its own',
    [wire.twoParameters, body.over4096],
    faults.html400,
  ),
  conditional(
    'media-charset-chunked-basic',
    'chunked with a charset passes as a legacy client for which Basic was left enabled',
    [wire.charset, wire.chunked],
    faults.acceptsBasic,
  ),
  conditional(
    'media-charset-query-boolean-id',
    'with a charset and a query, the body is merged with the query and coerced like it',
    [wire.charset, wire.query],
    faults.acceptsBooleanId,
  ),
];
