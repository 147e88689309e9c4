import type { ModelRequest } from '../../payloads/model/model-request.ts';
import { type Condition, headerWithArticle, valueWords } from '../explanation/condition.ts';
import type { Candidate, CandidateClass, Sweep } from './candidates.ts';

/** Forms that a store may expect a header value to have. */
const FORMS = [
  { name: 'a number', has: /^\d+$/, sample: '1' },
  {
    name: 'a UUID',
    has: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i,
    sample: '4bf92f35-77b3-4da6-a3ce-929d0e0e4736',
  },
  { name: 'a date', has: /^\w{3}, .* GMT$/, sample: 'Sat, 29 Oct 1994 19:43:31 GMT' },
] as const;

/** Characters at which a store may split a header value, and a value that contains only this one. */
const SEPARATORS = [
  { name: 'a comma', mark: ',', sample: 'one,two' },
  { name: 'a semicolon', mark: ';', sample: 'one;two' },
  { name: 'an equals sign', mark: '=', sample: 'one=two' },
  { name: 'a space', mark: ' ', sample: 'one two' },
] as const;

/** The condition for any value of a header. Every request has a Host, whose mere presence means nothing. */
const anyValueOf = (header: string): Condition =>
  header === 'Host'
    ? { phrase: 'whose Host is not the host and port of the base URL' }
    : { phrase: `with ${headerWithArticle(header)} header`, header };

/** Returns the request with this value as the only one of the header. */
export function withHeader(request: ModelRequest, name: string, value: string): ModelRequest {
  const { headers = [] } = request.template;
  const others = headers.filter(([other]) => other.toLowerCase() !== name.toLowerCase());
  return { ...request, template: { ...request.template, headers: [...others, [name, value]] } };
}

/** The parts of a value that lists several, such as cookies. */
const partsOf = (value: string): readonly string[] => value.split('; ');

const MAX_SHOWN = 60;

/** The condition for one value of a header, cut off if it is long. */
export const phraseFor = (header: string, value: string): string =>
  value === ''
    ? `with an empty ${header} header`
    : `with ${header}: ${valueWords(value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value)}`;

/** Tries values of a header that no dimension of the model varies; `others` occur in its requests. */
export function headerSweep(header: string, value: string, others: readonly string[]): Sweep {
  const name = header.toLowerCase();
  const parts = value.includes('; ') ? partsOf(value) : [];
  const candidate = (other: string): Candidate => ({
    value: other === '' ? '(empty)' : other,
    condition: { phrase: phraseFor(header, other) },
    apply: (request) => withHeader(request, name, other),
    classes: [
      'any',
      ...FORMS.filter(({ has }) => !has.test(other)).map((form) => form.name),
      ...SEPARATORS.filter(({ mark }) => other.includes(mark)).map((separator) => separator.name),
      ...parts.filter((part) => partsOf(other).includes(part)),
    ],
  });
  const otherForms = FORMS.map(
    (form): CandidateClass => ({
      id: form.name,
      condition: { phrase: `with ${header} other than ${form.name}` },
      isWhole: true,
    }),
  );
  const separated = SEPARATORS.map(
    (separator): CandidateClass => ({
      id: separator.name,
      condition: { phrase: `whose ${header} contains ${separator.name}` },
    }),
  );
  const samples = [...FORMS, ...SEPARATORS].map(({ sample }) => sample);
  return {
    part: header,
    candidates: [...new Set([value, ...parts, ...samples, 'x', 'value-7', 'true', ...others])].map(candidate),
    classes: [
      { id: 'any', condition: anyValueOf(header) },
      ...otherForms,
      ...separated,
      ...parts.map((part): CandidateClass => ({ id: part, condition: { phrase: phraseFor(header, part) } })),
    ],
  };
}
