import type { RecordedBody } from '../record/record.ts';

export const bytesIn = (body: RecordedBody): Buffer =>
  'text' in body ? Buffer.from(body.text) : Buffer.from(body.base64, 'base64');

/** Returns the complete bytes as Latin-1 text. Assumes that a truncated body continues as it ends. */
export function wholeBody(body: RecordedBody): string {
  const bytes = bytesIn(body).toString('latin1');
  if (body.truncated !== true) return bytes;
  const unit = unitAtEnd(bytes);
  const end = closing(bytes);
  const missing = Math.max(0, body.bytes - bytes.length - end.length);
  return `${bytes}${unit.repeat(Math.ceil(missing / unit.length)).slice(0, missing)}${end}`;
}

/** The unit that is repeated at the end of a text; a space if there is none. */
function unitAtEnd(text: string): string {
  const tail = text.slice(-96);
  for (let length = 1; length <= 32; length += 1)
    if (tail.slice(length) === tail.slice(0, -length)) return text.slice(-length);
  return ' ';
}

/** What would close the strings, lists and objects that are still open at the end of a JSON text. */
function closing(text: string): string {
  const open: string[] = [];
  for (const [token] of text.matchAll(/\\[\s\S]|["{}[\]]/g)) {
    const isInString = open.at(-1) === '"';
    if (token === '"' && isInString) open.pop();
    else if (isInString || token.startsWith('\\')) continue;
    else if (token === '}' || token === ']') open.pop();
    else open.push(token === '{' ? '}' : token === '[' ? ']' : token);
  }
  return open.reverse().join('');
}
