import { type Document, errorAt, isObject, memberOf, type Pointer } from './document.ts';
import { type DeclaredParameter, requiredParameters } from './parameters.ts';
import { type Shape, shapeOf } from './shape.ts';
import { upgraded } from './upgrade.ts';
import type { Validator } from './validator.ts';

/** Relative to the base URL. */
const PATH = '/plants';

/** What the document promises about `POST /plants`: the basis of all payloads and judgements. */
export interface Contract {
  readonly document: DocumentInfo;
  readonly newPlant: { readonly shape: Shape; readonly validate: Validator };
  readonly plant: { readonly shape: Shape; readonly validate: Validator };
  readonly error: { readonly validate: Validator };
  readonly parameters: readonly Parameter[];
  /** The paths that a base URL may have according to the document (those of its servers), such as `/api`. */
  readonly basePaths: readonly string[];
}

interface DocumentInfo {
  readonly file: string;
  readonly version: string;
  readonly sha256: string;
  readonly openapi: string;
  readonly overlays: readonly string[];
  readonly warnings: readonly string[];
}

interface Parameter extends Omit<DeclaredParameter, 'at' | 'schema' | 'in'> {
  readonly in: 'header' | 'query' | 'cookie';
  readonly location: string | undefined;
  readonly shape: Shape;
  readonly validate: Validator;
}

interface Source {
  readonly document: Document;
  readonly openapi: string;
  readonly overlays: readonly string[];
  /** Digest of the document's value, after overlays. */
  readonly sha256: string;
  /** The document's value after overlays, with references replaced by their targets. */
  readonly api: Readonly<Record<string, unknown>>;
  /** @throws Error if the schema cannot be compiled */
  compile(schema: unknown): Validator;
  /** Likely mistakes in the schema at a pointer, each with its location. */
  mistakesIn(schema: unknown, pointer: Pointer): readonly string[];
}

/**
 * Reads the contract from a document. Schemas of OpenAPI 3.0 are converted to those of 3.1.
 * @throws DocumentError, with file and location, if the document does not describe `POST /plants`
 */
export function contractIn(source: Source): Contract {
  const { document, openapi, overlays, sha256, api } = source;
  const { file } = document;
  const at = (pointer: Pointer) => part(document, api, pointer);

  const path = pathInDocument(document, api);
  const operation = ['paths', path, 'post'];
  requireBearer(document, api, operation);
  const read = openapi.startsWith('3.0.') ? upgraded : (schema: unknown) => schema;
  const warnings = new Set<string>();
  if (path !== PATH)
    warnings.add(
      `${file}:${document.location(['paths', path])}: declares POST ${path}, but requests go to ${PATH} below the base URL; use a base URL that ends in ${path.slice(0, -PATH.length)}`,
    );
  const media = ['content', 'application/json', 'schema'];
  const compiled = (pointer: Pointer, schema = read(at(pointer))) => {
    for (const mistake of source.mistakesIn(schema, pointer)) warnings.add(mistake);
    try {
      return { validate: source.compile(schema), shape: shapeOf(schema) };
    } catch (error) {
      const { message } = error as Error;
      throw errorAt(document, pointer, `is not a usable schema${applied(overlays)}: ${message}`);
    }
  };
  const body = [...operation, 'requestBody', ...media];
  const newPlant = compiled(body);
  if (!newPlant.shape.types.includes('object'))
    throw errorAt(document, body, 'the request body must be an object, as a NewPlant is');
  const plant = compiled([...operation, 'responses', '200', ...media]);
  const error = compiled([...operation, 'responses', '400', ...media]);
  const parameters = requiredParameters(api, ['paths', path]).flatMap(
    ({ at: pointer, in: where, schema, ...parameter }): Parameter[] => {
      if (where !== 'path') {
        const location = document.location(pointer);
        return [{ ...parameter, in: where, location, ...compiled([...pointer, 'schema'], read(schema)) }];
      }
      // A parameter in the part of the path that precedes /plants belongs to the base URL.
      if (path.includes(`{${parameter.name}}`)) return [];
      throw errorAt(document, pointer, `${PATH} does not contain the path parameter ${parameter.name}`);
    },
  );
  return Object.freeze({
    document: {
      file,
      version: isObject(api.info) ? String(api.info.version) : '',
      sha256,
      openapi,
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

/** The end of a message about a document with overlays, whose locations refer to the document alone. */
export const applied = (overlays: readonly string[]): string =>
  overlays.length === 0 ? '' : `, with ${overlays.join(', ')} applied`;

/** @param prefix the part of the operation's path before /plants, which belongs to the base URL */
function basePathsOf(servers: unknown, prefix: string): readonly string[] {
  const declared: readonly unknown[] = Array.isArray(servers) ? servers : [];
  const urls = declared.flatMap((server) => {
    if (!isObject(server)) return [];
    const url = String(server.url).replace(/\{([^}]*)\}/g, (_, name: string) => {
      const variable = memberOf(server.variables, name);
      return isObject(variable) ? String(variable.default) : '';
    });
    return URL.canParse(url, 'http://server') ? [new URL(url, 'http://server').pathname] : [];
  });
  const paths = urls.length === 0 && prefix !== '' ? ['/'] : urls;
  return paths.map((path) => `${path.replace(/\/+$/, '')}${prefix}`);
}

/** `/plants`, or the only path that ends in it, since paths may include a base path. */
function pathInDocument(document: Document, api: Record<string, unknown>): string {
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
  throw errorAt(document, ['paths'], `declares no paths > ${PATH}${reason}`);
}

function part(document: Document, api: unknown, pointer: Pointer): unknown {
  let value = api;
  for (const [index, key] of pointer.entries()) {
    value = memberOf(value, key);
    if (value === undefined)
      throw errorAt(
        document,
        pointer.slice(0, index),
        `declares no ${pointer.slice(0, index + 1).join(' > ')}`,
      );
  }
  return value;
}

/** Interface, section 5: every operation requires a bearer token. */
function requireBearer(document: Document, api: Record<string, unknown>, pointer: Pointer): void {
  const operation = part(document, api, pointer);
  const requirements = memberOf(operation, 'security') ?? api.security;
  const schemes = part(document, api, ['components', 'securitySchemes']);
  const isBearer = (name: string) => {
    const scheme = memberOf(schemes, name);
    return isObject(scheme) && scheme.type === 'http' && String(scheme.scheme).toLowerCase() === 'bearer';
  };
  // Any single requirement suffices, so an empty one would make the token optional.
  const bearer =
    Array.isArray(requirements) &&
    requirements.length > 0 &&
    requirements.every((one: unknown) => isObject(one) && Object.keys(one).some(isBearer));
  if (!bearer)
    throw errorAt(document, ['security'], `POST ${String(pointer[1])} does not require an HTTP bearer token`);
}
