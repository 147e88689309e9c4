import type { Arbitrary } from 'fast-check';
import type { Contract } from '../../contract/contract.ts';
import { COMPACT, type Json, type JsonObject, type Style } from '../json.ts';
import {
  type Body,
  type Credential,
  type RequestTemplate,
  validCredential,
  withScheme,
} from '../test-case.ts';

/** A request under construction: each dimension changes a part of it, in the order of the model. */
export interface RequestState {
  /** A NewPlant, before any defect. */
  readonly plant: JsonObject;
  readonly style: Style;
  /** Edits of its text, in order. */
  readonly edits: readonly ((text: string) => string)[];
  /** Everything but the body. */
  readonly template: RequestTemplate;
  /** What is wrong with its body. */
  readonly defect?: BodyDefect;
  /** Sent instead of the right credential. */
  readonly credential?: Credential;
  /** Written instead of `Bearer `. */
  readonly scheme?: string;
}

/** What is wrong with a body: another value instead of the plant, a malformed text, or no body. */
export type BodyDefect =
  | { readonly json: Json }
  | { readonly corrupt: (text: string) => string | Uint8Array }
  | { readonly noBody: true };

/** The finished request template. */
export function templateOf({
  plant,
  style,
  edits,
  template,
  defect,
  credential,
  scheme,
}: RequestState): RequestTemplate {
  const sent = scheme === undefined ? credential : withScheme(scheme, credential ?? validCredential);
  const around: RequestTemplate = {
    // Sent by the suite's raw socket: only it controls segments and the order of headers.
    delivery: {},
    ...template,
    ...(sent === undefined ? {} : { credential: sent }),
  };
  if (defect !== undefined && 'noBody' in defect) return { contentType: 'application/json', ...around };
  const corrupt = defect !== undefined && 'corrupt' in defect ? [defect.corrupt] : [];
  const all: ((text: string) => string | Uint8Array)[] = [...edits, ...corrupt];
  const edit = (text: string) =>
    all.reduce<string | Uint8Array>((done, one) => (typeof done === 'string' ? one(done) : done), text);
  const body: Body = {
    json: defect !== undefined && 'json' in defect ? defect.json : plant,
    style,
    ...(all.length === 0 ? {} : { edit }),
  };
  return { ...around, body };
}

/** The same request with nothing wrong about it. */
export const madeValid = ({ defect: _, credential: __, ...state }: RequestState): RequestState => state;

export const initialState = (plant: JsonObject): RequestState => ({
  plant,
  style: COMPACT,
  edits: [],
  template: {},
});

export interface Context {
  readonly contract: Contract;
  /** Samples an arbitrary: the same value for the same row and seed. */
  readonly pick: <T>(arbitrary: Arbitrary<T>) => T;
}

/** What some values of a dimension have in common: a store is likely to fail with all of them or with none. */
export type ValueGroup =
  // framing, segments, header lines
  | 'several chunks'
  | 'cut body'
  | 'head before body'
  | 'pause'
  | 'capital letters'
  // escapes
  | 'escaped names'
  | 'escaped values'
  | 'lower-case escapes'
  // size, undeclared names
  | 'larger body'
  | 'undeclared property'
  // history
  | 'otherwise the same'
  | 'same id'
  | 'same id in flight'
  | 'overlapping'
  | 'concurrent'
  | 'later on its connection'
  | 'right token before'
  | 'plant before'
  | 'rejected before'
  | 'aborted before';

/** The respects in which requests differ. */
export type DimensionName =
  | 'defect'
  | 'credential'
  | 'scheme'
  // plant
  | 'name'
  | 'tag'
  | 'id'
  | 'property order'
  | 'undeclared names'
  | 'undeclared values'
  // text
  | 'size'
  | 'white space'
  | 'escapes'
  // message
  | 'framing'
  | 'segments'
  | 'expectation'
  | 'media type'
  | 'unusual form'
  | 'Accept'
  | 'Accept-Encoding'
  | 'client'
  | 'proxy'
  | 'control'
  | 'header lines'
  | 'header order'
  | 'target'
  | 'history';

export interface Value {
  /** The words in a label, including `with` or `after`; not printed for the usual value. */
  readonly name: string;
  readonly apply: (state: RequestState, context: Context) => RequestState;
  /**
   * What is wrong with the request, in the words of the checks that try only this, so that both have one
   * cause.
   */
  readonly stableLabel?: string;
  /** A label begins with its name instead of `a plant`: it is said of the body or the token. */
  readonly standalone?: true;
  /** A store may reject it as invalid, so it is not combined with what is certainly invalid. */
  readonly mayMakeInvalid?: true;
  /** Left open by the interface: a store may reject an ordinary plant because of it. */
  readonly mayBeRejected?: true;
  /**
   * Dimensions that must have their usual value, because they would have no effect, or another one, together
   * with it.
   */
  readonly incompatibleWith?: readonly DimensionName[];
  readonly groups?: readonly ValueGroup[];
  /** The values that it represents, including itself: each row uses one of them. */
  readonly members?: readonly Value[];
}

/** One respect in which requests differ. */
export interface Dimension {
  readonly name: DimensionName;
  /** The first is the usual one. */
  readonly values: readonly [Value, ...Value[]];
  /** Most stores reject its other values, which masks everything else about the request. */
  readonly masksOthers?: true;
}

const usualValue: Value = { name: 'as usual', apply: (state) => state };

export const dimension = (name: DimensionName, values: readonly Value[]): Dimension => ({
  name,
  values: [usualValue, ...values],
});

/** One value that represents several similar ones: rows use its members in rotation. */
export const anyOf = (members: readonly [Value, ...Value[]]): Value => ({
  ...members[0],
  incompatibleWith: [...new Set(members.flatMap(({ incompatibleWith: apart = [] }) => apart))],
  ...(members.some(({ mayBeRejected }) => mayBeRejected) ? { mayBeRejected: true } : {}),
  members,
});

/** One value that represents several, if there are any. */
export const anyOfList = ([first, ...others]: readonly Value[]): Value[] =>
  first === undefined ? [] : [anyOf([first, ...others])];

/** For values with which a store may reject a request. */
export const optional = (values: readonly Value[]): Value[] =>
  values.map((value) => ({ ...value, mayBeRejected: true }));

/** For values that belong to a group. */
export const inGroup = (group: ValueGroup, values: readonly Value[]): Value[] =>
  values.map(({ groups = [], members, ...value }) => ({
    ...value,
    groups: [...groups, group],
    ...(members === undefined ? {} : { members: inGroup(group, members) }),
  }));

/** A value that changes the request around its body. */
export const withTemplate = (
  name: string,
  more: RequestTemplate | ((template: RequestTemplate) => RequestTemplate),
  rest: Partial<Value> = {},
): Value => ({
  name,
  apply: (state) => ({
    ...state,
    template: typeof more === 'function' ? more(state.template) : { ...state.template, ...more },
  }),
  ...rest,
});

export const withHeaders = (
  name: string,
  headers: readonly (readonly [name: string, value: string])[],
): Value =>
  withTemplate(name, (template) => ({ ...template, headers: [...(template.headers ?? []), ...headers] }));

export const delivered = (
  name: string,
  delivery: RequestTemplate['delivery'] & object,
  rest: Partial<Value> = {},
): Value =>
  withTemplate(name, (template) => ({ ...template, delivery: { ...template.delivery, ...delivery } }), rest);
