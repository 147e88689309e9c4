import type { Contract } from '../../contract/contract.ts';
import type { Content } from '../../judge/reading.ts';
import type { Response } from '../../wire/exchange.ts';

/** Describes a body that is not the declared one, as the rest of a sentence about the store. */
export function describeBody(response: Response, content: Content, contract: Contract): string {
  const { status } = response;
  if (content.kind === 'unreadable') return `answers ${status} ${unreadable(response)}`;
  const { value } = content;
  const [name, validate] =
    status === 200
      ? (['a Plant', contract.plant.validate] as const)
      : (['an Error', contract.error.validate] as const);
  const isRight = (one: unknown) => {
    const text = written(one);
    return text !== undefined && validate(text, one).length === 0;
  };
  if (typeof value === 'string' && isJson(value)) return `answers ${status} with JSON inside a JSON string`;
  if (!isObject(value)) {
    if (Array.isArray(value) && value.some(isRight)) return `answers ${status} with ${name} in an array`;
    return `answers ${status} with ${kindOf(value)} instead of ${name}`;
  }
  const wrapper = Object.entries(value).find(([, one]) => isObject(one) && isRight(one))?.[0];
  if (wrapper !== undefined) return `answers ${status} with ${name} nested in ${quoted(wrapper)}`;
  const [problem] = validate(content.text, value);
  const where = problem?.at.replace(/^\//, '') ?? '';
  if (status === 200) {
    const { error, message } = value;
    if (error !== undefined && message !== undefined) return 'answers 200 with an Error instead of a Plant';
  }
  const property = missing(problem?.message) ?? where;
  if (property === '' || property.includes('/'))
    return `answers ${status} with a body that is not ${name}: ${where} ${problem?.message ?? ''}`.trim();
  if (!Object.hasOwn(value, property)) return without(property, value, status, name);
  return `${returns(status)} ${property} as ${kindOf(value[property])}`;
}

/** A value as JSON; undefined if it is nested too deep to be written. */
function written(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

const returns = (status: number) => (status === 200 ? 'returns' : 'answers 400 with');

function without(property: string, value: Record<string, unknown>, status: number, name: string): string {
  const other = Object.keys(value).find((own) => own.toLowerCase() === property);
  if (other !== undefined) return `${returns(status)} ${quoted(other)} instead of ${property}`;
  const known = KNOWN_ERRORS.find(([names]) => names.every((one) => Object.hasOwn(value, one)))?.[1];
  if (status === 400 && known !== undefined) return `answers 400 with ${known} instead of an Error`;
  const names = Object.keys(value);
  if (names.length === 0) return `answers ${status} with {} instead of ${name}`;
  return status === 200 ? `leaves ${property} out of the 200` : `answers 400 without ${property}`;
}

/** Error formats of frameworks, by their members. */
const KNOWN_ERRORS: readonly (readonly [names: readonly string[], words: string])[] = [
  [['type', 'title'], 'problem details (RFC 9457)'],
  [['title', 'status'], 'problem details (RFC 9457)'],
  [['detail'], 'a FastAPI or Django error (detail)'],
  [['statusCode', 'message'], 'a Fastify or NestJS error (statusCode)'],
  [['timestamp', 'path'], "Spring's default error"],
  [['errors'], 'a list of errors'],
  [['error', 'error_description'], 'an OAuth error'],
];

const missing = (message = ''): string | undefined =>
  /required property '?([^' ]+)'?/.exec(message)?.[1] ?? /is missing: (\S+)/.exec(message)?.[1];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'number') {
    if (!Number.isInteger(value)) return 'a fraction';
    return value > 2 ** 31 - 1 || value < -(2 ** 31) ? 'a number beyond int32' : 'a number';
  }
  return typeof value === 'boolean' ? String(value) : `a ${typeof value}`;
}

const quoted = (name: string) => `"${name.slice(0, 40)}"`;

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

/** What a body is that cannot be read as JSON. */
function unreadable({ body, truncated, headers }: Response): string {
  if (truncated) return 'with an incomplete body';
  if (body.length === 0) return 'without a body';
  const coding = headers.find(([name]) => name.toLowerCase() === 'content-encoding')?.[1];
  if (coding !== undefined && coding !== 'identity') return `with a body that is not encoded as ${coding}`;
  if (body.length > 3 && (body[1] === 0 || body[0] === 0)) return 'in UTF-16';
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return 'in an encoding that is not UTF-8';
  }
  const bare = text.trim();
  if (bare === '') return 'with white space only';
  if (bare.startsWith('<')) return 'with HTML labelled as JSON';
  const start = bare.search(/[{[]/);
  const json = start < 0 ? undefined : firstValue(bare.slice(start));
  if (json === undefined) return /^[{["]/.test(bare) ? 'with malformed JSON' : 'with text that is not JSON';
  if (json === 'open') return 'with truncated JSON';
  if (!isJson(json)) return 'with malformed JSON';
  if (start > 0) return 'with text before the JSON value';
  return isJson(bare.slice(json.length).trim()) ? 'with two JSON values' : 'with text after the JSON value';
}

/** The first object or array of a text; `open` if it does not end. */
function firstValue(text: string): string | 'open' | undefined {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (inString) {
      if (character === '\\') index += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      depth -= 1;
      if (depth === 0) return text.slice(0, index + 1);
    }
  }
  return 'open';
}
