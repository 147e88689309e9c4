import type { Contract } from '../../contract/contract.ts';
import { JsonObject } from '../../payloads/json.ts';
import {
  type Context,
  editing,
  type Value,
  type ValueGroup,
  withTemplate,
} from '../../payloads/model/dimension.ts';
import type { Model } from '../../payloads/model/model.ts';
import { initialRequest, type ModelRequest, templateOf } from '../../payloads/model/model-request.ts';
import { ID } from '../../payloads/plants.ts';
import { sample } from '../../payloads/random.ts';
import { bytesOf, type RequestTemplate } from '../../payloads/test-case.ts';
import { plainPlants } from '../../payloads/validity.ts';
import { counted } from '../../text.ts';
import { bodyText } from '../../utf8.ts';
import { headerValues } from '../../wire/headers.ts';
import { type Condition, OTHERWISE_THE_SAME, type Topic, valueWords } from '../explanation/condition.ts';
import type { Candidate, CandidateClass, Scale, Sweep } from './candidates.ts';
import { phraseFor } from './headers.ts';
import { acceptSweep, querySweep } from './list-members.ts';

/** Returns the values of a dimension, except the usual one. */
export const unusualValuesOf = (dimension: string | undefined, { dimensions }: Model): readonly Value[] =>
  dimensions
    .filter(({ name }) => name === dimension)
    .flatMap(({ values: [, ...others] }) => others.flatMap((one) => one.members ?? [one]));

export function modelSweep(model: Model, name: string): Sweep | undefined {
  const also = ALSO[name];
  const values = [
    ...unusualValuesOf(name, model),
    ...unusualValuesOf(also?.dimension, model).filter(
      ({ apply }) => also?.has(ordinaryWith(apply, model.contract).template) === true,
    ),
  ];
  if (values.length === 0) return undefined;
  return {
    part: name,
    candidates: [...values, ...(FURTHER[name]?.() ?? [])].map((value) =>
      candidateOf(value, name, model.contract),
    ),
    classes: namedOf(name).map(
      ([phrase, , flags]): CandidateClass => ({
        id: phrase,
        condition: { phrase, topics: TOPICS[name] ?? [], ...flags },
      }),
    ),
    ...(name === WHITE_SPACE ? { scale: LEADING_SPACES } : {}),
    closer: ([only, ...others]) =>
      only === undefined || others.length > 0 ? undefined : OF_MEMBERS[name]?.(only.apply(NO_PLANT)),
  };
}

/** Sweeps over the members of a value, if it is the only one of its part that shows the symptom. */
const OF_MEMBERS: Readonly<Record<string, (only: ModelRequest) => Sweep | undefined>> = {
  target: querySweep,
  Accept: acceptSweep,
};

const NO_PLANT = initialRequest(new JsonObject([]));

/** Some parsers look only at the beginning of a body. */
const LEADING_SPACES: Scale = {
  points: [1n, 8n, 30n, 60n, 100n, 200n, 300n],
  valueAt: (point) => counted(Number(point), 'space'),
  apply: (request, point) => ({ ...request, edits: [(text) => `${' '.repeat(Number(point))}${text}`] }),
  above: (point) => ({ phrase: `with more than ${point} spaces before the JSON value`, isLarger: true }),
  below: (point) => ({ phrase: `with fewer than ${point} spaces before the JSON value` }),
  between: (first, last) => ({ phrase: `with ${first} to ${last} spaces before the JSON value` }),
};

/** Topics of dimensions whose names are not those of request parts. */
const TOPICS: Readonly<Record<string, readonly Topic[]>> = {
  'undeclared names': ['undeclared property'],
  'undeclared values': ['undeclared property'],
  size: ['size'],
};

const WHITE_SPACE = 'white space';

/** Other dimensions that have values for the same part of a request. */
const ALSO: Readonly<
  Record<string, { readonly dimension: string; readonly has: (template: RequestTemplate) => boolean }>
> = {
  'media type': { dimension: 'unusual form', has: (template) => 'contentType' in template },
  target: {
    dimension: 'unusual form',
    has: ({ path, delivery }) => path !== undefined || delivery?.absoluteTarget === true,
  },
  'header lines': { dimension: 'header order', has: () => true },
};

/** Values with a common name: those of certain groups of the model, or those whose text matches a pattern. */
type NamedValues = readonly [
  phrase: string,
  which: ValueGroup | readonly ValueGroup[] | RegExp,
  flags?: Pick<Condition, 'isLarger' | 'needsOthersInFlight' | 'needsSameIdInFlight' | 'topics'>,
];

export const WITH_ESCAPES = 'with \\u escapes';
export const WITH_ESCAPED_NAMES = 'with \\u escapes in property names';
export const WITH_LOWER_CASE_ESCAPES = 'with \\u escapes in lower-case hexadecimal';

export const WITH_LINE_FEED_AT_END = 'with a line feed at the end of the body';
export const WITH_CARRIAGE_RETURNS_IN_TEXT = 'with carriage returns in the JSON text';

/** The value of the model with a string that contains every escape. */
export const WITH_EVERY_ESCAPE = 'with undeclared text containing every escape';

/** The value of the model whose name every JavaScript object inherits. */
export const WITH_INHERITED_NAME = 'with a property named constructor';

export const WITH_UNDECLARED = 'with undeclared properties';
export const WITH_UNUSUAL_NAME = 'with unusual characters in a property name';
export const WITH_REPEATED_PROPERTY = 'in which a property occurs twice';

export const besideSame = (property: string): string =>
  `that arrive at the same time as another one with the same ${property}`;

/** Matches all values of a dimension. */
const ANY = /^/;

/** Names of sets of bodies with undeclared properties. The value of the model that most of them share is JSON. */
const UNDECLARED: readonly NamedValues[] = [
  ['with an array in the body', /:\[/],
  ['with an object in an undeclared property', /.\{/],
  ['with an undeclared null', /^\{[^{}[\]]*":null/],
];

/** Names of sets of values, by dimension, broadest first. */
const NAMED: Readonly<Record<string, readonly NamedValues[]>> = {
  framing: [
    ['with a chunked body', ANY],
    ['with a body in several chunks', 'several chunks'],
  ],
  segments: [
    ['whose body arrives in several segments', ANY],
    ['whose body is split into several segments', 'cut body'],
    ['whose body arrives after its head', 'head before body'],
    ['whose body arrives with a pause', 'pause'],
  ],
  expectation: [['with Expect: 100-continue', ANY]],
  'media type': [
    ['whose Content-Type is not exactly application/json', ANY],
    ['with a media type other than application/json', /^(?!\s*application\/json\s*(?:;|$))/i],
    ['with parameters in Content-Type', /application\/json\s*;/i],
    ['with a charset in Content-Type', /charset/i],
    ['with a charset other than utf-8 in Content-Type', /charset=(?!"?utf-8)/i],
    ['with an unknown charset in Content-Type', /charset=nonsense/],
    ['with a charset that is not spelled utf-8 in Content-Type', /charset=(?!utf-8)/i],
    ['with a quoted charset in Content-Type', /charset="/i],
    ['with an upper-case charset in Content-Type', /charset="?[A-Z]/],
    ['with parameters other than charset in Content-Type', /application\/json\s*;\s*(?!charset)\w+=/i],
    ['with several parameters in Content-Type', /=.*;/],
    ['without a space after the semicolon in Content-Type', /;\S/],
    ['with a space before the semicolon in Content-Type', /\s;/],
    ['whose Content-Type ends with +json', /\+json$/],
    ['whose Content-Type is not in lower case', /^[^;]*[A-Z]/],
  ],
  Accept: [
    ['whose Accept is not exactly application/json', ANY],
    ['with ranges or quality values in Accept', /\*|q=/],
    ['with quality values in Accept', /q=/],
    ['with ranges in Accept', /\*/],
    ['with several media types in Accept', /,/],
    ['with text/html in Accept', /text\/html/],
    ['with application/xml in Accept', /application\/xml/],
    ['with parameters of media types in Accept', /;\s*(?!q=)\w+=/],
  ],
  'Accept-Encoding': [
    ['with Accept-Encoding', ANY],
    ['with the word gzip in Accept-Encoding', /gzip/],
    ['with gzip in Accept-Encoding', /gzip(?!;\s*q=0(?:\.0*)?(?:,|$))/],
    ['with br in Accept-Encoding', /\bbr\b/],
    ['with identity in Accept-Encoding', /identity/],
    ['with * in Accept-Encoding', /\*/],
  ],
  target: [
    ['with a query', /\?/],
    ['with a non-empty query', /\?./],
    ['with query parameters', /\?.*=/],
    ['with properties of a plant in the query', /[?&]name=/],
    ['with percent-encoded characters in the query', /\?.*%[0-9a-f]{2}/i],
  ],
  'white space': [
    ['with white space in the JSON text', ANY],
    ['with line breaks in the JSON text', /\n|\r/],
    ['with line feeds in the JSON text', /\n/],
    ['with pretty-printed JSON', /[{,]\n[ \t]+"/],
    ['with white space before the JSON value', /^\s/],
    ['with white space after the JSON value', /\s$/],
    ['with tabs in the JSON text', /\t/],
    [WITH_CARRIAGE_RETURNS_IN_TEXT, /\r/],
    ['with CRLF line ends in the JSON text', /\r\n/],
    [WITH_LINE_FEED_AT_END, /\n$/],
    ['with white space before a colon', /"\s+:/],
    ['with white space after a colon', /:\s/],
    ['with white space before a number', /:\s+[-\d]/],
    ['with white space before a comma', /["\d]\s+,/],
    ['with white space between tokens', /\s"|,\s/],
    ['with 300 spaces around the JSON value', / {300}/],
  ],
  escapes: [
    [WITH_ESCAPES, ANY],
    [WITH_ESCAPED_NAMES, 'escaped names'],
    ['with \\u escapes in values', 'escaped values'],
    [WITH_LOWER_CASE_ESCAPES, 'lower-case escapes'],
    ['with \\u escapes in upper-case hexadecimal', 'upper-case escapes'],
  ],
  'header lines': [
    ['whose headers are spelled or spaced in an unusual way', ANY],
    ['whose header names are not in the usual letter case', 'letter case'],
  ],
  'undeclared names': [
    [WITH_UNDECLARED, 'undeclared property'],
    [WITH_UNUSUAL_NAME, 'unusual property name'],
    [WITH_REPEATED_PROPERTY, 'repeated property'],
    ...UNDECLARED,
  ],
  'undeclared values': [[WITH_UNDECLARED, ANY], ...UNDECLARED],
  size: [['with a larger body', 'larger body', { isLarger: true }]],
  'property order': [['whose properties are in another order', ANY]],
  history: [
    [OTHERWISE_THE_SAME, 'otherwise the same'],
    ['with the same id as another request', ['same id', 'same id in flight'], { topics: ['known value'] }],
    ['after a plant with the same id', 'same id', { topics: ['known value'] }],
    [besideSame(ID), 'same id in flight', { topics: ['known value'], needsSameIdInFlight: true }],
    ['that arrive while another one is in flight', 'overlapping', { needsOthersInFlight: true }],
    ['that are not the first of their connection', 'later on its connection'],
    [
      'on a connection that carried any request with the right token before',
      ['right token before', 'right token without a body before'],
    ],
    ['on a connection that carried the right token before', 'right token before'],
    ['on a connection that carried a plant before', 'plant before'],
    ['after a rejected request on the same connection', 'rejected before'],
    ['that arrive at the same time as another one', 'concurrent'],
    ['after an aborted request', 'aborted before'],
  ],
};

const namedOf = (dimension: string): readonly NamedValues[] => NAMED[dimension] ?? [];

const joinedHeaders = ({ template: { headers = [] } }: ModelRequest): string =>
  headers.map(([, value]) => value).join(', ');

/** The text that the patterns of a dimension are matched against. */
const TEXTS: Readonly<Record<string, (request: ModelRequest) => string>> = {
  'media type': ({ template: { contentType = '' } }) => contentType,
  Accept: joinedHeaders,
  'Accept-Encoding': joinedHeaders,
  target: ({ template: { path = '' } }) => path,
  'white space': jsonTextOf,
  'undeclared names': jsonTextOf,
  'undeclared values': jsonTextOf,
};

function jsonTextOf(request: ModelRequest): string {
  const { body } = templateOf(request);
  return body === undefined ? '' : bodyText(bytesOf(body, 7n, ''));
}

const ACCEPT_OF = 'with the Accept of ';

function candidateOf({ name, apply, groups = [] }: Value, part: string, contract: Contract): Candidate {
  const text = TEXTS[part]?.(ordinaryWith(apply, contract)) ?? '';
  let sampled = 0;
  const one: Context['sample'] = (arbitrary) => {
    sampled += 1;
    return sample(arbitrary, 0, `explain/${part}`, sampled).value;
  };
  const namedSets = namedOf(part).filter(([, which]) =>
    which instanceof RegExp ? which.test(text) : [which].flat().some((group) => groups.includes(group)),
  );
  return {
    value: name,
    condition: {
      ...(name.startsWith(ACCEPT_OF) ? { phrase: phraseFor('Accept', text) } : wordsOf(name)),
      topics: [...(TOPICS[part] ?? []), ...namedSets.flatMap(([, , flags]) => flags?.topics ?? [])],
    },
    apply: (request: ModelRequest) => apply(request, { contract, sample: one }),
    classes: namedSets.map(([phrase]) => phrase),
    ...(part === WHITE_SPACE ? { point: BigInt(text.length - text.trimStart().length) } : {}),
  };
}

/** Adds classes of bodies in which the name of a declared property occurs twice, perhaps in another object. */
export function withRepeatedNames(
  candidates: readonly Candidate[],
  contract: Contract,
): { readonly candidates: readonly Candidate[]; readonly classes: readonly CandidateClass[] } {
  const names = [...contract.newPlant.shape.properties.keys()];
  const idOf = (name: string) => `in which ${name} occurs twice at any depth`;
  const request = ordinaryWith((ordinary) => ordinary, contract);
  return {
    candidates: candidates.map((candidate) => {
      const text = jsonTextOf(candidate.apply(request));
      const repeated = names.filter((name) => text.split(`${JSON.stringify(name)}:`).length > 2);
      return { ...candidate, classes: [...candidate.classes, ...repeated.map(idOf)] };
    }),
    classes: names.map((name) => ({
      id: idOf(name),
      condition: { phrase: idOf(name), property: name, topics: ['undeclared property'] },
    })),
  };
}

/** Names a property that occurs twice, so that causes about two properties can be recognised as one. */
function wordsOf(name: string): Condition {
  const [, property, type] = /^with a (?:duplicate|second) (\S+)( of another type)?/.exec(name) ?? [];
  if (property === undefined) return { phrase: phraseOf(name) };
  const again = type === undefined ? '' : ', the second time with another type';
  return { phrase: `in which ${property} occurs twice${again}`, property };
}

const phraseOf = (name: string): string =>
  name
    .replace(/^of /, 'with a body of ')
    .replace(/^as (\S+\/.*)$/s, (_, type: string) => `with Content-Type ${valueWords(type)}`)
    .replace(/^with Authorization last$/, 'in which Authorization is the last header')
    .replace(/^after (\d+ spaces)$/, 'with $1 before the JSON value')
    .replace(/^followed by (\d+ spaces|a line feed)$/, 'with $1 after the JSON value')
    .replace(/^in (many|three) segments/, 'whose body arrives in $1 segments')
    .replace(/^in segments split (inside|after) (.*)$/, 'in which a segment ends $1 $2')
    .replace(/^in slow segments split inside (.*)$/, 'in which a pause splits $1')
    .replace(/^in chunks split inside (.*)$/, 'in which a chunk ends inside $1')
    .replace(/^in chunks with (.*) in their sizes$/, 'with $1 in the sizes of chunks')
    .replace(/^in chunks with extensions$/, 'with chunk extensions')
    .replace(/^in chunks with a trailer$/, 'with a chunked body and a trailer')
    .replace(/^in chunks with (Transfer-Encoding.*)$/, 'with $1')
    .replace(
      /^with undeclared response options$/,
      'with undeclared properties named status, headers, type and body',
    )
    .replace(/^with undeclared numbers of every kind$/, 'with an undeclared list of unusual numbers');

export const headerValuesIn = (model: Model, header: string): readonly string[] =>
  model.dimensions
    .flatMap(({ name }) => unusualValuesOf(name, model))
    .flatMap(({ apply }) =>
      headerValues(ordinaryWith(apply, model.contract).template.headers ?? [], header.toLowerCase()),
    );

function ordinaryWith(apply: Value['apply'], contract: Contract): ModelRequest {
  const one: Context['sample'] = (arbitrary) => sample(arbitrary, 0, 'explain', 0).value;
  return apply(initialRequest(one(plainPlants(contract, 'all'))), { contract, sample: one });
}

/** Media types that differ from `application/json` in a single way. */
const mediaTypes = (): readonly Value[] =>
  [
    'application/json; profile=plant',
    'application/json; q=1',
    'application/json; charset=UTF-8',
    'application/json;charset=utf-8',
    'application/json; charset=utf-16',
  ].map((contentType) => withTemplate(`as ${contentType}`, { contentType }));

/** Every white space character in every kind of position where JSON allows it, in otherwise compact text. */
function placedWhiteSpace(): readonly Value[] {
  const characters = { 'a space': ' ', 'a tab': '\t', 'a line feed': '\n', 'a carriage return': '\r' };
  const positions: Readonly<Record<string, RegExp>> = {
    'before the JSON value': /^/,
    'before the first name': /(?<=^\s*\{)/,
    'before a name': /(?<=,)(?=")/g,
    'before a colon': /(?<=")(?=:)/g,
    'before a string': /(?<=":)(?=")/g,
    'before a number': /(?<=":)(?=[-\d])/g,
    'before a comma': /(?=,")/g,
    'before the closing brace': /(?=\}\s*$)/,
    'after the JSON value': /$/,
  };
  return Object.entries(characters).flatMap(([words, character]) =>
    Object.entries(positions).map(([position, at]) =>
      editing(`with ${words} ${position}`, (text) => text.replace(at, character)),
    ),
  );
}

/** Values that the model does not combine with others, but that tell which detail of a value matters. */
const FURTHER: Readonly<Record<string, () => readonly Value[]>> = {
  [WHITE_SPACE]: placedWhiteSpace,
  'media type': mediaTypes,
};
