import type { RunRecord } from '../record/record.ts';

/**
 * The document that a store was checked against, how it was read, and its overlays.
 * @param show formats the name of a file
 */
export function documentName(
  { file, openapi, overlays = [] }: RunRecord['document'],
  show: (file: string) => string,
): string {
  const read = openapi === undefined ? '' : ` (OpenAPI ${openapi}, read as 3.1)`;
  return `${show(file)}${read}${overlays.length === 0 ? '' : ` with ${overlays.map(show).join(', ')}`}`;
}
