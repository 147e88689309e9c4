import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { nameIn } from '../json-pointer.ts';
import { compile, requireSchema } from './compile.ts';
import { applied, type Contract, contractIn } from './contract.ts';
import { type Document, DocumentError, errorAt, isObject, memberOf, type Pointer } from './document.ts';
import { unknownKeywords } from './keywords.ts';
import { readDocument } from './read-document.ts';
import { reader } from './references.ts';

/**
 * Overlays apply to an OpenAPI 3.0 document as it is written, before its schemas are converted.
 * @param file its references may lead to files in its folder and below
 * @throws DocumentError, with file and location, if the document cannot be used
 */
export async function loadContract(file: string, overlays: readonly string[] = []): Promise<Contract> {
  const document = readDocument(file);
  const openapi = versionOf(document);
  const described = await changed(document.value, overlays);
  return contractIn({
    document,
    openapi,
    overlays,
    sha256: createHash('sha256').update(JSON.stringify(described)).digest('hex'),
    api: await dereferenced(document, described),
    compile(schema) {
      requireSchema(schema);
      return compile(schema);
    },
    mistakesIn: (schema, pointer) =>
      [
        ...unknownKeywords(schema, follow(described, pointer), (from, ...keys) =>
          follow(described, [...from, ...keys]),
        ),
      ].map(({ at, problem }) => `${file}:${document.location(at)}${applied(overlays)}: ${problem}`),
  });
}

/** @throws DocumentError if the version is neither 3.1 nor 3.0 */
function versionOf(document: Document): string {
  const version = memberOf(document.value, 'openapi');
  if (typeof version === 'string' && /^3\.[01]\.\d+$/.test(version)) return version;
  const found = version === undefined ? 'it has no `openapi`' : `openapi: ${JSON.stringify(version)}`;
  const problem = `is not an OpenAPI 3.1 or 3.0 document (${found}); give one with \`openapi: 3.1.0\``;
  throw errorAt(document, ['openapi'], problem);
}

function follow(described: unknown, pointer: Pointer): Pointer {
  let [value, resolved]: [unknown, Pointer] = [described, []];
  for (const key of pointer) {
    value = memberOf(value, key);
    resolved = [...resolved, key];
    for (let hops = 0; hops < 100; hops += 1) {
      const target = targetOf(value);
      if (target === undefined) break;
      resolved = target;
      value = resolved.reduce(memberOf, described);
    }
  }
  return resolved;
}

/** The target of a reference within the document; undefined if the value is no such reference. */
function targetOf(value: unknown): string[] | undefined {
  if (!isObject(value) || typeof value.$ref !== 'string') return undefined;
  return /^#\/(.*)$/
    .exec(value.$ref)?.[1]
    ?.split('/')
    .map((part) => nameIn(decodeURIComponent(part)));
}

/** Applies overlays. Loads their code only if there are any. */
async function changed(value: unknown, overlays: readonly string[]): Promise<unknown> {
  if (overlays.length === 0) return value;
  const { applyOverlay } = await import('./overlay.ts');
  return overlays.reduce(applyOverlay, value);
}

/** Validates a document and replaces its references by their targets. */
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
    throw errorAt(document, pointer, `is not a valid OpenAPI document: ${problem}`);
  }
  throw new DocumentError(document.file, undefined, 'is empty');
}
