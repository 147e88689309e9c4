import { visible } from '../explain.ts';
import type { RecordedBody, RecordedExchange } from '../record.ts';
import { Box, Command, grouped, inline, lines, time } from './text.tsx';

type Pairs = readonly (readonly [string, string])[];

/** One request and its answer, with what is wrong about it and a command that sends it again. */
export function Exchange({ exchange }: { readonly exchange: RecordedExchange }) {
  const { expected, actual, request, response, ms, curl } = exchange;
  const path = URL.canParse(request.url)
    ? request.url.slice(new URL(request.url).origin.length)
    : request.url;
  return (
    <div class="exchange">
      <Comparison expected={expected} actual={actual} />
      <div class="messages">
        <figure>
          <figcaption>
            Request <span class="aside">{request.verbatim ? 'not well-formed' : size(request.body)}</span>
          </figcaption>
          <Box
            text={message(`${inline(request.method, 40)} ${inline(path)}`, request.headers, request.body)}
          />
        </figure>
        <figure>
          <figcaption>
            Answer{' '}
            <span class="aside">
              {response === undefined ? time(ms) : `${time(ms)}, ${size(response.body)}`}
            </span>
          </figcaption>
          <Box text={answer(exchange)} />
        </figure>
      </div>
      <Command name="The request as curl" text={curl} />
    </div>
  );
}

const size = ({ bytes, truncated }: RecordedBody) =>
  bytes === 0
    ? 'no body'
    : `${grouped(bytes)} ${bytes === 1 ? 'byte' : 'bytes'}${truncated ? ', the beginning of them' : ''}`;

/** A message as it goes over the wire, near enough. */
const message = (first: string, headers: Pairs, body: RecordedBody): readonly string[] => [
  first,
  ...headers.map(([name, value]) => `${inline(name, 100)}: ${inline(value)}`),
  ...bodyOf(body),
];

const bodyOf = (body: RecordedBody): readonly string[] =>
  body.bytes === 0
    ? []
    : 'text' in body
      ? ['', ...lines(body.text)]
      : ['', '(no UTF-8; base64)', ...lines(body.base64, 1000)];

const answer = ({ response, fault }: RecordedExchange): readonly string[] => [
  ...(response === undefined
    ? []
    : message(`${response.status} ${inline(response.statusText, 100)}`, response.headers, response.body)),
  ...(fault === undefined
    ? []
    : [`${response === undefined ? 'No answer' : 'Then'}: ${inline(fault.detail)} (${fault.kind})`]),
];

/** What should have been beside what was; where the two are much alike, what differs is marked. */
export function Comparison({ expected, actual }: { readonly expected: string; readonly actual: string }) {
  const parts = difference(expected, actual);
  return (
    <dl class="comparison">
      <div class="expected">
        <dt>Expected</dt>
        <dd>{parts === undefined ? inline(expected) : <Marked parts={parts.expected} />}</dd>
      </div>
      <div class="actual">
        <dt>Actual</dt>
        <dd>{parts === undefined ? inline(actual) : <Marked parts={parts.actual} />}</dd>
      </div>
    </dl>
  );
}

type Parts = readonly [before: string, differs: string, after: string];

const Marked = ({ parts: [before, differs, after] }: { readonly parts: Parts }) => (
  <>
    {ending(before)}
    {differs === '' ? <mark class="nothing" title="nothing here" /> : <mark>{inline(differs, 200)}</mark>}
    {inline(after, 100)}
    <CodePoints text={differs} />
  </>
);

/** What a few characters are, where they may look like others. */
function CodePoints({ text }: { readonly text: string }) {
  const points = [...text].map((character) => character.codePointAt(0) ?? 0);
  if (points.length > 8 || points.every((point) => point < 0x80)) return null;
  return (
    <span class="aside">
      {' '}
      ({points.map((point) => `U+${point.toString(16).toUpperCase().padStart(4, '0')}`).join(' ')})
    </span>
  );
}

/** The end of a long text, where the difference begins. */
const ending = (text: string) =>
  text.length > 120 ? `…${visible(text.slice(-120).replace(/^[\udc00-\udfff]/, ''))}` : visible(text);

/** Where two texts differ; nothing where they have too little in common for that to say anything. */
export function difference(
  expected: string,
  actual: string,
): { readonly expected: Parts; readonly actual: Parts } | undefined {
  // What was expected of a property names it: `name "Aloe"`.
  const [label = ''] = /^(?:name|tag) (?=")/.exec(expected) ?? [];
  const [a, b] = [[...expected.slice(label.length)], [...actual]];
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  // Where a value was to come back, any difference tells something.
  const alike = label !== '' && actual.startsWith('"');
  const much = start + end >= 4 && (start + end) * 2 >= Math.max(a.length, b.length);
  if (!(alike || much) || expected === actual) return undefined;
  const parts = (text: readonly string[], before: string): Parts => [
    before + text.slice(0, start).join(''),
    text.slice(start, text.length - end).join(''),
    text.slice(text.length - end).join(''),
  ];
  return { expected: parts(a, label), actual: parts(b, '') };
}
