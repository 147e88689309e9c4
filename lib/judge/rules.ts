import type { Contract } from '../contract/contract.ts';
import type { Validator } from '../contract/validator.ts';
import type { Exchange, Response } from '../wire/exchange.ts';
import { briefly, contentOf, fields, mediaTypes, statusOf } from './reading.ts';

/** What an exchange is not as it should be. Expected and actual are said so that they can be read side by side. */
export interface Finding {
  readonly expected: string;
  readonly actual: string;
  /** Findings with the same cause are likely to be fixed by the same change. */
  readonly cause: string;
  /** What was sent belongs to the cause: to take one malformed value and another are two faults. */
  readonly ofRequest?: true;
}

/** What the judge has to know of a request to judge its answer. */
export interface Sent {
  /** The members of the plant that was sent, where it was one. */
  readonly plant?: { readonly name?: string | undefined; readonly tag?: string | undefined } | undefined;
  readonly token: string;
  /** Whether the right token was sent as it should be. */
  readonly authorised: boolean;
}

/** An exchange that a rule is not about: it shows neither that the rule is met nor that it is broken. */
export interface Unseen {
  /** What there was none of. */
  readonly unseen: string;
}

/** One demand on one exchange: nothing, where it is met. Pure, so that a saved exchange can be judged again. */
export type Rule = (exchange: Exchange, contract: Contract, sent: Sent) => Finding | Unseen | undefined;

export const isFinding = (ruling: ReturnType<Rule>): ruling is Finding =>
  ruling !== undefined && 'cause' in ruling;

const unseen = (what: string): Unseen => ({ unseen: what });
const NO_STATUS = unseen('no answer that can be read');
const NO_200 = unseen('no answer with status 200');
const NO_400 = unseen('no answer with status 400');
const NO_REJECTION = unseen('no such request was rejected');

const found = (expected: string, actual: string, cause: string): Finding => ({ expected, actual, cause });

/** The outcome of an exchange as a cause. */
const outcome = (exchange: Exchange): string =>
  exchange.kind === 'answered'
    ? `answered ${exchange.response.status}${exchange.response.truncated ? ' without an end' : ''}`
    : `no answer: ${exchange.fault.kind}`;

const isSuccess = (status: number | undefined) => status !== undefined && status >= 200 && status < 300;

/** What a body of a declared shape is not. */
function shapeFault(
  response: Response,
  name: 'a Plant' | 'an Error',
  validate: Validator,
): Finding | undefined {
  const content = contentOf(response);
  if (content.kind === 'unreadable')
    return found(
      `one JSON value: ${name}`,
      content.problem,
      `${response.status} body: ${content.problem.slice(0, 40)}`,
    );
  const [problem] = validate(content.text, content.value);
  if (problem === undefined) return undefined;
  const where = problem.at === '' ? 'the body' : problem.at;
  return found(
    `${name}: ${where} ${problem.message}`,
    excerpt(content.text),
    `${response.status} body is not ${name}: ${where} ${problem.message}`,
  );
}

const excerpt = (text: string) => (text.length > 200 ? `${text.slice(0, 200)}…` : text);

/** Section 4, declared content type: every Content-Type there is must be application/json. */
function mediaTypeFault(response: Response): Finding | undefined {
  const types = mediaTypes(response);
  if (types.length > 0 && types.every((type) => type === 'application/json')) return undefined;
  const actual = excerpt(fields(response, 'content-type').join(', ')) || 'no content type';
  return found(
    'content type application/json',
    `${response.status} ${actual}`,
    `${response.status} as ${excerpt(types.join(', ')) || actual}`,
  );
}

/** Section 4, rule 1: exactly 200. */
export const answers200: Rule = (exchange) =>
  exchange.collided === true || (exchange.kind === 'answered' && exchange.response.status === 200)
    ? undefined
    : found('status 200', briefly(exchange), outcome(exchange));

/** Bytes of a body up to which an ordinary plant is one for any store. */
const ORDINARY = 1024;

/** A larger body may be too large for a store, which says so with 413: limits are not shown (section 8). */
export const acceptsOrdinary: Rule = (exchange, contract, sent) =>
  statusOf(exchange) === 413 && (exchange.request.body?.length ?? 0) > ORDINARY
    ? undefined
    : answers200(exchange, contract, sent);

/** Section 4: a 200 is application/json. Another status is another rule's matter. */
export const plantMediaType: Rule = (exchange) =>
  statusOf(exchange) === 200 && exchange.response !== undefined ? mediaTypeFault(exchange.response) : NO_200;

/** Section 4, rules 1 and 2: the body of a 200 is a Plant. */
export const plantBody: Rule = (exchange, contract) =>
  statusOf(exchange) === 200 && exchange.response !== undefined
    ? shapeFault(exchange.response, 'a Plant', contract.plant.validate)
    : NO_200;

/** Section 7: whenever the status is 400, the content type is application/json. */
export const errorMediaType: Rule = (exchange) =>
  exchange.kind === 'answered' && exchange.response.status === 400 && exchange.request.method !== 'HEAD'
    ? mediaTypeFault(exchange.response)
    : NO_400;

/** Section 7: whenever the status is 400, the body is an Error. */
export const errorBody: Rule = (exchange, contract) =>
  statusOf(exchange) === 400 && exchange.response !== undefined && exchange.request.method !== 'HEAD'
    ? shapeFault(exchange.response, 'an Error', contract.error.validate)
    : NO_400;

/** No success for what must not succeed, said before the answer broke off or not. */
export const notSuccess: Rule = (exchange) => {
  const status = statusOf(exchange);
  if (status === undefined) return NO_STATUS;
  return isSuccess(status)
    ? { ...found('no success (2xx)', briefly(exchange), 'taken'), ofRequest: true }
    : undefined;
};

/** Section 5: no success without the token, whatever was sent. */
export const notSuccessUnauthorised: Rule = (exchange, contract, sent) =>
  sent.authorised ? unseen('no request without the token') : notSuccess(exchange, contract, sent);

/** The server did not fail. 501 is a fair answer to a method that is not declared (RFC 9110 section 15.6.2). */
export const noServerError: Rule = (exchange) => {
  const status = statusOf(exchange);
  if (status === undefined) return NO_STATUS;
  if (status < 500) return undefined;
  if (status === 501 && exchange.request.method !== 'POST') return undefined;
  return found('no server error (5xx)', briefly(exchange), outcome(exchange));
};

/** There was a whole answer. */
export const answered: Rule = (exchange) =>
  exchange.kind === 'answered' && !exchange.response.truncated
    ? undefined
    : found('a whole answer', briefly(exchange), outcome(exchange));

/** A plant whose constraints are not shown is taken as section 4 says, or refused; nothing third. */
export const takenOrRefused: Rule = (exchange) => {
  const status = statusOf(exchange) ?? 0;
  const { path, delivery } = exchange.request;
  // Who asks for the resource in another way may be sent to the usual one.
  const isAsUsual = path.endsWith('/plants') && delivery?.absoluteTarget !== true;
  // 303 leads to a plant that is there already (RFC 9110 section 15.4.4).
  const isRefusal = status === 303 || (status >= (isAsUsual ? 400 : 300) && status < 500);
  return status === 200 || isRefusal
    ? undefined
    : found('200, or a refusal (4xx)', briefly(exchange), outcome(exchange));
};

/** What holds for any well-framed request whatever. */
export const sound: readonly Rule[] = [
  answered,
  noServerError,
  plantlike(plantMediaType),
  plantlike(plantBody),
  errorMediaType,
  errorBody,
];

function plantlike(rule: Rule): Rule {
  return (exchange, contract, sent) =>
    exchange.request.method === 'POST' ? rule(exchange, contract, sent) : unseen('no POST');
}

/** A refusal has one of these statuses. Whether there is one is another rule's matter. */
export const refusesWith =
  (...statuses: readonly number[]): Rule =>
  (exchange) => {
    const status = statusOf(exchange);
    if (status === undefined || isSuccess(status)) return NO_REJECTION;
    return statuses.includes(status)
      ? undefined
      : found(`status ${statuses.join(' or ')}`, briefly(exchange), outcome(exchange));
  };

/** A property of the plant comes back as it was sent. Whether the answer is a Plant is another rule's matter. */
export const echoes =
  (property: 'name' | 'tag'): Rule =>
  (exchange, contract, { plant }) => {
    const wanted = plant?.[property];
    if (wanted === undefined) return unseen(`no plant with a ${property}`);
    if (exchange.kind !== 'answered' || exchange.response.status !== 200) return NO_200;
    const content = contentOf(exchange.response);
    if (content.kind !== 'json' || contract.plant.validate(content.text, content.value).length > 0)
      return unseen('no answer with status 200 and a Plant');
    const actual = (content.value as Record<string, unknown>)[property];
    return actual === wanted
      ? undefined
      : found(
          `${property} ${JSON.stringify(wanted)}`,
          actual === undefined ? `no ${property}` : JSON.stringify(actual),
          `${property} is not echoed`,
        );
  };

/** The message of a 400, where it is an Error. */
function errorMessage(exchange: Exchange, contract: Contract): string | undefined {
  if (exchange.kind !== 'answered' || exchange.response.status !== 400) return undefined;
  const content = contentOf(exchange.response);
  if (content.kind !== 'json' || contract.error.validate(content.text, content.value).length > 0)
    return undefined;
  const { message } = content.value as { message?: unknown };
  return typeof message === 'string' ? message : undefined;
}

export const messageSaysSomething: Rule = (exchange, contract) => {
  const message = errorMessage(exchange, contract);
  if (message === undefined) return unseen('no answer with status 400 and an Error');
  return message.trim() === ''
    ? found('a message that says something', 'an empty message', 'empty message')
    : undefined;
};

/** Frames of stack traces as the common runtimes print them, and paths of source files. */
const INTERNALS: readonly RegExp[] = [
  /\bat [\w$.<>]+ ?\([^)]*\.\w+:\d+(?::\d+)?\)/,
  /\n\s+at [\w.<>`]+\(/,
  /\(node:internal\//,
  /Traceback \(most recent call last\)/,
  /File "[^"]+", line \d+/,
  /\bgoroutine \d+ \[/,
  /\bpanicked at /,
  /\.java:\d+\)/,
  /(?:\w+\/)*\w+\.(?:rb|exs?|go|rs|kt|py|php|cs):\d+/,
  /(?:^|[\s"'(:=])(?:file:\/\/)?\/(?:[\w.@+-]+\/)+[\w.@+-]+\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|php|cs|exs?)\b/,
  /\b[A-Za-z]:\\(?:[\w .-]+\\)+[\w-]+\.\w+/,
];

const UNESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t' };

/** Bytes that are searched: a trace begins early, and some of the patterns take the square of the length. */
const SEARCHED = 8 * 1024;

/** JSON text as it reads once it is decoded, near enough to be searched. */
const legible = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString('utf8')
    .replace(/\\([nt"\\/])/g, (_, mark: string) => UNESCAPED[mark] ?? mark);

/** No stack trace or file path in any answer that is not a success, but for what the request itself held. */
export const keepsInternals: Rule = ({ request, response }) => {
  if (response === undefined || response.status < 400) return unseen('no answer with an error');
  const text = legible(response.body.subarray(0, SEARCHED));
  const leak = INTERNALS.map((pattern) => pattern.exec(text)?.[0].trim()).find(
    (match) => match !== undefined,
  );
  if (leak === undefined || legible(request.body ?? new Uint8Array()).includes(leak)) return undefined;
  return found('no stack trace or file path', excerpt(leak), 'internals in an error');
};

/** The credential is nowhere in an answer. */
export const keepsCredential: Rule = (exchange, _contract, { token }) => {
  const { response } = exchange;
  if (response === undefined) return NO_STATUS;
  if (token.length < 4) return unseen('no token long enough to be told in an answer');
  const places = [
    ['the reason phrase', response.statusText],
    ['the headers', response.headers.map(([name, value]) => `${name}: ${value}`).join('\n')],
    ['the body', Buffer.from(response.body).toString('latin1')],
  ] as const;
  const place = places.find(([, text]) => text.includes(token))?.[0];
  return place === undefined
    ? undefined
    : found('an answer without the credential', `the credential in ${place}`, 'the credential is echoed');
};

export const noByteOrderMark: Rule = (exchange) => {
  const content = exchange.kind === 'answered' ? contentOf(exchange.response) : undefined;
  if (content?.kind !== 'json') return unseen('no answer with JSON');
  return content.bom ? found('no byte order mark', 'a byte order mark', 'byte order mark') : undefined;
};

/** RFC 9110 section 11.6.1: a 401 names the schemes that would be taken. */
export const challengesBearer: Rule = (exchange) => {
  if (exchange.response?.status !== 401) return unseen('no answer with status 401');
  const challenges = fields(exchange.response, 'www-authenticate');
  const bearer = challenges.some((value) =>
    /(?:^|,)\s*bearer(?:$|[\s,])/i.test(value.replace(/"(?:[^"\\]|\\.)*"/g, '""')),
  );
  return bearer
    ? undefined
    : found(
        'WWW-Authenticate: Bearer with the 401',
        challenges.join(' | ') || 'no WWW-Authenticate',
        'no Bearer challenge',
      );
};

/** RFC 9110 section 15.5.6. */
export const allowsSomething: Rule = ({ response }) => {
  if (response?.status !== 405) return unseen('no answer with status 405');
  return fields(response, 'allow').length === 0
    ? found('Allow with the 405', 'no Allow', 'no Allow')
    : undefined;
};
