/**
 * What the Plant Store interface says, statement by statement, and what becomes of each: checked by the
 * checks that cite it, or left alone for a reason.
 */
export interface Clause {
  readonly text: string;
  /** Why no check can speak of it. */
  readonly excluded?: string;
}

export const CLAUSES = {
  'section 1': {
    text: 'A client adds a plant to the store by sending a plant record with a JSON body.',
    excluded: 'There is no operation that reads a plant back, so what is stored cannot be seen.',
  },
  'section 2, Plant': {
    text: 'A Plant has a name, a string that is required, and may have a tag, a string.',
  },
  'section 2, NewPlant': {
    text: 'A NewPlant has the fields of a Plant and an id, an int64 that is required.',
  },
  'section 2, Error': { text: 'An Error has error, an int32, and message, a string; both are required.' },
  'section 2, not shown': {
    text: 'Length, allowed tags, range of id, uniqueness, the fate of a given id and further fields are not shown.',
  },
  'section 3': {
    text: 'States and transitions are not shown.',
    excluded: 'There is nothing to hold a store to.',
  },
  'section 4, operation': { text: 'POST {base_url}/plants creates a plant. It is the only operation.' },
  'section 4, parameters': {
    text: 'No path, query or header parameters are declared.',
  },
  'section 4, request body': { text: 'A body is required: application/json in the shape NewPlant.' },
  'section 4, success response': { text: 'Success is status 200, application/json, in the shape Plant.' },
  'section 4, error response': { text: 'An error is status 400, application/json, in the shape Error.' },
  'section 4, rule 1': {
    text: 'When a request carries a valid NewPlant, the status is 200 and the body is a Plant.',
  },
  'section 4, rule 2': {
    text: 'The body of a 200 carries name, and tag where there is one; id is not part of the declared shape.',
  },
  'section 4, rule 3': { text: 'When the status is 400, the body has the shape Error.' },
  'section 5, rule 1': {
    text: 'All operations require HTTP bearer authentication, declared once for the whole interface.',
  },
  'section 5, rule 2': { text: 'The credential is sent as Authorization: Bearer <ACCESS_TOKEN>.' },
  'section 5, rule 3': {
    text: 'How a token is obtained, its format, lifetime and scopes are not shown.',
  },
  'section 6': { text: 'Events are not shown.', excluded: 'There is nothing to hold a store to.' },
  'section 7': { text: 'The one declared error is 400, with an Error.' },
  'section 7, not shown': {
    text: 'What leads to a 400, the values of error, and any other status are not shown.',
  },
  'section 8': { text: 'Rate limits, size limits and time-outs are not shown.' },
  'section 9': {
    text: 'The description is OpenAPI 3.1.0 and carries version 1.0.0; markers of it in requests are not shown.',
    excluded: 'The version is a matter of the document, which is checked when it is loaded.',
  },
} as const satisfies Record<string, Clause>;

export type ClauseId = keyof typeof CLAUSES;

/** A standard that the interface leans on. */
export type Standard = `RFC ${number} section ${string}` | `JSON Schema 2020-12 section ${string}`;

/** A place in openapi.yaml. */
export type Place = `openapi.yaml#/${string}`;

export type Basis = ClauseId | Standard | Place;
