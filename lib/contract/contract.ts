import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import SwaggerParser from '@apidevtools/swagger-parser';
import { type Document, DocumentError, isObject, type Pointer, readDocument } from './document.ts';
import { reader } from './references.ts';
import { type Shape, shapeOf } from './schema.ts';
import { compile, requireSchema, type Validator } from './validator.ts';

const PATH = '/plants';

/** What the document promises of `POST /plants`: all that payloads are made from and answers judged by. */
export interface Contract {
  readonly document: { readonly file: string; readonly version: string; readonly sha256: string };
  readonly newPlant: { readonly shape: Shape; readonly validate: Validator };
  readonly plant: { readonly shape: Shape; readonly validate: Validator };
  readonly error: { readonly validate: Validator };
}

/**
 * Loads an OpenAPI 3.1 document, applies overlays to it in order, and reads the contract out of it.
 * @param file a YAML or JSON file; references in it may lead to files in its folder and below
 * @param trusted leaves out what a document that is known to be valid need not be asked
 * @throws DocumentError naming file and place, when the document cannot serve
 */
export async function loadContract(
  file: string,
  overlays: readonly string[] = [],
  { trusted = false }: { readonly trusted?: boolean } = {},
): Promise<Contract> {
  const document = readDocument(file);
  const version = isObject(document.value) ? document.value.openapi : undefined;
  if (typeof version !== 'string' || !/^3\.1\.\d+$/.test(version)) {
    throw new DocumentError(
      file,
      document.place(['openapi']),
      `is not an OpenAPI 3.1 document (${version === undefined ? 'it has no `openapi`' : `openapi: ${JSON.stringify(version)}`}); give one with \`openapi: 3.1.0\``,
    );
  }
  const described = await changed(document.value, overlays);
  const sha256 = createHash('sha256').update(JSON.stringify(described)).digest('hex');
  const api = await dereferenced(document, described, trusted);
  const at = (pointer: Pointer) => part(document, api, pointer);

  const operation = ['paths', PATH, 'post'];
  at(operation);
  requireBearer(document, api);
  const media = ['content', 'application/json', 'schema'];
  const compiled = (pointer: Pointer) => {
    const schema = at(pointer);
    try {
      if (!trusted) requireSchema(schema);
      return { shape: shapeOf(schema), validate: compile(schema) };
    } catch (error) {
      throw new DocumentError(
        file,
        document.place(pointer),
        `is not a usable schema${overlays.length === 0 ? '' : `, with ${overlays.join(', ')} applied`}: ${(error as Error).message}`,
      );
    }
  };
  const newPlant = compiled([...operation, 'requestBody', ...media]);
  if (newPlant.shape.types.length === 0 || !newPlant.shape.types.includes('object')) {
    const place = document.place([...operation, 'requestBody', ...media]);
    throw new DocumentError(file, place, 'the request body is not an object; a NewPlant is one');
  }
  const info = api.info;
  return Object.freeze({
    document: { file, version: isObject(info) ? String(info.version) : '', sha256 },
    newPlant,
    plant: compiled([...operation, 'responses', '200', ...media]),
    error: compiled([...operation, 'responses', '400', ...media]),
  });
}

/** What reads an overlay is loaded only where there is one. */
async function changed(value: unknown, overlays: readonly string[]): Promise<unknown> {
  if (overlays.length === 0) return value;
  const { applyOverlay } = await import('./overlay.ts');
  return overlays.reduce(applyOverlay, value);
}

async function dereferenced(
  document: Document,
  described: unknown,
  trusted: boolean,
): Promise<Record<string, unknown>> {
  const read = reader(document, described);
  let refused: unknown;
  const file = {
    order: 1,
    canRead: true,
    read({ url }: { readonly url: string }) {
      try {
        return read(url);
      } catch (error) {
        refused ??= error;
        throw error;
      }
    },
  };
  try {
    const parser = new SwaggerParser();
    const api: unknown = await parser[trusted ? 'dereference' : 'validate'](
      resolve(document.file),
      structuredClone(described) as Parameters<typeof SwaggerParser.validate>[0] & object,
      { resolve: { http: false, file }, dereference: { circular: 'ignore' } },
    );
    if (isObject(api)) return api;
  } catch (error) {
    if (refused !== undefined) throw refused;
    const [first = '', second = ''] = (error as Error).message.split('\n').map((line) => line.trim());
    const problem = second.startsWith('#/') || first.endsWith('.') ? `${first} ${second}`.trim() : first;
    const pointer = /#\/([^\s"']+)/.exec((error as Error).message)?.[1]?.split('/') ?? [];
    throw new DocumentError(document.file, document.place(pointer), `does not hold together: ${problem}`);
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

/** Section 5 of the interface: every operation asks for a bearer token. */
function requireBearer(document: Document, api: Record<string, unknown>): void {
  const operation = part(document, api, ['paths', PATH, 'post']);
  const requirements = (isObject(operation) ? operation.security : undefined) ?? api.security;
  const schemes = part(document, api, ['components', 'securitySchemes']);
  const isBearer = (name: string) => {
    const scheme = isObject(schemes) ? schemes[name] : undefined;
    return isObject(scheme) && scheme.type === 'http' && String(scheme.scheme).toLowerCase() === 'bearer';
  };
  // Any one of the list is enough, so that an empty one among them makes the token optional.
  const bearer =
    Array.isArray(requirements) &&
    requirements.length > 0 &&
    requirements.every((one: unknown) => isObject(one) && Object.keys(one).some(isBearer));
  if (!bearer) {
    throw new DocumentError(
      document.file,
      document.place(['security']),
      `POST ${PATH} does not ask for an HTTP bearer token`,
    );
  }
}
