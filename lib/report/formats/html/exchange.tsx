import { counted } from '../../../text.ts';
import type {
  Answered,
  Counterexample,
  RecordedBody,
  RecordedExchange,
  RecordedRequest,
} from '../../record/record.ts';
import { beforeLine, pathOf, timesBefore } from '../../wording/format-text.ts';
import { ExpectedAndActual } from './kit/expected.tsx';
import { More } from './kit/section.tsx';
import { Box, Captioned, Commands, inline, type Line, lines, sizeOf, time } from './kit/text.tsx';
import { markedBody, mattersIn } from './matters.ts';

type Pairs = readonly (readonly [string, string])[];

export const Exchange = ({ exchange }: Readonly<{ exchange: RecordedExchange }>) => (
  <div class="exchange">
    <ExpectedAndActual expected={exchange.expected} actual={exchange.actual} />
    <Messages exchange={exchange} />
    <Commands list={[exchange.command]} />
  </div>
);

export function CauseExchange({
  exchange,
  expected,
  matters,
}: Readonly<{ exchange: Counterexample; expected: string | undefined; matters: readonly string[] }>) {
  const { before = [], request } = exchange;
  const isMarked = mattersIn(request, matters) !== undefined;
  return (
    <div class="exchange">
      {before.length > 0 && (
        <More summary={<>After {counted(before.length * timesBefore(exchange), 'other request')}</>}>
          <Box
            text={before.map((one) => beforeLine(one, { maxCharacters: 200, times: timesBefore(exchange) }))}
          />
        </More>
      )}
      <Messages exchange={exchange} matters={matters} />
      {expected !== undefined && <p class="aside">Expected: {inline(expected)}.</p>}
      {isMarked && (
        <p class="aside">
          The highlighted parts of the request trigger the fault. The others can have any ordinary value.
        </p>
      )}
    </div>
  );
}

function Messages({
  exchange,
  matters = [],
}: Readonly<{ exchange: Counterexample; matters?: readonly string[] }>) {
  const { request, response, ms } = exchange;
  return (
    <div class="messages">
      <Captioned
        title="Request"
        aside={request.rawBytes ? 'malformed' : sizeOf(request.body)}
        text={requestLines(request, matters)}
      />
      <Captioned
        title="Response"
        aside={response === undefined ? time(ms) : `${time(ms)}, ${sizeOf(response.body)}`}
        text={responseLines(exchange)}
      />
    </div>
  );
}

function requestLines(request: RecordedRequest, matters: readonly string[]): readonly Line[] {
  const { method, url, headers, body } = request;
  const unmarked = message(`${inline(method, 40)} ${inline(pathOf(url))}`, headers, body);
  const does = mattersIn(request, matters);
  if (does === undefined) return unmarked;
  const names = [['method', 'path', 'query'], ...headers.map(([name]) => [name])];
  const marked = unmarked.map(
    (text, index): Line => [{ text, matters: (names[index] ?? ['body']).some(does) }],
  );
  return 'text' in body && body.bytes > 0
    ? [...marked.slice(0, names.length), '', ...markedBody(body.text, does)]
    : marked;
}

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

const responseLines = ({ response, fault }: Answered): readonly string[] => [
  ...(response === undefined
    ? []
    : message(`${response.status} ${inline(response.statusText, 100)}`, response.headers, response.body)),
  ...(fault === undefined
    ? []
    : [`${response === undefined ? 'No response' : 'Then'}: ${inline(fault.detail)} (${fault.kind})`]),
];
