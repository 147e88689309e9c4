import type { RunRecord } from './record.ts';

/**
 * What a store was held to: the document, how it was read, and what was applied to it.
 * @param told how the name of a file is told
 */
export function documentName(
  { file, openapi, overlays = [] }: RunRecord['document'],
  told: (file: string) => string,
): string {
  const read = openapi === undefined ? '' : ` (OpenAPI ${openapi}, read as 3.1)`;
  return `${told(file)}${read}${overlays.length === 0 ? '' : ` with ${overlays.map(told).join(', ')}`}`;
}
