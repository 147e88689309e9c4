import { type RequestTemplate, validCredential } from '../../payloads/test-case.ts';
import { type Failure, problemOf } from '../../run/result/result.ts';
import { truncate } from '../../run/result/truncate.ts';
import type { RunHeader } from '../../run/run.ts';
import { TOKEN_IN_SHELL } from '../../token-variable.ts';
import { utf8Text } from '../../utf8.ts';
import { CODINGS, codingsOf, decoded, isTooLarge } from '../../wire/codings.ts';
import type { Exchange, HeaderPair, Response } from '../../wire/exchange.ts';
import { inShellOf, requestCommand } from '../reproduce/steps.ts';
import type { Messages, RecordedBody, RecordedExchange, RecordedRequest } from './record.ts';
import { REDACTED, type Redact, redactAll } from './redact.ts';

/** Number of bytes kept of a body: all bytes of a request, only the first ones of a response. */
const MAX_REQUEST_BYTES = 64 * 1024 + 1024;
const MAX_RESPONSE_BYTES = 4 * 1024;
/** Number of characters kept of a header or a reason phrase, and of all headers of a response together. */
const MAX_HEADER_CHARACTERS = 1024;
const MAX_HEADERS_CHARACTERS = 4 * 1024;
/** Number of bytes beyond the cap that are also searched for secrets. */
const LOOKAHEAD_BYTES = 8 * 1024;
/**
 * Maximum length of any form of a secret: this many characters at the end of a cut text may be its beginning.
 */
const MAX_SECRET_CHARACTERS = 2 * 1024;

export const rounded = (value: number) => Math.round(value * 1000) / 1000;

export function recordedExchange(
  { label, stableLabel, before, template, exchange, finding }: Failure,
  { target }: RunHeader,
  redact: Redact,
): RecordedExchange {
  const messages = sentAndReceived(exchange, template, target.baseUrl, redact);
  return {
    label,
    ...(before && {
      before: before.map((one) => sentAndReceived(one.exchange, one.template, target.baseUrl, redact)),
    }),
    ...messages,
    command: inShellOf(requestCommand(messages.request), target),
    ...redactAll(
      {
        expected: finding.expected,
        actual: finding.actual,
        problem: problemOf({ finding, label, stableLabel }),
      },
      redact,
    ),
  };
}

export function sentAndReceived(
  exchange: Exchange,
  template: RequestTemplate,
  baseUrl: string,
  redact: Redact,
): Messages {
  const { response } = exchange;
  return {
    request: requestOf(exchange, template, baseUrl, redact),
    ...(response && {
      response: {
        status: response.status,
        statusText: truncate(redact(response.statusText), MAX_HEADER_CHARACTERS),
        headers: headersOf(response.headers, redact),
        body: responseBody(response, redact),
      },
    }),
    ...(exchange.kind === 'broken'
      ? { fault: { kind: exchange.fault.kind, detail: redact(exchange.fault.detail) } }
      : {}),
    ms: rounded(exchange.ms),
  };
}

/** Records a request. Whatever was derived from the token is recorded as a shell would derive it. */
function requestOf(
  { request }: Exchange,
  template: RequestTemplate,
  baseUrl: string,
  redact: Redact,
): RecordedRequest {
  const { method, headers, body, delivery, rawBytes, publicBody } = request;
  const { origin } = new URL(baseUrl);
  const { shell: values, header = 'authorization' } = template.credential ?? validCredential;
  const shell = [...values];
  const path =
    template.tokenIn === undefined
      ? request.path
      : request.path.replace(/=[^=]*$/, () => `=${TOKEN_IN_SHELL}`);
  return {
    method,
    url: `${origin}${path}`,
    headers: headers.map(
      ([name, value]) =>
        [name, name.toLowerCase() === header ? (shell.shift() ?? REDACTED) : redact(value)] as const,
    ),
    body:
      publicBody === undefined
        ? // Only bodies with a `publicBody` contain the token; what looks like a part of it in others is chance.
          bodyOf(body ?? new Uint8Array(), MAX_REQUEST_BYTES, (text, limit) => text.slice(0, limit))
        : { bytes: body?.length ?? 0, text: publicBody },
    ...(delivery === undefined ? {} : { delivery }),
    ...(template.preceding === undefined ? {} : { after: template.preceding.connection }),
    ...(rawBytes === undefined ? {} : { rawBytes: true }),
  };
}

function headersOf(headers: readonly HeaderPair[], redact: Redact): HeaderPair[] {
  const kept: HeaderPair[] = [];
  let length = 0;
  for (const [name, value] of headers) {
    const pair = [
      truncate(redact(name), MAX_HEADER_CHARACTERS),
      truncate(redact(value), MAX_HEADER_CHARACTERS),
    ] as const;
    length += pair[0].length + pair[1].length;
    if (length > MAX_HEADERS_CHARACTERS) return [...kept, ['…', `and ${headers.length - kept.length} more`]];
    kept.push(pair);
  }
  return kept;
}

/** A compressed body that contains a secret, or may contain one, is redacted as a whole. */
function responseBody({ body, headers, size }: Response, redact: Redact): RecordedBody {
  const bytes = size ?? body.length;
  if (hidesSecret(body, headers, redact)) return { bytes, text: REDACTED };
  const kept = bodyOf(body, MAX_RESPONSE_BYTES, redact, bytes);
  if (!('text' in kept)) return kept;
  // In JSON, escapes (above all those of control characters) are several times as long as what they stand
  // for.
  const jsonLength = JSON.stringify(kept.text).length;
  if (jsonLength <= 2 * MAX_RESPONSE_BYTES) return kept;
  const text = kept.text.slice(0, Math.floor((kept.text.length * 2 * MAX_RESPONSE_BYTES) / jsonLength));
  return { bytes, truncated: true, text };
}

/** Number of bytes of a decompressed body that are searched for secrets. */
const MAX_DECODED_BYTES = 1024 * 1024;

/** Whether a compressed body contains a secret; assumed if it cannot be decompressed as declared. */
function hidesSecret(body: Uint8Array, headers: readonly HeaderPair[], redact: Redact): boolean {
  if (utf8Text(body) !== undefined) return false;
  const mayContainSecret = (codings: readonly string[], ifUnreadable: boolean) => {
    try {
      const text = Buffer.from(
        codings.reduceRight((bytes, coding) => decoded(coding, bytes, MAX_DECODED_BYTES, true), body),
      ).toString('latin1');
      return redact(text) !== text;
    } catch (error) {
      return ifUnreadable || isTooLarge(error);
    }
  };
  const declared = codingsOf(headers);
  if (declared.length > 0) return mayContainSecret(declared, true);
  return CODINGS.some((coding) => mayContainSecret([coding], false));
}

function bodyOf(body: Uint8Array, cap: number, redact: Redact, bytes: number = body.length): RecordedBody {
  const mark = bytes > cap ? { truncated: true as const } : {};
  // Keep enough bytes to recognise a secret that crosses the cap.
  const kept = body.subarray(0, cap + LOOKAHEAD_BYTES);
  const isTruncated = bytes > kept.length;
  const text = utf8Text(kept, isTruncated);
  if (text !== undefined) return { bytes, ...mark, text: beginningOf(text, cap, isTruncated, redact) };
  const clean = beginningOf(Buffer.from(kept).toString('latin1'), cap, isTruncated, redact);
  return { bytes, ...mark, base64: Buffer.from(clean, 'latin1').toString('base64') };
}

/** The beginning of a text without secrets, and without an end that may be the beginning of a secret. */
const beginningOf = (text: string, cap: number, isTruncated: boolean, redact: Redact): string =>
  redact(text, Math.min(cap, isTruncated ? Math.max(0, text.length - MAX_SECRET_CHARACTERS) : text.length));
