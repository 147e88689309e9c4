import type { Arbitrary } from 'fast-check';
import type { Contract } from '../../contract/contract.ts';
import type { Body, Credential, Draft } from '../case.ts';
import { COMPACT, type Json, type JsonObject, type Style } from '../json.ts';

/** A request in the making: each dimension changes a part of it, in the order of the model. */
export interface Making {
  /** A NewPlant, as long as nothing is wrong with it. */
  readonly plant: JsonObject;
  readonly style: Style;
  /** What is then done to its text, in this order. */
  readonly edits: readonly ((text: string) => string)[];
  /** Everything but the body, sound or not. */
  readonly draft: Draft;
  /** What is wrong with its body. */
  readonly defect?: BodyDefect;
  /** What is sent in the place of the right credential. */
  readonly credential?: Credential;
}

/** What is wrong with a body: another value in the place of the plant, a spoiled text, or there is none. */
export type BodyDefect =
  | { readonly json: Json }
  | { readonly spoil: (text: string) => string | Uint8Array }
  | { readonly noBody: true };

/** The request as it is sent. */
export function draftOf({ plant, style, edits, draft, defect, credential }: Making): Draft {
  const around: Draft = {
    // Of the suite's own writer, which alone can say where segments end and in which order headers are.
    delivery: {},
    ...draft,
    ...(credential === undefined ? {} : { credential }),
  };
  if (defect !== undefined && 'noBody' in defect) return { ...around, contentType: 'application/json' };
  const spoil = defect !== undefined && 'spoil' in defect ? [defect.spoil] : [];
  const all: ((text: string) => string | Uint8Array)[] = [...edits, ...spoil];
  const edit = (text: string) =>
    all.reduce<string | Uint8Array>((done, one) => (typeof done === 'string' ? one(done) : done), text);
  const body: Body = {
    json: defect !== undefined && 'json' in defect ? defect.json : plant,
    style,
    ...(all.length === 0 ? {} : { edit }),
  };
  return { ...around, body };
}

/** The same request with nothing wrong with it. */
export const soundOf = ({ defect: _, credential: __, ...making }: Making): Making => making;

export const begun = (plant: JsonObject): Making => ({ plant, style: COMPACT, edits: [], draft: {} });

export interface Context {
  readonly contract: Contract;
  /** A value of an arbitrary: the same for the same row and salt. */
  readonly pick: <T>(arbitrary: Arbitrary<T>) => T;
}

/** One of the values of a dimension. */
export interface Value {
  /** As reports say it, `with` or `after` included; that of the usual value is never said. */
  readonly name: string;
  readonly apply: (making: Making, context: Context) => Making;
  /** What is wrong with the request, in the words of the checks that try this alone: it is one cause with them. */
  readonly fault?: string;
  /** It may be a fault itself, so that another one beside it would not be told from it. */
  readonly doubtful?: true;
  /** What the interface leaves open: a store may reject an ordinary plant for it, soundly. */
  readonly optional?: true;
  /** Dimensions that have to be as usual, because they would say nothing, or another thing, together with it. */
  readonly apart?: readonly string[];
  /** Where it stands for several, itself among them: a row has one of them. */
  readonly members?: readonly Value[];
}

/** One respect in which requests differ. */
export interface Dimension {
  readonly name: string;
  /** The first is the usual one. */
  readonly values: readonly [Value, ...Value[]];
  /** Most stores reject whatever has one of its other values, so that nothing else about it shows. */
  readonly masks?: true;
}

export const usual: Value = { name: 'as usual', apply: (making) => making };

export const dimension = (name: string, values: readonly Value[], first: Value = usual): Dimension => ({
  name,
  values: [first, ...values],
});

/** Values that are alike enough for each way of sending to meet any one of them: another one in each row. */
export const anyOf = (members: readonly [Value, ...Value[]]): Value => ({
  ...members[0],
  apart: [...new Set(members.flatMap(({ apart = [] }) => apart))],
  ...(members.some(({ optional }) => optional) ? { optional: true } : {}),
  members,
});

export const optional = (values: readonly Value[]): Value[] =>
  values.map((value) => ({ ...value, optional: true }));

/** A value that changes what is said around the body. */
export const saying = (
  name: string,
  more: Draft | ((draft: Draft) => Draft),
  rest: Partial<Value> = {},
): Value => ({
  name,
  apply: (making) => ({
    ...making,
    draft: typeof more === 'function' ? more(making.draft) : { ...making.draft, ...more },
  }),
  ...rest,
});

export const withHeaders = (
  name: string,
  headers: readonly (readonly [name: string, value: string])[],
  rest: Partial<Value> = {},
): Value => saying(name, (draft) => ({ ...draft, headers: [...(draft.headers ?? []), ...headers] }), rest);

export const delivered = (
  name: string,
  delivery: Draft['delivery'] & object,
  rest: Partial<Value> = {},
): Value => saying(name, (draft) => ({ ...draft, delivery: { ...draft.delivery, ...delivery } }), rest);
