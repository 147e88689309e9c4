import { contentType, mediaType } from '../../helpers.ts';
import { about } from '../conditional.ts';
import type { Met } from '../recorder.ts';

const field = ({ request }: Met, name: string) => request.headers[name]?.join(', ');
const has =
  (name: string, pattern = /^/) =>
  (met: Met) =>
    pattern.test(field(met, name) ?? '') && field(met, name) !== undefined;

// --- Framing -------------------------------------------------------------------------------------------

const framing = about('framing');
/** Longer than a loopback connection needs between two segments that are sent together. */
const PAUSE_MS = 20;
/** What a hurried programmer gives a body to arrive. */
const LONG_PAUSE_MS = 200;

const isJson = (text: string): boolean => {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
};

const isChunked = has('transfer-encoding', /chunked/i);
const ends =
  (cut: (before: Buffer, after: Buffer) => boolean) =>
  ({ pieces }: Met) =>
    pieces.some(({ bytes }, at) => {
      const before = pieces[at - 1];
      return before !== undefined && cut(before.bytes, bytes);
    });

export const chunked = framing(isChunked, 'head');
export const manyChunks = framing((met) => isChunked(met) && met.pieces.length >= 5, 'head');
export const chunkExtension = framing(
  (met) => isChunked(met) && /\r\n[\da-f]+[ \t]*;/i.test(met.wire),
  'head',
);
export const paddedChunkSize = framing(
  (met) => isChunked(met) && /\r\n0[\da-f]+(?:;[^\r]*)?\r\n/i.test(met.wire),
  'head',
);
export const capitalChunkSize = framing(
  (met) => isChunked(met) && /\r\n[\da-f]*[A-F][\dA-F]*(?:;[^\r]*)?\r\n/.test(met.wire),
  'head',
);
export const trailer = framing(({ request }) => request.message.rawTrailers.length > 0, 'head');
export const inSegments = framing((met) => !isChunked(met) && met.pieces.length > 1);
export const inManySegments = framing((met) => met.pieces.length >= 8);
export const cutInCharacter = framing(
  ends((_, after) => ((after[0] ?? 0) & 0xc0) === 0x80),
  'payload',
);
export const cutInEscape = framing(ends((before) => /\\(?:u[\da-f]{0,3})?$/i.test(before.toString())));
export const cutInKey = framing(ends((before) => /[{,]\s*"[^":]*$/.test(before.toString('latin1'))));
export const cutInNumber = framing(
  ends((before, after) => /\d$/.test(before.toString('latin1')) && /^\d/.test(after.toString('latin1'))),
);
export const cutAfterValue = framing(({ pieces }) => {
  const [first, second] = pieces;
  return second !== undefined && isJson(first?.bytes.toString() ?? '');
});
export const paused = framing(({ pieces }) => pieces.slice(1).some(({ pause }) => pause > PAUSE_MS));
export const lateBody = framing(({ pieces }) => (pieces[0]?.pause ?? 0) > PAUSE_MS);
export const veryLateBody = framing(({ pieces }) => (pieces[0]?.pause ?? 0) > LONG_PAUSE_MS);
export const headInSegments = framing(({ headSegments }) => headSegments > 1);
export const headEndApart = framing(({ headEnd }) => headEnd.startsWith('\r\n'));
export const bodyApart = framing(({ bodySegments, pieces }) => bodySegments > 1 && pieces.length > 0);
export const expects = framing(has('expect', /^100-continue$/i), 'head');
export const waits = framing((met) => has('expect')(met) && met.bodySegments > 1, 'head');
export const tenthOnConnection = framing(({ nth }) => nth >= 10);
export const pipelined = framing(({ pipelined: early }) => early);
export const lastOnConnection = framing(has('connection', /^close$/i));

// --- Media type ----------------------------------------------------------------------------------------

const media = about('media type');
const type =
  (pattern: RegExp) =>
  ({ request }: Met) =>
    pattern.test(contentType(request));

export const charset = media(type(/;\s*charset=/i), 'head');
export const charsetInCapitals = media(type(/;\s*charset="?UTF-8/), 'head');
export const charsetQuoted = media(type(/;\s*charset="/i), 'head');
export const foreignCharset = media(type(/;\s*charset="?(?!utf-?8)/i), 'head');
export const typeInCapitals = media(
  ({ request }) => /[A-Z]/.test(contentType(request).split(';')[0] ?? ''),
  'head',
);
export const otherParameter = media(type(/;\s*(?!charset\b)[\w-]+=/i), 'head');
export const twoParameters = media(type(/;[^;=]+=[^;=]+;[^;=]+=/), 'head');
export const tightParameter = media(type(/;\w/), 'head');
export const spaceBeforeSemicolon = media(type(/[ \t];/), 'head');
export const openParameters = media(type(/;\s*$/), 'head');
export const noContentType = media(({ request }) => contentType(request) === '', 'head');
const ofType = (pattern: RegExp) => media(({ request }) => pattern.test(mediaType(request)), 'head');
export const jsonSuffix = ofType(/\+json$/);
export const textType = ofType(/^text\/plain$/);
export const multipartType = ofType(/^multipart\//);
export const textJson = ofType(/^text\/json$/);

// --- Accept --------------------------------------------------------------------------------------------

const accept = about('accept');
const accepts = (pattern: RegExp) => accept(has('accept', pattern), 'head');
const coding = (pattern: RegExp) => accept(has('accept-encoding', pattern), 'head');

export const acceptsNothing = accept((met) => field(met, 'accept') === undefined, 'head');
export const acceptsHtmlFirst = accepts(/^text\/html/i);
export const acceptsXmlToo = accepts(/application\/xml/i);
export const acceptsTextToo = accepts(/^application\/json, text\/plain/i);
export const acceptsWithQuality = accepts(/;\s*q=/i);
export const acceptsBareStar = accepts(/(?:^|[ ,])\*(?:;|,|$)/);
export const acceptsAnyApplication = accepts(/application\/\*/i);
export const acceptsJsonWithParameter = accepts(/application\/json;\s*(?!q=)\w+=/i);
export const acceptsProblem = accepts(/application\/problem\+json/i);
export const acceptsJsonApi = accepts(/application\/vnd\.[\w.]+\+json/i);
export const acceptsJsonp = accepts(/javascript/i);
export const gzipAlone = coding(/^gzip$/i);
export const anyCoding = coding(/\bgzip\b|\*/i);
export const brotli = coding(/\bbr\b/i);
export const identityAlone = coding(/^identity/i);
export const starCoding = coding(/\*/);
export const acceptsCharset = accept(has('accept-charset'), 'head');
export const acceptsLatin1 = accept(has('accept-charset', /iso-8859-1/i), 'head');
export const acceptsOddLanguage = accept(has('accept-language', /^\*|^\w+_/), 'head');
export const acceptsLanguages = accept(has('accept-language', /,/), 'head');

// --- Other headers -------------------------------------------------------------------------------------

const headers = about('headers');
const indexOf = ({ lines }: Met, name: string) => lines.findIndex(([is]) => is.toLowerCase() === name);
const written = (name: string, how: RegExp) =>
  headers(({ lines }) => lines.some(([is]) => is.toLowerCase() === name && how.test(is)));
const given = (name: string, pattern?: RegExp) => headers(has(name, pattern));

export const overridesMethod = headers(
  (met) => ['x-http-method-override', 'x-http-method', 'x-method-override'].some((name) => has(name)(met)),
  'head',
);
export const originalUrl = headers((met) => has('x-original-url')(met) || has('x-rewrite-url')(met), 'head');
export const forwardedForLoopback = given('x-forwarded-for', /\b127\.0\.0\.1\b|::1/);
export const forwardedForPrivate = given('x-forwarded-for', /^(?:10|192\.168)\./);
export const forwardedForMany = given('x-forwarded-for', /,/);
export const forwarded = given('forwarded');
export const remoteUser = headers((met) =>
  ['x-remote-user', 'x-forwarded-user', 'x-authenticated-user', 'remote-user'].some((name) => has(name)(met)),
);
export const viaProxy = given('via');
export const cookie = given('cookie');
export const sessionCookie = given('cookie', /\bsess(?:ion)?(?:_?id)?=/i);
export const ifNoneMatch = headers(has('if-none-match', /^(?!\*)/));
export const origin = given('origin');
export const nullOrigin = given('origin', /^null$/);
export const identityEncoding = headers(has('content-encoding', /^identity$/i), 'head');
export const browserAgent = given('user-agent', /^Mozilla\//);
export const probeAgent = given('user-agent', /kube-probe|HealthCheck|bot\b/i);
export const byScript = given('x-requested-with', /^XMLHttpRequest$/i);
export const traced = headers((met) => has('traceparent')(met) || has('x-request-id')(met));
export const noTransform = given('cache-control', /no-transform/i);
export const idempotent = headers(has('idempotency-key'));
export const prefersMinimal = given('prefer', /return=minimal/i);
export const emptyField = headers(({ lines }) =>
  lines.some(([name, value]) => value === '' && !/^(?:authorization|content-type|accept)/i.test(name)),
);
export const manyFields = headers(({ lines }) => lines.length > 24);
export const authorizationLast = headers((met) => indexOf(met, 'authorization') === met.lines.length - 1);
export const typeAfterLength = headers(
  (met) =>
    indexOf(met, 'content-type') > indexOf(met, 'content-length') && indexOf(met, 'content-length') >= 0,
);
export const lowerCaseType = written('content-type', /^[a-z-]+$/);
export const lowerCaseAuthorization = written('authorization', /^[a-z]+$/);
export const upperCaseLength = written('content-length', /^[A-Z-]+$/);

const scheme = (pattern: RegExp) => headers(has('authorization', pattern), 'head');
export const lowerCaseScheme = scheme(/^bearer /);
export const twoSpacesAfterScheme = scheme(/^bearer {2}/i);

// --- Target --------------------------------------------------------------------------------------------

const targets = about('target');
const at =
  (pattern: RegExp) =>
  ({ target }: Met) =>
    pattern.test(target);

export const query = targets(at(/\?./));
export const emptyQuery = targets(at(/\?$/));
export const queryWithoutValue = targets(at(/\?[^=&]+(?:&|$)/));
export const repeatedParameter = targets(at(/[?&]([^=&]+)=[^&]*&(?:.*&)?\1=/));
export const encodedQuery = targets(at(/\?.*%[\da-f]{2}/i));
export const bracketsInQuery = targets(at(/\?.*(?:\[|%5b)/i));
export const slashInQuery = targets(at(/\?.*\//));
export const longQuery = targets(at(/\?.{500}/));
export const manyParameters = targets(at(/\?(?:[^&]*&){10}/));
export const tokenInQuery = targets(at(/[?&](?:access_)?token=/));
export const methodInQuery = targets(at(/[?&]_method=/));
export const callbackInQuery = targets(at(/[?&]callback=/));
export const idInQuery = targets(at(/[?&](?:id|name)=/));
export const absoluteForm = targets(at(/^https?:\/\//i), 'head');
export const encodedPath = targets(at(/^[^?]*%[\da-f]{2}/i), 'head');
export const hostWithoutPort = targets(
  ({ request }) => !/:\d+$/.test(request.headers.host?.[0] ?? ''),
  'head',
);
