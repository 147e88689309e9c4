import type { RecordedBody, RecordedCause, RecordedExchange, RecordedRequest } from '../record.ts';
import { requestLine, visible } from '../text.ts';
import { markedBody, mattersIn } from './matters.ts';
import { Box, Command, counted, grouped, inline, type Line, lines, time } from './text.tsx';

type Pairs = readonly (readonly [string, string])[];

/** One request and its response, what is wrong, and a command that sends the request again. */
export const Exchange = ({ exchange }: { readonly exchange: RecordedExchange }) => (
  <div class="exchange">
    <Comparison expected={exchange.expected} actual={exchange.actual} />
    <Messages exchange={exchange} />
    <Command name="The curl command" text={exchange.curl} />
  </div>
);

type Sent = NonNullable<RecordedCause['counterexample']>;

/** The request that shows a cause, with what matters in it, what was sent before it, and its response. */
export function CauseExchange({
  exchange,
  matters,
}: {
  readonly exchange: Sent;
  readonly matters: readonly string[];
}) {
  const { before = [], request } = exchange;
  const isMarked = mattersIn(request, matters) !== undefined;
  return (
    <div class="exchange">
      {before.length > 0 && (
        <details class="more">
          <summary>After {counted(before.length, 'other request')}</summary>
          <Box
            text={before.map(
              (one) => `${requestLine(one.request, 200)} → ${one.response?.status ?? 'no response'}`,
            )}
          />
        </details>
      )}
      <Messages exchange={exchange} matters={matters} />
      {isMarked && (
        <p class="aside">The marked parts of the request matter. The others can be anything ordinary.</p>
      )}
    </div>
  );
}

function Messages({
  exchange,
  matters = [],
}: {
  readonly exchange: Sent;
  readonly matters?: readonly string[];
}) {
  const { request, response, ms } = exchange;
  return (
    <div class="messages">
      <figure>
        <figcaption>
          Request <span class="aside">{request.rawBytes ? 'not well-formed' : size(request.body)}</span>
        </figcaption>
        <Box text={requestLines(request, matters)} />
      </figure>
      <figure>
        <figcaption>
          Response{' '}
          <span class="aside">
            {response === undefined ? time(ms) : `${time(ms)}, ${size(response.body)}`}
          </span>
        </figcaption>
        <Box text={responseLines(exchange)} />
      </figure>
    </div>
  );
}

function requestLines(request: RecordedRequest, matters: readonly string[]): readonly Line[] {
  const { method, url, headers, body } = request;
  const path = URL.canParse(url) ? url.slice(new URL(url).origin.length) : url;
  const first = `${inline(method, 40)} ${inline(path)}`;
  const does = mattersIn(request, matters);
  if (does === undefined) return message(first, headers, body);
  const line = (text: string, ...names: readonly string[]): Line => [{ text, matters: names.some(does) }];
  return [
    line(first, 'method', 'path', 'query'),
    ...headers.map(([name, value]) => line(`${inline(name, 100)}: ${inline(value)}`, name)),
    ...('text' in body && body.bytes > 0
      ? ['', ...markedBody(body.text, does)]
      : bodyOf(body).map((one) => line(one, 'body'))),
  ];
}

const size = ({ bytes, truncated }: RecordedBody) =>
  bytes === 0
    ? 'no body'
    : `${grouped(bytes)} ${bytes === 1 ? 'byte' : 'bytes'}${truncated ? ', truncated' : ''}`;

/** A message roughly as it goes over the wire. */
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
      : ['', '(not UTF-8; base64)', ...lines(body.base64, 1000)];

const responseLines = ({
  response,
  fault,
}: Pick<RecordedExchange, 'response' | 'fault'>): readonly string[] => [
  ...(response === undefined
    ? []
    : message(`${response.status} ${inline(response.statusText, 100)}`, response.headers, response.body)),
  ...(fault === undefined
    ? []
    : [`${response === undefined ? 'No response' : 'Then'}: ${inline(fault.detail)} (${fault.kind})`]),
];

/** Expected beside actual; if they are similar, the difference is marked. */
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

type MarkedText = readonly [before: string, differs: string, after: string];

const Marked = ({ parts: [before, differs, after] }: { readonly parts: MarkedText }) => (
  <>
    {ending(before)}
    {differs === '' ? <mark class="nothing" title="missing" /> : <mark>{inline(differs, 200)}</mark>}
    {inline(after, 100)}
    <CodePoints text={differs} />
  </>
);

/** The code points of a few characters that may look like others. */
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

/** The end of a long text before the difference. */
const ending = (text: string) =>
  text.length > 120 ? `…${visible(text.slice(-120).replace(/^[\udc00-\udfff]/, ''))}` : visible(text);

/** Where two texts differ; undefined if they have too little in common for this to be useful. */
export function difference(
  expected: string,
  actual: string,
): { readonly expected: MarkedText; readonly actual: MarkedText } | undefined {
  // The expectation of a property begins with its name: `name "Aloe"`.
  const [label = ''] = /^(?:name|tag) (?=")/.exec(expected) ?? [];
  const [a, b] = [[...expected.slice(label.length)], [...actual]];
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  // If a value should have been returned, any difference is useful.
  const isEcho = label !== '' && actual.startsWith('"');
  const similar = start + end >= 4 && (start + end) * 2 >= Math.max(a.length, b.length);
  if (!(isEcho || similar) || expected === actual) return undefined;
  const parts = (text: readonly string[], before: string): MarkedText => [
    before + text.slice(0, start).join(''),
    text.slice(start, text.length - end).join(''),
    text.slice(text.length - end).join(''),
  ];
  return { expected: parts(a, label), actual: parts(b, '') };
}
