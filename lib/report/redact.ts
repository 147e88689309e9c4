/**
 * Takes secrets out of a text.
 * @param most characters of the text, after which it ends; where a secret lies across, before that
 */
export type Redact = (text: string, most?: number) => string;

export const REDACTED = '[redacted]';

/** A part or an echo of a token that is shorter says nothing of it, and would turn up everywhere. */
const TELLING = 6;
/** Characters of a token that are recognised wherever they stand: so a token that was cut in two is, whatever the place. */
const PIECE = 8;

/** How a text looks inside of base64, at whichever of the three offsets it begins. */
const inBase64 = (text: string): string[] =>
  [0, 1, 2].map((offset) => {
    const encoded = Buffer.from(`${'x'.repeat(offset)}${text}`)
      .toString('base64')
      .replace(/=+$/, '');
    // The characters at the ends also carry bits of what stands beside the text.
    const whole = Math.floor(((offset + Buffer.byteLength(text)) * 8) / 6);
    return encoded.slice(offset === 0 ? 0 : offset + 1, whole);
  });

/** What to look for, in plain spelling, and how many characters of it tell. */
interface Form {
  readonly plain: string;
  readonly piece: number;
}

/** A token and the forms of it that requests carry or stores give back; none of them may be written down. */
function formsOf(secret: string): Form[] {
  const piece = Math.min(PIECE, Math.max(TELLING, Math.floor(secret.length / 2)));
  const encoded = [
    ...[[...secret].reverse().join(''), ...inBase64(secret)].map((text) => ({ text, piece })),
    { text: Buffer.from(secret).toString('hex'), piece: 2 * piece },
  ].filter(({ text }) => text.length >= TELLING);
  return [{ text: secret, piece }, ...encoded].flatMap((form) => {
    const { plain } = plainly(form.text);
    return plain === '' ? [] : [{ plain, piece: Math.min(form.piece, plain.length) }];
  });
}

/** What an encoder may write in the place of a character; what repeats has a limit, or a long text of it would take long. */
const SPELT =
  /\\{1,4}(?:u00|x)([\da-f]{2})|%(?:25){0,2}([\da-f]{2})|&#(?:0{0,4}(\d{1,3})|x0{0,4}([\da-f]{2}));|&(amp|lt|gt|quot|apos);|[\\\0]/gi;

const BACKSLASH = 0x5c;
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** A text in plain spelling, and where in the text each of its characters begins and ends. */
interface Plain {
  readonly plain: string;
  readonly begins: readonly number[];
  readonly ends: readonly number[];
}

/**
 * Undoes what encoders do to single characters: the backslash before a slash or in a string within a string,
 * \\u0041, %41, &#65;, &#x41;, the zeros of UTF-16, the alphabet of base64 in URLs, and case.
 */
function plainly(text: string): Plain {
  const begins: number[] = [];
  const ends: number[] = [];
  let plain = '';
  let done = 0;
  const asItIs = (to: number) => {
    for (let at = done; at < to; at += 1) {
      begins.push(at);
      ends.push(at + 1);
    }
    plain += text.slice(done, to);
  };
  for (const match of text.matchAll(SPELT)) {
    asItIs(match.index);
    done = match.index + match[0].length;
    const character = meant(match);
    if (character === '') continue;
    begins.push(match.index);
    ends.push(done);
    plain += character;
  }
  asItIs(text.length);
  return { plain: folded(plain), begins, ends };
}

/** The character that was spelt; none for a backslash, and for the zeros between the characters of UTF-16. */
function meant([, escaped, percent, decimal, hexadecimal, name]: RegExpExecArray): string {
  if (name !== undefined) return NAMED[name.toLowerCase()] ?? '';
  const digits = escaped ?? percent ?? hexadecimal;
  const code = digits === undefined ? Number(decimal ?? 0) : Number.parseInt(digits, 16);
  return code === 0 || code === BACKSLASH ? '' : String.fromCharCode(code);
}

/** A text without its case and without the alphabet of base64 that it is in, as long as it was. */
function folded(text: string): string {
  const lower = text.toLowerCase();
  // A few letters become two in the other case.
  const low = lower.length === text.length ? lower : text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return low.replaceAll('-', '+').replaceAll('_', '/');
}

/** Every piece of some forms that are told by so many characters, and a quick look for where one may begin. */
class Pieces {
  readonly length: number;
  private readonly pieces = new Set<string>();
  private readonly beginnings = new Uint8Array(1 << 16);

  constructor(length: number) {
    this.length = length;
  }

  add(form: string): void {
    for (let at = 0; at + this.length <= form.length; at += 1) {
      this.pieces.add(form.slice(at, at + this.length));
      this.beginnings[this.beginning(form, at)] = 1;
    }
  }

  standsAt(text: string, at: number): boolean {
    return (
      this.beginnings[this.beginning(text, at)] === 1 && this.pieces.has(text.slice(at, at + this.length))
    );
  }

  private beginning(text: string, at: number): number {
    const last = text.charCodeAt(at + this.length - 1);
    return (text.charCodeAt(at) * 961 + text.charCodeAt(at + (this.length >> 1)) * 31 + last) & 0xffff;
  }
}

/**
 * Takes every form of some secrets out of texts, and every piece of one that is long enough to tell, in
 * whatever case and spelling they stand there.
 */
export function redactor(secrets: readonly string[]): Redact {
  const known = secrets.filter((secret) => secret !== '');
  if (known.length === 0) return (text, most) => text.slice(0, most);
  const byLength = new Map<number, Pieces>();
  for (const { plain, piece } of known.flatMap(formsOf)) {
    const pieces = byLength.get(piece) ?? new Pieces(piece);
    byLength.set(piece, pieces);
    pieces.add(plain);
  }
  return (text, most = text.length) => {
    const { plain, begins, ends } = plainly(text);
    const found: Stretch[] = [];
    for (const pieces of byLength.values())
      for (let at = 0; at + pieces.length <= plain.length; at += 1)
        if (pieces.standsAt(plain, at)) found.push([begins[at] ?? 0, ends[at + pieces.length - 1] ?? 0]);
    for (const secret of known)
      for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + 1))
        found.push([at, at + secret.length]);
    return without(text, found, most);
  };
}

type Stretch = readonly [from: number, to: number];

/** The beginning of a text with one mark in the place of each stretch of it, and nothing of one that goes beyond it. */
function without(text: string, stretches: readonly Stretch[], most: number): string {
  let clean = '';
  let done = 0;
  for (const [from, to] of joined(stretches)) {
    if (from >= most) break;
    clean += text.slice(done, from);
    if (to > most) return clean;
    clean += REDACTED;
    done = to;
  }
  return clean + text.slice(done, most);
}

/** Stretches in their order, those that touch as one. */
function joined(stretches: readonly Stretch[]): Stretch[] {
  const whole: Stretch[] = [];
  let last: Stretch | undefined;
  for (const [from, to] of [...stretches].sort(([a], [b]) => a - b)) {
    if (last !== undefined && from <= last[1]) {
      whole.pop();
      last = [last[0], Math.max(last[1], to)];
    } else last = [from, to];
    whole.push(last);
  }
  return whole;
}

/** Redacts every string in a value. The names of properties are the suite's own. */
export function redactAll<T>(value: T, redact: Redact): T {
  const walk = (one: unknown): unknown => {
    if (typeof one === 'string') return redact(one);
    if (Array.isArray(one)) return one.map(walk);
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([name, member]) => [name, walk(member)]));
  };
  return walk(value) as T;
}
