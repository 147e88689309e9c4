/** A JSON number as it was written, since a double cannot represent every int64. */
export class Numeral {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Objects are maps, so that `__proto__` is a property like any other. */
export type Value = null | boolean | string | Numeral | Value[] | Map<string, Value>;

/** Why a body is not accepted as JSON. */
export class JsonFault extends Error {}

/** More than any plant needs, and less than the call stack allows. */
const MAX_DEPTH = 500;

const NUMERAL = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: RFC 8259 section 7 names exactly these.
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const SPACE = /[ \t\n\r]*/y;
const SHORT: Record<string, string> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  '"': '"',
  '\\': '\\',
  '/': '/',
};

/**
 * Parses the bytes of a body as exactly one JSON value (RFC 8259).
 * @throws JsonFault if the bytes are not UTF-8, not JSON, or nested more than 500 levels deep
 */
export function readJson(bytes: Uint8Array): Value {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new JsonFault('the body is not valid UTF-8');
  }
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.end();
  return value;
}

class Reader {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  end(): void {
    this.space();
    if (this.at < this.text.length) this.fail();
  }

  value(depth: number): Value {
    if (depth > MAX_DEPTH) throw new JsonFault('the body is nested too deeply');
    this.space();
    switch (this.text[this.at]) {
      case '{':
        return this.object(depth);
      case '[':
        return this.array(depth);
      case '"':
        return this.string();
      case 't':
        return this.word('true', true);
      case 'f':
        return this.word('false', false);
      case 'n':
        return this.word('null', null);
      default:
        return new Numeral(this.match(NUMERAL) || this.fail());
    }
  }

  private object(depth: number): Map<string, Value> {
    const object = new Map<string, Value>();
    this.at += 1;
    if (this.takes('}')) return object;
    do {
      this.space();
      if (this.text[this.at] !== '"') this.fail();
      const name = this.string();
      if (!this.takes(':')) this.fail();
      object.set(name, this.value(depth + 1));
    } while (this.takes(','));
    if (!this.takes('}')) this.fail();
    return object;
  }

  private array(depth: number): Value[] {
    const array: Value[] = [];
    this.at += 1;
    if (this.takes(']')) return array;
    do {
      array.push(this.value(depth + 1));
    } while (this.takes(','));
    if (!this.takes(']')) this.fail();
    return array;
  }

  private string(): string {
    let string = '';
    this.at += 1;
    for (;;) {
      string += this.match(PLAIN);
      const stop = this.text[this.at];
      if (stop === '"') {
        this.at += 1;
        return string;
      }
      if (stop !== '\\') this.fail();
      const mark = this.text[this.at + 1] ?? '';
      const hex = this.text.slice(this.at + 2, this.at + 6);
      if (mark === 'u' && /^[\da-f]{4}$/i.test(hex)) {
        string += String.fromCharCode(Number.parseInt(hex, 16));
        this.at += 6;
      } else {
        string += SHORT[mark] ?? this.fail();
        this.at += 2;
      }
    }
  }

  private word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) this.fail();
    this.at += word.length;
    return value;
  }

  private takes(mark: string): boolean {
    this.space();
    if (this.text[this.at] !== mark) return false;
    this.at += 1;
    return true;
  }

  private space(): void {
    this.match(SPACE);
  }

  private match(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? '';
    this.at += found.length;
    return found;
  }

  private fail(): never {
    throw new JsonFault(
      this.at < this.text.length
        ? `the body is not JSON at character ${this.at}`
        : 'the body ends before its JSON does',
    );
  }
}

/**
 * Returns the integer that a numeral represents, or undefined if it has a fraction. In JSON Schema 2020-12,
 * 1.0 and 1e0 are integers.
 */
export function integerOf(numeral: Numeral): bigint | undefined {
  const [mantissa = '', power = '0'] = numeral.text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = `${whole}${fraction}`;
  if (/^-?0+$/.test(digits)) return 0n;
  // Past this many places a nonzero numeral is either a fraction or far outside int64.
  const exponent = Math.max(-100_000, Math.min(400, Number(power)));
  const places = exponent - fraction.length;
  if (places >= 0) return BigInt(digits) * 10n ** BigInt(places);
  const kept = digits.slice(0, places);
  return /^0+$/.test(digits.slice(places)) && /\d/.test(kept) ? BigInt(kept) : undefined;
}
