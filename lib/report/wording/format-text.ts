import { styleText } from 'node:util';
import { compact } from '../../collections.ts';
import { counted, withSeparators } from '../../text.ts';
import { TOKEN_IN_SHELL } from '../../token-variable.ts';
import { hasHeader, headerValues } from '../../wire/headers.ts';
import type {
  Answered,
  Counterexample,
  Messages,
  RecordedBody,
  RecordedRequest,
  RecordedResult,
} from '../record/record.ts';
import { retrySummary } from './confirmed.ts';

type TextStyle = Parameters<typeof styleText>[0];

export type Paint = (style: TextStyle, text: string) => string;

export const uncoloured: Paint = (_style, text) => text;
export const coloured: Paint = (style, text) => styleText(style, text, { validateStream: false });

const MAX_CHARACTERS = 400;

/** Escapes control and formatting characters and lone surrogates in untrusted text, for a terminal. */
export const visible = (text: string): string =>
  withoutCommands(
    text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) => SHORT[character] ?? escaped(character)),
  );

/** Escapes ##[command] and ##vso[command], which GitHub and Azure runners execute anywhere in a log line. */
export const withoutCommands = (text: string): string => text.replace(/##(?=\[|vso\[)/gi, '#\\u0023');

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

export const escaped = (character: string): string =>
  `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;

/** When a text is truncated, a word of at most this many characters is dropped rather than cut. */
export const MAX_WORD_CHARACTERS = 24;

/** Returns the beginning of a text, ending after a word if possible, and never within a surrogate pair. */
export function beginning(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const space = text.lastIndexOf(' ', maxCharacters);
  const end = space > 0 && space >= maxCharacters - MAX_WORD_CHARACTERS ? space : maxCharacters;
  return characters(text, end);
}

/** Returns at most so many characters of a text, without half of a surrogate pair at the end. */
export const characters = (text: string, max: number): string =>
  text.length > max ? text.slice(0, max).replace(/[\ud800-\udbff]$/, '') : text;

/** Returns the beginning of an untrusted text, escaped for a terminal. */
export const shownText = (text: string, maxCharacters = MAX_CHARACTERS) => {
  const shown = visible(text);
  return shown.length > maxCharacters
    ? `${beginning(shown, maxCharacters)}… (${text.length} characters)`
    : shown;
};

/** Names long runs of spaces, which may be what matters, by their length. */
const withShortRuns = (text: string): string =>
  text.replace(/ {20,}/g, ({ length }) => `[${withSeparators(length)} spaces]`);

/** The beginning and the end of a text: the end may be what matters. */
function truncateMiddle(text: string, maxCharacters: number): string {
  const shown = visible(withShortRuns(text));
  const count = `… (${withSeparators([...text].length)} characters in all) …`;
  // A note that is longer than the omitted text saves nothing.
  if (shown.length <= Math.max(maxCharacters, 3 * count.length)) return shown;
  const kept = Math.max(maxCharacters - count.length, MIN_BODY_CHARACTERS / 2);
  const end = Math.floor(kept / 3);
  return `${beginning(shown, kept - end)}${count}${shown.slice(shown.length - end).replace(/^[\udc00-\udfff]/, '')}`;
}

const bodyText = (body: RecordedBody, maxCharacters: number): string =>
  body.bytes === 0
    ? '(no body)'
    : 'text' in body
      ? body.text.trim() === ''
        ? `(${counted(body.bytes, 'byte')} of white space)`
        : truncateMiddle(body.text, maxCharacters)
      : `(${body.bytes} bytes, not UTF-8, as base64) ${shownText(body.base64, 120)}`;

export const failureText = (result: RecordedResult): string => formatFailure(result, uncoloured).join('\n');

const MAX_BEFORE = 6;

export function formatFailure(result: RecordedResult, paint: Paint): readonly string[] {
  const { id, level, statement, basis, hint, exchanges, failed, cases, counterexample } = result;
  const [exchange] = exchanges;
  const line = (name: string, text: string) => `     ${paint('dim', name.padEnd(9))} ${text}`;
  const { label, shrinks = 0 } = counterexample ?? {};
  const notes = compact(
    `${failed} of ${cases}${label === undefined ? '' : `: ${shownText(label, 120)}`}`,
    counterexample && retrySummary(counterexample),
    shrinks > 0 && `shrunk in ${counted(shrinks, 'step')}`,
  );
  return compact(
    `   ${paint('bold', id)}  ${level}  ${statement}`,
    line('basis', basis.join('; ')),
    line('failed', notes.join('; ')),
    ...(exchange?.before ?? []).slice(-MAX_BEFORE).map((one) => line('before', beforeLine(one))),
    exchange && line('expected', shownText(exchange.expected)),
    exchange && line('actual', shownText(exchange.actual)),
    exchange && line('request', requestLine(exchange.request)),
    exchange && line('response', answerLine(exchange)),
    line('hint', hint),
    exchange && line('reproduce', shownText(exchange.command, 2000)),
  );
}

const contentType = ({ headers }: Pick<RecordedRequest, 'headers'>) =>
  headerValues(headers, 'content-type')
    .map((value) => shownText(value, 120))
    .join(', ');

export const pathOf = (url: string): string => url.replace(/^[a-z]+:\/\/[^/?#]*/i, '');

interface RequestLineOptions {
  readonly maxCharacters?: number | undefined;
  readonly matters?: readonly string[] | undefined;
}

/** Minimum number of characters that are shown of a body, however long the rest of the request is. */
const MIN_BODY_CHARACTERS = 40;

/** Describes a request in one line, with what matters, and with the credential if it is not the usual one. */
export function requestLine(
  request: RecordedRequest,
  { maxCharacters = MAX_CHARACTERS, matters = [] }: RequestLineOptions = {},
): string {
  const { method, url, body } = request;
  const head = [`${method} ${pathOf(url)}`, contentType(request), ...notesOf(request, matters)].filter(
    (part) => part !== '',
  );
  const sent = head.join(' ');
  return `${sent} ${bodyText(body, Math.max(maxCharacters - sent.length - 1, MIN_BODY_CHARACTERS))}`;
}

/** What is unusual about a request beside its body: `[Accept: text/html]`, `[in chunks]`. */
function notesOf({ headers, delivery = {} }: RecordedRequest, matters: readonly string[]): readonly string[] {
  const credential = headerValues(headers, 'authorization');
  const isUsual = credential.length === 1 && credential[0] === `Bearer ${TOKEN_IN_SHELL}`;
  const decisive = headers.filter(
    ([name]) =>
      !['authorization', 'content-type'].includes(name.toLowerCase()) &&
      matters.some((part) => part.toLowerCase() === name.toLowerCase()),
  );
  return compact(
    !isUsual && `Authorization: ${credential.length === 0 ? 'none' : shownText(credential.join(' | '), 80)}`,
    ...decisive.map(([name, value]) => shownText(`${name}: ${value}`, 80)),
    matters.includes('framing') && hasHeader(headers, 'transfer-encoding') && 'in chunks',
    matters.includes('segments') && delivery.cuts !== undefined && 'in several segments',
  ).map((note) => `[${note}]`);
}

export const beforeLine = (
  { request, response }: Messages,
  { maxCharacters, times = 1 }: { readonly maxCharacters?: number; readonly times?: number } = {},
): string =>
  `${requestLine(request, { maxCharacters })} → ${response?.status ?? 'no response'}${timesText(times)}`;

/** How often the requests before the last one of a cause are sent. */
export const timesBefore = (shown: Counterexample | undefined): number => shown?.repeat?.times ?? 1;

export const timesText = (times: number): string => (times === 1 ? '' : `, ${withSeparators(times)} times`);

export function answerLine({ response, fault, ms }: Answered, maxCharacters = MAX_CHARACTERS): string {
  if (response === undefined) return `none: ${shownText(fault?.detail ?? '')}`;
  const { status, statusText, body } = response;
  const then = fault === undefined ? '' : ` — then ${shownText(fault.detail)}`;
  return `${status} ${shownText(statusText, 60)} ${contentType(response)} ${bodyText(body, maxCharacters)}${then}  (${Math.round(ms)} ms)`;
}
