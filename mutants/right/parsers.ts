import { isUtf8 } from 'node:buffer';
import { Numeral } from '../../reference/json.ts';
import type { Steps } from '../../reference/store.ts';
import { type Change, type RightStore, right } from '../fleet.ts';
import {
  acceptingType,
  contentType,
  depthOf,
  mediaType,
  nameOrTag,
  parsing,
  reading,
  rejecting,
  type Seen,
} from '../helpers.ts';

const BOM = Buffer.of(0xef, 0xbb, 0xbf);
const hasBom = ({ request }: Seen) => request.body.subarray(0, 3).equals(BOM);
const surrogate = nameOrTag(/\p{Cs}/u);
const LAST = new Numeral('9223372036854775807');
const STRINGS = /"(?:[^"\\]|\\.)*"/g;

/** Fixes text that is not JSON, and parses it then. */
const lenient = (fix: (text: string) => string): Change =>
  parsing(
    ({ request, value }) => value === undefined && isUtf8(request.body),
    ({ body, ...request }, right) => right.parse(Buffer.from(fix(body.toString())), { ...request, body }),
  );

/** Replaces matches outside strings only. */
const outsideStrings = (pattern: RegExp, to: string) => (text: string) =>
  text.replace(
    new RegExp(`(${STRINGS.source})|${pattern.source}`, 'g'),
    (_, string?: string) => string ?? to,
  );

const withoutCommas = outsideStrings(/,(?=\s*[}\]])/, '');
const withoutComments = outsideStrings(/\/\/[^\n]*|\/\*[\s\S]*?\*\//, ' ');

/** The properties of the outermost object as they are written. */
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

/** Stores that use the freedom RFC 8259 leaves to a parser, or that the document leaves. */
export const parsers: readonly RightStore[] = [
  right('trailing-commas', 'accepts trailing commas: RFC 8259 allows extensions', lenient(withoutCommas)),
  right('comments', 'accepts comments: RFC 8259 allows extensions', lenient(withoutComments)),
  right(
    'json5',
    'accepts single quotes, comments, trailing commas and NaN',
    lenient((text) =>
      withoutCommas(
        withoutComments(outsideStrings(/\bNaN\b/, 'null')(text.replace(/'([^'"\\]*)'/g, '"$1"'))),
      ),
    ),
  ),
  right(
    'duplicates-rejected',
    'rejects repeated property names: RFC 8259 says they SHOULD be unique',
    rejecting(repeats),
  ),
  right('duplicates-422', 'rejects repeated property names with 422', rejecting(repeats, 422)),
  right(
    'first-wins',
    'uses the first of repeated properties',
    parsing(repeats, (request, steps) => reread(firstWins(request.body), steps, request)),
  ),
  right(
    'bom-accepted',
    'ignores a byte order mark: RFC 8259 section 8.1 allows it',
    parsing(hasBom, (request, steps) => steps.parse(request.body.subarray(3), request)),
  ),
  right('bom-415', 'rejects a byte order mark with 415', rejecting(hasBom, 415)),
  right('surrogates-400', 'rejects lone surrogates', rejecting(surrogate)),
  right('surrogates-422', 'rejects lone surrogates with 422', rejecting(surrogate, 422)),
  right(
    'no-content-type',
    'accepts a request without Content-Type: unspecified',
    acceptingType((request) => contentType(request) === ''),
  ),
  right(
    'any-content-type',
    'ignores the content type: rejecting other media types is a SHOULD',
    acceptingType(() => true),
  ),
  right(
    'json-suffix',
    'accepts application/*+json',
    acceptingType((request) => /\+json$/.test(mediaType(request))),
  ),
  right(
    'integers-plain',
    'rejects an id written as 1.0, 1e0 or -0: unspecified',
    rejecting(
      ({ text, id }) => id !== undefined && /"\s*:\s*(-0|-?\d+(\.\d+|\.?\d*e[+-]?\d+))\s*[,}]/i.test(text),
    ),
  ),
  right(
    'shallow',
    'rejects nesting deeper than 5',
    rejecting(({ text }) => depthOf(text) > 5),
  ),
  right('ordered', 'drops undeclared properties before validation', (reference) => ({
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
    'clamps an id outside int64: rejecting it is a SHOULD',
    reading('id', (id, seen) =>
      seen.id !== undefined && BigInt.asIntN(64, seen.id) !== seen.id ? LAST : id,
    ),
  ),
];
