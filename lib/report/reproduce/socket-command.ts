import { joinNeighbours } from '../../collections.ts';
import { endpointOf } from '../../wire/endpoint.ts';
import type { Request } from '../../wire/exchange.ts';
import { hasHeader } from '../../wire/headers.ts';
import { CONTINUE_WAIT_MS, positionInHead, SEGMENT_PAUSE_MS, segmentsOf } from '../../wire/segments.ts';
import type { RecordedRequest } from '../record/record.ts';
import {
  dividedUrl,
  isChunked,
  latin1,
  MAX_SECONDS,
  type OnConnection,
  type Showing,
} from './on-connection.ts';
import { joinedLiterals, partsBetween, printing, type ShellPart, shellParts, shortened } from './shell.ts';
import { wholeBody } from './untruncated-body.ts';

/** With shorter pauses, the segments would depend on how the system delays and merges small writes. */
const MIN_PAUSE_MS = 50;
const RESPONSE_MS = 500;
/**
 * Seconds to read the responses of pipelined requests. The last one does not ask for the connection to be
 * closed, since that could hide that responses are mixed up.
 */
const PIPELINE_SECONDS = 2;

type Step = { readonly parts: readonly ShellPart[] } | { readonly pauseMs: number };

/** What shows only the wanted part of the responses. */
const FILTERS: Readonly<Record<Showing['shows'], string>> = {
  response: '',
  'body and status': '',
  'status and media type': " | grep -aioE 'HTTP/1[.][01] [0-9]*|^content-type: [^[:cntrl:]]*'",
  status: " | grep -ao 'HTTP/1[.][01] [0-9]*' | tail -n 1",
  nothing: ' > /dev/null',
};

/** The server of a URL: its address for openssl, and the file as which bash opens a connection to it. */
function serverOf(url: string) {
  const { host, port, secure } = endpointOf(dividedUrl(url).origin, { timeout: 0 });
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return { isSecure: secure, address, device: `/dev/tcp/${host}/${port}` };
}

/**
 * Returns two commands. The first opens a connection, sends a request over it (not over TLS), and leaves it
 * open; the second closes it.
 */
export function openSocket(
  { request }: OnConnection,
  variables: ReadonlyMap<string, string>,
): readonly [open: string, close: string] {
  const { isSecure, address, device } = serverOf(request.url);
  if (isSecure) {
    const tls = `openssl s_client -quiet -connect ${address}`;
    return [`{ sleep ${2 * MAX_SECONDS} | ${tls} > /dev/null 2>&1 & }; sleep 1`, 'kill %%'];
  }
  const written = segmentParts(request, variables, false).map((parts) => `${inOneSegment(parts)} >&3`);
  return [[`exec 3<>${device}`, ...written, `sleep ${RESPONSE_MS / 1000}`].join('; '), 'exec 3>&-'];
}

/** Writes requests to a socket, in the segments that their deliveries prescribe. */
export function overSocket(requests: readonly OnConnection[], { shows, variables }: Showing): string {
  const { isSecure, address, device } = serverOf(requests[0]?.request.url ?? '');
  const isPipelined = requests.some(({ connection }) => connection === 'pipelined');
  const steps = requests.flatMap(({ request, connection }, index): Step[] => {
    const isLast = index === requests.length - 1;
    const { pauseMs = SEGMENT_PAUSE_MS, headCut, expectContinue } = request.delivery ?? {};
    const headEnd = headCut === undefined ? 1 : 2;
    const written = segmentParts(request, variables, isLast && !isPipelined).flatMap((parts, at): Step[] => {
      const waits = expectContinue === true && at === headEnd;
      const pause = { pauseMs: Math.max(waits ? CONTINUE_WAIT_MS : pauseMs, MIN_PAUSE_MS) };
      return at === 0 ? [{ parts }] : [pause, { parts }];
    });
    return isLast || connection === 'pipelined' ? written : [...written, { pauseMs: RESPONSE_MS }];
  });
  const aborts = requests.at(-1)?.request.delivery?.abortAfter !== undefined;
  // Consecutive writes without a pause in between are one.
  const joined = joinNeighbours(steps, (last, next) =>
    'pauseMs' in last || 'pauseMs' in next ? undefined : { parts: [...last.parts, ...next.parts] },
  );
  const commands = joined.map((step) =>
    'pauseMs' in step ? `sleep ${step.pauseMs / 1000}` : inOneSegment(shortened(step.parts)),
  );
  const seconds = isPipelined ? PIPELINE_SECONDS : MAX_SECONDS;
  if (isSecure) {
    const options = `-quiet${aborts ? ' -no_ign_eof' : ''} -connect ${address}`;
    return `{ ${commands.join('; ')}; } | timeout ${seconds} openssl s_client ${options} 2> /dev/null${FILTERS[shows]}`;
  }
  const written = commands.map((command) => (command.startsWith('sleep') ? command : `${command} >&3`));
  const read = aborts
    ? [`sleep ${MIN_PAUSE_MS / 1000}`]
    : [`timeout ${seconds} cat <&3${isPipelined ? ' || :' : ''}`];
  return `( exec 3<>${device}; ${[...written, ...read].join('; ')} )${FILTERS[shows]}`;
}

/** Prints with other programs: bash itself writes line by line, and each line would become a segment. */
function inOneSegment(parts: readonly ShellPart[]): string {
  const commands = printing(parts);
  return parts.some((part) => 'command' in part)
    ? `{ ${commands.join('; ')}; } | dd obs=256k 2> /dev/null`
    : commands.map((command) => `env ${command}`).join('; ');
}

/** Takes the place of each byte of a body, to show where chunking and cutting put it. */
const MARK = '\xff';

/** What to write in each segment of a request. */
function segmentParts(
  recorded: RecordedRequest,
  variables: ReadonlyMap<string, string>,
  mayClose: boolean,
): readonly (readonly ShellPart[])[] {
  const { origin, target } = dividedUrl(recorded.url);
  const bytes = wholeBody(recorded.body);
  const { headCut, ...delivery } = recorded.delivery ?? {};
  const closes = mayClose && !hasHeader(recorded.headers, 'connection');
  const request: Request = {
    method: recorded.method,
    path: latin1(target),
    // Inserted neither first nor last, since these positions may matter to the store.
    headers: closes ? recorded.headers.toSpliced(-1, 0, ['connection', 'close']) : recorded.headers,
    body: Buffer.from(bytes, 'latin1'),
    framing: isChunked(recorded) ? 'chunked' : 'length',
    delivery,
  };
  const segmentsIn = (body: string) =>
    segmentsOf({ ...request, body: Buffer.from(body, 'latin1') }, endpointOf(origin, { timeout: 0 })).map(
      (one) => Buffer.from(one).toString('latin1'),
    );
  const head = (segmentsIn(bytes)[0]?.indexOf('\r\n\r\n') ?? 0) + 4;
  const body = shellParts(bytes, variables);
  let done = 0;
  const segments = segmentsIn(MARK.repeat(bytes.length)).map((segment, at) => {
    const bodyAt = at === 0 ? head : 0;
    const pieces = segment.slice(bodyAt).match(/\xff+|[^\xff]+/g) ?? [];
    const parts = pieces.flatMap((piece) => {
      if (!piece.startsWith(MARK)) return { literal: piece };
      done += piece.length;
      return partsBetween(body, done - piece.length, done);
    });
    return joinedLiterals([...shellParts(segment.slice(0, bodyAt), variables), ...parts]);
  });
  // A segment that ends within the token is empty, since the token is written as a whole.
  const [first = [], ...others] = segments.filter((parts) => parts.length > 0);
  if (headCut === undefined) return [first, ...others];
  const cut = positionInHead(headCut, head);
  return [partsBetween(first, 0, cut), partsBetween(first, cut), ...others];
}
