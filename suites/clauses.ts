/** A clause of the interface. A check cites it, or `excluded` says why none does. */
interface Clause {
  readonly text: string;
  /** The reason why no check covers the clause. */
  readonly excluded?: string;
}

export const CLAUSES = {
  'section 1': {
    text: 'A client adds a plant to the store by sending a plant record with a JSON body.',
    excluded: 'No operation reads plants back, so what is stored cannot be observed.',
  },
  'section 2, Plant': {
    text: 'A Plant has a required name and an optional tag, both strings.',
  },
  'section 2, NewPlant': {
    text: 'A NewPlant has the fields of a Plant and a required id, an int64.',
  },
  'section 2, Error': { text: 'An Error has error, an int32, and message, a string, both required.' },
  'section 2, unspecified': {
    text: 'Lengths, allowed tags, the range of id, uniqueness, whether a given id is kept, and further fields are unspecified.',
  },
  'section 3': {
    text: 'States and transitions are unspecified.',
    excluded: 'There is nothing to check.',
  },
  'section 4, operation': { text: 'POST {base_url}/plants creates a plant. It is the only operation.' },
  'section 4, parameters': {
    text: 'No path, query or header parameters are declared.',
  },
  'section 4, request body': { text: 'A body is required: a NewPlant as application/json.' },
  'section 4, success response': { text: 'Success is a 200 with a Plant as application/json.' },
  'section 4, error response': { text: 'An error is a 400 with an Error as application/json.' },
  'section 4, rule 1': {
    text: 'When a request carries a valid NewPlant, the status is 200 and the body is a Plant.',
  },
  'section 4, rule 2': {
    text: 'The body of a 200 has name and, optionally, tag; id is not part of the declared shape.',
  },
  'section 4, rule 3': { text: 'When the status is 400, the body is an Error.' },
  'section 5, rule 1': {
    text: 'All operations require HTTP bearer authentication, declared once for the whole interface.',
  },
  'section 5, rule 2': { text: 'The credential is sent as Authorization: Bearer <ACCESS_TOKEN>.' },
  'section 5, rule 3': {
    text: 'How a token is obtained, its format, lifetime and scopes are unspecified.',
  },
  'section 6': { text: 'Events are unspecified.', excluded: 'There is nothing to check.' },
  'section 7': { text: 'The only declared error is 400, with an Error.' },
  'section 7, unspecified': {
    text: 'The conditions of a 400, the values of error, and other statuses are unspecified.',
  },
  'section 8': { text: 'Rate limits, size limits and time-outs are unspecified.' },
  'section 9': {
    text: 'The description is OpenAPI 3.1.0 and has version 1.0.0; version markers in requests are unspecified.',
    excluded: 'The version belongs to the document, which is validated when it is loaded.',
  },
} as const satisfies Record<string, Clause>;

type ClauseId = keyof typeof CLAUSES;

type Standard = `RFC ${number} section ${string}` | `JSON Schema 2020-12 section ${string}`;

export type Place = `openapi.yaml#/${string}`;

export type Basis = ClauseId | Standard | Place;
