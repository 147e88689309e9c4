import type { Contract } from '../../contract/contract.ts';
import { contentOf, membersOf } from '../../judge/reading.ts';
import type { Exchange } from '../../wire/exchange.ts';
import type { Symptom } from './symptom.ts';

/** How name and tag of a created plant differ from those sent. */
export function echoed(exchange: Exchange, contract: Contract): readonly Symptom[] {
  const { response, request } = exchange;
  if (response?.status !== 200 || request.body === undefined) return [];
  const content = contentOf(response);
  if (content.kind !== 'json' || contract.plant.validate(content.text, content.value).length > 0) return [];
  const sent = membersOf(Buffer.from(request.body).toString('utf8'));
  const back = content.value as Readonly<Record<string, unknown>>;
  return ['name', 'tag'].flatMap((property): Symptom[] => {
    const own = sent[property];
    if (typeof own !== 'string' || back[property] === own) return [];
    return [{ kind: 'echo', words: change(property, own, back[property]), status: 200, property }];
  });
}

function change(property: string, sent: string, back: unknown): string {
  if (typeof back !== 'string') return `leaves ${property} out of the 200`;
  const how = CHANGES.find(([, change]) => change(sent) === back)?.[0];
  if (how !== undefined) return `returns ${property} ${how}`;
  if (back !== '' && sent.startsWith(back)) return `returns ${property} truncated`;
  return `returns a different ${property} from the one sent`;
}

const CHANGES: readonly (readonly [words: string, change: (text: string) => string])[] = [
  ['trimmed', (text) => text.trim()],
  ['with white space collapsed', (text) => text.trim().replace(/\s+/g, ' ')],
  ['with white space collapsed', (text) => text.replace(/\s+/g, ' ')],
  ['in lower case', (text) => text.toLowerCase()],
  ['in upper case', (text) => text.toUpperCase()],
  ['capitalised', (text) => text.charAt(0).toUpperCase() + text.slice(1).toLowerCase()],
  ['capitalised', (text) => text.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())],
  ['in another Unicode normal form', (text) => text.normalize('NFC')],
  ['in another Unicode normal form', (text) => text.normalize('NFD')],
  ['escaped for HTML', escapedForHtml],
  ['empty', () => ''],
];

function escapedForHtml(text: string): string {
  const marks: Readonly<Record<string, string>> = {
    '<': '&lt;',
    '>': '&gt;',
    '&': '&amp;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[<>&"']/g, (mark) => marks[mark] ?? mark);
}
