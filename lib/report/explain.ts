import { styleText } from 'node:util';
import type { RecordedBody, RecordedExchange, RecordedRequest, RecordedResult, RunRecord } from './record.ts';
import { comesAgain } from './retries.ts';

type Format = Parameters<typeof styleText>[0];

/** Puts colour on text, or leaves it as it is. */
export type Paint = (format: Format, text: string) => string;

export const plain: Paint = (_format, text) => text;
export const coloured: Paint = (format, text) => styleText(format, text, { validateStream: false });

/** Characters of a line of untrusted text that are shown. */
const LONGEST = 400;

/**
 * Text from a store as a terminal may show it: control characters, what turns the direction of writing,
 * and lone surrogates are spelled out.
 */
export const visible = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) => SHORT[character] ?? escaped(character))
    // Runners of GitHub and Azure carry out ##[command] and ##vso[command] wherever it stands in a line of a log.
    .replace(/##(?=\[|vso\[)/gi, '#\\u0023');

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const escaped = (character: string) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;

/** What a run has left behind in a store. */
export const leftBehind = ({ plants = 0, ids = [] }: Partial<RunRecord['created']>): string =>
  `${plants} plants created${ids.length === 0 ? '' : ' (their ids are in the JSON report)'}`;

/** How long a store was waited for because it asked for it, after a comma. */
export const waitedFor = ({ waited }: RunRecord): string =>
  waited === undefined ? '' : `, ${waited.toFixed(1)} s of them waiting as the store asked (429, 503)`;

/** How many connections a store closed under a request, after a comma. */
export const closedUnder = ({ closedUnderRequests: count = 0 }: RunRecord): string =>
  count === 0
    ? ''
    : `, ${count} connection${count === 1 ? '' : 's'} closed under a request, which was sent again`;

/** Characters of a word that is left out whole where a text is cut within it. */
const LONGEST_WORD = 24;

/** The beginning of a text, up to the end of a word where one is near, and without half of a surrogate pair. */
export function beginning(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const space = text.lastIndexOf(' ', longest);
  const end = space > 0 && space >= longest - LONGEST_WORD ? space : longest;
  return text.slice(0, end).replace(/[\ud800-\udbff]$/, '');
}

export const short = (text: string, longest = LONGEST) => {
  const shown = visible(text);
  return shown.length > longest ? `${beginning(shown, longest)}… (${text.length} characters)` : shown;
};

const bodyText = (body: RecordedBody, longest: number): string =>
  body.bytes === 0
    ? '(no body)'
    : 'text' in body
      ? short(body.text, longest)
      : `(${body.bytes} bytes that are not UTF-8, base64) ${short(body.base64, 120)}`;

/** One failed check at length, without colour. */
export const explain = (result: RecordedResult): string => explained(result, plain).join('\n');

/** One failed check at length, line by line. */
export function explained(result: RecordedResult, paint: Paint): string[] {
  const { id, level, statement, basis, hint, exchanges, failed, cases, counterexample } = result;
  const [exchange] = exchanges;
  const line = (name: string, text: string) => `     ${paint('dim', name.padEnd(9))} ${text}`;
  const again = counterexample === undefined ? undefined : comesAgain(counterexample);
  const { label, shrinks = 0 } = counterexample ?? {};
  const notes = [
    `${failed} of ${cases}${label === undefined ? '' : `: ${short(label, 120)}`}`,
    ...(again === undefined ? [] : [again]),
    ...(shrinks === 0 ? [] : [`shrunk in ${shrinks} steps`]),
  ];
  return [
    `   ${paint('bold', id)}  ${level}  ${statement}`,
    line('basis', basis.join('; ')),
    line('failed', notes.join('; ')),
    ...(exchange === undefined ? [] : shown(exchange, line)),
    line('mend', hint),
    ...(exchange === undefined ? [] : [line('repeat', short(exchange.curl, 2000))]),
  ];
}

/** Requests before a failing one that are shown. */
const MAX_BEFORE = 6;

const shown = (exchange: RecordedExchange, line: (name: string, text: string) => string): string[] => [
  ...(exchange.before ?? [])
    .slice(-MAX_BEFORE)
    .map((one) => line('before', `${requestLine(one.request)} → ${one.response?.status ?? 'no answer'}`)),
  line('expected', short(exchange.expected)),
  line('actual', short(exchange.actual)),
  line('request', requestLine(exchange.request)),
  line('answer', answerLine(exchange)),
];

const contentType = (headers: readonly (readonly [string, string])[]) =>
  headers
    .filter(([name]) => name.toLowerCase() === 'content-type')
    .map(([, value]) => short(value, 120))
    .join(', ');

/** Path and query of an address. */
export const pathOf = (url: string): string => url.replace(/^[a-z]+:\/\/[^/?#]*/i, '');

/** A request in one line: what was asked with which body, and the credential where it is not the usual one. */
export function requestLine({ method, url, headers, body }: RecordedRequest, longest = LONGEST): string {
  const credential = headers
    .filter(([name]) => name.toLowerCase() === 'authorization')
    .map(([, value]) => value);
  const usual = credential.length === 1 && credential[0] === 'Bearer $PLANT_STORE_TOKEN';
  const authorization = usual
    ? ''
    : ` [Authorization: ${credential.length === 0 ? 'none' : short(credential.join(' | '), 80)}]`;
  return `${method} ${pathOf(url)} ${contentType(headers)}${authorization} ${bodyText(body, longest)}`;
}

/** An answer in one line, or why there was none. */
export function answerLine(
  { response, fault, ms }: Pick<RecordedExchange, 'response' | 'fault' | 'ms'>,
  longest = LONGEST,
): string {
  if (response === undefined) return `none: ${short(fault?.detail ?? '')}`;
  const { status, statusText, headers, body } = response;
  const then = fault === undefined ? '' : ` — then ${short(fault.detail)}`;
  return `${status} ${short(statusText, 60)} ${contentType(headers)} ${bodyText(body, longest)}${then}  (${Math.round(ms)} ms)`;
}
