import { _, Ajv2020, type AnySchema, type CodeKeywordDefinition, str } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { isObject } from './document.ts';
import { withSubschemas } from './keywords.ts';
import { integerRange } from './numeral.ts';
import { type Validator, validatorOf } from './validator.ts';

/** Shared, since compiling the meta-schema takes most of the time. */
let checker: Ajv2020 | undefined;

/** Validates a schema. @throws Error if it is not a schema of JSON Schema 2020-12 */
export function requireSchema(schema: unknown): void {
  checker ??= formats.default(new Ajv2020({ strict: false, logger: false })) as Ajv2020;
  if (checker.validateSchema(schema as object) !== true)
    throw new Error(`schema is invalid: ${checker.errorsText(checker.errors)}`);
}

/** Compiles a dereferenced schema. @throws Error if ajv rejects it */
export const compile = (schema: unknown): Validator => validatorOf(compiler().compile(forCompiler(schema)));

/**
 * Creates a compiler that checks integers exactly.
 * @param source whether to keep the source code of the compiled schemas
 */
export function compiler({ source = false }: { readonly source?: boolean } = {}): Ajv2020 {
  const ajv = new Ajv2020({
    // Unknown formats and keywords are annotations (JSON Schema 2020-12 section 6.5).
    strict: false,
    passContext: true,
    logger: false,
    validateSchema: false,
    code: { source, esm: true },
  });
  formats.default(ajv);
  // ajv-formats checks doubles, which cannot tell 2^63-1 from 2^63; the keyword EXACT checks the numeral
  // instead.
  for (const format of ['int32', 'int64']) ajv.addFormat(format, true);
  return ajv.addKeyword(EXACTNESS);
}

const EXACT = 'x-exact-integer';

interface Exactness {
  readonly integral: boolean;
  readonly format: string | null;
}

/** Defined as generated code rather than a function, so that it can be compiled in advance. */
const EXACTNESS: CodeKeywordDefinition = {
  keyword: EXACT,
  error: {
    message: ({ schema }) => {
      const { format } = schema as Exactness;
      return `must be an integer${format === null ? '' : ` within ${format}`}`;
    },
  },
  code(context) {
    const { integral, format } = context.schema as Exactness;
    const pointer = str`${_`instancePath`}${context.it.errorPath}`;
    context.fail(_`!this.isExact(${context.data}, ${integral}, ${format}, ${pointer})`);
  },
};

/** Returns a schema for `compiler`, with a keyword that checks every integer exactly. */
export function forCompiler(schema: unknown): AnySchema {
  if (!isObject(schema)) return schema as AnySchema;
  const copy = withSubschemas(schema, forCompiler);
  const types = [schema.type].flat();
  const integral = types.includes('integer') && !types.includes('number');
  const format = typeof schema.format === 'string' ? schema.format : null;
  if (integral || integerRange(format ?? undefined) !== undefined)
    copy[EXACT] = { integral, format } satisfies Exactness;
  return copy;
}
