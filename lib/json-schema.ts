/** The keywords of a JSON Schema. */
type Keywords = Readonly<Record<string, unknown>>;

/** A JSON Schema, whatever the type of its values. */
interface AnySchema {
  readonly json: Keywords;
}

/** A JSON Schema for the values of a type. Schema and type have one source. */
export interface Schema<T> extends AnySchema {
  /**
   * Never set: only the compiler uses it. A function makes T invariant, so that the schema of a wider or
   * narrower type does not fit.
   */
  readonly of?: (value: T) => T;
}

/** The type of the values that a schema describes. */
export type Of<S> = S extends Schema<infer T> ? T : never;

export interface Optional<T> extends Schema<T> {
  readonly optional: true;
}

type Properties = Readonly<Record<string, AnySchema>>;

/** The type of objects with these properties. */
export type ObjectOf<P> = {
  readonly [K in keyof P as P[K] extends Optional<Of<P[K]>> ? never : K]: Of<P[K]>;
} & {
  readonly [K in keyof P as P[K] extends Optional<Of<P[K]>> ? K : never]?: Of<P[K]>;
};

export const text: Schema<string> = { json: { type: 'string' } };
export const boolean: Schema<boolean> = { json: { type: 'boolean' } };
export const number: Schema<number> = { json: { type: 'number' } };
export const integer: Schema<number> = { json: { type: 'integer' } };
export const nonNegative: Schema<number> = { json: { type: 'number', minimum: 0 } };
export const nonNegativeInteger: Schema<number> = { json: { type: 'integer', minimum: 0 } };
export const positiveInteger: Schema<number> = { json: { type: 'integer', minimum: 1 } };

/** Returns the same schema with further keywords. */
export const withKeywords = <T>({ json }: Schema<T>, keywords: Keywords): Schema<T> => ({
  json: { ...json, ...keywords },
});

export const matching = (pattern: string): Schema<string> => withKeywords(text, { pattern });

const about = (json: Keywords, description: string | undefined): Keywords =>
  description === undefined ? json : { ...json, description };

export const described = <T>({ json }: Schema<T>, description: string): Schema<T> => ({
  json: about(json, description),
});

/** Returns a schema for a property that may be absent. */
export const optional = <T>({ json }: Schema<T>, description?: string): Optional<T> => ({
  json: about(json, description),
  optional: true,
});

export const constant = <const T extends string | number | boolean>(value: T): Schema<T> => ({
  json: { const: value },
});

export const oneOf = <const T extends string | number>(...values: readonly T[]): Schema<T> => ({
  json: { enum: values },
});

type WordsOf<T extends string> = T extends `${infer First} ${infer Rest}` ? First | WordsOf<Rest> : T;

/** Returns a schema for one of the words in a text. */
export const wordOf = <const T extends string>(words: T): Schema<WordsOf<T>> => ({
  json: { enum: words.split(' ') },
});

export const nullable = <T>({ json }: Schema<T>): Schema<T | null> => ({
  json: { anyOf: [{ type: 'null' }, json] },
});

export const either = <A, B>(a: Schema<A>, b: Schema<B>): Schema<A | B> => ({
  json: { oneOf: [a.json, b.json] },
});

/** Returns a schema like `either`, but a condition chooses, so that errors refer to the intended schema. */
export const when = <A, B>(condition: Keywords, a: Schema<A>, b: Schema<B>): Schema<A | B> => ({
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  json: { if: condition, then: a.json, else: b.json },
});

export const list = <T>({ json }: Schema<T>, keywords: Keywords = {}): Schema<readonly T[]> => ({
  json: { type: 'array', items: json, ...keywords },
});

export const pair = <T>(schema: Schema<T>): Schema<readonly [T, T]> => ({
  json: list(schema, { minItems: 2, maxItems: 2 }).json,
});

/** Returns a schema for an object with arbitrary property names. */
export const mapOf = <T>({ json }: Schema<T>): Schema<Readonly<Record<string, T>>> => ({
  json: { type: 'object', additionalProperties: json },
});

/** Returns a schema for an object with exactly these properties. */
export const object = <P extends Properties>(properties: P): Schema<ObjectOf<P>> => ({
  json: {
    type: 'object',
    additionalProperties: false,
    required: Object.keys(properties).filter((name) => !('optional' in (properties[name] ?? {}))),
    properties: Object.fromEntries(Object.entries(properties).map(([name, { json }]) => [name, json])),
  },
});

/** Marks schemas that a document defines once and refers to by name. */
const DEFINED = Symbol('defined');

/** Returns a schema that a document defines once and refers to by name. */
export const named = <T>(name: string, { json }: Schema<T>, description?: string): Schema<T> => ({
  json: { $ref: `#/$defs/${name}`, [DEFINED]: { name, json: about(json, description) } },
});

/** Returns a schema as a complete document, including the definitions of all named schemas. */
export function documentOf({ json }: AnySchema, head: Keywords): string {
  const $defs: Record<string, unknown> = {};
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if (DEFINED in value) {
      const { name, json: definition } = value[DEFINED] as { readonly name: string; readonly json: Keywords };
      if (Object.hasOwn($defs, name)) return;
      $defs[name] = definition;
      collect(definition);
    } else Object.values(value).forEach(collect);
  };
  collect(json);
  const $schema = 'https://json-schema.org/draft/2020-12/schema';
  return `${JSON.stringify({ $schema, ...head, ...json, $defs }, null, 2)}\n`;
}
