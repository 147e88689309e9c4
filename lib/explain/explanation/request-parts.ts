import { COMPACT, JsonObject, write } from '../../payloads/json.ts';
import type { ModelRequest } from '../../payloads/model/model-request.ts';
import { type RequestTemplate, validCredential } from '../../payloads/test-case.ts';
import { wordsCapitalised } from '../../text.ts';

/**
 * A part in which two requests can differ. Experiments copy it from an ordinary request into the failing one,
 * to see whether the symptom needs it, or from the failing one into an ordinary one, to see whether it
 * suffices.
 */
export interface RequestPart {
  /** The name of the part in reports: `name`, `Accept`, `segments`. */
  readonly name: string;
  /** The dimension of the model that varies this part, if there is one. */
  readonly dimension: string | undefined;
  readonly copy: (from: ModelRequest, to: ModelRequest) => ModelRequest;
}

/** Copies fields from one object to another; fields that the first lacks are removed. */
function copied<T extends object>(from: T, to: T, keys: readonly (keyof T)[]): T {
  const copy = { ...to };
  for (const key of keys) {
    if (key in from) copy[key] = from[key];
    else delete copy[key];
  }
  return copy;
}

const part = (
  name: string,
  dimension: string | undefined,
  keys: readonly (keyof RequestTemplate)[],
  deliveryKeys: readonly (keyof NonNullable<RequestTemplate['delivery']>)[] = [],
): RequestPart => ({
  name,
  dimension,
  copy: (from, to) => {
    const delivery = copied(from.template.delivery ?? {}, to.template.delivery ?? {}, deliveryKeys);
    const isEmpty = to.template.delivery === undefined && Object.keys(delivery).length === 0;
    const template = copied(from.template, to.template, keys);
    return { ...to, template: isEmpty ? template : { ...template, delivery } };
  },
});

const EARLIER = part(
  'earlier requests',
  'history',
  ['preceding', 'abort'],
  ['freshConnection', 'abortAfter'],
);

/** Request parts that determine in how many pieces a store reads the body. */
export const PIECES: readonly string[] = ['segments', 'framing', 'Expect'];

/** Parts of a request other than its credential, its body and its individual headers. */
const AROUND: readonly RequestPart[] = [
  part('method', undefined, ['method']),
  part('target', 'target', ['path', 'tokenIn'], ['absoluteTarget']),
  part('Content-Type', 'media type', ['contentType']),
  part('framing', 'framing', ['framing', 'chunkEnd'], ['chunks', 'chunkEnd', 'chunkSizes', 'capitals']),
  part('segments', 'segments', ['cut'], ['cuts', 'headFirst', 'headCut', 'pauseMs']),
  part('Expect', 'expectation', [], ['expectContinue', 'capitals']),
  part('spelling of the headers', 'header lines', [], ['headerOrder', 'headerGap', 'leadingZeros']),
  part('HTTP version', undefined, [], ['version']),
  part('absent headers', undefined, ['without'], ['noLength']),
  {
    ...EARLIER,
    copy: (from, to) => withSharedValues(from, to, EARLIER.copy(from, to)),
  },
];

/** A part that is one field of the request. */
const field = (name: string, key: 'credential' | 'scheme' | 'defect'): RequestPart => ({
  name,
  dimension: key,
  copy: (from, to) => copied(from, to, [key]),
});

export const CREDENTIAL = field('Authorization', 'credential');
const SCHEME = field('scheme', 'scheme');
export const BODY = field('body', 'defect');

export const WHITE_SPACE: RequestPart = {
  name: 'white space',
  dimension: 'white space',
  copy: (from, to) => ({ ...to, style: { ...to.style, gaps: from.style.gaps }, edits: from.edits }),
};

const ESCAPES: RequestPart = {
  name: 'escapes',
  dimension: 'escapes',
  copy: ({ style: { escapes, every, digits } }, to) => ({
    ...to,
    style: { ...to.style, escapes, every, digits },
  }),
};

/** Headers that have their own dimension of the model. */
const DIMENSIONS: Readonly<Record<string, string>> = {
  accept: 'Accept',
  'accept-encoding': 'Accept-Encoding',
};

const headerNames = ({ template: { headers = [] } }: ModelRequest): string[] =>
  headers.map(([name]) => name.toLowerCase());

const header = (name: string): RequestPart => ({
  name: name === 'te' ? 'TE' : wordsCapitalised(name),
  dimension: DIMENSIONS[name],
  copy: (from, to) => {
    const own = (request: ModelRequest, keep: boolean) =>
      (request.template.headers ?? []).filter(([one]) => (one.toLowerCase() === name) === keep);
    return { ...to, template: { ...to.template, headers: [...own(to, false), ...own(from, true)] } };
  },
});

const property = (name: string): RequestPart => ({
  name,
  dimension: name,
  copy: ({ plant: from }, to) => {
    const changed = (plant: JsonObject) => withInPlace(from, plant, name);
    return { ...to, plant: changed(to.plant), template: withSameInPreceding(name, to, changed) };
  },
});

/** Applies the change to the preceding request as well, if both requests share the value of the property. */
function withSameInPreceding(
  name: string,
  { plant, template }: ModelRequest,
  changed: (plant: JsonObject) => JsonObject,
): RequestTemplate {
  const { preceding } = template;
  const body = preceding?.template.body;
  if (preceding === undefined || body === undefined || !('json' in body)) return template;
  const { json } = body;
  if (!(json instanceof JsonObject)) return template;
  const [value, before] = [plant.get(name), json.get(name)];
  if (value === undefined || before === undefined || comparableText(value) !== comparableText(before))
    return template;
  const same = { ...preceding.template, body: { ...body, json: changed(json) } };
  return { ...template, preceding: { ...preceding, template: same } };
}

/**
 * Where `from` shares a value with its preceding request, gives the copied preceding request the value of the
 * request that it was copied to, so that the two still share one.
 */
function withSharedValues(from: ModelRequest, { plant }: ModelRequest, copy: ModelRequest): ModelRequest {
  const shared = (template: RequestTemplate, name: string) =>
    plant.get(name) === undefined
      ? template
      : withSameInPreceding(name, { ...from, template }, (before) => withInPlace(plant, before, name));
  return { ...copy, template: from.plant.members.map(([name]) => name).reduce(shared, copy.template) };
}

/** Copies all members of one name, if any, to the position of the first such member, or to the end. */
function withInPlace(from: JsonObject, to: JsonObject, name: string): JsonObject {
  const members = from.members.filter(([one]) => one === name);
  const at = to.members.findIndex(([one]) => one === name);
  const others = to.members.filter(([one]) => one !== name);
  return new JsonObject(others.toSpliced(at < 0 ? others.length : at, 0, ...members));
}

const ORDER: RequestPart = {
  name: 'property order',
  dimension: 'property order',
  copy: ({ plant: from }, to) => ({ ...to, plant: to.plant.inOrder(from.members.map(([name]) => name)) }),
};

/**
 * Text for comparing values. Functions, such as those that choose where a body is cut, are compared by their
 * source; what they capture is ignored. A Content-Type that is explicitly undefined differs from an absent
 * one.
 */
const comparableText = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    ['bigint', 'function', 'symbol', 'undefined'].includes(typeof inner) ? String(inner) : inner,
  );

/** Two plants are equal if they are written as the same text for each of these ids. */
const SAMPLE_IDS = [1n, 2n ** 40n + 12345n] as const;

function textOfRequest({ plant, style, edits, template, defect, credential, scheme }: ModelRequest): string {
  const written = SAMPLE_IDS.map((id) => edits.reduce((text, edit) => edit(text), write(plant, id, style)));
  return comparableText([written, template, defect, credential, scheme]);
}

export const isSame = (one: ModelRequest, other: ModelRequest): boolean =>
  one === other || textOfRequest(one) === textOfRequest(other);

export function differences(one: ModelRequest, other: ModelRequest): readonly RequestPart[] {
  const names = [...new Set([...headerNames(one), ...headerNames(other)])];
  const properties = [...new Set([...one.plant.members, ...other.plant.members].map(([name]) => name))];
  const parts = [
    ...AROUND,
    ...names.map(header),
    WHITE_SPACE,
    ESCAPES,
    ...properties.map(property),
    ORDER,
    BODY,
    CREDENTIAL,
    SCHEME,
  ];
  return parts.filter(({ copy }) => !isSame(copy(one, other), other));
}

export const withParts = (
  parts: readonly RequestPart[],
  from: ModelRequest,
  to: ModelRequest,
): ModelRequest => parts.reduce((changed, part) => part.copy(from, changed), to);

function credentialOf(sent: RequestTemplate['credential']): Pick<ModelRequest, 'credential' | 'scheme'> {
  if (sent?.respelled === undefined) return sent === undefined ? {} : { credential: sent };
  const { scheme, of } = sent.respelled;
  return of === validCredential ? { scheme } : { scheme, credential: of };
}

/** Expresses a template in terms of the model; undefined for raw bytes, or a body that contains the token. */
export function modelRequestOf(
  { body, credential, ordinary: _, sentAs: __, ...template }: RequestTemplate,
  plant: JsonObject,
): ModelRequest | undefined {
  const around: ModelRequest = {
    plant,
    style: COMPACT,
    edits: [],
    template: { ...template, delivery: template.delivery ?? {} },
    ...credentialOf(credential),
  };
  if (template.rawBytes !== undefined) return undefined;
  if (body === undefined)
    return { ...around, template: { contentType: undefined, ...around.template }, defect: { noBody: true } };
  if ('secret' in body) return undefined;
  if ('bytes' in body) {
    const { bytes } = body;
    return { ...around, defect: { corrupt: () => bytes } };
  }
  const { json, style = COMPACT, edit } = body;
  const isObject = json instanceof JsonObject;
  const request: ModelRequest = { ...around, style, ...(isObject ? { plant: json } : { defect: { json } }) };
  if (edit === undefined) return request;
  const [id] = SAMPLE_IDS;
  const text = write(json, id, style);
  const edited = edit(text);
  return typeof edited === 'string' && isPadded(edited, text)
    ? { ...request, edits: [(one) => String(edit(one))] }
    : { ...request, defect: { corrupt: isObject ? edit : () => edited } };
}

/** Whether a text is another one, with JSON white space (RFC 8259 section 2) around it. */
function isPadded(padded: string, text: string): boolean {
  const start = padded.indexOf(text);
  const around = start < 0 ? undefined : padded.slice(0, start) + padded.slice(start + text.length);
  return around !== undefined && /^[ \t\n\r]*$/.test(around);
}
