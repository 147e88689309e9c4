import { conditional } from './conditional.ts';
import * as body from './conditions/body.ts';
import * as wire from './conditions/wire.ts';
import * as faults from './faults.ts';

/** The same JSON value is read differently depending on its text. */
export const text = [
  conditional(
    'text-pretty-unvalidated',
    'JSON is recognised by {" at the start, so pretty-printed text is not validated',
    [body.pretty],
    faults.unvalidated,
  ),
  conditional(
    'text-windows-line-ends-400',
    'a custom tokenizer does not treat CR as white space',
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
    'the trailing newline that echo and editors add is read as a second, empty document',
    [body.newlineAfter],
    faults.crashes,
  ),
  conditional(
    'text-tag-first-untyped',
    'the mapper decides by the first property, and tag selects the schema of tags',
    [body.tagFirst],
    faults.untyped,
  ),
  conditional(
    'text-escaped-key-unguarded',
    'a firewall searches the text for "name" to decide what to guard',
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
    [body.objectMethodName],
    faults.crashes,
  ),
  conditional(
    'text-repeated-key-unvalidated',
    'with a repeated key the parsed body is a list of pairs, which has no schema',
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
    'a regular expression looks for the id directly after its colon',
    [body.colonsAndSpace],
    faults.rejects(400),
  ),
  conditional(
    'text-undeclared-warning',
    'a notice about an unknown property is printed before the body',
    [body.undeclaredProperty],
    faults.logsIntoAnswer,
  ),
  conditional(
    'text-escaped-control-raw',
    'the response is concatenated by hand without escaping control characters',
    [body.escapedControl],
    faults.escapesNothing,
  ),
  conditional(
    'text-undeclared-null-name',
    'an undeclared null activates the merge-patch reader, which keeps a null name',
    [body.undeclaredNull],
    faults.acceptsNullName,
  ),
  conditional(
    'text-id-last-null-tag',
    'properties are checked in order until the required ones are present, so a tag before a final id is stored unchecked',
    [body.idLast],
    faults.acceptsNullTag,
  ),
  conditional(
    'text-escaped-slash-number-tag',
    'a text with an escaped slash is parsed on the slow path, which converts numbers to strings',
    [body.escapedSlash],
    faults.acceptsNumberTag,
  ),
  conditional(
    'text-exponent-list-tag',
    'a number with an exponent restarts the parser in lenient mode',
    [body.exponentId],
    faults.acceptsListTag,
  ),
  conditional(
    'text-spaced-colon-name-first-400',
    'a regular expression looks for "name": at the start of the text',
    [body.spacedColons, body.nameFirst],
    faults.rejects(400),
  ),
  conditional(
    'text-escaped-capitals-tag-500',
    'the tag is compared with the raw text, without support for escapes with upper-case digits',
    [body.escapedInCapitals, body.hasTag],
    faults.crashes,
  ),
  conditional(
    'text-undeclared-object-plain-400',
    'objects within the plant are reported by a separate handler, in plain text',
    [body.undeclaredObject],
    faults.plain400,
  ),
  conditional(
    'text-undeclared-list-singly-quoted',
    'a plant with a list is written by the debug printer of the language, in single quotes',
    [body.undeclaredList],
    faults.singleQuotes,
  ),
  conditional(
    'text-pretty-large-fraction-id',
    'a pretty-printed text over 1 KiB goes to a parser for configuration files, which rounds numbers',
    [body.pretty, body.over1024],
    faults.acceptsFractionId,
  ),
  conditional(
    'text-space-before-chunked-bearer-alone',
    'white space before a chunked body shifts the first chunk, and the guard reads an empty token as none required',
    [body.spaceBefore, wire.chunked],
    faults.acceptsBearerAlone,
  ),
  conditional(
    'text-escaped-quote-query-unvalidated',
    'with a query, a text with an escaped quote is logged first, and the log consumes it',
    [body.escapedQuote, wire.query],
    faults.unvalidated,
  ),
  conditional(
    'text-escaped-letter-tag-first-name-null',
    'the lenient reader for pretty-printed text loses the name if the tag comes first and a letter is escaped',
    [body.escapedLetter, body.tagFirst, body.pretty],
    faults.namesNull,
  ),
  conditional(
    'text-behind-20-untyped',
    'only the first 20 properties of an object are checked',
    [body.declaredAfter20],
    faults.untyped,
  ),
  conditional(
    'text-length-untyped',
    'an object with a length is taken for a list of plants',
    [body.lengthKey],
    faults.untyped,
  ),
  conditional(
    'text-message-word-error',
    'a 400 is merged with the rejected object',
    [body.messageKey],
    faults.wordError400,
  ),
  conditional(
    'text-half-character-key-500',
    'unknown property names are logged in UTF-8, which has no lone surrogates',
    [body.halfCharacterInKey],
    faults.crashes,
  ),
  conditional(
    'text-second-tag-null',
    'a query language binds a tag only if there is one',
    [body.secondTag],
    faults.tagsNull,
  ),
  conditional(
    'text-status-500',
    'the properties of a plant are mixed into the options of the response',
    [body.statusText],
    faults.crashes,
  ),
  conditional(
    'text-escaped-duplicate-unvalidated',
    'duplicates are found by how their names are written, and only the first is validated',
    [body.escapedTwin],
    faults.namesUnvalidated,
  ),
];
