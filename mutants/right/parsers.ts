import { isUtf8 } from 'node:buffer';
import { Numeral } from '../../reference/json.ts';
import type { Steps } from '../../reference/store.ts';
import { type Change, type RightStore, right } from '../fleet.ts';
import {
  contentType,
  depthOf,
  mediaType,
  parsing,
  reading,
  refusing,
  type Seen,
  takingType,
} from '../helpers.ts';

const BOM = Buffer.of(0xef, 0xbb, 0xbf);
const hasBom = ({ request }: Seen) => request.body.subarray(0, 3).equals(BOM);
const surrogate = ({ name, tag }: Seen) => /\p{Cs}/u.test(name) || /\p{Cs}/u.test(tag);
const LAST = new Numeral('9223372036854775807');
const STRINGS = /"(?:[^"\\]|\\.)*"/g;

/** Reads text that is not JSON as if something had been done to it outside its strings. */
const lenient = (mend: (text: string) => string): Change =>
  parsing(
    ({ request, value }) => value === undefined && isUtf8(request.body),
    ({ body, ...request }, right) => right.parse(Buffer.from(mend(body.toString())), { ...request, body }),
  );

/** Changes what matches, and leaves strings as they are. */
const outsideStrings = (pattern: RegExp, to: string) => (text: string) =>
  text.replace(
    new RegExp(`(${STRINGS.source})|${pattern.source}`, 'g'),
    (_, string?: string) => string ?? to,
  );

const withoutCommas = outsideStrings(/,(?=\s*[}\]])/, '');
const withoutComments = outsideStrings(/\/\/[^\n]*|\/\*[\s\S]*?\*\//, ' ');

/** The properties of the outermost object, as they are written. */
function properties(text: string): [name: string, value: string][] {
  const found: [string, string][] = [];
  let [depth, from] = [0, 0];
  const whole = text.trim().slice(1, -1);
  const take = (to: number) => {
    const [, name, value] = /^\s*("(?:[^"\\]|\\.)*")\s*:([\s\S]*)$/.exec(whole.slice(from, to)) ?? [];
    if (name !== undefined && value !== undefined) found.push([JSON.parse(name) as string, value]);
    from = to + 1;
  };
  for (const { 0: token, index } of whole.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],]/g)) {
    depth += '{['.includes(token) ? 1 : '}]'.includes(token) ? -1 : 0;
    if (token === ',' && depth === 0) take(index);
  }
  take(whole.length);
  return found;
}

const repeats = ({ value, text }: Seen) => value instanceof Map && properties(text).length > value.size;
const written = (found: [string, string][]) =>
  `{${found.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`;
const firstWins = (body: Buffer) => written([...new Map(properties(body.toString()).reverse())]);
const reread = (text: string, steps: Steps, request: Seen['request']) =>
  steps.parse(Buffer.from(text), request);

/** What RFC 8259 leaves to a parser, and what the document does not show. */
export const parsers: readonly RightStore[] = [
  right(
    'trailing-commas',
    'trailing commas are taken: RFC 8259 lets a parser take extensions',
    lenient(withoutCommas),
  ),
  right('comments', 'comments are taken: RFC 8259 lets a parser take extensions', lenient(withoutComments)),
  right(
    'json5',
    'single quotes, comments, trailing commas and NaN are taken',
    lenient((text) =>
      withoutCommas(
        withoutComments(outsideStrings(/\bNaN\b/, 'null')(text.replace(/'([^'"\\]*)'/g, '"$1"'))),
      ),
    ),
  ),
  right(
    'duplicates-refused',
    'repeated names are refused: RFC 8259 says SHOULD be unique',
    refusing(repeats),
  ),
  right('duplicates-422', 'repeated names are refused, with 422', refusing(repeats, 422)),
  right(
    'first-wins',
    'the first of repeated names wins',
    parsing(repeats, (request, steps) => reread(firstWins(request.body), steps, request)),
  ),
  right(
    'bom-taken',
    'a byte order mark is ignored: RFC 8259 section 8.1 lets a parser',
    parsing(hasBom, (request, steps) => steps.parse(request.body.subarray(3), request)),
  ),
  right('bom-415', 'a byte order mark is refused, with 415', refusing(hasBom, 415)),
  right('surrogates-400', 'lone surrogates are refused', refusing(surrogate)),
  right('surrogates-422', 'lone surrogates are refused, with 422', refusing(surrogate, 422)),
  right(
    'no-content-type',
    'a missing content type is taken: not shown',
    takingType((request) => contentType(request) === ''),
  ),
  right(
    'any-content-type',
    'the content type is not looked at: that it is refused is a SHOULD',
    takingType(() => true),
  ),
  right(
    'json-suffix',
    'application/*+json is taken',
    takingType((request) => /\+json$/.test(mediaType(request))),
  ),
  right(
    'integers-plain',
    'an id written 1.0 or 1e0 or -0 is refused: not shown',
    refusing(
      ({ text, id }) => id !== undefined && /"\s*:\s*(-0|-?\d+(\.\d+|\.?\d*e[+-]?\d+))\s*[,}]/i.test(text),
    ),
  ),
  right(
    'shallow',
    'nesting above 5 is refused',
    refusing(({ text }) => depthOf(text) > 5),
  ),
  right('ordered', 'anything but the three properties is dropped before it is validated', (reference) => ({
    validate: (value, request) =>
      reference.validate(
        value instanceof Map
          ? new Map([...value].filter(([name]) => ['id', 'name', 'tag'].includes(name)))
          : value,
        request,
      ),
  })),
  right(
    'saturates',
    'an id outside int64 is kept at its end: that it is refused is a SHOULD',
    reading('id', (id, seen) =>
      seen.id !== undefined && BigInt.asIntN(64, seen.id) !== seen.id ? LAST : id,
    ),
  ),
];
