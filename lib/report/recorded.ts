import { bearer, type Draft } from '../payloads/case.ts';
import { shortly } from '../run/keep.ts';
import { causeOf, type Failure } from '../run/result.ts';
import type { RunHeader } from '../run/run.ts';
import { codingsOf, decoded } from '../wire/codings.ts';
import type { Exchange, HeaderPair, Response } from '../wire/exchange.ts';
import { curlOf } from './curl.ts';
import type { RecordedBody, RecordedExchange, RecordedRequest } from './record.ts';
import { REDACTED, type Redact, redactAll } from './redact.ts';

/** Bytes of a body that are kept: all of a request, the beginning of an answer. */
const REQUEST_CAP = 64 * 1024 + 1024;
const ANSWER_CAP = 4 * 1024;
/** Characters of a header or a reason phrase that are kept, and of all headers of an answer together. */
const HEADER_CAP = 1024;
const HEADERS_CAP = 4 * 1024;
/** Bytes beyond the cap that are looked at for secrets. */
const PAST = 8 * 1024;
/** Characters of a secret in any of its forms, at most: so much at the end of what is looked at may be a part of one. */
const LONGEST = 2 * 1024;

export const rounded = (value: number) => Math.round(value * 1000) / 1000;

/** A failure as it is written down. */
export function exchangeOf(
  { label, stableLabel, before, draft, exchange, finding }: Failure,
  { target }: RunHeader,
  redact: Redact,
): RecordedExchange {
  const sides = sidesOf(exchange, draft, target.baseUrl, redact);
  return {
    label,
    ...(before === undefined
      ? {}
      : { before: before.map((one) => sidesOf(one.exchange, one.draft, target.baseUrl, redact)) }),
    ...sides,
    curl: curlOf(sides.request),
    ...redactAll(
      { expected: finding.expected, actual: finding.actual, cause: causeOf({ finding, label, stableLabel }) },
      redact,
    ),
  };
}

/** What went both ways in an exchange, as it is written down. */
export function sidesOf(
  exchange: Exchange,
  draft: Draft,
  baseUrl: string,
  redact: Redact,
): Pick<RecordedExchange, 'request' | 'response' | 'fault' | 'ms'> {
  const { response } = exchange;
  return {
    request: requestOf(exchange, draft, baseUrl, redact),
    ...(response === undefined
      ? {}
      : {
          response: {
            status: response.status,
            statusText: shortly(redact(response.statusText), HEADER_CAP),
            headers: headersOf(response.headers, redact),
            body: answerBody(response, redact),
          },
        }),
    ...(exchange.kind === 'broken'
      ? { fault: { kind: exchange.fault.kind, detail: redact(exchange.fault.detail) } }
      : {}),
    ms: rounded(exchange.ms),
  };
}

/** A request as it is written down: what was made from the token is named as a shell would make it. */
function requestOf({ request }: Exchange, draft: Draft, baseUrl: string, redact: Redact): RecordedRequest {
  const { method, headers, body, delivery, verbatim, publicBody } = request;
  const { origin } = new URL(baseUrl);
  const { shell: written, header = 'authorization' } = draft.credential ?? bearer;
  const shell = [...written];
  const path =
    draft.tokenIn === undefined ? request.path : request.path.replace(/=[^=]*$/, '=$PLANT_STORE_TOKEN');
  return {
    method,
    url: `${origin}${path}`,
    headers: headers.map(
      ([name, value]) =>
        [name, name.toLowerCase() === header ? (shell.shift() ?? REDACTED) : redact(value)] as const,
    ),
    body:
      publicBody === undefined
        ? // Made by the suite, and the token is in none but those: what looks like a piece of it is chance.
          bodyOf(body ?? new Uint8Array(), REQUEST_CAP, (text) => text)
        : { bytes: body?.length ?? 0, text: publicBody },
    ...(delivery === undefined ? {} : { delivery }),
    ...(draft.after === undefined ? {} : { after: draft.after.connection }),
    ...(verbatim === undefined ? {} : { verbatim: true }),
  };
}

/** The headers of an answer: the first, and how many more there were. */
function headersOf(headers: readonly HeaderPair[], redact: Redact): HeaderPair[] {
  const kept: HeaderPair[] = [];
  let length = 0;
  for (const [name, value] of headers) {
    const pair = [shortly(redact(name), HEADER_CAP), shortly(redact(value), HEADER_CAP)] as const;
    length += pair[0].length + pair[1].length;
    if (length > HEADERS_CAP) return [...kept, ['…', `and ${headers.length - kept.length} more`]];
    kept.push(pair);
  }
  return kept;
}

/** The body of an answer. Of one that was compressed, nothing where a secret is in it, or may be. */
function answerBody({ body, headers, size }: Response, redact: Redact): RecordedBody {
  const bytes = size ?? body.length;
  if (hides(body, headers, redact)) return { bytes, text: REDACTED };
  const kept = bodyOf(body, ANSWER_CAP, redact, bytes);
  if (!('text' in kept)) return kept;
  // What is escaped in JSON, control characters above all, takes several times its length there.
  const written = JSON.stringify(kept.text).length;
  if (written <= 2 * ANSWER_CAP) return kept;
  const text = kept.text.slice(0, Math.floor((kept.text.length * 2 * ANSWER_CAP) / written));
  return { bytes, truncated: true, text };
}

/** Bytes of a body without its codings that are looked at. */
const UNPACKED = 1024 * 1024;

/** Whether a secret is in a compressed body; one that says it is compressed and cannot be looked into hides it. */
function hides(body: Uint8Array, headers: readonly HeaderPair[], redact: Redact): boolean {
  if (isText(body)) return false;
  const holds = (codings: readonly string[]) => {
    const unpacked = codings.reduceRight((bytes, coding) => decoded(coding, bytes, UNPACKED, true), body);
    const text = Buffer.from(unpacked).toString('latin1');
    return redact(text) !== text;
  };
  const perhaps = (codings: readonly string[], otherwise: boolean) => {
    try {
      return holds(codings);
    } catch (error) {
      return otherwise || (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    }
  };
  const said = codingsOf(headers);
  if (said.length > 0) return perhaps(said, true);
  return ['gzip', 'deflate', 'br'].some((coding) => perhaps([coding], false));
}

function isText(bytes: Uint8Array): boolean {
  try {
    textOf(bytes, false);
    return true;
  } catch {
    return false;
  }
}

const textOf = (bytes: Uint8Array, goesOn: boolean): string =>
  new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: goesOn });

function bodyOf(body: Uint8Array, cap: number, redact: Redact, bytes: number = body.length): RecordedBody {
  const cut = bytes > cap ? { truncated: true as const } : {};
  // A secret that lies across the cap is only known for one where it is whole.
  const kept = body.subarray(0, cap + PAST);
  const goesOn = bytes > kept.length;
  try {
    return { bytes, ...cut, text: beginningOf(textOf(kept, goesOn), cap, goesOn, redact) };
  } catch {
    const clean = beginningOf(Buffer.from(kept).toString('latin1'), cap, goesOn, redact);
    return { bytes, ...cut, base64: Buffer.from(clean, 'latin1').toString('base64') };
  }
}

/** The beginning of a text without its secrets, and without the part of one that ends beyond it. */
const beginningOf = (text: string, cap: number, goesOn: boolean, redact: Redact): string =>
  redact(text, Math.min(cap, goesOn ? Math.max(0, text.length - LONGEST) : text.length));
