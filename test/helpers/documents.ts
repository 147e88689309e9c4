import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { Rejection, type RunningStore } from '../../reference/store.ts';
import { startWith } from './stores.ts';

export type Schema = Readonly<Record<string, unknown>>;

const folder = mkdtempSync(join(tmpdir(), 'documents-'));
let written = 0;

function fileOf(content: unknown): string {
  written += 1;
  const file = join(folder, `${written}.json`);
  writeFileSync(file, JSON.stringify(content));
  return file;
}

/** Writes an overlay of one action, and gives its file. */
export const overlayOf = (target: string, update: unknown): string =>
  fileOf({ overlay: '1.0.0', info: { title: 'Changes', version: '1.0.0' }, actions: [{ target, update }] });

/** Writes a document whose NewPlant is this schema, and gives its file. */
export function documentOf(newPlant: Schema, more: { readonly openapi?: string } & Schema = {}): string {
  const json = (schema: Schema) => ({ content: { 'application/json': { schema } } });
  const answer = (description: string, schema: Schema) => ({ description, ...json(schema) });
  const { openapi = '3.1.0', ...operation } = more;
  return fileOf({
    openapi,
    info: { title: 'Plants', version: '1.0.0' },
    security: [{ bearerAuth: [] }],
    paths: {
      '/plants': {
        post: {
          requestBody: { required: true, ...json(newPlant) },
          responses: {
            200: answer('created', {
              type: 'object',
              required: ['name'],
              properties: { name: { type: 'string' }, tag: { type: 'string' } },
            }),
            400: answer('refused', {
              type: 'object',
              required: ['error', 'message'],
              properties: { error: { type: 'integer', format: 'int32' }, message: { type: 'string' } },
            }),
          },
          ...operation,
        },
      },
    },
    components: { securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer' } } },
  });
}

/** A NewPlant with further properties. */
export const plantWith = (
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = [],
  closed = false,
): Schema => ({
  type: 'object',
  required: ['id', 'name', ...required],
  properties: {
    id: { type: 'integer', format: 'int64' },
    name: { type: 'string' },
    tag: { type: 'string' },
    ...properties,
  },
  ...(closed ? { additionalProperties: false } : {}),
});

export interface CountingStore extends RunningStore {
  /** Bytes of bodies that were received. */
  readonly received: () => number;
}

/** A store that takes what a schema says, as ajv reads it, and each id once. */
export async function storeOf(newPlant: Schema): Promise<CountingStore> {
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  const isValid = ajv.compile(newPlant);
  const known = new Set<bigint>();
  let bytes = 0;
  const store = await startWith((right) => ({
    route(request) {
      bytes += request.body.length;
      right.route(request);
    },
    validate(value, request) {
      const plant = right.validate(value, request);
      if (!isValid(JSON.parse(request.body.toString('utf8'))))
        throw new Rejection(400, 7, ajv.errorsText(isValid.errors).slice(0, 200));
      if (known.has(plant.id)) throw new Rejection(409, 409, 'there is a plant with this id');
      known.add(plant.id);
      return plant;
    },
  }));
  return { ...store, received: () => bytes };
}

/** Keywords each of which makes a schema say less where it is left out. */
const LIMITS = [
  ...['type', 'enum', 'const', 'minLength', 'maxLength', 'pattern', 'format', 'minimum', 'maximum'],
  ...['exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minItems', 'maxItems', 'uniqueItems'],
  ...['additionalProperties', 'items'],
];

/** The schema without one thing that it says, for each of them in turn. */
export function* relaxations(schema: Schema, place = ''): Generator<readonly [what: string, schema: Schema]> {
  for (const keyword of LIMITS) {
    if (!(keyword in schema)) continue;
    const { [keyword]: _without, ...rest } = schema;
    yield [`${place}/${keyword}`, rest];
  }
  const { required, properties, items, oneOf } = schema as {
    readonly required?: readonly string[];
    readonly properties?: Readonly<Record<string, Schema>>;
    readonly items?: Schema;
    readonly oneOf?: readonly Schema[];
  };
  for (const name of required ?? [])
    yield [`${place}/required/${name}`, { ...schema, required: required?.filter((one) => one !== name) }];
  for (const [name, property] of Object.entries(properties ?? {}))
    for (const [what, relaxed] of relaxations(property, `${place}/${name}`))
      yield [what, { ...schema, properties: { ...properties, [name]: relaxed } }];
  if (items !== undefined)
    for (const [what, relaxed] of relaxations(items, `${place}/items`))
      yield [what, { ...schema, items: relaxed }];
  for (const [index, kind] of (oneOf ?? []).entries())
    for (const [what, relaxed] of relaxations(kind, `${place}/oneOf/${index}`))
      yield [what, { ...schema, oneOf: oneOf?.with(index, relaxed) }];
  if (oneOf !== undefined) {
    const { oneOf: _without, ...rest } = schema;
    yield [`${place}/oneOf as anyOf`, { ...rest, anyOf: oneOf }];
  }
}
