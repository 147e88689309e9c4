export type Redact = (text: string) => string;

export const REDACTED = '[redacted]';

/** A part or an echo of a token that is shorter says nothing of it, and would turn up everywhere. */
const TELLING = 6;

const swapped = (text: string) =>
  [...text].map((c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase())).join('');

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

/** A token and the forms of it that requests carry or stores give back; none of them may be written down. */
function formsOf(secret: string): string[] {
  const half = Math.floor(secret.length / 2);
  const forms = [
    swapped(secret),
    [...secret].reverse().join(''),
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    ...inBase64(secret),
    Buffer.from(secret).toString('hex'),
    secret.slice(0, half),
    secret.slice(half),
    secret.slice(1),
  ];
  return [secret, ...forms.filter((form) => form.length >= TELLING)];
}

/**
 * A text, each character of it as it is or as an encoder may write it: a slash with a backslash before it, in
 * a string within a string, as \\u0041, %41, &#65; or &#x41;, and in UTF-16. What repeats has a limit, or a long
 * text of backslashes would take long.
 */
function spelt(text: string): string {
  const character = (char: string) => {
    const code = char.codePointAt(0) ?? 0;
    const hex = code.toString(16).padStart(2, '0');
    const own = char.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
    return `(?:\\\\{0,4}${own}|\\\\{1,4}(?:u00|x)${hex}|%(?:25){0,2}${hex}|&#(?:0{0,4}${code}|x0{0,4}${hex});)`;
  };
  return [...text].map(character).join('\\0{0,3}');
}

/** Takes every form of some secrets out of texts, in whatever case they stand there. */
export function redactor(secrets: readonly string[]): Redact {
  const forms = [...new Set(secrets.filter((secret) => secret !== '').flatMap(formsOf))].sort(
    (a, b) => b.length - a.length,
  );
  if (forms.length === 0) return (text) => text;
  const pattern = new RegExp(forms.map(spelt).join('|'), 'gi');
  return (text) => withoutStart(text, forms).replace(pattern, REDACTED);
}

/** Takes the start of a secret from the end of a text that was cut short within it. */
function withoutStart(text: string, forms: readonly string[]): string {
  const cut = text.endsWith('…') ? 1 : 0;
  const whole = text.slice(0, text.length - cut);
  for (const form of forms) {
    const end = whole.slice(-form.length).toLowerCase();
    const low = form.toLowerCase();
    const at = end.indexOf(low.slice(0, TELLING));
    if (at >= 0 && form.length > TELLING && low.startsWith(end.slice(at)) && end.length - at < form.length)
      return `${whole.slice(0, whole.length - end.length + at)}${REDACTED}${text.slice(text.length - cut)}`;
  }
  return text;
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
