import type { Arbitrary } from 'fast-check';
import type { Contract } from '../../contract/contract.ts';
import { JsonObject } from '../json.ts';
import type { RequestTemplate } from '../test-case.ts';
import type { ModelRequest } from './model-request.ts';

export interface Context {
  readonly contract: Contract;
  /** Samples an arbitrary. The result is the same for the same row and seed. */
  readonly sample: <T>(arbitrary: Arbitrary<T>) => T;
}

/** Groups of similar values of a dimension: a store probably fails for all values of a group or for none. */
export type ValueGroup =
  // framing, segments, header lines
  | 'several chunks'
  | 'cut body'
  | 'head before body'
  | 'pause'
  | 'letter case'
  // escapes
  | 'escaped names'
  | 'escaped values'
  | 'lower-case escapes'
  | 'upper-case escapes'
  // size, undeclared names
  | 'larger body'
  | 'undeclared property'
  | 'unusual property name'
  | 'repeated property'
  // history
  | 'otherwise the same'
  | 'same id'
  | 'same id in flight'
  | 'overlapping'
  | 'concurrent'
  | 'later on its connection'
  | 'right token before'
  | 'right token without a body before'
  | 'plant before'
  | 'rejected before'
  | 'aborted before';

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
  /** The wording in a label, including `with` or `after`. The usual value is not mentioned. */
  readonly name: string;
  readonly apply: (request: ModelRequest, context: Context) => ModelRequest;
  /** Worded as in the checks that try nothing else, so that their failures get the same cause. */
  readonly stableLabel?: string;
  /** The label begins with this name instead of `a plant`: it refers to the body or the token. */
  readonly standalone?: true;
  /** A store may reject it as invalid, so the value is not combined with what is certainly invalid. */
  readonly mayMakeInvalid?: true;
  /** A store may reject an ordinary plant with this value, because the interface leaves it open. */
  readonly mayBeRejected?: true;
  /** A request with this value takes long, so it is tried only where a store must accept it. */
  readonly isSlow?: true;
  /** Dimensions whose unusual values would have no effect, or another one, together with this value. */
  readonly incompatibleWith?: readonly DimensionName[];
  readonly groups?: readonly ValueGroup[];
  /** The values that this one represents, including itself. Each row uses one of them. */
  readonly members?: readonly Value[];
}

export interface Dimension {
  readonly name: DimensionName;
  /** The usual value comes first. */
  readonly values: readonly [Value, ...Value[]];
  /** Most stores reject the other values, which masks everything else about the request. */
  readonly masksOthers?: true;
}

const usualValue: Value = { name: 'as usual', apply: (request) => request };

export const dimension = (name: DimensionName, values: readonly Value[]): Dimension => ({
  name,
  values: [usualValue, ...values],
});

/** Returns a value that represents several similar ones. Rows use its members in turn. */
export const anyOf = (members: readonly [Value, ...Value[]]): Value => ({
  ...members[0],
  incompatibleWith: [...new Set(members.flatMap(({ incompatibleWith: apart = [] }) => apart))],
  ...(members.some(({ mayBeRejected }) => mayBeRejected) ? { mayBeRejected: true } : {}),
  members,
});

export const anyOfList = ([first, ...others]: readonly Value[]): Value[] =>
  first === undefined ? [] : [anyOf([first, ...others])];

/** Marks values for which a store may reject a request. */
export const optional = (values: readonly Value[]): Value[] =>
  values.map((value) => ({ ...value, mayBeRejected: true }));

export const inGroup = (group: ValueGroup, values: readonly Value[]): Value[] =>
  values.map(({ groups = [], members, ...value }) => ({
    ...value,
    groups: [...groups, group],
    ...(members === undefined ? {} : { members: inGroup(group, members) }),
  }));

/** Returns a value that changes the request, but not its body. Adds headers and delivery to those of others. */
export const withTemplate = (name: string, more: RequestTemplate, rest: Partial<Value> = {}): Value => ({
  name,
  apply: ({ template, ...request }) => ({
    ...request,
    template: {
      ...template,
      ...more,
      ...(more.headers && { headers: [...(template.headers ?? []), ...more.headers] }),
      ...(more.delivery && { delivery: { ...template.delivery, ...more.delivery } }),
    },
  }),
  ...rest,
});

export const changing = (
  name: string,
  change: (plant: JsonObject, context: Context) => JsonObject,
  rest: Partial<Value> = {},
): Value => ({
  name,
  apply: (request, context) => ({ ...request, plant: change(request.plant, context) }),
  ...rest,
});

/** Returns a value that adds members to the end of the plant. */
export const adding = (name: string, members: JsonObject['members'], rest: Partial<Value> = {}): Value =>
  changing(name, (plant) => new JsonObject([...plant.members, ...members]), rest);

export const editing = (name: string, edit: (text: string) => string, rest: Partial<Value> = {}): Value => ({
  name,
  apply: (request) => ({ ...request, edits: [...request.edits, edit] }),
  ...rest,
});

export const withHeaders = (name: string, headers: RequestTemplate['headers'] & object): Value =>
  withTemplate(name, { headers });

export const delivered = (
  name: string,
  delivery: RequestTemplate['delivery'] & object,
  rest: Partial<Value> = {},
): Value => withTemplate(name, { delivery }, rest);
