/** A double cannot tell 2^63-1 from 2^63, so exact decisions are based on the numeral as it is written. */

const MAX_EXPONENT = 400;

/**
 * Returns the value of a numeral; undefined if it is not an integer. 1.0 and 1e0 are integers (JSON Schema
 * 2020-12 section 6.1.1).
 */
export function exactInteger(numeral: string): bigint | undefined {
  // Fast path for short plain integers.
  if (/^-?\d{1,15}$/.test(numeral)) return BigInt(numeral);
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(numeral);
  if (parts === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts;
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return 0n;
  // Not with /0+$/, which takes quadratic time if a long run of zeros is not at the end.
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  const significant = digits.slice(0, end);
  const shift = Number(exponent) - fraction.length + (digits.length - significant.length);
  if (shift < 0) return undefined;
  if (significant.length > MAX_EXPONENT) return BigInt(`${sign}1`) * 10n ** BigInt(MAX_EXPONENT);
  return BigInt(`${sign}${significant}`) * 10n ** BigInt(Math.min(shift, MAX_EXPONENT));
}

const RANGES: Readonly<Record<string, readonly [bigint, bigint]>> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
};

/** Returns the range of an integer format, including both limits. */
export const integerRange = (format: string | undefined): readonly [bigint, bigint] | undefined =>
  format === undefined ? undefined : RANGES[format];

/** Returns the text of the value at a path; of duplicate names, the last counts (as in JSON.parse). */
export function sourceAt(text: string, path: readonly string[]): string | undefined {
  let at = skipSpace(text, 0);
  for (const segment of path) {
    const found = text[at] === '{' ? memberAt(text, at, segment) : elementAt(text, at, Number(segment));
    if (found === undefined) return undefined;
    at = found;
  }
  return text.slice(at, skipValue(text, at)).trim();
}

function memberAt(text: string, start: number, name: string): number | undefined {
  let found: number | undefined;
  let at = skipSpace(text, start + 1);
  while (text[at] === '"') {
    const end = skipValue(text, at);
    const value = skipSpace(text, skipSpace(text, end) + 1);
    const escapedName = text.slice(at + 1, end - 1);
    if ((escapedName.includes('\\') ? JSON.parse(`"${escapedName}"`) : escapedName) === name) found = value;
    at = skipComma(text, skipValue(text, value));
  }
  return found;
}

function elementAt(text: string, start: number, index: number): number | undefined {
  if (text[start] !== '[') return undefined;
  let at = skipSpace(text, start + 1);
  for (let position = 0; text[at] !== ']' && at < text.length; position += 1) {
    if (position === index) return at;
    at = skipComma(text, skipValue(text, at));
  }
  return undefined;
}

function skipComma(text: string, start: number): number {
  const at = skipSpace(text, start);
  return text[at] === ',' ? skipSpace(text, at + 1) : at;
}

/** JSON white space (RFC 8259 section 2). Must be fast, since bodies may be long. */
const isSpace = (unit: number): boolean => unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;

function skipSpace(text: string, start: number): number {
  let at = start;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

/** Jumps from one quotation mark to the next, since a string may be as long as the body. */
function skipString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = at;
    while (text[escapes - 1] === '\\') escapes -= 1;
    if ((at - escapes) % 2 === 0) return at + 1;
  }
  return text.length;
}

function skipValue(text: string, start: number): number {
  if (text[start] === '"') return skipString(text, start);
  if (text[start] !== '{' && text[start] !== '[') {
    let end = start;
    while (end < text.length && !',]} \t\n\r'.includes(text.charAt(end))) end += 1;
    return end;
  }
  let depth = 0;
  let at = start;
  do {
    const mark = text[at];
    if (mark === '{' || mark === '[') depth += 1;
    if (mark === '}' || mark === ']') depth -= 1;
    at = mark === '"' ? skipString(text, at) : at + 1;
  } while (depth > 0 && at < text.length);
  return at;
}
