import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { isObject } from './document.ts';
import { exactInteger, integerRange, sourceAt } from './numeral.ts';

/** One violation of the schema. */
export interface Problem {
  /** JSON Pointer to the invalid value; empty for the whole. */
  readonly at: string;
  readonly message: string;
}

/** Finds the numeral at a path in a JSON text. */
type NumeralAt = (path: readonly string[]) => string | undefined;

/**
 * Validates a JSON text that parsed to `value`; no problems means that it is valid. Integers are decided on
 * the numerals of the text, since a double may not represent them exactly. Without a numeral, the double counts.
 */
export type Validator = (numerals: string | NumeralAt, value: unknown) => readonly Problem[];

const EXACT = 'x-exact-integer';

/** What an integer schema requires of the numeral. */
interface Exactness {
  readonly integral: boolean;
  readonly format: string | undefined;
}

/** Validates schemas against their meta-schema. Shared, since compiling the meta-schema takes longest. */
let checker: Ajv2020 | undefined;

/**
 * Makes sure that a value is a JSON Schema 2020-12 schema.
 * @throws Error if it is not
 */
export function requireSchema(schema: unknown): void {
  checker ??= formats.default(new Ajv2020({ strict: false, logger: false })) as Ajv2020;
  if (checker.validateSchema(schema as object) !== true)
    throw new Error(`schema is invalid: ${checker.errorsText(checker.errors)}`);
}

/**
 * Compiles a dereferenced JSON Schema 2020-12 schema.
 * @throws Error if ajv rejects the schema
 */
export function compile(schema: unknown): Validator {
  // Unknown formats and keywords are annotations (JSON Schema 2020-12 section 6.5).
  const ajv = new Ajv2020({ strict: false, passContext: true, logger: false, validateSchema: false });
  formats.default(ajv);
  // ajv-formats checks doubles, for which 2^63-1 equals 2^63; EXACT checks the numeral instead.
  for (const format of ['int32', 'int64']) ajv.addFormat(format, true);
  ajv.addKeyword({
    keyword: EXACT,
    error: {
      message: ({ schema: wanted }) =>
        `must be an integer${(wanted as Exactness).format === undefined ? '' : ` within ${(wanted as Exactness).format}`}`,
    },
    validate(
      this: { readonly numeralAt: NumeralAt },
      wanted: Exactness,
      data: unknown,
      _parent: unknown,
      context?: { instancePath: string },
    ) {
      if (typeof data !== 'number') return true;
      const numeral = this.numeralAt(pathOf(context?.instancePath ?? '')) ?? String(data);
      const integer = exactInteger(numeral);
      if (integer === undefined) return !wanted.integral;
      const range = integerRange(wanted.format);
      return range === undefined || (integer >= range[0] && integer <= range[1]);
    },
  });
  const validate = ajv.compile(exact(schema) as object);
  return (numerals, value) => {
    const numeralAt =
      typeof numerals === 'string' ? (path: readonly string[]) => sourceAt(numerals, path) : numerals;
    return validate.call({ numeralAt }, value) ? [] : (validate.errors ?? []).map(problem);
  };
}

/** A copy of the schema in which every integer is also checked exactly. */
function exact(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(exact);
  if (!isObject(schema)) return schema;
  const copy = mapped(schema, (value, key) =>
    DATA.has(key) ? value : NAMED.has(key) && isObject(value) ? mapped(value, exact) : exact(value),
  );
  const types = [schema.type].flat();
  const integral = types.includes('integer') && !types.includes('number');
  const format = typeof schema.format === 'string' ? schema.format : undefined;
  if (integral || integerRange(format) !== undefined) copy[EXACT] = { integral, format } satisfies Exactness;
  return copy;
}

const mapped = (object: Record<string, unknown>, change: (value: unknown, key: string) => unknown) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));

/** Keywords whose value is data, not a schema. */
const DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'example', 'examples', 'required']);

/** Keywords whose value maps names, which are not keywords, to schemas. */
const NAMED: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs']);

const pathOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));

function problem({ instancePath, message, keyword, params }: ErrorObject): Problem {
  const detail = keyword === 'enum' ? `: ${JSON.stringify(params.allowedValues)}` : '';
  return { at: instancePath, message: `${message ?? keyword}${detail}` };
}
