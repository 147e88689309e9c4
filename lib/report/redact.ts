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
    secret.slice(0, half),
    secret.slice(half),
    secret.slice(1),
  ];
  return [secret, ...forms.filter((form) => form.length >= TELLING)];
}

/** Takes every form of some secrets out of texts, in whatever case they stand there. */
export function redactor(secrets: readonly string[]): Redact {
  const forms = [...new Set(secrets.filter((secret) => secret !== '').flatMap(formsOf))].sort(
    (a, b) => b.length - a.length,
  );
  if (forms.length === 0) return (text) => text;
  const pattern = new RegExp(
    forms.map((form) => form.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'),
    'gi',
  );
  return (text) => text.replace(pattern, REDACTED);
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
