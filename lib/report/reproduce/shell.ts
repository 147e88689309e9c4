import { gzipSync } from 'node:zlib';
import { joinNeighbours } from '../../collections.ts';
import { ANOTHER_TOKEN, KEPT_COOKIES, RANDOM_CHARACTERS } from '../../payloads/credentials.ts';
import { utf8Text } from '../../utf8.ts';

/**
 * Words and commands for bash, which also work when pasted into an interactive shell. Bytes are represented
 * as Latin-1 text.
 */

/** A part of a text that the shell assembles. `source` is the recorded text that it stands for. */
export type ShellPart =
  | { readonly literal: string }
  /** Expanded within double quotes. */
  | { readonly expression: string; readonly source: string }
  /** A command that prints the text. */
  | { readonly command: string; readonly source: string };

/** Quotes a text with single quotes, which also keep an interactive shell from expanding `!`. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const NAMED_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
/** Escapes a byte as `$'…'` and printf read it. */
const escapeOf = (byte: string): string =>
  NAMED_ESCAPES[byte] ?? `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`;

const utf8In = (bytes: string): string | undefined => utf8Text(Buffer.from(bytes, 'latin1'));

/** Matches what terminals and web pages do not reproduce unchanged, such as tabs and combining characters. */
const UNPRINTABLE = /[^\x20-\x7e\p{L}\p{N}\p{P}\p{S}]/gu;
const NOT_ASCII = /[^\x20-\x7e]/g;

/** Bytes as readable text. Escapes what is unprintable, or matches `special`. */
function readable(bytes: string, special = /[^\s\S]/g): string {
  const text = utf8In(bytes);
  if (text === undefined)
    return bytes.replace(new RegExp(`${NOT_ASCII.source}|${special.source}`, 'g'), escapeOf);
  return text.replace(new RegExp(`${UNPRINTABLE.source}|${special.source}`, 'gu'), (found) =>
    [...Buffer.from(found).toString('latin1')].map(escapeOf).join(''),
  );
}

const isReadable = (bytes: string) => readable(bytes) === utf8In(bytes);

const BARE = /^[\w@%+=:,./-]+$/;

const literalWord = (bytes: string): string =>
  isReadable(bytes) ? quoted(readable(bytes)) : `$'${readable(bytes, /['\\!]/g)}'`;

export function word(parts: readonly ShellPart[]): string {
  const [only] = parts;
  if (only === undefined) return "''";
  if (parts.length === 1 && 'literal' in only)
    return BARE.test(only.literal) ? only.literal : literalWord(only.literal);
  const fit = parts.every(
    (part) => !('literal' in part) || (isReadable(part.literal) && !/["`\\$!]/.test(part.literal)),
  );
  const texts = parts.map((part, index) => {
    if ('command' in part) return `$(${part.command})`;
    if ('literal' in part) return fit ? readable(part.literal) : literalWord(part.literal);
    const next = parts[index + 1];
    const runsOn = fit && next !== undefined && 'literal' in next && /^[\w[]/.test(next.literal);
    return runsOn ? part.expression.replace(/^\$(\w+)$/, '${$1}') : part.expression;
  });
  if (fit) return `"${texts.join('')}"`;
  return texts.map((text, index) => ('literal' in (parts[index] ?? {}) ? text : `"${text}"`)).join('');
}

/** On Linux, an argument of a command may have at most 128 KiB. */
const MAX_WORD_BYTES = 100 * 1024;

/** Returns whether a word can hold the parts: `$(…)` drops trailing line feeds, and no word contains NUL. */
export function fitsWord(parts: readonly ShellPart[]): boolean {
  const whole = sourceOf(parts);
  return (
    whole.length <= MAX_WORD_BYTES &&
    !whole.includes('\0') &&
    utf8In(whole) !== undefined &&
    parts.every((part) => !('command' in part) || !part.source.endsWith('\n'))
  );
}

const sourceOf = (parts: readonly ShellPart[]): string =>
  parts.map((part) => ('literal' in part ? part.literal : part.source)).join('');

const formatOf = (bytes: string): string => readable(bytes, /['\\]|^-/g).replaceAll('%', '%%');

export function printing(parts: readonly ShellPart[]): string[] {
  const commands: string[] = [];
  let [format, words]: [string, string[]] = ['', []];
  const finish = () => {
    if (format !== '') commands.push(['printf', `'${format}'`, ...words].join(' '));
    [format, words] = ['', []];
  };
  for (const part of parts) {
    if ('literal' in part) format += formatOf(part.literal);
    else if ('expression' in part) {
      format += '%s';
      words.push(`"${part.expression}"`);
    } else {
      finish();
      commands.push(part.command);
    }
  }
  finish();
  return commands;
}

const OTHER_CHARACTERS = `$(printf %s "$PLANT_STORE_TOKEN" | tr 'a-zA-Z0-9' 'b-zaB-ZA1-90')`;

/** The variable of a wrong token that is sent repeatedly, and the line that sets it. */
const RANDOM_TOKEN = '$WRONG_TOKEN';
const SET_RANDOM_TOKEN =
  'WRONG_TOKEN=$(head -c 9999 /dev/urandom | base64 | tr -dc a-z0-9 | head -c ${#PLANT_STORE_TOKEN})';

/** The variable of the store's cookies, and the line that sets it by creating a plant. */
const COOKIES = '$COOKIES';
const setCookies = (url: string) =>
  `COOKIES=$(curl -s -o /dev/null -D - ${quoted(url)} -H "authorization: Bearer $PLANT_STORE_TOKEN" -H 'content-type: application/json' -d '{"id":'$((2000000 + RANDOM * 32768 + RANDOM))',"name":"Aloe"}' | tr -d '\r' | sed -n 's/^[Ss]et-[Cc]ookie: *\\([^;]*\\).*/\\1/p' | paste -sd ';' -)`;

/** Exports a function for other shells, which see no variables but exported ones. */
export const EXPORT_FUNCTION = 'export -f';

/** Returns the lines of a script that sends to `url`, preceded by lines that set the variables they use. */
export function withVariables(lines: readonly string[], url: string): readonly string[] {
  const use = (text: string) => lines.some((line) => line.includes(text));
  const set = [...(use(RANDOM_TOKEN) ? [SET_RANDOM_TOKEN] : []), ...(use(COOKIES) ? [setCookies(url)] : [])];
  return [...(use(EXPORT_FUNCTION) ? set.map((line) => `export ${line}`) : set), ...lines];
}

/** How a record writes what is not the same in each run, and what the shell puts in its place. */
const GENERATED: Readonly<Record<string, string>> = {
  [ANOTHER_TOKEN]: OTHER_CHARACTERS,
  [RANDOM_CHARACTERS]: RANDOM_TOKEN,
  [KEPT_COOKIES]: COOKIES,
};

/** Matches the keys of `GENERATED`, and what a shell derives from the token. */
const EXPRESSION = new RegExp(
  [
    ...Object.keys(GENERATED),
    String.raw`\$PLANT_STORE_TOKEN|\$\{PLANT_STORE_TOKEN(?:[^{}]|\{[^{}]*\})*\}`,
    String.raw`\$\(printf (?:[^()]|\([^()]*\))*\)`,
  ].join('|'),
);

/** Divides a recorded text into literals and expressions; `variables` names the variables for numerals. */
export function shellParts(bytes: string, variables: ReadonlyMap<string, string>): ShellPart[] {
  const numerals = [...variables.keys()].map((numeral) => `(?<!\\d)${numeral}(?!\\d)`);
  const special = new RegExp([EXPRESSION.source, ...numerals].join('|'), 'g');
  const parts: ShellPart[] = [];
  let done = 0;
  for (const { 0: source, index } of bytes.matchAll(special)) {
    if (index > done) parts.push({ literal: bytes.slice(done, index) });
    done = index + source.length;
    const variable = variables.get(source);
    const expression = variable === undefined ? (GENERATED[source] ?? source) : `$${variable}`;
    parts.push({ expression, source });
  }
  if (done < bytes.length) parts.push({ literal: bytes.slice(done) });
  return parts;
}

/** Minimum length of a repetition that is generated by a command instead of being written out. */
const MIN_RUN_BYTES = 60;
const RUN = /([\s\S]{1,24}?)\1{2,}/g;

/** Replaces long repetitions, and other long texts, with commands that print them. */
export const shortened = (parts: readonly ShellPart[]): ShellPart[] =>
  parts.flatMap((part) => ('literal' in part ? withoutRuns(part.literal) : [part]));

function withoutRuns(bytes: string): ShellPart[] {
  const parts: ShellPart[] = [];
  let done = 0;
  for (const { 0: source, 1: unit = '', index } of bytes.matchAll(RUN)) {
    if (source.length <= MIN_RUN_BYTES) continue;
    if (index > done) parts.push(compressed(bytes.slice(done, index)));
    done = index + source.length;
    parts.push({ command: repeating(unit, source.length / unit.length), source });
  }
  if (done < bytes.length) parts.push(compressed(bytes.slice(done)));
  return parts;
}

const repeating = (unit: string, times: number): string =>
  /[^ ]/.test(unit) ? `printf '${formatOf(unit)}%.0s' {1..${times}}` : `printf '%${unit.length * times}s'`;

const MAX_PLAIN_BYTES = 1024;

function compressed(bytes: string): ShellPart {
  if (bytes.length <= MAX_PLAIN_BYTES) return { literal: bytes };
  const base64 = gzipSync(Buffer.from(bytes, 'latin1'), { level: 9 }).toString('base64');
  if (base64.length > 0.7 * bytes.length) return { literal: bytes };
  return { command: `base64 -d <<< ${base64} | gunzip`, source: bytes };
}

/**
 * Returns the parts of a text from one offset in the recorded text to another. Takes the digits of a variable
 * for a numeral apart; any other expression is whole, and belongs to the offset at which it begins.
 */
export function partsBetween(parts: readonly ShellPart[], from: number, to = Number.POSITIVE_INFINITY) {
  let end = 0;
  return parts.flatMap((part): ShellPart | [] => {
    const whole = sourceOf([part]);
    const start = end;
    end += whole.length;
    const [first, last] = [Math.max(from - start, 0), Math.min(to - start, whole.length)];
    const source = whole.slice(first, last);
    if (first >= last) return [];
    if ('literal' in part) return { literal: source };
    if ('command' in part || source === whole || !/^-?\d+$/.test(whole)) return first === 0 ? part : [];
    return { expression: `\${${part.expression.slice(1)}:${first}:${last - first}}`, source };
  });
}

export const joinedLiterals = (parts: readonly ShellPart[]): readonly ShellPart[] =>
  joinNeighbours(parts, (last, next) =>
    'literal' in last && 'literal' in next ? { literal: last.literal + next.literal } : undefined,
  );
