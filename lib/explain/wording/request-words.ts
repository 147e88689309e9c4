import { leastBy } from '../../collections.ts';
import type { Contract } from '../../contract/contract.ts';
import { type Model, modelsOf } from '../../payloads/model/model.ts';
import type { ModelRequest } from '../../payloads/model/model-request.ts';
import { IN_ONE_OF_MANY_WAYS } from '../../payloads/model/rows.ts';
import type { Failure } from '../../run/result/result.ts';
import { joined, wordsCapitalised } from '../../text.ts';
import type { Experiments } from '../experiment/experiments.ts';
import { ordinaryRequests } from '../experiment/ordinary-requests.ts';
import type { Search } from '../experiment/search.ts';
import { type Condition, valueWords } from '../explanation/condition.ts';
import { labelOf } from '../explanation/labels.ts';
import { isSame, type RequestPart } from '../explanation/request-parts.ts';
import { type Candidate, type Sweep, smallestWith } from '../values/candidates.ts';
import { credentialCandidates, credentialSweep } from '../values/credentials.ts';
import { defectSweep, wordsOfDefect } from '../values/defects.ts';
import { methodWords } from '../values/methods.ts';
import { modelSweep, unusualValuesOf } from '../values/model.ts';

/** Wordings for the bodies of observations, by label. */
const OBSERVED_BODIES: Readonly<Record<string, Condition>> = {
  'byte order mark': { clause: 'the body begins with a byte order mark' },
  'utf 16': { clause: 'the body is in UTF-16' },
  'lone surrogate': {
    clause: 'name contains a lone surrogate',
    contained: 'a lone surrogate',
    property: 'name',
    topics: ['beyond ASCII'],
  },
  'lone surrogate in tag': {
    clause: 'tag contains a lone surrogate',
    contained: 'a lone surrogate',
    property: 'tag',
    topics: ['beyond ASCII'],
  },
};

/** The property that a label begins with, if any. */
const propertyIn = (label: string, { newPlant: { shape } }: Contract): string | undefined =>
  [...shape.properties.keys()].find((name) => label.startsWith(`${name} `));

/** Words the condition of a failure of which only a single request is known. */
export function suchAs(failure: Failure, contract: Contract): Condition {
  const { label, check } = failure.sentFor ?? { label: failure.label, check: undefined };
  const property = propertyIn(labelOf(failure), contract);
  // The defect alone, in an otherwise ordinary plant, does not show the symptom.
  const isCombined =
    label !== labelOf(failure) && defectsAmong(new Set([labelOf(failure)]), contract).size > 0;
  if (property !== undefined && !isCombined) {
    const words = labelOf(failure).slice(property.length + 1);
    const verb = words.replace(/^(?=["\-\d])/, 'is ').replace(/(?= of other types$)/, ' are');
    return { clause: `${property} ${verb}`, property, isExample: true };
  }
  if (label.startsWith('an undeclared property'))
    return { phrase: `with ${label}`, topics: ['undeclared property'] };
  const [, extension] = /^json extension: (.+)$/.exec(label) ?? [];
  const observed = extension === undefined ? OBSERVED_BODIES[label] : { clause: `the body has ${extension}` };
  if (observed !== undefined) return { ...observed, topics: [...(observed.topics ?? []), 'not JSON'] };
  // The label of a combination, or of a request that was sent before one, is seldom informative.
  const isCombination =
    label === IN_ONE_OF_MANY_WAYS ||
    (check?.startsWith('combinations/') === true && failure.template.sentAs === undefined);
  const [, earlier, last] = /^after: (.*); then: (.*)$/.exec(label) ?? [];
  if (earlier !== undefined)
    return { phrase: `such as ${last} after ${earlier.replaceAll(' | ', ', then ')}`, isVague: true };
  if (label !== '' && !isCombination) return { phrase: `such as: ${label}`, isVague: true };
  // Names of contexts that are not checks mean nothing to a reader.
  const isCheck = check?.includes('/') === true;
  return isCheck ? { phrase: `like those of ${check}`, isVague: true } : {};
}

/** The longest name of a value of the dimension that the label contains. */
const valueIn = (label: string, dimension: string | undefined, model: Model): string | undefined =>
  leastBy(
    unusualValuesOf(dimension, model).flatMap(({ name }) => (label.includes(name) ? name : [])),
    (name) => -name.length,
  );

/** Subjects for requests that are invalid in any way. */
export const ANY_SUBJECT = {
  body: {
    noun: 'bodies that are not a NewPlant',
    clause: 'the body is not a NewPlant',
    topics: ['any body'],
  },
  credential: {
    noun: 'requests without a valid token',
    clause: 'the token is missing or wrong',
    topics: ['any credential', 'credential'],
  },
} as const satisfies Readonly<Record<string, Condition>>;

/** Returns those labels that name a defect of a body. */
export function defectsAmong(labels: ReadonlySet<string>, contract: Contract): ReadonlySet<string> {
  const [ordinary] = ordinaryRequests(contract);
  const known = new Set(
    defectSweep(contract, ordinary.plant, true, true).candidates.map(({ label }) => label),
  );
  return new Set([...labels].filter((label) => known.has(label)));
}

/** Returns the narrowest class of bodies that contains all bodies with the given labels. */
export function bodiesNamed(
  labels: ReadonlySet<string>,
  contract: Contract,
  minPart = 0,
): Condition | undefined {
  const [ordinary] = ordinaryRequests(contract);
  return narrowestClass(defectSweep(contract, ordinary.plant), labels, minPart);
}

/** If the labels cover less than this fraction of a class, they probably belong to different classes. */
const MIN_PART_OF_CREDENTIALS = 0.5;

/** Returns the narrowest class of credentials with all the labels, if these are at least half of it. */
export const credentialsNamed = (labels: ReadonlySet<string>, token: string): Condition | undefined =>
  narrowestClass(credentialSweep(token), labels, MIN_PART_OF_CREDENTIALS);

/** @param minPart minimum fraction of the class that the labels must cover */
function narrowestClass(
  { candidates, classes }: Sweep,
  labels: ReadonlySet<string>,
  minPart: number,
): Condition | undefined {
  const labelled = candidates.filter(({ label }) => label !== undefined && labels.has(label));
  const { smallest, size } = smallestWith(labelled, candidates, classes);
  return labelled.length > 0 && labelled.length >= size * minPart ? smallest?.condition : undefined;
}

/** Says what is wrong with the request of a failure, if it had to be rejected. */
export function subjectOf({
  failure,
  symptom: { kind },
  contract,
  ordinary,
  experiments,
}: Search): Condition | undefined {
  const label = labelOf(failure);
  const candidates = [
    ...credentialCandidates(experiments.token),
    ...defectSweep(contract, ordinary.plant, true).candidates,
  ].filter((candidate) => candidate.label === label);
  const [only, ...others] = candidates;
  if (only !== undefined && others.length === 0) return only.condition;
  if (kind !== 'accepts') return undefined;
  if (label === IN_ONE_OF_MANY_WAYS) {
    const value = valueIn(failure.label, 'undeclared names', modelsOf(contract)['accept-or-reject']);
    return { noun: ['a plant', value].join(' ').trim(), topics: ['undeclared property'] };
  }
  if (experiments.expectedOutcomeOfSent(failure) === 'reject-credential')
    return label === ''
      ? ANY_SUBJECT.credential
      : {
          noun: label.startsWith('the token ') ? label : `requests without a valid token (${label})`,
          topics: ['credential'],
        };
  return defectWords(label, contract);
}

export const defectWords = (label: string, contract: Contract): Condition =>
  wordsOfDefect(label, propertyIn(label, contract));

/** Wording for a wrong credential, or for an unusual spelling of the right one. */
function credentialWords(request: ModelRequest, experiments: Experiments): Condition {
  const { credential } = request;
  if (experiments.expectedOutcomeOf(request) === 'reject-credential')
    return { clause: ANY_SUBJECT.credential.clause };
  const [, scheme = '', gap = ''] = /^(\S+)( *)/.exec(credential?.values(experiments.token)[0] ?? '') ?? [];
  return {
    phrase: gap.length > 1 ? 'with several spaces after the scheme' : `with the scheme ${scheme}`,
    topics: ['scheme'],
  };
}

/** The value of a dimension of the model that a request has in one part. */
function candidateIn(
  request: ModelRequest,
  part: RequestPart,
  dimension: string,
  experiments: Experiments,
): Candidate | undefined {
  const { ordinary } = experiments;
  const own = part.copy(request, ordinary);
  // Some values are only in the model of valid requests, others only in that of invalid ones.
  return Object.values(modelsOf(experiments.contract))
    .flatMap((model) => modelSweep(model, dimension)?.candidates ?? [])
    .find((one) => isSame(part.copy(one.apply(ordinary), ordinary), own));
}

/** Words the condition for a part of which only one value is known. */
export function wordsOf(
  part: RequestPart,
  request: ModelRequest,
  { failure, contract, experiments }: Search,
): Condition {
  const { name, dimension } = part;
  const { template, plant } = request;
  const { contentType } = template;
  if (name === 'Authorization') return credentialWords(request, experiments);
  if (name === 'method') return methodWords(template.method);
  if (name === 'HTTP version') return { phrase: `in HTTP/${template.delivery?.version ?? '1.1'}` };
  if (name === 'absent headers') {
    const length = template.delivery?.noLength === true ? ['content-length'] : [];
    return {
      phrase: `without ${joined([...(template.without ?? []), ...length].map(wordsCapitalised), 'and')}`,
    };
  }
  if (name === 'target' && template.tokenIn !== undefined)
    return { phrase: `with the token in the query as ${template.tokenIn}`, topics: ['credential'] };
  if (name === 'target') return { phrase: `to ${template.path ?? 'the target in absolute form'}` };
  if (name === 'Content-Type')
    return {
      phrase:
        contentType === undefined ? 'without a Content-Type' : `with Content-Type ${valueWords(contentType)}`,
    };
  if (name === 'body') return suchAs(failure, contract);
  if (plant.get(name) !== undefined) {
    const words = suchAs(failure, contract);
    return words.isVague === true && !labelOf(failure).includes(name)
      ? { phrase: `with some values of ${name}`, isVague: true, property: name }
      : words;
  }
  const known = dimension === undefined ? undefined : candidateIn(request, part, dimension, experiments);
  if (known !== undefined) return known.condition;
  const value = valueIn(failure.label, dimension, experiments.modelOf(request));
  return value === undefined ? { phrase: `with some values of ${name}`, isVague: true } : { phrase: value };
}
