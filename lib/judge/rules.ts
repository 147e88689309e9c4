import type { Contract } from '../contract/contract.ts';
import type { Validator } from '../contract/validator.ts';
import { membersOf } from '../members.ts';
import { beginningOf } from '../text.ts';
import { bodyText } from '../utf8.ts';
import { type Exchange, failedBy, type Response } from '../wire/exchange.ts';
import { hasHeader } from '../wire/headers.ts';
import { contentOf, describeExchange, fields, isSuccess, mediaTypes, objectOf, statusOf } from './reading.ts';

/**
 * What a finding is about. `outcome`: whether and how a request was answered; `success`: a success that
 * should have been a rejection; `representation`: the form of a 200 or 400; `echo`: a property that comes
 * back changed; `detail`: anything else.
 */
export type Aspect = 'outcome' | 'success' | 'representation' | 'echo' | 'detail';

/** `expected` and `actual` are worded so that they can be read side by side. */
export interface Finding {
  readonly expected: string;
  readonly actual: string;
  /** What is wrong, without the values: findings with the same problem are likely to have one fix. */
  readonly problem: string;
  readonly aspect: Aspect;
  /** The request is part of the problem: a store that accepts two kinds of invalid values has two faults. */
  readonly ofRequest?: true;
}

export interface SentFacts {
  /** Properties of the plant, if the request contains one. */
  readonly plant?: { readonly name?: string | undefined; readonly tag?: string | undefined } | undefined;
  readonly token: string;
}

/** The rule does not apply to the exchange: it is neither met nor broken. */
export interface NotApplied {
  /** What the exchange lacks for the rule to apply, for example `no response with status 400`. */
  readonly notApplied: string;
}

/**
 * Judges one exchange against a requirement. Returns undefined if it is met. Pure, so that saved exchanges
 * can be judged.
 */
export type Rule = (
  exchange: Exchange,
  contract: Contract,
  sent: SentFacts,
) => Finding | NotApplied | undefined;

export const isFinding = (ruling: ReturnType<Rule>): ruling is Finding =>
  ruling !== undefined && 'problem' in ruling;

const notApplied = (what: string): NotApplied => ({ notApplied: what });
const NO_STATUS = notApplied('no readable response');
const NO_200 = notApplied('no response with status 200');
const NO_400 = notApplied('no response with status 400');
const NO_PLANTS = notApplied('no response to a POST to /plants');
const NO_REJECTION = notApplied('the store rejected none of its requests');

const findingOf = (
  expected: string,
  actual: string,
  problem: string,
  aspect: Aspect = 'detail',
): Finding => ({ expected, actual, problem, aspect });

function wrongOutcome(expected: string, exchange: Exchange): Finding {
  const problem =
    exchange.kind === 'answered'
      ? `answered ${exchange.response.status}${exchange.response.truncated ? ' with an incomplete body' : ''}`
      : `no response: ${exchange.fault.kind}`;
  return findingOf(expected, describeExchange(exchange), problem, 'outcome');
}

function shapeFinding(
  response: Response,
  name: 'a Plant' | 'an Error',
  validate: Validator,
): Finding | undefined {
  const content = contentOf(response);
  if (content.kind === 'unreadable')
    return findingOf(
      `${name} as JSON`,
      content.problem,
      `${response.status} body: ${content.problem.slice(0, 40)}`,
      'representation',
    );
  const [problem] = validate(content.text, content.value);
  if (problem === undefined) return undefined;
  const where = problem.at === '' ? 'the body' : problem.at;
  return findingOf(
    `${name}: ${where} ${problem.message}`,
    excerpt(content.text),
    `${response.status} body is not ${name}: ${where} ${problem.message}`,
    'representation',
  );
}

const excerpt = (text: string) => (text.length > 200 ? `${beginningOf(text, 200)}…` : text);

/** Section 4, success response: every Content-Type of the response must be application/json. */
function mediaTypeFinding(response: Response): Finding | undefined {
  const types = mediaTypes(response);
  if (types.length > 0 && types.every((type) => type === 'application/json')) return undefined;
  const actual = excerpt(fields(response, 'content-type').join(', ')) || 'no content type';
  return findingOf(
    'content type application/json',
    `${response.status} ${actual}`,
    `${response.status} as ${excerpt(types.join(', ')) || actual}`,
    'representation',
  );
}

/**
 * Requires status 200 (section 4, rule 1), unless an id or name in use explains a rejection (`Collisions`).
 */
export const answers200: Rule = (exchange) =>
  exchange.collided === true || (exchange.kind === 'answered' && exchange.response.status === 200)
    ? undefined
    : wrongOutcome('status 200', exchange);

/** Maximum size of a body with an ordinary plant that every store must accept. */
const MAX_ORDINARY_BYTES = 1024;

/**
 * Requires status 200, or 413 for a large body, since limits are unspecified (section 8). A server that does
 * not read a trailer may take it for the next request.
 */
export const acceptsOrdinary: Rule = (exchange, contract, sent) =>
  (statusOf(exchange) === 413 && (exchange.request.body?.length ?? 0) > MAX_ORDINARY_BYTES) ||
  (hasTrailer(exchange) && isStoppedAtGateway(exchange))
    ? undefined
    : answers200(exchange, contract, sent);

/** Whether rules require that a request be accepted. */
export const requireAcceptance = (rules: readonly Rule[]): boolean =>
  rules.includes(answers200) || rules.includes(acceptsOrdinary);

/** Requires that the content type of a 200 is application/json (section 4). */
export const plantMediaType: Rule = ({ response }) =>
  response?.status === 200 ? mediaTypeFinding(response) : NO_200;

/** Requires that the body of a 200 is a Plant (section 4, rules 1 and 2). */
export const plantBody: Rule = ({ response }, contract) =>
  response?.status === 200 ? shapeFinding(response, 'a Plant', contract.plant.validate) : NO_200;

/**
 * Whether a gateway may be unable to forward a feature of the request, and say so in its own way, although it
 * should ignore or drop it (RFC 9112 sections 7.1.1 and 7.1.2, RFC 9110 sections 2.5 and 7.8).
 */
const mayStopAtGateway = ({ request: { delivery, headers } }: Exchange): boolean =>
  delivery?.chunks === 'extensions' ||
  delivery?.chunks === 'trailer' ||
  delivery?.version !== undefined ||
  hasHeader(headers, 'upgrade');

/** Statuses for something not implemented, a failure to forward a request, or an unsupported HTTP version. */
const isGatewayStatus = (status: number) => status > 500 && status <= 505;

/**
 * Whether this request or the one before it has a trailer, which hardly any client sends. Many servers cannot
 * read one: Werkzeug fails, Puma fails if it does not arrive at once, and Varnish and Java's
 * com.sun.net.httpserver take it for the next request.
 */
const hasTrailer = ({ request, preceding }: Exchange): boolean =>
  [request, preceding?.request].some((one) => one?.delivery?.chunks === 'trailer');

/**
 * Returns whether a server in front of the store, which does not know the Error schema, could not read or
 * forward the request.
 */
export function isStoppedAtGateway(exchange: Exchange): boolean {
  const { response } = exchange;
  if (response === undefined || mediaTypes(response).includes('application/json')) return false;
  const { status } = response;
  return hasTrailer(exchange)
    ? status === 400 || status >= 500
    : mayStopAtGateway(exchange) && isGatewayStatus(status);
}

/** A server may limit the length of a header line to this many bytes; nginx then answers 400 with a page. */
const MAX_HEADER_LINE_BYTES = 4000;

/**
 * Whether the 400 may come from a server in front of the store, which does not know the Error schema: it may not
 * be able to forward the request, or reject a long header line (RFC 9110 section 5.4).
 */
const mayBeRejectedByGateway = (exchange: Exchange): boolean =>
  mayStopAtGateway(exchange) ||
  isStoppedAtGateway(exchange) ||
  exchange.request.headers.some(([name, value]) => name.length + value.length > MAX_HEADER_LINE_BYTES);

/** Requires that the content type of a 400 is application/json (section 4, rule 3). */
export const errorMediaType: Rule = (exchange) =>
  exchange.kind === 'answered' &&
  exchange.response.status === 400 &&
  exchange.request.method !== 'HEAD' &&
  !mayBeRejectedByGateway(exchange)
    ? mediaTypeFinding(exchange.response)
    : NO_400;

/** Requires that the body of a 400 is an Error (section 4, rule 3). */
export const errorBody: Rule = (exchange, contract) =>
  exchange.response?.status === 400 && exchange.request.method !== 'HEAD' && !mayBeRejectedByGateway(exchange)
    ? shapeFinding(exchange.response, 'an Error', contract.error.validate)
    : NO_400;

/** Forbids a 2xx, even in an incomplete response. */
export const notSuccess: Rule = (exchange) => {
  const status = statusOf(exchange);
  if (status === undefined) return NO_STATUS;
  if (!isSuccess(status)) return undefined;
  if (isOfOtherOperation(exchange)) return NO_PLANTS;
  const finding = findingOf('a status other than 2xx', describeExchange(exchange), 'accepted', 'success');
  return { ...finding, ofRequest: true };
};

/** Forbids 5xx, except 501 for a method that is not declared (RFC 9110 section 15.6.2). */
export const noServerError: Rule = (exchange) => {
  const status = statusOf(exchange);
  if (status === undefined) return NO_STATUS;
  if (status < 500) return undefined;
  if (status === 501 && exchange.request.method !== 'POST') return undefined;
  if (isStoppedAtGateway(exchange)) return undefined;
  return wrongOutcome('no server error (5xx)', exchange);
};

/**
 * Whether the answer may have been lost. Closing a connection with unread data resets it (RFC 9112 section
 * 9.6). Java's com.sun.net.httpserver does that after a trailer, Varnish after a chunk extension if it buffers
 * the body. nghttpx cannot read several chunk extensions, and repeats the 100 above the page of its rejection.
 */
const mayBeLost = (exchange: Exchange): boolean => {
  const { chunks, expectContinue } = exchange.request.delivery ?? {};
  return failedBy(exchange, 'not-http')
    ? chunks === 'extensions' && expectContinue === true
    : failedBy(exchange, 'closed') && (chunks === 'extensions' || chunks === 'trailer');
};

/** Requires a complete response, whatever it is, unless it may have been lost on its way. */
export const respondsCompletely: Rule = (exchange) =>
  (exchange.kind === 'answered' && !exchange.response.truncated) || mayBeLost(exchange)
    ? undefined
    : wrongOutcome('a complete response', exchange);

/** Allowed only for GET and HEAD (RFC 9110 section 15.4.5). */
const NOT_MODIFIED = 304;

/** Requires what an unconstrained plant must get: 200 (section 4), or a rejection by 3xx or 4xx. */
export const acceptedOrRejected: Rule = (exchange) => {
  if (isOfOtherOperation(exchange)) return NO_PLANTS;
  const status = statusOf(exchange) ?? 0;
  const isRejection =
    (status >= 300 && status < 500 && status !== NOT_MODIFIED) ||
    isStoppedAtGateway(exchange) ||
    mayBeLost(exchange);
  return status === 200 || isRejection
    ? undefined
    : wrongOutcome('200, or a rejection (3xx or 4xx)', exchange);
};

/** Shorter values occur by chance. */
const MIN_RECOGNISED = 3;

/** A percent-encoded letter in the last segment of the path. */
const ENCODED_PATH = /\/[^/?]*%[^/?]*(?:\?|$)/;

/** Headers by which some frameworks replace the method or the path of a request: Rails, Symfony, IIS. */
const OVERRIDE = /^x-(?:(?:http-)?method(?:-override)?|original-url|rewrite-url)$/i;

/**
 * Returns whether the store has taken the request for one with another path or method: it answers with success,
 * but with nothing of the plant. The interface says nothing about such requests. An encoded letter is the same
 * as the letter itself (RFC 3986 section 6.2.2.2), but some stores compare bytes, and serve a page or a list
 * under all other paths.
 */
export function isOfOtherOperation({ request, response }: Exchange): boolean {
  const mayBe = ENCODED_PATH.test(request.path) || request.headers.some(([name]) => OVERRIDE.test(name));
  if (response === undefined || !isSuccess(response.status) || !mayBe) return false;
  const content = contentOf(response);
  // The response may escape values in another way than the request. A list of plants is not about this one.
  const texts =
    content.kind === 'json'
      ? textsIn(content.text).filter((one) => !one.startsWith('['))
      : [legible(response.body)];
  return !textsIn(bodyText(request.body)).some(
    (sent) => sent.length >= MIN_RECOGNISED && texts.some((one) => one.includes(sent)),
  );
}

/** The values of the members of a JSON object, as texts. */
const textsIn = (json: string): readonly string[] =>
  Object.values(membersOf(json)).map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));

/** Rules that apply to every well-framed request. */
export const validResponseRules: readonly Rule[] = [
  respondsCompletely,
  noServerError,
  onlyForPlants(plantMediaType),
  onlyForPlants(plantBody),
  errorMediaType,
  errorBody,
];

export const createdRules: readonly Rule[] = [acceptsOrdinary, plantMediaType, plantBody];

export const createdOrRejectedRules: readonly Rule[] = [acceptedOrRejected, ...validResponseRules];

export const rejectedRules: readonly Rule[] = [
  notSuccess,
  respondsCompletely,
  noServerError,
  errorMediaType,
  errorBody,
];

function onlyForPlants(rule: Rule): Rule {
  return (exchange, contract, sent) => {
    if (exchange.request.method !== 'POST') return notApplied('no POST request');
    return isOfOtherOperation(exchange) ? NO_PLANTS : rule(exchange, contract, sent);
  };
}

/** Requires that a rejection has one of these statuses. Other rules judge whether there is a rejection. */
export const rejectsWith =
  (...statuses: readonly number[]): Rule =>
  (exchange) => {
    const status = statusOf(exchange);
    if (status === undefined || isSuccess(status)) return NO_REJECTION;
    return statuses.includes(status) ? undefined : wrongOutcome(`status ${statuses.join(' or ')}`, exchange);
  };

/** Requires that a property comes back as it was sent. Other rules judge whether the response is a Plant. */
export const echoes =
  (property: 'name' | 'tag'): Rule =>
  (exchange, contract, { plant }) => {
    const wanted = plant?.[property];
    if (wanted === undefined) return notApplied(`no plant with a ${property}`);
    if (exchange.kind !== 'answered' || exchange.response.status !== 200) return NO_200;
    const returned = objectOf(exchange.response, contract.plant.validate);
    if (returned === undefined) return notApplied('no response with status 200 and a Plant');
    const actual = returned[property];
    return actual === wanted
      ? undefined
      : findingOf(
          `${property} ${JSON.stringify(wanted)}`,
          actual === undefined ? `no ${property}` : JSON.stringify(actual),
          `${property} is not echoed`,
          'echo',
        );
  };

function errorMessage(exchange: Exchange, contract: Contract): string | undefined {
  if (exchange.kind !== 'answered' || exchange.response.status !== 400) return undefined;
  const message = objectOf(exchange.response, contract.error.validate)?.message;
  return typeof message === 'string' ? message : undefined;
}

export const messageIsNotEmpty: Rule = (exchange, contract) => {
  const message = errorMessage(exchange, contract);
  if (message === undefined) return notApplied('no response with status 400 and an Error');
  return message.trim() === ''
    ? findingOf('a message that is not empty', 'an empty message', 'empty message')
    : undefined;
};

/** Stack frames as common runtimes print them, and paths of source files. */
const INTERNALS: readonly RegExp[] = [
  /\bat [\w$.<>]+ ?\([^)]*\.\w+:\d+(?::\d+)?\)/,
  /\n\s+at [\w.<>`]+\(/,
  /\(node:internal\//,
  /Traceback \(most recent call last\)/,
  /File "[^"]+", line \d+/,
  /\bgoroutine \d+ \[/,
  /\bpanicked at /,
  /\.java:\d+\)/,
  // Bounded, and only from the start of a word: long words would otherwise take quadratic time.
  /(?<!\w)(?:\w{1,80}\/){0,20}\w{1,80}\.(?:rb|exs?|go|rs|kt|py|php|cs):\d+/,
  /(?:^|[\s"'(:=])(?:file:\/\/)?\/(?:[\w.@+-]+\/)+[\w.@+-]+\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|php|cs|exs?)\b/,
  /\b[A-Za-z]:\\(?:[\w .-]+\\)+[\w-]+\.\w+/,
];

const UNESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t' };

/** Only the beginning is searched: stack traces come early, and some patterns take quadratic time. */
const MAX_SEARCHED_BYTES = 8 * 1024;

/** JSON text with its common escapes decoded, which suffices for a search. */
const legible = (bytes: Uint8Array | undefined): string =>
  bodyText(bytes).replace(/\\([nt"\\/])/g, (_, mark: string) => UNESCAPED[mark] ?? mark);

/** Forbids stack traces and file paths in error responses, unless the request contained them. */
export const leaksNoInternals: Rule = ({ request, response }) => {
  if (response === undefined || response.status < 400) return notApplied('no error response');
  const text = legible(response.body.subarray(0, MAX_SEARCHED_BYTES));
  const [leak] = INTERNALS.flatMap((pattern) => pattern.exec(text)?.[0].trim() ?? []);
  if (leak === undefined || legible(request.body).includes(leak)) return undefined;
  return findingOf('no stack trace or file path', excerpt(leak), 'internals in an error response');
};

/** If a response takes this long, a missing 100 Continue proves nothing. */
const SLOW_MS = 500;

/** Requires a 100 Continue or a final response before the body. Does not apply to a slow response. */
export const sends100Continue: Rule = ({ ms, continueWaitMs, response }) => {
  if (response === undefined) return NO_STATUS;
  if (continueWaitMs === undefined) return undefined;
  if (ms - continueWaitMs > SLOW_MS) return notApplied('no prompt response');
  return findingOf(
    '100 Continue or a final response before the body is sent',
    `neither within ${continueWaitMs} ms`,
    'no 100 Continue',
  );
};

export const leaksNoToken: Rule = (exchange, _contract, { token }) => {
  const { response } = exchange;
  if (response === undefined) return NO_STATUS;
  if (token.length < 4) return notApplied('no token long enough to be recognised in a response');
  // A store may echo the content of the body.
  if (Buffer.from(exchange.request.body ?? []).includes(token))
    return notApplied('a body with the token in it');
  const { buffer, byteOffset, byteLength } = response.body;
  const places = [
    ['the reason phrase', response.statusText],
    ['the headers', response.headers.map(([name, value]) => `${name}: ${value}`).join('\n')],
    // Not copied: it may be large.
    ['the body', Buffer.from(buffer, byteOffset, byteLength)],
  ] as const;
  const place = places.find(([, content]) => content.includes(token))?.[0];
  return place === undefined
    ? undefined
    : findingOf('a response without the token', `the token in ${place}`, 'the token is echoed');
};

export const noByteOrderMark: Rule = (exchange) => {
  const content = exchange.kind === 'answered' ? contentOf(exchange.response) : undefined;
  if (content?.kind !== 'json') return notApplied('no response with JSON');
  return content.bom ? findingOf('no byte order mark', 'a byte order mark', 'byte order mark') : undefined;
};

/** Requires that a 401 names the scheme Bearer (RFC 9110 section 11.6.1). */
export const challengesBearer: Rule = (exchange) => {
  if (exchange.response?.status !== 401) return notApplied('no response with status 401');
  const challenges = fields(exchange.response, 'www-authenticate');
  const bearer = challenges.some((value) =>
    /(?:^|,)\s*bearer(?:$|[\s,])/i.test(value.replace(/"(?:[^"\\]|\\.)*"/g, '""')),
  );
  return bearer
    ? undefined
    : findingOf(
        '401 with WWW-Authenticate: Bearer',
        challenges.join(' | ') || 'no WWW-Authenticate',
        'no Bearer challenge',
      );
};

/** Requires that a 405 carries an Allow header (RFC 9110 section 15.5.6). */
export const hasAllowHeader: Rule = ({ response }) => {
  if (response?.status !== 405) return notApplied('no response with status 405');
  return fields(response, 'allow').length === 0
    ? findingOf('405 with Allow', 'no Allow', 'no Allow')
    : undefined;
};
