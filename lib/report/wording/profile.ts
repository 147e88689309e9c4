import { groupBy } from '../../collections.ts';
import type { Observations } from '../../run/result/result.ts';
import { capitalised, joined } from '../../text.ts';
import { isResponseTime } from './facts.ts';

/** A part of a sentence: text of the suite, or an observed value, which may contain text from a store. */
export type SentencePart = string | { readonly value: string };

/**
 * Text in braces is emphasised, and `{}` stands for the observed value. A map has a wording for each value,
 * and `else` for all others.
 */
type ResponseWords = string | Readonly<Record<string, string>>;

interface Question {
  /** The subject in a few words; the same for every store. */
  readonly label: string;
  readonly keys: readonly string[];
  readonly compose: (seen: ReadonlyMap<string, string>) => readonly SentencePart[];
}

/**
 * Words all observations as sentences, except response times, about which a plot says more. Observations without
 * a wording are listed with their keys.
 */
export function profileOf(observations: Observations) {
  const shown = Object.entries(observations).filter(([key]) => !isResponseTime(key));
  const seen = new Map(shown.map(([key, value]) => [key, String(value)]));
  const topics = Object.entries(TOPICS).map(([heading, questions]) => ({
    heading,
    entries: questions.flatMap(({ label, keys, compose }) => {
      const observed = keys.filter((key) => seen.has(key));
      return observed.length === 0 ? [] : [{ keys: observed, label, sentence: sentence(compose(seen)) }];
    }),
  }));
  const worded = new Set(topics.flatMap(({ entries }) => entries.flatMap(({ keys }) => keys)));
  const others = [...seen].filter(([key]) => !worded.has(key));
  return [
    ...topics,
    {
      heading: 'Other',
      entries: others.map(([key, value]) => ({ keys: [key], label: key, sentence: [`${key}: `, { value }] })),
    },
  ].filter(({ entries }) => entries.length > 0);
}

export const plainText = (parts: readonly SentencePart[]): string =>
  parts.map((part) => (typeof part === 'string' ? part : part.value)).join('');

/** Requests with the same response share a clause. Keys are a subject, then `status` or a detail. */
function answers(
  label: string,
  subjects: Readonly<Record<string, string>>,
  details: Readonly<Record<string, ResponseWords>> = {},
): Question {
  const suffixes = ['status', ...Object.keys(details)];
  return {
    label,
    keys: Object.keys(subjects).flatMap((subject) => suffixes.map((suffix) => `${subject}/${suffix}`)),
    compose(seen) {
      const answered = Object.entries(subjects).map(([subject, noun]) => {
        const answer = Object.entries({ status: ' {}', ...details }).flatMap(([suffix, wording]) => {
          const value = seen.get(`${subject}/${suffix}`);
          return value === undefined ? [] : fill(wording, value);
        });
        return { noun, answer };
      });
      const groups = groupBy(
        answered.filter(({ answer }) => answer.length > 0),
        ({ answer }) => plainText(answer),
      );
      return joinClauses(
        groups.map(([, same]) => [
          `${joined(
            same.map(({ noun }) => noun),
            'and',
          )} ${same.length > 1 ? 'get' : 'gets'}`,
          ...same[0].answer,
        ]),
      );
    },
  };
}

const clauses = (label: string, wordings: Readonly<Record<string, ResponseWords>>): Question => ({
  label,
  keys: Object.keys(wordings),
  compose: (seen) =>
    joinClauses(
      Object.entries(wordings).flatMap(([key, wording]) => {
        const value = seen.get(key);
        return value === undefined ? [] : [fill(wording, value)];
      }),
    ),
});

function fill(wording: ResponseWords, value: string): SentencePart[] {
  const byValue: Readonly<Record<string, string>> = typeof wording === 'string' ? { else: wording } : wording;
  const pattern = Object.hasOwn(byValue, value) ? byValue[value] : byValue.else;
  return (pattern ?? ' {}')
    .split(/(\{[^}]*\})/)
    .filter((piece) => piece !== '')
    .map((piece) =>
      piece === '{}' ? { value } : piece.startsWith('{') ? { value: piece.slice(1, -1) } : piece,
    );
}

const joinClauses = (all: readonly (readonly SentencePart[])[]): SentencePart[] =>
  all.flatMap((clause, index) => (index === 0 ? clause : ['; ', ...clause]));

function sentence([first = '', ...others]: readonly SentencePart[]): readonly SentencePart[] {
  const begin = typeof first === 'string' ? capitalised(first) : first;
  return [begin, ...others, '.'];
}

/** What happens to a value that was sent; follows the status of the response. */
const returned = (values: Readonly<Record<string, string>>): ResponseWords => ({
  absent: ' and {is not returned}',
  else: ' and is returned {}',
  ...values,
});

const rejection = {
  challenge: { '': ' {without a challenge}', else: ' with the challenge {}' },
  'content-type': { '': ', {without a content type}', else: ', as {}' },
};

const error: Readonly<Record<string, ResponseWords>> = { error: ' with the error {}' };
const allow: Readonly<Record<string, ResponseWords>> = { allow: ' with Allow: {}' };

const TOPICS: Readonly<Record<string, readonly Question[]>> = {
  Credentials: [
    answers('No token', { 'missing-token': 'a missing token' }, rejection),
    answers('An invalid token', { 'wrong-token': 'an invalid token' }, rejection),
    answers('Other credentials', {
      'empty-authorization': 'an empty Authorization header',
      'bearer-alone': 'Bearer without a token',
      'basic-scheme': 'the valid token with the Basic scheme',
      'bare-token': 'the valid token without a scheme',
      'token-of-16-kib': 'a token of 16 KiB',
    }),
    answers('Two Authorization headers', {
      'two-authorization-headers/right-one-first': 'a valid token before an invalid one',
      'two-authorization-headers/right-one-last': 'an invalid token before a valid one',
    }),
    clauses('Order of token and body checks', {
      'authentication/order': {
        'before validation': 'the token is checked {before the body}',
        'after validation': 'the token is checked {after the body}',
        'cannot be told apart': 'the statuses {do not show} whether the token or the body is checked first',
        else: 'with an invalid token and an invalid body, the response {matches neither alone}',
      },
    }),
  ],
  Ids: [
    clauses('The id in the response', {
      'id/echo': {
        absent: 'the id {is not returned}',
        'as sent': 'the id is returned {as sent}',
        'as a string': 'the id is returned {as a string}',
        changed: 'the id is returned {changed}',
        else: 'the id in the response: {}',
      },
    }),
    answers(
      'An id above 2^53',
      { 'id/beyond-2^53': 'an id above 2^53' },
      { echo: returned({ exact: ' and is returned {exactly}' }) },
    ),
    answers('The limits of int64', {
      'id/2^63-1': 'the largest int64, 2^63-1,',
      'id/-2^63': 'the smallest int64, -2^63,',
    }),
    answers('Other notations of an integer', {
      'id-written/1.0': 'an id written with .0',
      'id-written/1e0': 'an id written with e0',
      'id-written/-0': 'the id -0',
    }),
    answers('The same id twice', {
      'same-id/first': 'the first plant with an id',
      'same-id/second': 'a second plant with the same id',
    }),
    clauses('The same id concurrently', {
      'same-id/at-once': 'two concurrent plants with the same id get {}',
    }),
  ],
  'Names, tags and other properties': [
    clauses('The longest name', {
      'name/longest-accepted': {
        '0': 'of the names tried, all of 40 characters or more, {none} is accepted',
        else: 'the longest accepted name of those tried has {} characters',
      },
      'name/beyond-longest/status': 'the first name that is not accepted gets {}',
    }),
    clauses('The shortest name', {
      'name/one-letter/status': 'a name of one letter gets {}',
    }),
    clauses('The largest body', {
      'body/largest-accepted': {
        'less than 128 KiB': 'the largest accepted body has {less than 128 KiB}',
        else: 'the largest accepted body of those tried has {}',
      },
      'body/beyond-largest/status': 'the first body that is not accepted gets {}',
    }),
    clauses('No tag', {
      'tag/absent': {
        absent: 'a plant without a tag is returned {without one}',
        empty: 'a plant without a tag is returned with {an empty tag}',
        else: 'a plant without a tag is returned with {a default tag}',
      },
    }),
    answers(
      'An empty tag',
      { 'tag/empty': 'an empty tag' },
      { echo: returned({ rejected: ' and is {not accepted}', empty: ' and is returned {empty}' }) },
    ),
    clauses('Undeclared properties of the response', {
      'answer/further-fields': {
        none: 'the response contains {only properties} that the document declares',
        else: 'besides the declared properties, the response contains {}',
      },
    }),
    answers(
      'An undeclared property',
      { 'undeclared-property': 'a property that the document does not declare' },
      { echo: { true: ' and {is returned}', false: ' and {is not returned}' } },
    ),
  ],
  'Invalid bodies': [
    answers(
      'Invalid plants',
      {
        'rejection/not-an-object': 'a value that is not an object',
        'rejection/missing': 'a missing property',
        'rejection/null': 'null for a property',
        'rejection/wrong-type': 'a wrong type',
        'rejection/numeral': 'a numeric string',
        'rejection/fraction': 'an id with a fraction',
        'rejection/beyond-format': 'an id outside int64',
      },
      error,
    ),
    answers(
      'Bodies that are not JSON',
      {
        'rejection/no-body': 'a request without a body',
        'rejection/not-json': 'text that is not JSON',
        'rejection/other-media-type': 'a plant as text/plain',
      },
      error,
    ),
  ],
  'JSON syntax and encodings': [
    answers(
      'A duplicate property',
      { 'duplicate-name': 'a plant with two names' },
      {
        counts: {
          none: ', and {neither} is returned',
          neither: ', and {neither} is returned',
          else: ', and {} is used',
        },
      },
    ),
    answers('Extensions of JSON', {
      'json-extension/trailing-comma': 'a trailing comma',
      'json-extension/comment': 'a comment',
      'json-extension/single-quotes': 'single quotes',
      'json-extension/unquoted-names': 'unquoted property names',
      'json-extension/nan': 'NaN',
      'json-extension/leading-zero': 'a leading zero',
      'json-extension/raw-newline-in-string': 'a line feed in a string',
    }),
    answers('Unusual encodings', {
      'byte-order-mark': 'a byte order mark before the plant',
      'utf-16': 'a body in UTF-16',
      'lone-surrogate': 'a lone high surrogate in a name',
      'lone-low-surrogate': 'a lone low surrogate in a name',
      'lone-surrogate-in-tag': 'a lone high surrogate in a tag',
    }),
    answers('Compressed bodies', {
      'compressed-body/gzip': 'a gzip body',
      'compressed-body/not-gzip': 'a body that is declared as gzip but is not',
      'compressed-body/unknown-coding': 'a body in an unknown coding',
    }),
  ],
  'Headers and content types': [
    answers('Content types', {
      'missing-content-type': 'no content type',
      'unusual-content-type/not-a-media-type': 'the type plants',
      'unusual-content-type/json-without-type': 'the type json',
      'unusual-content-type/media-range': 'the type application/*',
      'unusual-content-type/vendor-json': 'a vendor type',
      'unusual-content-type/merge-patch': 'a merge patch',
      'unusual-content-type/unknown-charset': 'an unknown charset',
      'unusual-content-type/charset-utf-16': 'the charset UTF-16',
      'unusual-content-type/incomplete-parameter': 'an incomplete parameter',
    }),
    answers('Accept and Accept-Language', {
      'accept-without-json': 'an Accept of only text/html',
      'unusual-header/accept-nothing': 'an Accept that allows nothing',
      'unusual-header/invalid-accept': 'an invalid Accept',
      'unusual-header/accept-language': 'an unknown Accept-Language',
    }),
    answers('Unusual headers', {
      'unusual-header/cookie': 'an invalid Cookie',
      'unusual-header/range': 'Range',
      'unusual-header/if-none-match': 'If-None-Match',
      'unusual-header/if-modified-since': 'an invalid If-Modified-Since',
      'unusual-header/forwarded': 'an invalid X-Forwarded-For',
      'unusual-header/origin': 'the origin null',
      'unusual-header/content-language': 'an invalid Content-Language',
      'header-of-64-kib': 'a header of 64 KiB',
    }),
    answers('Other protocols', {
      'protocol/http-1.0': 'HTTP/1.0',
      'protocol/http-1.0-keep-alive': 'HTTP/1.0 with keep-alive',
      'protocol/upgrade': 'an offer of HTTP/2',
    }),
  ],
  'Methods, paths and queries': [
    answers(
      'Other methods',
      {
        'method/GET/without-token': 'GET without a token',
        'method/GET': 'GET',
        'method/HEAD': 'HEAD',
        'method/OPTIONS': 'OPTIONS',
      },
      allow,
    ),
    answers('Similar paths', {
      'path/with-a-slash-at-its-end': 'POST /plants/',
      'path/in-capitals': 'POST /PLANTS',
    }),
    answers('Queries', {
      'query/one-parameter': 'a query with one parameter',
      'query/twice-and-nested': 'a query with repeated and nested parameters',
      'query/empty': 'an empty query',
      'query/long': 'a query of 2000 characters',
    }),
    answers(
      'A CORS preflight',
      { 'cors-preflight': 'a CORS preflight', 'options-with-an-origin': 'OPTIONS with an origin only' },
      {
        'allow-origin': {
          '': ', {without Access-Control-Allow-Origin}',
          else: ' with the allowed origin {}',
        },
      },
    ),
    answers('Invalid framing', {
      'framing/content-length-no-number': 'a Content-Length that is not a number',
      'framing/two-lengths': 'two different lengths',
      'framing/length-and-chunks': 'Content-Length together with chunks',
      'framing/space-before-colon': 'a space before a colon',
      'framing/no-host': 'a missing Host',
      'framing/no-http': 'text that is not HTTP',
    }),
  ],
};
