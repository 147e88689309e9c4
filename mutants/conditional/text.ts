import { conditional } from './conditional.ts';
import * as body from './conditions/body.ts';
import * as wire from './conditions/wire.ts';
import * as faults from './faults.ts';

/** One JSON value, and two readings of its text. */
export const text = [
  conditional(
    'text-pretty-unvalidated',
    'a quick look for {" at the start tells JSON from other text; what is pretty is not validated',
    [body.pretty],
    faults.unvalidated,
  ),
  conditional(
    'text-windows-line-ends-400',
    'CR is no white space to a tokenizer of its own',
    [body.lineEndsOfWindows],
    faults.rejects(400),
  ),
  conditional(
    'text-tabs-400',
    'a tab between tokens is rejected as a control character',
    [body.indentedByTabs],
    faults.rejects(400),
  ),
  conditional(
    'text-newline-after-500',
    'the newline that echo and editors leave at the end is read as a second, empty document',
    [body.newlineAfter],
    faults.crashes,
  ),
  conditional(
    'text-tag-first-untyped',
    'the mapper decides by the first property, and tag leads it to the schema of tags',
    [body.tagFirst],
    faults.untyped,
  ),
  conditional(
    'text-escaped-key-unguarded',
    'a firewall looks for "name" in the text to know what to guard',
    [body.escapedKey],
    faults.unguarded,
  ),
  conditional(
    'text-escaped-pair-500',
    'surrogates are decoded one by one',
    [body.escapedPair],
    faults.crashes,
  ),
  conditional(
    'text-objects-own-name-500',
    'an undeclared property hides a method of the object that the store calls',
    [body.objectsOwnName],
    faults.crashes,
  ),
  conditional(
    'text-repeated-key-unvalidated',
    'with a key that comes twice, the parsed body is a list of pairs, which has no schema',
    [body.repeatedKey],
    faults.unvalidated,
  ),
  conditional(
    'text-deep-500',
    'an undeclared value of more than 20 levels is too deep for the mapper',
    [body.deep],
    faults.crashes,
  ),
  conditional('text-empty-key-closes', 'an empty key crashes the worker', [body.emptyKey], faults.closes),
  conditional(
    'text-colon-and-space-400',
    'a regular expression looks for the id right after its colon',
    [body.colonsAndSpace],
    faults.rejects(400),
  ),
  conditional(
    'text-undeclared-warning',
    'a notice about an unknown property is printed in front of the answer',
    [body.undeclaredProperty],
    faults.logsIntoAnswer,
  ),
  conditional(
    'text-escaped-control-raw',
    'the answer is put together by hand, and control characters are not escaped in it',
    [body.escapedControl],
    faults.escapesNothing,
  ),
  conditional(
    'text-undeclared-null-name',
    'null in an undeclared property turns on the merge-patch reader, to which a null name is one to keep',
    [body.undeclaredNull],
    faults.admitsNullName,
  ),
  conditional(
    'text-id-last-null-tag',
    'properties are checked in order until the required ones are there; where the id comes last, the tag before it is stored unchecked',
    [body.idLast],
    faults.admitsNullTag,
  ),
  conditional(
    'text-escaped-slash-number-tag',
    'a text with an escaped slash is parsed by the slow path, which makes strings of numbers',
    [body.escapedSlash],
    faults.admitsNumberTag,
  ),
  conditional(
    'text-exponent-list-tag',
    'a number with an exponent makes the parser start anew in the lenient mode',
    [body.exponentId],
    faults.admitsListTag,
  ),
  conditional(
    'text-spaced-colon-name-first-400',
    'a regular expression looks for "name": at the start of a text',
    [body.spacedColons, body.nameFirst],
    faults.rejects(400),
  ),
  conditional(
    'text-escaped-capitals-tag-500',
    'the tag is compared with the raw text, where escapes with capital digits are not expected',
    [body.escapedInCapitals, body.hasTag],
    faults.crashes,
  ),
  conditional(
    'text-undeclared-object-plain-400',
    'objects within the plant are reported by a handler of their own, in plain text',
    [body.undeclaredObject],
    faults.plain400,
  ),
  conditional(
    'text-undeclared-list-singly-quoted',
    'a plant with a list is written back with the printer of the language, in single quotes',
    [body.undeclaredList],
    faults.singleQuotes,
  ),
  conditional(
    'text-pretty-large-fraction-id',
    'a pretty text over 1 KiB goes to the parser for configuration files, in which numbers are rounded',
    [body.pretty, body.over1024],
    faults.admitsFractionId,
  ),
  conditional(
    'text-space-before-chunked-bearer-alone',
    'white space before a chunked body shifts the first chunk, and the guard reads an empty token as none needed',
    [body.spaceBefore, wire.chunked],
    faults.letsBearerAlone,
  ),
  conditional(
    'text-escaped-quote-query-unvalidated',
    'with a query, a text with an escaped quote is logged first, and the log consumes it',
    [body.escapedQuote, wire.query],
    faults.unvalidated,
  ),
  conditional(
    'text-escaped-letter-tag-first-name-null',
    'the tolerant reader for pretty text loses the name where a tag came first and a letter is escaped',
    [body.escapedLetter, body.tagFirst, body.pretty],
    faults.namesNull,
  ),
];
