import { isObject, memberOf, type Pointer } from './document.ts';

/** A parameter that the document requires in every request, dereferenced. */
export interface DeclaredParameter {
  readonly in: 'header' | 'query' | 'cookie' | 'path';
  readonly name: string;
  readonly at: Pointer;
  readonly schema: unknown;
  /** Whether the value is sent as JSON. */
  readonly json: boolean;
  /** Whether each item of a list is sent separately. */
  readonly explode: boolean;
  /** The example or default value in the document. */
  readonly given: unknown;
}

/** Parameters with these names are ignored (OpenAPI 3.1 section 4.8.12.2.1). */
const IGNORED = /^(?:accept|content-type|authorization)$/i;

/** Returns the required parameters of an operation, including those of its path that it does not override. */
export function requiredParameters(api: unknown, pathPointer: Pointer): readonly DeclaredParameter[] {
  const found = new Map<string, DeclaredParameter | undefined>();
  for (const pointer of [
    [...pathPointer, 'parameters'],
    [...pathPointer, 'post', 'parameters'],
  ]) {
    const list = pointer.reduce(memberOf, api);
    for (const [index, one] of (Array.isArray(list) ? list : []).entries()) {
      if (!isObject(one) || typeof one.name !== 'string') continue;
      found.set(
        `${one.in} ${one.name}`,
        one.required === true ? declared(one, [...pointer, index]) : undefined,
      );
    }
  }
  return [...found.values()].filter((one) => one !== undefined);
}

function declared(parameter: Record<string, unknown>, at: Pointer): DeclaredParameter | undefined {
  const { in: where, name, content, style, explode } = parameter;
  if (typeof name !== 'string' || (where === 'header' && IGNORED.test(name))) return undefined;
  if (where !== 'header' && where !== 'query' && where !== 'cookie' && where !== 'path') return undefined;
  const media: unknown = isObject(content) ? Object.values(content)[0] : undefined;
  const schema = isObject(media) ? media.schema : parameter.schema;
  return {
    in: where,
    name,
    at,
    schema,
    json: isObject(media),
    explode: typeof explode === 'boolean' ? explode : where === 'query' && (style ?? 'form') === 'form',
    given: [parameter, media, schema].map(givenBy).find((value) => value !== undefined),
  };
}

function givenBy(value: unknown): unknown {
  if (!isObject(value)) return undefined;
  const { example, examples, default: usual } = value;
  if (example !== undefined) return example;
  const [first] = Object.values(isObject(examples) || Array.isArray(examples) ? examples : {}) as unknown[];
  // Examples in a schema are values; those of a parameter are objects that contain a value.
  if (first !== undefined) return isObject(first) && !Array.isArray(examples) ? first.value : first;
  return usual;
}
