/** Maximum size, in MB, of a file that people write. Parsing one MB of YAML takes seconds. */
export const MAX_MEGABYTES = 1;

/** Thrown if the OpenAPI document or an overlay cannot be used; says where, and how to fix it. */
export class DocumentError extends Error {
  constructor(file: string, location: string | undefined, problem: string) {
    super(`${file}${location === undefined ? '' : `:${location}`}: ${problem}`);
    this.name = 'DocumentError';
  }
}

export type Pointer = readonly (string | number)[];

export interface Document {
  readonly file: string;
  readonly value: unknown;
  /** `line:column` of the value at the pointer, or of the nearest value that contains that location. */
  location(pointer: Pointer): string | undefined;
}

export const errorAt = (document: Document, pointer: Pointer, problem: string): DocumentError =>
  new DocumentError(document.file, document.location(pointer), problem);

/** Returns a member of an object or an item of an array; undefined if there is none. */
export const memberOf = (value: unknown, key: string | number): unknown =>
  (value as Record<string | number, unknown> | undefined)?.[key];

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
