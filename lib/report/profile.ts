import type { Observations } from '../run/result.ts';

/** A piece of a sentence: words of the suite, or a value as it was observed, which may be a store's text. */
export type Part = string | { readonly value: string };

/** One question that the interface leaves open, and how the store answered it. */
export interface Entry {
  /** The observations that the sentence tells. */
  readonly keys: readonly string[];
  /** What was asked, in a few words: the same for every store. */
  readonly label: string;
  readonly sentence: readonly Part[];
}

export interface Topic {
  readonly heading: string;
  readonly entries: readonly Entry[];
}

/** How a value is told, `{}` for the value; where it depends on the value, by value, and `else` for the others. */
type Telling = string | Readonly<Record<string, string>>;

/** What is told of observations, each a string by its key; nothing where they are not there. */
interface Question {
  readonly label: string;
  readonly keys: readonly string[];
  readonly tell: (seen: ReadonlyMap<string, string>) => readonly Part[];
}

/** The observations in sentences. Every one is told: those that are not known here by their keys. */
export function profileOf(observations: Observations): readonly Topic[] {
  const seen = new Map(Object.entries(observations).map(([key, value]) => [key, String(value)]));
  const topics = Object.entries(TOPICS).map(([heading, questions]) => ({
    heading,
    entries: questions.flatMap(({ label, keys, tell }): Entry[] => {
      const own = keys.filter((key) => seen.has(key));
      return own.length === 0 ? [] : [{ keys: own, label, sentence: sentence(tell(seen)) }];
    }),
  }));
  const told = new Set(topics.flatMap(({ entries }) => entries.flatMap(({ keys }) => keys)));
  const others = [...seen].filter(([key]) => !told.has(key));
  return [
    ...topics,
    {
      heading: 'More',
      entries: others.map(([key, value]) => ({ keys: [key], label: key, sentence: [`${key}: `, { value }] })),
    },
  ].filter(({ entries }) => entries.length > 0);
}

/** A sentence without its marks. */
export const textOf = (parts: readonly Part[]): string =>
  parts.map((part) => (typeof part === 'string' ? part : part.value)).join('');

/** Things that were sent: what was answered alike is told together. `asides` tell of what else was noted. */
function answers(
  label: string,
  subjects: Readonly<Record<string, string>>,
  asides: Readonly<Record<string, Telling>> = {},
): Question {
  const suffixes = ['status', ...Object.keys(asides)];
  return {
    label,
    keys: Object.keys(subjects).flatMap((subject) => suffixes.map((suffix) => `${subject}/${suffix}`)),
    tell(seen) {
      const alike = new Map<string, { readonly nouns: string[]; readonly told: readonly Part[] }>();
      for (const [subject, noun] of Object.entries(subjects)) {
        const told = Object.entries({ status: ' {}', ...asides }).flatMap(([suffix, telling]) => {
          const value = seen.get(`${subject}/${suffix}`);
          return value === undefined ? [] : toldOf(telling, value);
        });
        const group = alike.get(textOf(told));
        if (group !== undefined) group.nouns.push(noun);
        else if (told.length > 0) alike.set(textOf(told), { nouns: [noun], told });
      }
      return joined(
        [...alike.values()].map(({ nouns, told }) => [
          `${listed(nouns)} ${verb(nouns.length > 1, textOf(told))}`,
          ...told,
        ]),
      );
    },
  };
}

/** What comes before a status, or before `no answer (closed)` in its place. */
const verb = (many: boolean, told: string): string =>
  told.startsWith(' no answer') ? (many ? 'get' : 'gets') : many ? 'are answered' : 'is answered';

/** One clause for each observation, in this order. */
const clauses = (label: string, tellings: Readonly<Record<string, Telling>>): Question => ({
  label,
  keys: Object.keys(tellings),
  tell: (seen) =>
    joined(
      Object.entries(tellings).flatMap(([key, telling]) => {
        const value = seen.get(key);
        return value === undefined ? [] : [toldOf(telling, value)];
      }),
    ),
});

function toldOf(telling: Telling, value: string): Part[] {
  const pattern =
    typeof telling === 'string'
      ? telling
      : Object.hasOwn(telling, value)
        ? telling[value]
        : (telling.else ?? telling[value]);
  return (pattern ?? ' {}')
    .split(/(\{[^}]*\})/)
    .filter((piece) => piece !== '')
    .map((piece) =>
      piece === '{}' ? { value } : piece.startsWith('{') ? { value: piece.slice(1, -1) } : piece,
    );
}

const joined = (clauses: readonly (readonly Part[])[]): Part[] =>
  clauses.flatMap((clause, index) => (index === 0 ? clause : ['; ', ...clause]));

const listed = (nouns: readonly string[]): string =>
  nouns.length < 2 ? nouns.join('') : `${nouns.slice(0, -1).join(', ')} and ${nouns.at(-1)}`;

function sentence([first = '', ...others]: readonly Part[]): readonly Part[] {
  const begin = typeof first === 'string' ? first.charAt(0).toUpperCase() + first.slice(1) : first;
  return [begin, ...others, '.'];
}

/** What becomes of a value that was sent, after the status of the answer. */
const comesBack = (values: Readonly<Record<string, string>>): Telling => ({
  absent: ' and {does not come back}',
  else: ' and comes back {}',
  ...values,
});

const refusal = {
  challenge: { '': ' {without a challenge}', else: ' with the challenge {}' },
  'content-type': { '': ', {without a content type}', else: ', as {}' },
};

const error: Readonly<Record<string, Telling>> = { error: ' with the error {}' };
const allow: Readonly<Record<string, Telling>> = { allow: ' with Allow: {}' };

/** Every observation of the catalogue, by what a reader wants to know. */
const TOPICS: Readonly<Record<string, readonly Question[]>> = {
  Credentials: [
    answers('No token', { 'missing-token': 'a missing token' }, refusal),
    answers('A wrong token', { 'wrong-token': 'a wrong token' }, refusal),
    answers('Other credentials', {
      'empty-authorization': 'an empty Authorization header',
      'bearer-alone': 'Bearer without a token',
      'basic-scheme': 'the right token under the scheme Basic',
      'bare-token': 'the right token without a scheme',
      'token-of-16-kib': 'a token of 16 KiB',
    }),
    answers('Two Authorization headers', {
      'two-authorization-headers/right-one-first': 'a right token before a wrong one',
      'two-authorization-headers/right-one-last': 'a wrong token before the right one',
    }),
    clauses('Token or body first', {
      'authentication/order': {
        'before validation': 'the token is looked at {before the body}',
        'after validation': 'the token is looked at {after the body}',
        'cannot be told apart':
          'whether the token or the body is looked at first {cannot be told} from the statuses',
        else: 'where both the token and the body are wrong, the answer is {that of neither}',
      },
    }),
  ],
  Ids: [
    clauses('The id in the answer', {
      'id/echo': {
        absent: 'the id {does not come back}',
        'as sent': 'the id comes back {as sent}',
        'as a string': 'the id comes back {as a string}',
        changed: 'the id comes back {changed}',
        else: 'the id in the answer: {}',
      },
    }),
    answers('An id beyond 2^53', { 'id/beyond-2^53': 'an id beyond 2^53' }, { echo: comesBack({}) }),
    answers('The ends of int64', {
      'id/2^63-1': 'the greatest int64, 2^63-1,',
      'id/-2^63': 'the least int64, -2^63,',
    }),
    answers('An integer in another notation', {
      'id-written/1.0': 'an id written with .0',
      'id-written/1e0': 'an id written with e0',
      'id-written/-0': 'the id -0',
    }),
    answers('The same id again', {
      'same-id/first': 'the first plant with an id',
      'same-id/second': 'a second one with the same id',
    }),
    clauses('The same id at once', {
      'same-id/at-once': 'two plants with the same id at the same time are answered {}',
    }),
  ],
  'Names, tags and further properties': [
    clauses('The longest name', {
      'name/longest-taken': {
        '0': 'of the names that were tried, of 40 characters and more, {none} is taken',
        else: 'of the names that were tried, the longest that is taken has {} characters',
      },
      'name/beyond-longest/status': 'the first that is not is answered {}',
    }),
    clauses('The largest body', {
      'body/largest-taken': {
        'less than 128 KiB': 'the largest body that is taken has {less than 128 KiB}',
        else: 'of the bodies that were tried, the largest that is taken has {}',
      },
      'body/beyond-largest/status': 'the first that is not is answered {}',
    }),
    clauses('No tag', {
      'tag/absent': {
        absent: 'a plant without a tag comes back {without one}',
        empty: 'a plant without a tag comes back with {an empty one}',
        else: 'a plant without a tag comes back with {one filled in}',
      },
    }),
    answers(
      'An empty tag',
      { 'tag/empty': 'an empty tag' },
      { echo: comesBack({ refused: ' and is {not taken}', empty: ' and comes back {empty}' }) },
    ),
    clauses('Further fields in the answer', {
      'answer/further-fields': {
        none: 'the answer holds {nothing further} than the document declares',
        else: 'beside what the document declares, the answer holds {}',
      },
    }),
    answers(
      'A property that is not declared',
      { 'undeclared-property': 'a property that the document does not declare' },
      { echo: { true: ' and {comes back}', false: ' and {does not come back}' } },
    ),
  ],
  'What is no NewPlant': [
    answers(
      'Malformed plants',
      {
        'refusal/not-an-object': 'a value that is not an object',
        'refusal/missing': 'a missing property',
        'refusal/null': 'null for a property',
        'refusal/wrong-type': 'a wrong type',
        'refusal/numeral': 'a numeral in a string',
        'refusal/fraction': 'an id with a fraction',
        'refusal/beyond-format': 'an id outside of int64',
      },
      error,
    ),
    answers(
      'Bodies that are no JSON',
      {
        'refusal/no-body': 'a request without a body',
        'refusal/not-json': 'a text that is not JSON',
        'refusal/foreign-media-type': 'a plant as text/plain',
      },
      error,
    ),
  ],
  'JSON and its text': [
    answers(
      'A property twice',
      { 'duplicate-name': 'a plant with two names' },
      {
        counts: {
          none: ', and {neither} comes back',
          neither: ', and {neither} comes back',
          else: ', and {} counts',
        },
      },
    ),
    answers('Extensions of JSON', {
      'json-extension/trailing-comma': 'a trailing comma',
      'json-extension/comment': 'a comment',
      'json-extension/single-quotes': 'single quotes',
      'json-extension/unquoted-names': 'names without quotes',
      'json-extension/nan': 'NaN',
      'json-extension/leading-zero': 'a leading zero',
      'json-extension/raw-newline-in-string': 'a line feed within a string',
    }),
    answers('Odd encodings', {
      'byte-order-mark': 'a byte order mark before the plant',
      'utf-16': 'a body in UTF-16',
      'lone-surrogate': 'half of a surrogate pair in a name',
    }),
    answers('Compressed bodies', {
      'coded-body/gzip': 'a body in gzip',
      'coded-body/not-what-it-says': 'a body that says gzip and is not',
      'coded-body/unknown-coding': 'a body in an unknown coding',
    }),
  ],
  'Headers and content types': [
    answers('Content types', {
      'missing-content-type': 'no content type',
      'odd-content-type/no-type': 'the type plants',
      'odd-content-type/json-alone': 'the type json',
      'odd-content-type/a-range': 'application/*',
      'odd-content-type/vendor-json': 'a vendor type',
      'odd-content-type/merge-patch': 'a merge patch',
      'odd-content-type/unknown-charset': 'an unknown charset',
      'odd-content-type/charset-utf-16': 'the charset UTF-16',
      'odd-content-type/half-a-parameter': 'half a parameter',
    }),
    answers('What is accepted', {
      'accept-without-json': 'a request that accepts text/html alone',
      'odd-header/accept-nothing': 'one that accepts nothing',
      'odd-header/accept-nonsense': 'one that accepts nonsense',
      'odd-header/accept-language': 'one in a language that there is not',
    }),
    answers('Odd headers', {
      'odd-header/cookie': 'a broken cookie',
      'odd-header/range': 'Range',
      'odd-header/if-none-match': 'If-None-Match',
      'odd-header/if-modified-since': 'a broken If-Modified-Since',
      'odd-header/forwarded': 'a broken X-Forwarded-For',
      'odd-header/origin': 'the origin null',
      'odd-header/content-language': 'a nonsensical Content-Language',
      'header-of-64-kib': 'a header of 64 KiB',
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
      'query/one-parameter': 'a query of one parameter',
      'query/twice-and-nested': 'repeated and nested parameters',
      'query/empty': 'an empty query',
      'query/long': 'a query of 2000 characters',
    }),
    answers(
      'A CORS preflight',
      { 'cors-preflight': 'a CORS preflight' },
      {
        'allow-origin': {
          '': ', {without Access-Control-Allow-Origin}',
          else: ' with the allowed origin {}',
        },
      },
    ),
    answers('Broken framing', {
      'framing/content-length-no-number': 'a Content-Length that is no number',
      'framing/two-lengths': 'two lengths',
      'framing/length-and-chunks': 'a length beside chunks',
      'framing/space-before-colon': 'a space before a colon',
      'framing/no-host': 'a missing Host',
      'framing/no-http': 'what is no HTTP at all',
    }),
  ],
  'Response times': [
    clauses('Response times', {
      'response-time-ms/median': 'half of the answers came within {} ms',
      'response-time-ms/95th-percentile': '95 in 100 within {} ms',
      'response-time-ms/99th-percentile': '99 in 100 within {} ms',
    }),
  ],
};
