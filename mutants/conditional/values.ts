import { conditional } from './conditional.ts';
import * as body from './conditions/body.ts';
import * as wire from './conditions/wire.ts';
import * as faults from './faults.ts';

/** A value leads another way. */
export const values = [
  conditional(
    'values-apostrophe-500',
    'the name is pasted into a statement between apostrophes',
    [body.apostrophe],
    faults.crashes,
  ),
  conditional(
    'values-long-name-422',
    'a column of 32 characters limits the name, of which the interface says nothing',
    [body.longName],
    faults.rejects(422),
  ),
  conditional(
    'values-empty-name-unguarded',
    'a plant without a name to speak of is a draft, and drafts need no login',
    [body.emptyName],
    faults.unguarded,
  ),
  conditional('values-over-32-bits-500', 'the id is put into 32 bits', [body.over32Bits], faults.crashes),
  conditional(
    'values-negative-id-unvalidated',
    'a negative id is one of the test data, which are not validated',
    [body.negativeId],
    faults.unvalidated,
  ),
  conditional(
    'values-decomposed-name-null',
    'a name that changes when it is normalised is lost on the way',
    [body.decomposed],
    faults.namesNull,
  ),
  conditional(
    'values-zero-character-cut',
    'the answer goes through a library of C, where the text ends at a NUL and the process with it',
    [body.zeroCharacter],
    faults.closes,
  ),
  conditional(
    'values-line-separator-twice',
    'a line separator in the name ends the answer, which is then written again',
    [body.lineSeparator],
    faults.twice,
  ),
  conditional(
    'values-astral-cesu',
    'characters beyond 16 bits are written as the two halves of a pair',
    [body.astral],
    faults.inCesu,
  ),
  conditional(
    'values-tenfold-id-502',
    'the shard for ids that ten divides is down',
    [body.tenfold],
    faults.badGateway,
  ),
  conditional(
    'values-word-name-empty',
    'names such as null and true are taken for the word of the language',
    [body.wordName],
    faults.saysEmpty,
  ),
  conditional(
    'values-template-500',
    'the name is run through a template engine',
    [body.templated],
    faults.crashes,
  ),
  conditional('values-zero-id-500', 'the id 0 is false, and so is not there', [body.zeroId], faults.crashes),
  conditional(
    'values-empty-tag-null',
    'the database keeps an empty tag as null, and null is answered',
    [body.emptyTag],
    faults.tagsNull,
  ),
  conditional(
    'values-over-53-bits-number-tag',
    'ids that no double holds are read by a second parser, to which every scalar is a string',
    [body.over53Bits],
    faults.admitsNumberTag,
  ),
  conditional(
    'values-tag-boolean-id',
    'with a tag the plant is read as a row of a table, in which true is 1',
    [body.hasTag],
    faults.admitsBooleanId,
  ),
  conditional(
    'values-right-to-left-html-400',
    'a name from right to left changes the page of errors, and the page is all there is',
    [body.rightToLeft],
    faults.html400,
  ),
  conditional(
    'values-lower-case-no-tag-422',
    'names in small letters without a tag are taken for keywords of a search',
    [body.lowerCaseName, body.noTag],
    faults.rejects(422),
  ),
  conditional(
    'values-chinese-query-cut',
    'with a query the answer is buffered, and its length counted in characters',
    [body.chineseName, wire.query],
    faults.countsCharacters,
  ),
  conditional(
    'values-long-tag-other-scheme',
    'plants with long tags are answered by a service that looks at no scheme',
    [body.longTag],
    faults.letsOtherScheme,
  ),
  conditional(
    'values-hyphen-digit-403',
    'a hyphen and a digit at the end look like an attack to the firewall',
    [body.hyphen, body.digitAtEnd],
    faults.rejects(403),
  ),
  conditional(
    'values-over-31-bits-chunked-null-tag',
    'chunked plants with wide ids go through the importer, in which tags are nullable',
    [body.over31Bits, wire.chunked],
    faults.admitsNullTag,
  ),
  conditional(
    'values-apostrophe-tag-name-first-400',
    'a name before the id is quoted twice where it has an apostrophe, and does not fit beside a tag',
    [body.apostrophe, body.hasTag, body.nameFirst],
    faults.rejects(400),
  ),
  conditional(
    'values-markup-accept-html',
    'markup in a name is rendered where a page is accepted, in a query for a preview',
    [body.markup, wire.acceptsHtmlFirst, wire.query],
    faults.answersHtml,
  ),
  conditional(
    'values-emoji-gzip-chunked-cut',
    'streamed, compressible answers with emoji are one byte short for each half of a pair',
    [body.astral, wire.anyCoding, wire.chunked],
    faults.countsCharacters,
  ),
];
