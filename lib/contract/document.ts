/** Maximum size of a hand-written file in MB; parsing one MB of YAML takes seconds. */
export const MAX_MEGABYTES = 1;

/** The OpenAPI document or an overlay cannot be used. The message gives file, place and fix. */
export class DocumentError extends Error {
  constructor(file: string, place: string | undefined, problem: string) {
    super(`${file}${place === undefined ? '' : `:${place}`}: ${problem}`);
    this.name = 'DocumentError';
  }
}

export type Pointer = readonly (string | number)[];

/** A YAML or JSON file that can locate its values. */
export interface Document {
  readonly file: string;
  readonly value: unknown;
  /** `line:column` of the value at the pointer, or of the nearest one around it. */
  place(pointer: Pointer): string | undefined;
}

/** The error that the value at a pointer makes a document unusable. */
export const errorAt = (document: Document, pointer: Pointer, problem: string): DocumentError =>
  new DocumentError(document.file, document.place(pointer), problem);

/** The member of an object, or the element of an array; undefined if there is none. */
export const memberOf = (value: unknown, key: string | number): unknown =>
  (value as Record<string | number, unknown> | undefined)?.[key];

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
