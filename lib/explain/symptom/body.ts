import type { Contract } from '../../contract/contract.ts';
import { isObject } from '../../contract/document.ts';
import { type Content, objectOf } from '../../judge/reading.ts';
import { membersOf } from '../../members.ts';
import { capitalised, wordsCapitalised } from '../../text.ts';
import { bodyText, utf8Text } from '../../utf8.ts';
import { decoded } from '../../wire/codings.ts';
import type { Exchange, Response } from '../../wire/exchange.ts';
import { headerValue } from '../../wire/headers.ts';
import { answers, type Symptom, type SymptomKind } from './symptom.ts';

/** Says how a JSON body differs from the Plant or Error that it should be. */
export function wrongBody(
  status: 200 | 400,
  { text, value }: Extract<Content, { kind: 'json' }>,
  contract: Contract,
): Symptom {
  const name = status === 200 ? 'a Plant' : 'an Error';
  const { validate } = status === 200 ? contract.plant : contract.error;
  const isRight = (one: unknown) => {
    const json = written(one);
    return json !== undefined && validate(json, one).length === 0;
  };
  if (typeof value === 'string' && isJson(value))
    return answers(status, 'wrapped', 'with JSON inside a JSON string');
  if (!isObject(value))
    return Array.isArray(value) && value.some(isRight)
      ? answers(status, 'wrapped', `with ${name} in an array`)
      : answers(status, 'wrong-body', `with ${kindOf(value)} instead of ${name}`);
  const wrapper = Object.entries(value).find(([, one]) => isObject(one) && isRight(one))?.[0];
  if (wrapper !== undefined) return answers(status, 'wrapped', `with ${name} nested in ${quoted(wrapper)}`);
  const [{ at = '', message = '' } = {}] = validate(text, value);
  if (status === 200 && value.error !== undefined && value.message !== undefined)
    return answers(200, 'wrong-body', 'with an Error instead of a Plant');
  const where = at.replace(/^\//, '');
  const property = missing(message) ?? where;
  if (property === '' || property.includes('/'))
    return answers(status, 'wrong-body', `with a body that is not ${name}: ${where} ${message}`.trim());
  if (!Object.hasOwn(value, property)) return without(property, value, status, name);
  const instead = kindOf(value[property]);
  const words =
    status === 200
      ? `returns ${property} as ${instead}`
      : `answers ${status} with ${instead} as "${property}"`;
  const kind = value[property] === null ? 'null-property' : 'wrong-body';
  return { kind, words, status, property, instead };
}

/** A value as JSON text; undefined if it is nested too deeply to be serialised. */
function written(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Says how the body of a response lacks a property. */
function without(property: string, value: Record<string, unknown>, status: 200 | 400, name: string): Symptom {
  const about = { kind: 'wrong-body', status, property } as const;
  const names = Object.keys(value);
  const other = names.find((own) => own.toLowerCase() === property);
  if (other !== undefined) {
    const returns = status === 200 ? 'returns' : 'answers 400 with';
    return { ...about, words: `${returns} ${quoted(other)} instead of ${property}` };
  }
  const known = KNOWN_ERRORS.find(([members]) => members.every((one) => Object.hasOwn(value, one)));
  if (status === 400 && known !== undefined)
    return answers(400, 'wrong-body', `with ${known[1]} instead of an Error`);
  const lacks = status === 200 ? omits(property) : `answers 400 without the property "${property}"`;
  // A store that omits the name answers {} for a plant without a tag: the same fault.
  return names.length === 0
    ? { ...answers(status, 'wrong-body', `with {} instead of ${name}`), groupKey: lacks }
    : { ...about, words: lacks };
}

const omits = (property: string) => `omits ${property} from the 200 response`;

/** Error formats of frameworks, identified by their members. */
const KNOWN_ERRORS: readonly (readonly [names: readonly string[], words: string])[] = [
  [['type', 'title'], 'problem details (RFC 9457)'],
  [['title', 'status'], 'problem details (RFC 9457)'],
  [['detail'], 'a FastAPI or Django error (detail)'],
  [['statusCode', 'message'], 'a Fastify or NestJS error (statusCode)'],
  [['timestamp', 'path'], "Spring's default error"],
  [['errors'], 'a list of errors'],
  [['error', 'error_description'], 'an OAuth error'],
];

const missing = (message: string): string | undefined =>
  /required property '?([^' ]+)'?/.exec(message)?.[1] ?? /is missing: (\S+)/.exec(message)?.[1];

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'number') {
    if (!Number.isInteger(value)) return 'a fraction';
    return value > 2 ** 31 - 1 || value < -(2 ** 31) ? 'a number beyond int32' : 'a number';
  }
  return `a ${typeof value}`;
}

const quoted = (name: string) => `"${name.slice(0, 40)}"`;

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

/** Classifies a body that is not JSON, whatever the position of the syntax error, which varies. */
export function unreadable(response: Response): Symptom {
  const { status } = response;
  const [kind, words] = textProblem(response);
  const symptom = answers(status, kind, words);
  return kind === 'no-body' ? symptom : { ...symptom, groupKey: `unreadable ${status}` };
}

function textProblem({ body, truncated, headers }: Response): readonly [kind: SymptomKind, words: string] {
  if (body.length === 0) return ['no-body', 'without a body'];
  if (truncated) return ['truncated-json', 'with an incomplete body'];
  const coding = headerValue(headers, 'content-encoding');
  if (coding !== undefined && coding !== 'identity')
    return ['unreadable', `with a body that is not encoded as ${coding}`];
  if (body.length > 3 && (body[1] === 0 || body[0] === 0)) return ['unreadable', 'in UTF-16'];
  const text = utf8Text(body);
  if (text === undefined) {
    if (isCutOff(body)) return ['truncated-json', 'with truncated JSON'];
    const undeclared = CODINGS.find((one) => isJson(textIn(body, one)));
    return undeclared === undefined
      ? ['unreadable', 'with a body that is not UTF-8']
      : ['undeclared-coding', `compressed as ${undeclared} without Content-Encoding`];
  }
  const bare = text.trim();
  if (bare === '') return ['unreadable', 'with a body of white space only'];
  if (bare.startsWith('<')) return ['text', 'with HTML labelled as JSON'];
  const start = bare.search(/[{[]/);
  const malformed = ['unreadable', 'with malformed JSON'] as const;
  if (start < 0) return bare.startsWith('"') ? malformed : ['text', 'with text that is not JSON'];
  const first = firstValue(bare.slice(start));
  // A stray quotation mark in a string hides the end of the text from `firstValue`.
  if (first === undefined) return bare.endsWith('}') ? malformed : ['truncated-json', 'with truncated JSON'];
  if (!isJson(first)) return malformed;
  if (start > 0) return ['text', 'with text before the JSON value'];
  const following = bare.slice(first.length);
  if (/^[\0\s]*$/.test(following)) return ['text', 'with NUL bytes after the JSON value'];
  return isJson(following.trim())
    ? ['unreadable', 'with two JSON values']
    : ['text', 'with text after the JSON value'];
}

const CODINGS = ['gzip', 'deflate', 'br'];
const MAX_DECODED_BYTES = 2 ** 20;

/** The text of a body that is decoded from a content coding; empty if it cannot be decoded. */
function textIn(body: Uint8Array, coding: string): string {
  try {
    return bodyText(decoded(coding, body, MAX_DECODED_BYTES));
  } catch {
    return '';
  }
}

/** Whether a body is UTF-8 that is cut off within a JSON value, possibly within a character. */
function isCutOff(body: Uint8Array): boolean {
  const text = utf8Text(body, true);
  return text !== undefined && firstValue(text) === undefined;
}

/** Returns the first object or array in a text; undefined if it is incomplete, or if there is none. */
export function firstValue(text: string): string | undefined {
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
  return undefined;
}

/** Says how name and tag of a created plant differ from those that were sent. */
export function echoed(exchange: Exchange, contract: Contract): readonly Symptom[] {
  const { response, request } = exchange;
  if (response?.status !== 200 || request.body === undefined) return [];
  const back = objectOf(response, contract.plant.validate);
  if (back === undefined) return [];
  const sent = membersOf(bodyText(request.body));
  return ['name', 'tag'].flatMap((property): Symptom[] => {
    const value = sent[property];
    if (typeof value !== 'string' || back[property] === value) return [];
    return [{ kind: 'echo', words: changeOf(property, value, back[property]), status: 200, property }];
  });
}

function changeOf(property: string, sent: string, back: unknown): string {
  if (typeof back !== 'string') return omits(property);
  const how = CHANGES.find(([, change]) => change(sent) === back)?.[0];
  if (how !== undefined) return `returns ${property} ${how}`;
  if (back !== '' && sent.startsWith(back)) return `returns ${property} truncated`;
  return `returns a different ${property} from the one sent`;
}

const CHANGES: readonly (readonly [words: string, change: (text: string) => string])[] = [
  ['trimmed', (text) => text.trim()],
  ['with white space collapsed', (text) => text.trim().replace(/\s+/g, ' ')],
  ['with white space collapsed', (text) => text.replace(/\s+/g, ' ')],
  ['in lower case', (text) => text.toLowerCase()],
  ['in upper case', (text) => text.toUpperCase()],
  ['capitalised', (text) => capitalised(text.toLowerCase())],
  ['capitalised', wordsCapitalised],
  ['in another Unicode normal form', (text) => text.normalize('NFC')],
  ['in another Unicode normal form', (text) => text.normalize('NFD')],
  ['escaped for HTML', escapedForHtml],
  ['empty', () => ''],
];

function escapedForHtml(text: string): string {
  const marks: Readonly<Record<string, string>> = {
    '<': '&lt;',
    '>': '&gt;',
    '&': '&amp;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[<>&"']/g, (mark) => marks[mark] ?? mark);
}
