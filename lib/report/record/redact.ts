import { joinNeighbours } from '../../collections.ts';

/** Removes secrets from the first `limit` characters; the result ends before a secret that crosses it. */
export type Redact = (text: string, limit?: number) => string;

export const REDACTED = '[redacted]';

/** Shorter parts of a token reveal nothing, and would match everywhere. */
const MIN_FORM_CHARACTERS = 6;
/** This many consecutive characters of a token are redacted anywhere, so that one cut in two is found. */
const MIN_PIECE_CHARACTERS = 8;

/** What a text looks like within base64, at each of the three possible offsets. */
const inBase64 = (text: string): string[] =>
  [0, 1, 2].map((offset) => {
    const encoded = Buffer.from(`${'x'.repeat(offset)}${text}`)
      .toString('base64')
      .replace(/=+$/, '');
    // The first and last characters also depend on the adjacent text.
    const whole = Math.floor(((offset + Buffer.byteLength(text)) * 8) / 6);
    return encoded.slice(offset === 0 ? 0 : offset + 1, whole);
  });

/**
 * The token, and all forms of it that requests carry or that stores may echo, unescaped, each with the number
 * of consecutive characters that count as a match.
 */
function formsOf(secret: string) {
  const piece = Math.min(MIN_PIECE_CHARACTERS, Math.max(MIN_FORM_CHARACTERS, Math.floor(secret.length / 2)));
  const encoded = [
    ...[[...secret].reverse().join(''), ...inBase64(secret)].map((text) => ({ text, piece })),
    { text: Buffer.from(secret).toString('hex'), piece: 2 * piece },
  ].filter(({ text }) => text.length >= MIN_FORM_CHARACTERS);
  return [{ text: secret, piece }, ...encoded].flatMap((form) => {
    const { plain } = unescaped(form.text);
    return plain === '' ? [] : [{ plain, piece: Math.min(form.piece, plain.length) }];
  });
}

/** What an encoder may write in place of a character. Repetitions are bounded to keep the search linear. */
const ESCAPED =
  /\\{1,4}(?:u00|x)([\da-f]{2})|%(?:25){0,2}([\da-f]{2})|&#(?:0{0,4}(\d{1,3})|x0{0,4}([\da-f]{2}));|&(amp|lt|gt|quot|apos);|[\\\0]/gi;

const BACKSLASH = 0x5c;
const NAMED_ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * Undoes escapes of single characters: backslashes (even in nested strings), \\u0041, %41, &#65;, &#x41;, the
 * zeros of UTF-16, the alphabet of base64url, and letter case. Also returns where each character of the plain
 * text begins and ends.
 */
function unescaped(text: string) {
  const begins: number[] = [];
  const ends: number[] = [];
  let plain = '';
  let done = 0;
  const copyUpTo = (to: number) => {
    for (let at = done; at < to; at += 1) {
      begins.push(at);
      ends.push(at + 1);
    }
    plain += text.slice(done, to);
  };
  for (const match of text.matchAll(ESCAPED)) {
    copyUpTo(match.index);
    done = match.index + match[0].length;
    const character = characterOf(match);
    if (character === '') continue;
    begins.push(match.index);
    ends.push(done);
    plain += character;
  }
  copyUpTo(text.length);
  return { plain: normalised(plain), begins, ends };
}

/** The escaped character; empty for a backslash or for the zeros of UTF-16. */
function characterOf([, escaped, percent, decimal, hexadecimal, name]: RegExpExecArray): string {
  if (name !== undefined) return NAMED_ENTITIES[name.toLowerCase()] ?? '';
  const digits = escaped ?? percent ?? hexadecimal;
  const code = digits === undefined ? Number(decimal ?? 0) : Number.parseInt(digits, 16);
  return code === 0 || code === BACKSLASH ? '' : String.fromCharCode(code);
}

/** A text in lower case and in one base64 alphabet, with the same length. */
function normalised(text: string): string {
  const lower = text.toLowerCase();
  // In lower case, a few letters turn into two.
  const low = lower.length === text.length ? lower : text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return low.replaceAll('-', '+').replaceAll('_', '/');
}

/** All substrings of a certain length, with a fast test of whether one may begin at a position. */
function piecesOf(length: number) {
  const pieces = new Set<string>();
  const beginnings = new Uint8Array(1 << 16);
  const beginning = (text: string, at: number): number => {
    const last = text.charCodeAt(at + length - 1);
    return (text.charCodeAt(at) * 961 + text.charCodeAt(at + (length >> 1)) * 31 + last) & 0xffff;
  };
  return {
    length,
    add(form: string): void {
      for (let at = 0; at + length <= form.length; at += 1) {
        pieces.add(form.slice(at, at + length));
        beginnings[beginning(form, at)] = 1;
      }
    },
    matchesAt: (text: string, at: number): boolean =>
      beginnings[beginning(text, at)] === 1 && pieces.has(text.slice(at, at + length)),
  };
}

/** Redacts every form and every part that is long enough, whatever the letter case and escapes. */
export function redactor(secrets: readonly string[]): Redact {
  const known = secrets.filter((secret) => secret !== '');
  if (known.length === 0) return (text, limit) => text.slice(0, limit);
  const byLength = new Map<number, ReturnType<typeof piecesOf>>();
  for (const { plain, piece } of known.flatMap(formsOf)) {
    const pieces = byLength.get(piece) ?? piecesOf(piece);
    byLength.set(piece, pieces);
    pieces.add(plain);
  }
  return (text, limit = text.length) => {
    const { plain, begins, ends } = unescaped(text);
    const found: Span[] = [];
    for (const pieces of byLength.values())
      for (let at = 0; at + pieces.length <= plain.length; at += 1)
        if (pieces.matchesAt(plain, at)) found.push([begins[at] ?? 0, ends[at + pieces.length - 1] ?? 0]);
    for (const secret of known)
      for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + 1))
        found.push([at, at + secret.length]);
    return withoutSpans(text, found, limit);
  };
}

type Span = readonly [from: number, to: number];

/** Puts a mark in place of each span. Ends before a span that crosses the limit. */
function withoutSpans(text: string, spans: readonly Span[], limit: number): string {
  let clean = '';
  let done = 0;
  const sorted = spans.toSorted(([a], [b]) => a - b);
  const merged = joinNeighbours<Span>(sorted, ([from, to], next) =>
    next[0] <= to ? [from, Math.max(to, next[1])] : undefined,
  );
  for (const [from, to] of merged) {
    if (from >= limit) break;
    clean += text.slice(done, from);
    if (to > limit) return clean;
    clean += REDACTED;
    done = to;
  }
  return clean + text.slice(done, limit);
}

/** Redacts all strings within a value, except property names, which come from the suite. */
export function redactAll<T>(value: T, redact: Redact): T {
  const walk = (one: unknown): unknown => {
    if (typeof one === 'string') return redact(one);
    if (Array.isArray(one)) return one.map(walk);
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([name, member]) => [name, walk(member)]));
  };
  return walk(value) as T;
}
