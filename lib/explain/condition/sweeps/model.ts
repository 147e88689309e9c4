import type { Contract } from '../../../contract/contract.ts';
import { JsonObject } from '../../../payloads/json.ts';
import {
  initialState,
  type RequestState,
  templateOf,
  type Value,
} from '../../../payloads/model/dimension.ts';
import type { Model } from '../../../payloads/model/model.ts';
import { sample } from '../../../payloads/random.ts';
import { bytesOf, type RequestTemplate } from '../../../payloads/test-case.ts';
import { plainPlants } from '../../../payloads/validity.ts';
import type { Topic, Wording } from '../../wording/wording.ts';
import type { Candidate, CandidateClass, Sweep } from '../candidates.ts';

/** The values of a dimension but for the usual one. */
export const unusualValuesOf = (dimension: string | undefined, { dimensions }: Model): readonly Value[] =>
  dimensions
    .filter(({ name }) => name === dimension)
    .flatMap(({ values: [, ...others] }) => others.flatMap((one) => one.members ?? [one]));

/** What to try for a dimension of the model. */
export function modelSweep(model: Model, name: string): Sweep | undefined {
  const also = ALSO[name];
  const values = [
    ...unusualValuesOf(name, model),
    ...unusualValuesOf(also?.dimension, model).filter(
      ({ apply }) => also?.has(withoutPlant(apply, model.contract)) === true,
    ),
  ];
  if (values.length === 0) return undefined;
  const groups = GROUPS[name] ?? [];
  return {
    part: name,
    candidates: [...values, ...(name === WHITE_SPACE ? placedWhiteSpace() : [])].map((value) =>
      candidateOf(value, name, model.contract, groups),
    ),
    classes: groups.map(
      ([phrase, , flags]): CandidateClass => ({
        id: phrase,
        words: { phrase, topics: TOPICS[name] ?? [], ...flags },
        group: name,
      }),
    ),
  };
}

/** Topic of a dimension whose name is not a request part. */
const TOPICS: Readonly<Record<string, readonly Topic[]>> = {
  'undeclared names': ['undeclared property'],
  'undeclared values': ['undeclared property'],
  size: ['size'],
};

const WHITE_SPACE = 'white space';

/** Other dimensions with values that are about the same part of a request. */
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

type Group = readonly [phrase: string, has: RegExp, flags?: Pick<Wording, 'isLarger' | 'topics'>];

/** Groups of values that have a common name, broadest first. */
const GROUPS: Readonly<Record<string, readonly Group[]>> = {
  framing: [
    ['with a chunked body', /chunk/],
    ['with a body in several chunks', /two|many|inside/],
  ],
  segments: [
    ['whose body arrives in several segments', /segment|head|pause/],
    ['whose body is split into several segments', /in .*segments/],
    ['whose body arrives after its head', /head before|between head/],
    ['whose body arrives with a pause', /slow|pause/],
  ],
  'media type': [
    ['whose Content-Type is not exactly application/json', /./],
    [
      'with a media type other than application/json',
      /text\/|vnd|multipart|form|ndjson|merge|without a content/,
    ],
    ['with parameters in Content-Type', /application\/json\s*;/i],
    ['with a charset in Content-Type', /charset/i],
    ['whose Content-Type is not in lower case', /A/],
  ],
  Accept: [
    ['whose Accept is not exactly application/json', /./],
    ['with ranges or quality values in Accept', /\*|q=/],
    ['with quality values in Accept', /q=/],
    ['with ranges in Accept', /\*/],
    ['with several media types in Accept', /,|two lines/],
    ['whose Accept names text/html', /text\/html/],
  ],
  'Accept-Encoding': [
    ['with Accept-Encoding', /./],
    ['whose Accept-Encoding names gzip', /gzip/],
  ],
  target: [
    ['with a query', /query/],
    ['with query parameters', /query(?! parameter without)(?!$)/],
  ],
  'white space': [
    ['with white space in the JSON text', /./],
    ['with line breaks in the JSON text', /\n|\r/],
    ['with line feeds in the JSON text', /\n/],
    ['with white space before the JSON value', /^\s/],
    ['with white space after the JSON value', /\s$/],
    ['with tabs in the JSON text', /\t/],
    ['with carriage returns in the JSON text', /\r/],
    ['with white space before a colon', /"\s+:/],
    ['with white space after a colon', /:\s/],
    ['with white space before a number', /:\s+[-\d]/],
    ['with white space before a comma', /["\d]\s+,/],
    ['with white space between tokens', /\s"|,\s/],
    ['with 300 spaces around the JSON value', / {300}/],
  ],
  escapes: [
    ['with \\u escapes', /./],
    ['with \\u escapes in property names', /names|everything|every other/],
    ['with \\u escapes in values', /values|everything|every other/],
    ['with \\u escapes in lower-case hexadecimal', /^(?!.*upper-case)/],
  ],
  'header lines': [
    ['whose headers are spelled or spaced in an unusual way', /./],
    ['whose header names are not in lower case', /capital/],
  ],
  'undeclared names': [['with undeclared properties', /^(?!with a (?:duplicate|second))/]],
  'undeclared values': [['with undeclared properties', /./]],
  size: [['with a larger body', /over|exactly|900/, { isLarger: true }]],
  'property order': [['whose properties are in another order', /./]],
  history: [
    ['after the same request without the fault', /the same request without the fault/],
    ['after a plant with the same id', /with the same id/, { topics: ['known value'] }],
    ['that arrive while another one is handled', /at the same time|pipelined/],
    [
      'that are not the first of their connection',
      /on the same connection|after the same request(?: without the fault)?$/,
    ],
    [
      'on a connection that carried the right token before',
      /after (?:another plant|a rejected request|a body that ends inside a character|an oversized request|a plant .*) on the same|after the same request without the fault$/,
    ],
    [
      'on a connection that carried a plant before',
      /after (?:another plant|an oversized request|a plant .*) on the same|after the same request without the fault$/,
    ],
    [
      'after a rejected request on the same connection',
      /after a rejected request on the same|after the same request$/,
    ],
    ['that arrive at the same time as another one', /at the same time/],
    ['after an aborted request', /aborted/],
  ],
};

function candidateOf(
  { name, apply }: Value,
  part: string,
  contract: Contract,
  groups: readonly Group[],
): Candidate {
  const { headers = [] } = withoutPlant(apply, contract);
  const text =
    part === WHITE_SPACE ? bodyOf(apply, contract) : [name, ...headers.map(([, value]) => value)].join(' ');
  let sampled = 0;
  const pick = <T>(arbitrary: Parameters<typeof sample<T>>[0]): T => {
    sampled += 1;
    return sample(arbitrary, 0, `explain/${part}`, sampled).value;
  };
  const own = groups.filter(([, has]) => has.test(text));
  return {
    value: name,
    words: {
      phrase: worded(name),
      topics: [...(TOPICS[part] ?? []), ...own.flatMap(([, , flags]) => flags?.topics ?? [])],
    },
    apply: (state: RequestState) => apply(state, { contract, pick }),
    classes: own.map(([phrase]) => phrase),
  };
}

/** A value as a phrase about a request. */
const worded = (name: string): string =>
  name.replace(/^of /, 'with a body of ').replace(/^as (?=\S+\/)/, 'with Content-Type ');

/** The JSON text of an ordinary plant with a value. */
function bodyOf(apply: Value['apply'], contract: Contract): string {
  const plant = sample(plainPlants(contract, 'all'), 0, 'explain', 0).value;
  const state = apply(initialState(plant), { contract, pick: (one) => sample(one, 0, 'explain', 0).value });
  const { body } = templateOf(state);
  return body === undefined ? '' : Buffer.from(bytesOf(body, 7n, '')).toString('utf8');
}

/** The non-body changes that a value makes. */
const withoutPlant = (apply: Value['apply'], contract: Contract): RequestTemplate =>
  apply(initialState(new JsonObject([])), {
    contract,
    pick: (arbitrary) => sample(arbitrary, 0, 'explain', 0).value,
  }).template;

/** Each character of white space at all places of a kind where it may stand, in an otherwise compact text. */
function placedWhiteSpace(): readonly Value[] {
  const characters = { 'a space': ' ', 'a tab': '\t', 'a line feed': '\n', 'a carriage return': '\r' };
  const places: Readonly<Record<string, RegExp>> = {
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
    Object.entries(places).map(
      ([place, at]): Value => ({
        name: `with ${words} ${place}`,
        apply: (state) => ({ ...state, edits: [...state.edits, (text) => text.replace(at, character)] }),
      }),
    ),
  );
}
