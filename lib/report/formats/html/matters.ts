import type { RecordedRequest } from '../../record/record.ts';
import { characters } from '../../wording/format-text.ts';
import { type Line, MAX_BOX_CHARACTERS, type MarkedText } from './kit/text.tsx';

const FIRST_LINE = ['method', 'path', 'query'];

/**
 * Tells by name whether a part of a request matters for a cause; undefined if the request has no such part.
 */
export function mattersIn(
  { headers, body }: RecordedRequest,
  matters: readonly string[],
): ((name: string) => boolean) | undefined {
  const wanted = new Set(matters.map((name) => name.toLowerCase()));
  const members = 'text' in body ? membersIn(body.text).map(({ name }) => name) : [];
  const present = [...FIRST_LINE, ...headers.map(([name]) => name), 'body', ...members];
  const isWanted = (name: string) => wanted.has(name.toLowerCase());
  return present.some(isWanted) ? isWanted : undefined;
}

/** Returns the lines of a request body. Properties that matter are highlighted, everything else is dimmed. */
export function markedBody(text: string, matters: (name: string) => boolean): readonly Line[] {
  const kept = characters(text, MAX_BOX_CHARACTERS);
  const parts: MarkedText[] = [];
  const add = (from: number, to: number, isMarked: boolean) => {
    const last = parts.at(-1);
    if (last?.matters === isMarked)
      parts[parts.length - 1] = { ...last, text: last.text + kept.slice(from, to) };
    else if (to > from) parts.push({ text: kept.slice(from, to), matters: isMarked });
  };
  let done = 0;
  for (const { name, from, to } of matters('body') ? [] : membersIn(kept)) {
    add(done, from, false);
    add(from, to, matters(name));
    done = to;
  }
  add(done, kept.length, matters('body'));
  return [...inLines(parts), ...(kept.length < text.length ? [`… (${text.length} characters)`] : [])];
}

function inLines(parts: readonly MarkedText[]): readonly Line[] {
  const lines: MarkedText[][] = [[]];
  for (const { text, matters } of parts)
    for (const [index, piece] of text.split('\n').entries()) {
      if (index > 0) lines.push([]);
      lines.at(-1)?.push({ text: piece, matters });
    }
  return lines;
}

interface Member {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** The properties of a JSON object with their positions in the text, as far as the text is JSON. */
function membersIn(text: string): readonly Member[] {
  if (!/^\s*\{/.test(text)) return [];
  const members: Member[] = [];
  let depth = 0;
  let current: { readonly name: string; readonly from: number } | undefined;
  const end = (to: number) => {
    if (current !== undefined) members.push({ ...current, to });
    current = undefined;
  };
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],]/gs)) {
    if (token === '{' || token === '[') depth += 1;
    else if (depth === 1 && (token === ',' || token === '}')) end(index);
    else if (depth === 1 && current === undefined && token.startsWith('"'))
      current = { name: nameIn(token), from: index };
    if (token === '}' || token === ']') depth -= 1;
    if (depth === 0) break;
  }
  end(text.length);
  return members;
}

function nameIn(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    return token;
  }
}
