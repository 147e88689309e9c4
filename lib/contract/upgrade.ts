import { isObject } from './document.ts';
import { withSubschemas } from './keywords.ts';

/**
 * Converts an OpenAPI 3.0 schema to JSON Schema 2020-12: `nullable` becomes a type, exclusive limits numbers.
 */
export function upgraded(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const { nullable, exclusiveMinimum, exclusiveMaximum, ...rest } = schema;
  const copy = withSubschemas(rest, upgraded);
  // OpenAPI 3.0.3 section 4.7.24.1: `nullable` has no effect without a type.
  if (nullable === true && typeof copy.type === 'string') copy.type = [copy.type, 'null'];
  for (const [limit, exclusive, isExclusive] of [
    ['minimum', 'exclusiveMinimum', exclusiveMinimum],
    ['maximum', 'exclusiveMaximum', exclusiveMaximum],
  ] as const) {
    if (isExclusive !== true || copy[limit] === undefined) continue;
    copy[exclusive] = copy[limit];
    delete copy[limit];
  }
  return copy;
}
