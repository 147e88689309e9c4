import { styleText } from 'node:util';
import type { RecordedBody, RecordedExchange, RecordedResult } from './record.ts';

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
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) => SHORT[character] ?? escaped(character));

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const escaped = (character: string) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;

export const short = (text: string, longest = LONGEST) => {
  const shown = visible(text);
  return shown.length > longest ? `${shown.slice(0, longest)}… (${text.length} characters)` : shown;
};

const bodyText = (body: RecordedBody): string =>
  body.bytes === 0
    ? '(no body)'
    : 'text' in body
      ? short(body.text)
      : `(${body.bytes} bytes that are not UTF-8, base64) ${short(body.base64, 120)}`;

/** One failed check at length, without colour. */
export const explain = (result: RecordedResult): string => explained(result, plain).join('\n');

/** One failed check at length, line by line. */
export function explained(result: RecordedResult, paint: Paint): string[] {
  const { id, level, statement, basis, hint, exchanges, failed, cases, counterexample } = result;
  const [exchange] = exchanges;
  const line = (name: string, text: string) => `     ${paint('dim', name.padEnd(9))} ${text}`;
  const notes = [
    `${failed} of ${cases}`,
    ...(counterexample?.when === 'not-alone'
      ? ['only in company: alone, the same request is answered as it should be']
      : []),
    ...(counterexample?.shrinks === undefined || counterexample.shrinks === 0
      ? []
      : [`made small in ${counterexample.shrinks} steps`]),
  ];
  return [
    `   ${paint('bold', id)}  ${level}  ${statement}`,
    line('basis', basis.join('; ')),
    line(
      'failed',
      `${notes.join('; ')}${counterexample === undefined ? '' : `: ${short(counterexample.label, 120)}`}`,
    ),
    ...(exchange === undefined ? [] : shown(exchange, line)),
    line('mend', hint),
    ...(exchange === undefined ? [] : [line('repeat', short(exchange.curl, 2000))]),
  ];
}

function shown(
  { expected, actual, request, response, fault, ms }: RecordedExchange,
  line: (name: string, text: string) => string,
): string[] {
  const type = (headers: readonly (readonly [string, string])[]) =>
    headers
      .filter(([name]) => name.toLowerCase() === 'content-type')
      .map(([, value]) => visible(value))
      .join(', ');
  const credential = request.headers.filter(([name]) => name === 'authorization').map(([, value]) => value);
  const usual = credential.length === 1 && credential[0] === 'Bearer $PLANT_STORE_TOKEN';
  const authorization = usual
    ? ''
    : ` [Authorization: ${credential.length === 0 ? 'none' : short(credential.join(' | '), 80)}]`;
  const url = new URL(request.url);
  return [
    line('expected', short(expected)),
    line('actual', short(actual)),
    line(
      'request',
      `${request.method} ${url.pathname}${url.search} ${type(request.headers)}${authorization} ${bodyText(request.body)}`,
    ),
    line(
      'answer',
      response === undefined
        ? `none: ${short(fault?.detail ?? '')}`
        : `${response.status} ${short(response.statusText, 60)} ${type(response.headers)} ${bodyText(response.body)}${fault === undefined ? '' : ` — then ${short(fault.detail)}`}  (${Math.round(ms)} ms)`,
    ),
  ];
}
