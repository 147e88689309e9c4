import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { type Document, DocumentError, isObject, type Pointer } from './document.ts';
import { unknownKeywords } from './keywords.ts';
import { type DeclaredParameter, requiredParameters } from './parameters.ts';
import { readDocument } from './read-document.ts';
import { reader } from './references.ts';
import { type Shape, shapeOf } from './shape.ts';
import { upgraded } from './upgrade.ts';
import { compile, requireSchema, type Validator } from './validator.ts';

/** Below the base URL. */
const PATH = '/plants';

/**
 * What the document promises of `POST /plants`: the basis of all payloads and of all judgements of responses.
 */
export interface Contract {
  readonly document: DocumentInfo;
  readonly newPlant: { readonly shape: Shape; readonly validate: Validator };
  readonly plant: { readonly shape: Shape; readonly validate: Validator };
  readonly error: { readonly validate: Validator };
  /** What every request must carry besides the body. */
  readonly parameters: readonly Parameter[];
  /** The paths that a base URL may have by the document, such as `/api`: those of its servers. */
  readonly basePaths: readonly string[];
}

/** Facts about a document. */
export interface DocumentInfo {
  readonly file: string;
  readonly version: string;
  readonly sha256: string;
  /** Its OpenAPI version. */
  readonly openapi: string;
  /** The overlay files applied to it, in order. */
  readonly overlays: readonly string[];
  /** Likely mistakes in it. */
  readonly warnings: readonly string[];
}

export interface Parameter extends Omit<DeclaredParameter, 'at' | 'schema' | 'in'> {
  readonly in: 'header' | 'query' | 'cookie';
  readonly place: string | undefined;
  readonly shape: Shape;
  readonly validate: Validator;
}

/**
 * Loads an OpenAPI document, applies overlays to it in order, and extracts the contract. Overlays apply to an
 * OpenAPI 3.0 document as written; its schemas are then converted to those of 3.1.
 * @param file a YAML or JSON file; its references may lead to files in its folder and below
 * @param trusted skips the validation of a document that is known to be valid
 * @throws DocumentError with file and place, if the document cannot be used
 */
export async function loadContract(
  file: string,
  overlays: readonly string[] = [],
  { trusted = false }: { readonly trusted?: boolean } = {},
): Promise<Contract> {
  const document = readDocument(file);
  const version = isObject(document.value) ? document.value.openapi : undefined;
  if (typeof version !== 'string' || !/^3\.[01]\.\d+$/.test(version)) {
    throw new DocumentError(
      file,
      document.place(['openapi']),
      `is not an OpenAPI 3.1 or 3.0 document (${version === undefined ? 'it has no `openapi`' : `openapi: ${JSON.stringify(version)}`}); give one with \`openapi: 3.1.0\``,
    );
  }
  const described = await changed(document.value, overlays);
  const sha256 = createHash('sha256').update(JSON.stringify(described)).digest('hex');
  const api = trusted ? inlinedMembers(described, described) : await dereferenced(document, described);
  const at = (pointer: Pointer) => part(document, api, pointer);

  const path = pathOf(document, api);
  const operation = ['paths', path, 'post'];
  at(operation);
  requireBearer(document, api, operation);
  const read = version.startsWith('3.0.') ? upgraded : (schema: unknown) => schema;
  const applied = overlays.length === 0 ? '' : `, with ${overlays.join(', ')} applied`;
  const warnings = new Set<string>();
  if (path !== PATH)
    warnings.add(
      `${file}:${document.place(['paths', path])}: declares POST ${path}, but requests go to ${PATH} below the base URL; use a base URL that ends in ${path.slice(0, -PATH.length)}`,
    );
  const media = ['content', 'application/json', 'schema'];
  const compiled = (pointer: Pointer, schema = read(at(pointer))) => {
    if (!trusted)
      for (const { at: place, problem } of unknownKeywords(
        schema,
        follow(described, pointer),
        (from, ...keys) => follow(described, [...from, ...keys]),
      ))
        warnings.add(`${file}:${document.place(place)}${applied}: ${problem}`);
    try {
      if (!trusted) requireSchema(schema);
      return { shape: shapeOf(schema), validate: compile(schema) };
    } catch (error) {
      throw new DocumentError(
        file,
        document.place(pointer),
        `is not a usable schema${applied}: ${(error as Error).message}`,
      );
    }
  };
  const newPlant = compiled([...operation, 'requestBody', ...media]);
  if (newPlant.shape.types.length === 0 || !newPlant.shape.types.includes('object')) {
    const place = document.place([...operation, 'requestBody', ...media]);
    throw new DocumentError(file, place, 'the request body must be an object, as a NewPlant is');
  }
  const plant = compiled([...operation, 'responses', '200', ...media]);
  const error = compiled([...operation, 'responses', '400', ...media]);
  const parameters = requiredParameters(api, ['paths', path]).flatMap(
    ({ at: pointer, in: where, schema, ...parameter }): Parameter[] => {
      const place = document.place(pointer);
      if (where !== 'path')
        return [{ ...parameter, in: where, place, ...compiled([...pointer, 'schema'], read(schema)) }];
      // A parameter in a longer path belongs to the base URL.
      if (path.includes(`{${parameter.name}}`)) return [];
      throw new DocumentError(file, place, `${PATH} does not contain the path parameter ${parameter.name}`);
    },
  );
  const info = api.info;
  return Object.freeze({
    document: {
      file,
      version: isObject(info) ? String(info.version) : '',
      sha256,
      openapi: version,
      overlays,
      warnings: [...warnings],
    },
    newPlant,
    plant,
    error,
    parameters,
    basePaths: basePathsOf(api.servers, path.slice(0, -PATH.length)),
  });
}

/** @param beyond what the path of the operation has before /plants, which belongs to the base URL */
function basePathsOf(servers: unknown, beyond: string): readonly string[] {
  const declared: readonly unknown[] = Array.isArray(servers) ? servers : [];
  const urls = declared.flatMap((server) => {
    if (!isObject(server)) return [];
    const variables = isObject(server.variables) ? server.variables : {};
    const url = String(server.url).replace(/\{([^}]*)\}/g, (_, name: string) => {
      const variable = variables[name];
      return isObject(variable) ? String(variable.default) : '';
    });
    return URL.canParse(url, 'http://server') ? [new URL(url, 'http://server').pathname] : [];
  });
  const paths = urls.length === 0 && beyond !== '' ? ['/'] : urls;
  return paths.map((path) => `${path.replace(/\/+$/, '')}${beyond}`);
}

/**
 * The path of the operation: `/plants`, or the only one that ends in it, since a document may include the
 * base path.
 */
function pathOf(document: Document, api: Record<string, unknown>): string {
  const paths = isObject(api.paths) ? api.paths : {};
  if (PATH in paths) return PATH;
  const longer = Object.keys(paths).filter((path) => {
    const item = paths[path];
    return path.endsWith(PATH) && isObject(item) && item.post !== undefined;
  });
  const [only] = longer;
  if (only !== undefined && longer.length === 1) return only;
  const reason =
    longer.length === 0
      ? ''
      : `; ${longer.join(' and ')} are ambiguous: remove all but one, for example with an overlay`;
  throw new DocumentError(document.file, document.place(['paths']), `declares no paths > ${PATH}${reason}`);
}

/** Resolves a pointer in a document, following references within the document. */
function follow(described: unknown, pointer: Pointer): Pointer {
  let [value, place]: [unknown, Pointer] = [described, []];
  for (const key of pointer) {
    value = memberOf(value, key);
    place = [...place, key];
    for (let hops = 0; hops < 100; hops += 1) {
      const target = targetOf(value);
      if (target === undefined) break;
      place = target;
      value = place.reduce(memberOf, described);
    }
  }
  return place;
}

const memberOf = (value: unknown, key: string | number): unknown =>
  (value as Record<string | number, unknown> | undefined)?.[key];

/** The target of a reference within the document. */
function targetOf(value: unknown): string[] | undefined {
  if (!isObject(value) || typeof value.$ref !== 'string') return undefined;
  return /^#\/(.*)$/
    .exec(value.$ref)?.[1]
    ?.split('/')
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A value of the suite's own document, with its references replaced: all lead to other parts of it. */
function inlined(value: unknown, described: unknown): unknown {
  const target = targetOf(value);
  if (target !== undefined) return inlined(target.reduce(memberOf, described), described);
  if (Array.isArray(value)) return value.map((one) => inlined(one, described));
  return isObject(value) ? inlinedMembers(value, described) : value;
}

const inlinedMembers = (object: unknown, described: unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(Object(object)).map(([key, value]) => [key, inlined(value, described)]));

/** Loads the overlay code only if it is needed. */
async function changed(value: unknown, overlays: readonly string[]): Promise<unknown> {
  if (overlays.length === 0) return value;
  const { applyOverlay } = await import('./overlay.ts');
  return overlays.reduce(applyOverlay, value);
}

/** Validates a document, and replaces its references by what they refer to. */
async function dereferenced(document: Document, described: unknown): Promise<Record<string, unknown>> {
  const { default: SwaggerParser } = await import('@apidevtools/swagger-parser');
  const read = reader(document, described);
  let rejected: unknown;
  const file = {
    order: 1,
    canRead: true,
    read({ url }: { readonly url: string }) {
      try {
        return read(url);
      } catch (error) {
        rejected ??= error;
        throw error;
      }
    },
  };
  try {
    const parser = new SwaggerParser();
    const api: unknown = await parser.validate(
      resolve(document.file),
      structuredClone(described) as Parameters<typeof SwaggerParser.validate>[0] & object,
      { resolve: { http: false, file }, dereference: { circular: 'ignore' } },
    );
    if (isObject(api)) return api;
  } catch (error) {
    if (rejected !== undefined) throw rejected;
    const [first = '', second = ''] = (error as Error).message.split('\n').map((line) => line.trim());
    const problem = second.startsWith('#/') || first.endsWith('.') ? `${first} ${second}`.trim() : first;
    const pointer = /#\/([^\s"']+)/.exec((error as Error).message)?.[1]?.split('/') ?? [];
    throw new DocumentError(
      document.file,
      document.place(pointer),
      `is not a valid OpenAPI document: ${problem}`,
    );
  }
  throw new DocumentError(document.file, undefined, 'is empty');
}

function part(document: Document, api: unknown, pointer: Pointer): unknown {
  let value = api;
  for (const [index, key] of pointer.entries()) {
    value = isObject(value) ? value[key] : undefined;
    if (value === undefined) {
      const missing = pointer.slice(0, index + 1).join(' > ');
      throw new DocumentError(
        document.file,
        document.place(pointer.slice(0, index)),
        `declares no ${missing}`,
      );
    }
  }
  return value;
}

/** Interface, section 5: every operation requires a bearer token. */
function requireBearer(document: Document, api: Record<string, unknown>, pointer: Pointer): void {
  const operation = part(document, api, pointer);
  const requirements = (isObject(operation) ? operation.security : undefined) ?? api.security;
  const schemes = part(document, api, ['components', 'securitySchemes']);
  const isBearer = (name: string) => {
    const scheme = isObject(schemes) ? schemes[name] : undefined;
    return isObject(scheme) && scheme.type === 'http' && String(scheme.scheme).toLowerCase() === 'bearer';
  };
  // Any one requirement is sufficient, so an empty one would make the token optional.
  const bearer =
    Array.isArray(requirements) &&
    requirements.length > 0 &&
    requirements.every((one: unknown) => isObject(one) && Object.keys(one).some(isBearer));
  if (!bearer) {
    throw new DocumentError(
      document.file,
      document.place(['security']),
      `POST ${String(pointer[1])} does not require an HTTP bearer token`,
    );
  }
}
