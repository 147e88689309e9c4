/** More values than a request of 64 KiB can hold, and so more than in any echo. */
const MAX_VALUES = 100_000;
/** A part with fewer values is not worth leaving out. */
const MIN_VALUES = 1000;

const [QUOTE, BACKSLASH, SPACE] = [0x22, 0x5c, 0x20];
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/y;
const WHITE_SPACE = /[ \t\n\r]*/y;

/** An array or object, with the number of values in it. */
interface Part {
  readonly from: number;
  readonly to: number;
  readonly values: number;
}

/**
 * Reads JSON as JSON.parse does, but leaves the largest arrays and objects empty if there are more values
 * than in any echo: a few megabytes of JSON can take hundreds of megabytes as values.
 * @throws SyntaxError if the text is not JSON
 */
export function parsedLarge(text: string): unknown {
  let { values, parts } = partsOf(text);
  const omitted: Part[] = [];
  for (const part of parts.toSorted((a, b) => b.values - a.values)) {
    if (values <= MAX_VALUES) break;
    values -= part.values;
    omitted.push(part);
  }
  let kept = '';
  let done = 0;
  for (const { from, to } of omitted.sort((a, b) => a.from - b.from)) {
    kept += text.slice(done, from + 1);
    done = to - 1;
  }
  return JSON.parse(kept + text.slice(done));
}

/** Counts the values in a text, and finds its large parts: the whole array, or members of the object. */
function partsOf(text: string): { readonly values: number; readonly parts: readonly Part[] } {
  const parts: Part[] = [];
  /**
   * The first character of each open array or object. An array of numbers would take eight times the memory.
   */
  const open = new Uint8Array(text.length);
  let [depth, values, at] = [0, 0, 0];
  let [partFrom, partValues] = [0, 0];
  const fail = (): never => {
    throw new SyntaxError(`Unexpected token at position ${at}`);
  };
  const skip = (pattern: RegExp) => {
    pattern.lastIndex = at;
    if (!pattern.test(text)) fail();
    at = pattern.lastIndex;
  };
  const skipText = () => {
    if (text.charCodeAt(at) !== QUOTE) fail();
    for (at += 1; text.charCodeAt(at) !== QUOTE; ) {
      const unit = text.charCodeAt(at);
      if (unit === BACKSLASH) skip(ESCAPE);
      else if (unit >= SPACE) at += 1;
      else fail();
    }
    at += 1;
  };
  const skipSpace = () => {
    if (text.charCodeAt(at) <= SPACE) skip(WHITE_SPACE);
  };
  const skipMark = (mark: string) => {
    if (text[at] !== mark) fail();
    at += 1;
  };
  const skipName = () => {
    skipSpace();
    skipText();
    skipSpace();
    skipMark(':');
  };
  const isObject = () => open[depth - 1] === '{'.charCodeAt(0);
  /** Whether the array or object that opens or closes at this depth is a part. */
  const isPart = () => (depth === 1 ? !isObject() : depth === 2 && open[0] === '{'.charCodeAt(0));
  /** Closes the arrays and objects that end here. Returns whether another value follows. */
  const goesOn = (): boolean => {
    for (;;) {
      skipSpace();
      if (depth === 0) return false;
      if (text[at] === ',') {
        at += 1;
        if (isObject()) skipName();
        return true;
      }
      close();
    }
  };
  const close = () => {
    skipMark(isObject() ? '}' : ']');
    const inside = values - partValues;
    if (isPart() && inside >= MIN_VALUES) parts.push({ from: partFrom, to: at, values: inside });
    depth -= 1;
  };
  for (;;) {
    skipSpace();
    values += 1;
    const first = text[at];
    if (first === '{' || first === '[') {
      open[depth] = text.charCodeAt(at);
      depth += 1;
      if (isPart()) [partFrom, partValues] = [at, values];
      at += 1;
      skipSpace();
      if (text[at] !== (first === '{' ? '}' : ']')) {
        if (first === '{') skipName();
        continue;
      }
      close();
    } else if (first === '"') skipText();
    else skip(SCALAR);
    if (!goesOn()) break;
  }
  if (at < text.length) fail();
  return { values, parts };
}
