import { conditional } from './conditional.ts';
import * as body from './conditions/body.ts';
import * as wire from './conditions/wire.ts';
import * as faults from './faults.ts';

/** Responses depend on Accept, Accept-Encoding and the like. */
export const accept = [
  conditional(
    'accept-none-no-type',
    'without Accept, content negotiation finds no media type and omits Content-Type',
    [wire.acceptsNothing],
    faults.untagsType,
  ),
  conditional(
    'accept-browser-html',
    'a client that prefers text/html gets a page although it also accepts JSON',
    [wire.acceptsHtmlFirst],
    faults.answersHtml,
  ),
  conditional(
    'accept-xml-unguarded',
    'a client that also accepts XML is routed to the old interface, which does not authenticate',
    [wire.acceptsXmlToo],
    faults.unguarded,
  ),
  conditional(
    'accept-java-star-500',
    'the bare * that Java clients send is split at a slash it does not contain',
    [wire.acceptsBareStar],
    faults.crashes,
  ),
  conditional(
    'accept-problem-400',
    'a client that accepts application/problem+json gets problem details instead of an Error',
    [wire.acceptsProblem],
    faults.problem400,
  ),
  conditional(
    'accept-json-api-wrapped',
    'a vendor type in Accept wraps every response in data and attributes',
    [wire.acceptsJsonApi],
    faults.wraps,
  ),
  conditional(
    'accept-go-gzip-silent',
    'with Accept-Encoding: gzip, a layer compresses the body without setting Content-Encoding',
    [wire.gzipAlone],
    faults.compressesSilently,
  ),
  conditional(
    'accept-deflate-as-gzip',
    'if br is accepted, raw deflate is sent and labelled gzip',
    [wire.brotli],
    faults.compressesAs('gzip'),
  ),
  conditional(
    'accept-star-coding-truncated',
    'if every coding is accepted, gzip is sent without its last block',
    [wire.starCoding],
    faults.truncatesCompressed,
  ),
  conditional(
    'accept-charset-utf16',
    'any Accept-Charset activates an encoder that writes UTF-16',
    [wire.acceptsCharset],
    faults.inUtf16,
  ),
  conditional(
    'accept-axios-no-tag-type',
    'the axios preset answers with tag null if there is no tag',
    [wire.acceptsTextToo, body.noTag],
    faults.tagsNull,
  ),
  conditional(
    'accept-xml-tag-answers-xml',
    'the old interface answers plants with a tag in XML if the client also accepts XML',
    [wire.acceptsXmlToo, body.hasTag],
    faults.answersXml,
  ),
  conditional(
    'accept-gzip-multi-byte-cut',
    'the length for compression is counted in characters but used to truncate bytes',
    [wire.anyCoding, body.beyondAscii],
    faults.countsCharacters,
  ),
  conditional(
    'accept-identity-astral-cesu',
    'uncompressed responses come from a Java encoder that writes CESU-8',
    [wire.identityAlone, body.astral],
    faults.inCesu,
  ),
  conditional(
    'accept-quality-no-id',
    'a quality value in Accept selects version 2 of the interface, which assigns the id itself',
    [wire.acceptsWithQuality],
    faults.acceptsNoId,
  ),
  conditional(
    'accept-json-parameter-half-token',
    'a parameter of application/json in Accept selects a handler that compares only half of the token',
    [wire.acceptsJsonWithParameter],
    faults.acceptsHalfToken,
  ),
  conditional(
    'accept-latin1-accents',
    'a client that accepts ISO 8859-1 gets accents in it, but the content type does not say so',
    [wire.acceptsLatin1, body.accented],
    faults.inLatin1,
  ),
  conditional(
    'accept-any-application-list',
    'a client that accepts application/* gets the plant as a list',
    [wire.acceptsAnyApplication],
    faults.lists,
  ),
  conditional(
    'accept-languages-charset-word-error',
    'Accept-Language together with a charset also translates the error code',
    [wire.acceptsLanguages, wire.charset],
    faults.wordError400,
  ),
  conditional(
    'accept-javascript-query-callback',
    'Accept with a JavaScript type and a callback in the query yield JSONP',
    [wire.acceptsJsonp, wire.callbackInQuery],
    faults.callsBack,
  ),
  conditional(
    'accept-gzip-large-chunked-silent',
    'the streamed response to a large chunked request is compressed without Content-Encoding',
    [wire.anyCoding, body.over4096, wire.chunked],
    faults.compressesSilently,
  ),
  conditional(
    'accept-browser-cookie-missing',
    'a browser with a cookie is assumed to be logged in',
    [wire.acceptsHtmlFirst, wire.cookie],
    faults.acceptsMissingToken,
  ),
  conditional(
    'accept-odd-language-400-as-500',
    'messages are translated, and an invalid language tag has no formatter',
    [wire.acceptsOddLanguage],
    faults.crashesOnInvalid,
  ),
  conditional(
    'accept-latin1-name-in-latin1',
    'if Accept-Charset allows Latin-1, it is used where it suffices, but the content type does not say so',
    [wire.acceptsLatin1, body.latin1Name],
    faults.inLatin1,
  ),
];
