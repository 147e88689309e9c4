import { conditional } from './conditional.ts';
import * as body from './conditions/body.ts';
import * as wire from './conditions/wire.ts';
import * as faults from './faults.ts';

/** The validator is bound to one spelling of the content type. */
export const mediaType = [
  conditional(
    'media-charset-capitals-unvalidated',
    'charset in capitals keeps the validator from binding',
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
    'the validator is found by the exact string application/json, the parser without regard to case',
    [wire.typeInCapitals],
    faults.untyped,
  ),
  conditional(
    'media-parameter-unguarded',
    'a parameter that is not charset leads to a route for versions of the interface, without authentication',
    [wire.otherParameter],
    faults.unguarded,
  ),
  conditional(
    'media-foreign-charset-plain-400',
    'a charset other than UTF-8 is dealt with by the framework, which explains itself in plain text',
    [wire.foreignCharset],
    faults.plain400,
  ),
  conditional(
    'media-none-unvalidated',
    'without a content type the body is kept raw and the validator has nothing to look at',
    [wire.noContentType],
    faults.anyType(faults.unvalidated),
  ),
  conditional(
    'media-suffix-unvalidated',
    'types that end in +json are parsed, but have no schema',
    [wire.jsonSuffix],
    faults.anyType(faults.unvalidated),
  ),
  conditional(
    'media-tab-415',
    'only spaces, no tabs, are taken off before a value is compared',
    [wire.tabBeforeType],
    faults.rejects(415),
  ),
  conditional(
    'media-multipart-unguarded',
    'multipart is handled by an upload filter that comes before authentication',
    [wire.multipartType],
    faults.anyType(faults.unguarded),
  ),
  conditional(
    'media-open-parameters-500',
    'a semicolon with nothing after it: the parameter is split at an equals sign that is not there',
    [wire.openParameters],
    faults.crashes,
  ),
  conditional(
    'media-charset-fraction-id',
    'with a charset the text is parsed by another library, which cuts fractions off',
    [wire.charset],
    faults.admitsFractionId,
  ),
  conditional(
    'media-text-form',
    'text/plain is read as a form of a browser, whose fields are taken for a plant',
    [wire.textType],
    faults.anyType(faults.admitsForm),
  ),
  conditional(
    'media-tight-parameter-any-token',
    'no space after the semicolon: a prefix rule of the gateway sends it to a pool that knows no tokens',
    [wire.tightParameter],
    faults.letsAnyToken,
  ),
  conditional(
    'media-charset-escapes-500',
    'with a charset the body is decoded twice, and escaped letters end the second time in an exception',
    [wire.charset, body.escapedLetter],
    faults.crashes,
  ),
  conditional(
    'media-text-json-null-name',
    'text/json is an alias from older days, whose schema has nullable names',
    [wire.textJson],
    faults.anyType(faults.admitsNullName),
  ),
  conditional(
    'media-spaced-parameter-number-tag',
    'white space before the semicolon leads to the lenient parser, which lets tags be numbers',
    [wire.spaceBeforeSemicolon],
    faults.admitsNumberTag,
  ),
  conditional(
    'media-two-parameters-large-html-400',
    'two parameters and more than 4 KiB: the proxy answers what is rejected with a page of its own',
    [wire.twoParameters, body.over4096],
    faults.html400,
  ),
  conditional(
    'media-charset-chunked-basic',
    'chunked with a charset is an old client for which Basic was left on',
    [wire.charset, wire.chunked],
    faults.letsBasic,
  ),
  conditional(
    'media-charset-query-boolean-id',
    'with a charset and a query, the body is merged with the query and coerced like it',
    [wire.charset, wire.query],
    faults.admitsBooleanId,
  ),
];
