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
import type { Topic } from '../../wording/topics.ts';
import type { Wording } from '../../wording/wording.ts';
import type { Candidate, CandidateClass, Sweep } from '../candidates.ts';
import { placedWhiteSpace } from './white-space.ts';

/** The values of a dimension of the model. */
export function modelSweep(model: Model, name: string): Sweep | undefined {
  const valuesOf = (dimension: string): readonly Value[] =>
    model.dimensions
      .filter((one) => one.name === dimension)
      .flatMap(({ values: [, ...others] }) => others.flatMap((one) => one.members ?? [one]));
  const also = ALSO[name];
  const others = also === undefined ? [] : valuesOf(also.dimension);
  const values = [
    ...valuesOf(name),
    ...others.filter(({ apply }) => also?.has(withoutPlant(apply, model.contract)) === true),
  ];
  if (values.length === 0) return undefined;
  const groups = GROUPS[name] ?? [];
  return {
    part: name,
    candidates: [...values, ...(name === WHITE_SPACE ? placedWhiteSpace() : [])].map((value) =>
      candidateOf(value, name, model.contract, groups),
    ),
    classes: groups.map(
      ([id, phrase, , flags]): CandidateClass => ({
        id,
        words: { phrase, topics: TOPICS[name] ?? [], ...flags },
        group: name,
      }),
    ),
  };
}

/** What the values of a dimension are about, if its name is not that of a part of the request. */
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
  'media type': { dimension: 'oddity', has: (template) => 'contentType' in template },
  target: {
    dimension: 'oddity',
    has: ({ path, delivery }) => path !== undefined || delivery?.absoluteTarget === true,
  },
  'header lines': { dimension: 'header order', has: () => true },
};

type Group = readonly [id: string, phrase: string, has: RegExp, flags?: Pick<Wording, 'isLarger' | 'topics'>];

/** Values with words of their own for all of them together. The broadest group comes first. */
const GROUPS: Readonly<Record<string, readonly Group[]>> = {
  framing: [
    ['chunked', 'with a chunked body', /chunk/],
    ['several', 'with a body in several chunks', /two|many|inside/],
  ],
  segments: [
    ['segments', 'whose body arrives in several segments', /segment|head|pause/],
    ['split', 'whose body is split into several segments', /in .*segments/],
    ['pause', 'whose body arrives after its head', /head before|between head/],
    ['slow', 'whose body arrives with a pause', /slow|pause/],
  ],
  'media type': [
    ['any', 'whose Content-Type is not exactly application/json', /./],
    [
      'foreign',
      'with a media type other than application/json',
      /text\/|vnd|multipart|form|ndjson|merge|without a content/,
    ],
    ['parameters', 'with parameters in Content-Type', /application\/json\s*;/i],
    ['charset', 'with a charset in Content-Type', /charset/i],
    ['case', 'whose Content-Type is not in lower case', /A/],
  ],
  Accept: [
    ['any', 'whose Accept is not exactly application/json', /./],
    ['loose', 'with ranges or quality values in Accept', /\*|q=/],
    ['quality', 'with quality values in Accept', /q=/],
    ['range', 'with ranges in Accept', /\*/],
    ['several', 'with several media types in Accept', /,|two lines/],
    ['html', 'whose Accept names text/html', /text\/html/],
  ],
  'Accept-Encoding': [
    ['any', 'with Accept-Encoding', /./],
    ['gzip', 'whose Accept-Encoding names gzip', /gzip/],
  ],
  target: [
    ['query', 'with a query', /query/],
    ['parameters', 'with query parameters', /query(?! parameter without)(?!$)/],
  ],
  'white space': [
    ['any', 'with white space in the JSON text', /./],
    ['lines', 'with line breaks in the JSON text', /\n|\r/],
    ['line feeds', 'with line feeds in the JSON text', /\n/],
    ['first', 'with white space before the JSON value', /^\s/],
    ['last', 'with white space after the JSON value', /\s$/],
    ['tabs', 'with tabs in the JSON text', /\t/],
    ['returns', 'with carriage returns in the JSON text', /\r/],
    ['before colon', 'with white space before a colon', /"\s+:/],
    ['after colon', 'with white space after a colon', /:\s/],
    ['before number', 'with white space before a number', /:\s+[-\d]/],
    ['before comma', 'with white space before a comma', /["\d]\s+,/],
    ['inside', 'with white space between tokens', /\s"|,\s/],
    ['many', 'with 300 spaces around the JSON value', / {300}/],
  ],
  escapes: [
    ['any', 'with \\u escapes', /./],
    ['names', 'with \\u escapes in property names', /names|everything|every other/],
    ['values', 'with \\u escapes in values', /values|everything|every other/],
    ['lower', 'with \\u escapes in lower-case hexadecimal', /^(?!.*upper-case)/],
  ],
  'header lines': [
    ['any', 'whose headers are spelled or spaced in an unusual way', /./],
    ['case', 'whose header names are not in lower case', /capital/],
  ],
  'undeclared names': [['undeclared', 'with undeclared properties', /^(?!with a (?:duplicate|second))/]],
  'undeclared values': [['undeclared', 'with undeclared properties', /./]],
  size: [['any', 'with a larger body', /over|exactly|900/, { isLarger: true }]],
  'property order': [['any', 'whose properties are in another order', /./]],
  history: [
    ['same request', 'after the same request without the fault', /the same request without the fault/],
    ['same id', 'after a plant with the same id', /with the same id/, { topics: ['known value'] }],
    ['overlapping', 'that arrive while another one is handled', /at the same time|pipelined/],
    [
      'same connection',
      'that are not the first of their connection',
      /on the same connection|after the same request(?: without the fault)?$/,
    ],
    [
      'authorised',
      'on a connection that carried the right token before',
      /after (?:another plant|a rejected request|a body that ends inside a character|an oversized request|a plant .*) on the same|after the same request without the fault$/,
    ],
    [
      'plant',
      'on a connection that carried a plant before',
      /after (?:another plant|an oversized request|a plant .*) on the same|after the same request without the fault$/,
    ],
    [
      'rejected',
      'after a rejected request on the same connection',
      /after a rejected request on the same|after the same request$/,
    ],
    ['beside', 'that arrive at the same time as another one', /at the same time/],
    ['aborted', 'after an aborted request', /aborted/],
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
    part === WHITE_SPACE ? textOf(apply, contract) : [name, ...headers.map(([, value]) => value)].join(' ');
  let sampled = 0;
  const pick = <T>(arbitrary: Parameters<typeof sample<T>>[0]): T => {
    sampled += 1;
    return sample(arbitrary, 0, `explain/${part}`, sampled).value;
  };
  const own = groups.filter(([, , has]) => has.test(text));
  return {
    value: name,
    words: {
      phrase: worded(name),
      topics: [...(TOPICS[part] ?? []), ...own.flatMap(([, , , flags]) => flags?.topics ?? [])],
    },
    apply: (state: RequestState) => apply(state, { contract, pick }),
    classes: own.map(([id]) => id),
  };
}

/** A value as a phrase about a request. */
const worded = (name: string): string =>
  name.replace(/^of /, 'with a body of ').replace(/^as (?=\S+\/)/, 'with Content-Type ');

/** The JSON text of an ordinary plant with a value. */
function textOf(apply: Value['apply'], contract: Contract): string {
  const plant = sample(plainPlants(contract, 'all'), 0, 'explain', 0).value;
  const state = apply(initialState(plant), { contract, pick: (one) => sample(one, 0, 'explain', 0).value });
  const { body } = templateOf(state);
  return body === undefined ? '' : Buffer.from(bytesOf(body, 7n, '')).toString('utf8');
}

/** What a value does to everything but the body. */
const withoutPlant = (apply: Value['apply'], contract: Contract): RequestTemplate =>
  apply(initialState(new JsonObject([])), {
    contract,
    pick: (arbitrary) => sample(arbitrary, 0, 'explain', 0).value,
  }).template;
