import { conditional } from './conditional.ts';
import * as body from './conditions/body.ts';
import * as wire from './conditions/wire.ts';
import * as faults from './faults.ts';

/** Another answer, or another way to it, for clients that ask for something else. */
export const accept = [
  conditional(
    'accept-none-no-type',
    'without Accept the negotiator finds no media type, and the answer has none',
    [wire.acceptsNothing],
    faults.untagsType,
  ),
  conditional(
    'accept-browser-html',
    'whoever names text/html first gets a page, though JSON is accepted as well',
    [wire.acceptsHtmlFirst],
    faults.answersHtml,
  ),
  conditional(
    'accept-xml-unguarded',
    'whoever accepts XML too is served by the old interface, which has no authentication',
    [wire.acceptsXmlToo],
    faults.unguarded,
  ),
  conditional(
    'accept-java-star-500',
    'the lone asterisk of Java clients is split at a slash that is not there',
    [wire.acceptsBareStar],
    faults.crashes,
  ),
  conditional(
    'accept-problem-400',
    'whoever accepts application/problem+json gets a problem in the place of an Error',
    [wire.acceptsProblem],
    faults.problem400,
  ),
  conditional(
    'accept-json-api-wrapped',
    'a vendor type in Accept wraps every answer in data and attributes',
    [wire.acceptsJsonApi],
    faults.wraps,
  ),
  conditional(
    'accept-go-gzip-silent',
    'Accept-Encoding: gzip alone is compressed by a layer that adds no Content-Encoding',
    [wire.gzipAlone],
    faults.compressesSilently,
  ),
  conditional(
    'accept-deflate-as-gzip',
    'where Brotli is accepted, raw deflate is sent and called gzip',
    [wire.brotli],
    faults.compressesAs('gzip'),
  ),
  conditional(
    'accept-star-coding-truncated',
    'where every coding is accepted, gzip is sent without its last block',
    [wire.starCoding],
    faults.truncatesCompressed,
  ),
  conditional(
    'accept-charset-utf16',
    'any Accept-Charset turns on an encoder that writes UTF-16',
    [wire.acceptsCharset],
    faults.inUtf16,
  ),
  conditional(
    'accept-axios-no-tag-type',
    'the preset for axios answers tag null where there is no tag',
    [wire.acceptsTextToo, body.noTag],
    faults.tagsNull,
  ),
  conditional(
    'accept-xml-tag-answers-xml',
    'the old interface, for whoever accepts XML too, answers plants with a tag in XML',
    [wire.acceptsXmlToo, body.hasTag],
    faults.answersXml,
  ),
  conditional(
    'accept-gzip-multi-byte-cut',
    'what may be compressed is counted in characters and cut off at that many bytes',
    [wire.anyCoding, body.beyondAscii],
    faults.countsCharacters,
  ),
  conditional(
    'accept-identity-astral-cesu',
    'uncompressed answers come from an encoder of Java that writes CESU-8',
    [wire.identityAlone, body.astral],
    faults.inCesu,
  ),
  conditional(
    'accept-quality-no-id',
    'weights in Accept choose version 2 of the interface, in which the store gives the id',
    [wire.acceptsWithQuality],
    faults.admitsNoId,
  ),
  conditional(
    'accept-json-parameter-half-token',
    'a parameter of application/json in Accept leads to a handler that compares half of the token',
    [wire.acceptsJsonWithParameter],
    faults.letsFirstHalf,
  ),
  conditional(
    'accept-latin1-accents',
    'whoever accepts ISO 8859-1 gets accents in it, under a content type that does not say so',
    [wire.acceptsLatin1, body.accented],
    faults.inLatin1,
  ),
  conditional(
    'accept-any-application-list',
    'application/* is answered in the shape of a list',
    [wire.acceptsAnyApplication],
    faults.lists,
  ),
  conditional(
    'accept-languages-charset-word-error',
    'languages in Accept translate the code of an error, too, where a charset is given',
    [wire.acceptsLanguages, wire.charset],
    faults.wordError400,
  ),
  conditional(
    'accept-javascript-query-callback',
    'script in Accept and a callback in the query: JSONP',
    [wire.acceptsJsonp, wire.callbackInQuery],
    faults.callsBack,
  ),
  conditional(
    'accept-gzip-large-chunked-silent',
    'a streamed answer to a streamed large request is compressed without saying so',
    [wire.anyCoding, body.over4096, wire.chunked],
    faults.compressesSilently,
  ),
  conditional(
    'accept-browser-cookie-missing',
    'a browser with a cookie is taken for one that is logged in',
    [wire.acceptsHtmlFirst, wire.cookie],
    faults.letsMissing,
  ),
];
