import { conditional } from './conditional.ts';
import * as body from './conditions/body.ts';
import * as wire from './conditions/wire.ts';
import * as faults from './faults.ts';

/** A value selects another code path. */
export const values = [
  conditional(
    'values-apostrophe-500',
    'the name is concatenated into an SQL statement',
    [body.apostrophe],
    faults.crashes,
  ),
  conditional(
    'values-long-name-422',
    'the database column limits the name to 32 characters',
    [body.longName],
    faults.rejects(422),
  ),
  conditional(
    'values-empty-name-unguarded',
    'a plant with an empty name is a draft, and drafts need no login',
    [body.emptyName],
    faults.unguarded,
  ),
  conditional('values-over-32-bits-500', 'the id is stored in 32 bits', [body.over32Bits], faults.crashes),
  conditional(
    'values-negative-id-unvalidated',
    'a negative id marks test data, which is not validated',
    [body.negativeId],
    faults.unvalidated,
  ),
  conditional(
    'values-decomposed-name-null',
    'a name that changes under normalisation gets lost',
    [body.decomposed],
    faults.namesNull,
  ),
  conditional(
    'values-zero-character-cut',
    'the response goes through a C library, where a NUL ends the text and the process',
    [body.zeroCharacter],
    faults.closes,
  ),
  conditional(
    'values-line-separator-twice',
    'a line separator in the name ends the response, which is then written again',
    [body.lineSeparator],
    faults.twice,
  ),
  conditional(
    'values-astral-cesu',
    'characters beyond 16 bits are written as the two halves of a surrogate pair',
    [body.astral],
    faults.inCesu,
  ),
  conditional(
    'values-tenfold-id-502',
    'the shard for ids divisible by ten is down',
    [body.tenfold],
    faults.badGateway,
  ),
  conditional(
    'values-word-name-empty',
    'names such as null and true are read as keywords of the language',
    [body.wordName],
    faults.answersEmptyObject,
  ),
  conditional(
    'values-template-500',
    'the name is rendered by a template engine',
    [body.templated],
    faults.crashes,
  ),
  conditional('values-zero-id-500', 'the id 0 is falsy and therefore missing', [body.zeroId], faults.crashes),
  conditional(
    'values-empty-tag-null',
    'the database stores an empty tag as null, and null is answered',
    [body.emptyTag],
    faults.tagsNull,
  ),
  conditional(
    'values-over-53-bits-number-tag',
    'ids that no double can represent are read by a second parser, which reads every scalar as a string',
    [body.over53Bits],
    faults.acceptsNumberTag,
  ),
  conditional(
    'values-tag-boolean-id',
    'with a tag the plant is read as a table row, in which true is 1',
    [body.hasTag],
    faults.acceptsBooleanId,
  ),
  conditional(
    'values-right-to-left-html-400',
    'a right-to-left name changes the layout of the error page, and only the page is sent',
    [body.rightToLeft],
    faults.html400,
  ),
  conditional(
    'values-lower-case-no-tag-422',
    'lower-case names without a tag are read as search keywords',
    [body.lowerCaseName, body.noTag],
    faults.rejects(422),
  ),
  conditional(
    'values-chinese-query-cut',
    'with a query the response is buffered, and its length counted in characters',
    [body.chineseName, wire.query],
    faults.countsCharacters,
  ),
  conditional(
    'values-long-tag-other-scheme',
    'plants with long tags are handled by a service that ignores the scheme',
    [body.longTag],
    faults.acceptsOtherScheme,
  ),
  conditional(
    'values-hyphen-digit-403',
    'a hyphen and a trailing digit look like an attack to the firewall',
    [body.hyphen, body.digitAtEnd],
    faults.rejects(403),
  ),
  conditional(
    'values-over-31-bits-chunked-null-tag',
    'chunked plants with large ids go through the importer, where tag is nullable',
    [body.over31Bits, wire.chunked],
    faults.acceptsNullTag,
  ),
  conditional(
    'values-apostrophe-tag-name-first-400',
    'a name before the id is quoted twice if it contains an apostrophe, and then does not fit beside a tag',
    [body.apostrophe, body.hasTag, body.nameFirst],
    faults.rejects(400),
  ),
  conditional(
    'values-markup-accept-html',
    'markup in a name is rendered if a page is accepted and a query asks for a preview',
    [body.markup, wire.acceptsHtmlFirst, wire.query],
    faults.answersHtml,
  ),
  conditional(
    'values-emoji-gzip-chunked-cut',
    'chunked, compressible responses with emoji are one byte short for each half of a surrogate pair',
    [body.astral, wire.anyCoding, wire.chunked],
    faults.countsCharacters,
  ),
];
