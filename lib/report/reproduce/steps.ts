import { suite } from '../../package.ts';
import type { Preceding } from '../../payloads/test-case.ts';
import type { Repeat, ShownIn } from '../../run/result/cause.ts';
import { TOKEN_VARIABLE } from '../../token-variable.ts';
import { closesConnection, headerValues } from '../../wire/headers.ts';
import type { RecordedRequest } from '../record/record.ts';
import { curlArguments } from './curl-command.ts';
import { isChunked, type OnConnection, type Showing } from './on-connection.ts';
import { EXPORT_FUNCTION, withVariables } from './shell.ts';
import { firstLike, MAX_RANDOM_DIGITS, rangeLike } from './similar-ids.ts';
import { openSocket, overSocket } from './socket-command.ts';
import { wholeBody } from './untruncated-body.ts';

interface WithId {
  readonly request: RecordedRequest;
  readonly freshId: bigint | undefined;
}

export interface Reproduction extends WithId {
  readonly before: readonly (WithId & { readonly connection: Preceding['connection'] })[];
  readonly repeat: Repeat;
  /** The divisor, if the remainder of the id decides whether the fault shows. */
  readonly modulus?: number | undefined;
  readonly shownIn?: ShownIn;
  /** Whether the store leaves the request unanswered, or the response incomplete. */
  readonly unanswered?: boolean;
}

/** Adapts shell lines to a target whose token is in a variable of its own. */
export const inShellOf = (lines: string, { tokenEnv }: { readonly tokenEnv?: string | undefined }): string =>
  tokenEnv === undefined ? lines : lines.replaceAll(TOKEN_VARIABLE, tokenEnv);

/** Returns a shell command that sends one request again, without its preceding requests. */
export function requestCommand(request: RecordedRequest): string {
  if (request.rawBytes === true)
    return `# malformed, so no HTTP client can send it: ${request.method} ${request.url}`;
  const command = withVariables(
    [sending([{ request }], { shows: 'response', givesUp: false, variables: new Map() })],
    request.url,
  ).join('; ');
  return request.after === undefined
    ? command
    : `${command} # without the preceding request; ${suite.name} replay sends both`;
}

/**
 * Returns the lines that reproduce a fault. Each can be pasted separately into an interactive bash, after the
 * previous ones.
 */
export const stepsOf = (reproduction: Reproduction): readonly string[] =>
  reproduction.request.rawBytes === true
    ? [requestCommand(reproduction.request)]
    : withVariables(scriptOf(reproduction), reproduction.request.url);

function scriptOf(reproduction: Reproduction): readonly string[] {
  const { request, before, repeat, modulus = 1, unanswered = false } = reproduction;
  const sent = withoutRecurring(before.filter((one) => one.request.rawBytes !== true));
  const looped = sent.filter(({ times }) => times > 1);
  const allIds = idsIn([reproduction, ...sent]);
  const ids = allIds.filter(({ numeral }) => !looped.some(({ freshId }) => String(freshId) === numeral));
  const variables = new Map(allIds.map(({ numeral, name }) => [numeral, name]));
  const beside = sent.filter(({ connection }) => connection === 'concurrent');
  const isRepeated = repeat.times > 1;
  const isOneOfMany = isRepeated || beside.length > 0;
  const showing = (shows: Showing['shows']): Showing => ({
    shows,
    variables,
    givesUp: unanswered || isOneOfMany,
  });
  const shownOfLast = isOneOfMany ? SHOWING[reproduction.shownIn ?? 'status'] : 'response';
  const others = isRepeated ? 'nothing' : shownOfLast;
  const open = sent.filter(({ connection }) => connection === 'other-open');
  const connections = connectionsOf(
    sent.filter(({ connection }) => connection !== 'concurrent' && connection !== 'other-open'),
  );
  const last: readonly OnConnection[] = [...(connections.pop() ?? []), { request }];
  const withIds = (commands: readonly string[], addend = '', own = ids) => {
    const values = own.map(({ name, numeral }) => `${name}=${numberLike(numeral, addend, modulus)}`);
    return values.length === 0 ? commands : [values.join(' '), ...commands];
  };
  const lines = connections.map((requests) => {
    const [{ times = 1 } = {}] = requests;
    if (times === 1) return sending(requests, showing(others));
    const idsUsed = allIds.filter(({ numeral }) =>
      requests.some(({ freshId }) => String(freshId) === numeral),
    );
    return `${loopOf(times, withIds([sending(requests, showing('status'))], '', idsUsed))} | sort | uniq -c`;
  });
  // Either of the concurrent requests may be the one that fails.
  const background = beside.map((one) => `${sending([one], showing(shownOfLast))} &`);
  const givesUpAtOnce = unanswered && isRepeated && repeat.inFlight === 1;
  const isReported = unanswered && isOneOfMany && !givesUpAtOnce && repeat.onConnection !== true;
  // A status says nothing about whether the response is complete.
  const main = `${sending(last, showing(shownOfLast))}${isReported ? ' || echo no complete response' : ''}`;
  const held = open.map((one) => openSocket(one, variables));
  lines.push(
    ...held.map(([opening]) => opening),
    ...(repeat.pauseMs === undefined ? [] : [`sleep ${repeat.pauseMs / 1000}`]),
    beside.length === 0 ? main : `( ${background.join(' ')} ${main} & wait )`,
    ...held.map(([, closing]) => closing),
  );
  if (!isRepeated) return withIds(lines);
  if (repeat.onConnection === true) {
    // With a range in the URL, curl sends all requests over one connection. It does not send the fragment.
    const ranged = (command: string) =>
      command.replace(` ${request.url} `, () => ` '${request.url}#[1-${repeat.times}]' `);
    const [earlier] = lines.slice(0, -1);
    const all = earlier === undefined ? ranged(main) : `${ranged(earlier)} --next ${main.slice(CURL.length)}`;
    return withIds([`${all} | sort | uniq -c`]);
  }
  if (repeat.inFlight <= 1) {
    // A store that hangs would keep each further request waiting.
    const loop = (some: readonly string[]) =>
      loopOf(repeat.times, givesUpAtOnce ? [`${withIds(some).join(' && ')} || break`] : withIds(some));
    // The preceding requests may have to be consecutive, so they get a loop of their own.
    const earlier = lines.slice(0, -1);
    return [...(earlier.length === 0 ? [] : [loop(earlier)]), `${loop(lines.slice(-1))} | sort | uniq -c`];
  }
  const isOneId = repeat.sameId === true;
  const once = isOneId ? withIds([]) : [];
  const [only = '', ...further] = lines;
  if (further.length === 0 && only.startsWith(CURL) && !isReported && !only.includes('<(')) {
    // A single process has more requests in flight than many processes, if the store is fast.
    const add = [`requests+=(--next ${only.slice(CURL.length)})`];
    const each = loopOf(repeat.times, isOneId ? add : withIds(add));
    return [
      [...once, 'requests=()', each].join('; '),
      `curl -Z --no-progress-meter --parallel-immediate --parallel-max ${repeat.inFlight} "\${requests[@]:1}" | sort | uniq -c`,
    ];
  }
  // Shells that start at the same time may generate the same random numbers.
  const each = isOneId ? lines : withIds(lines, ' + $1');
  return [
    ...once.map((one) => `export ${one}`),
    `send() { ${each.join('; ')}; }; ${EXPORT_FUNCTION} send`,
    `seq ${repeat.times} | xargs -P ${repeat.inFlight} -I{} bash -c 'send {}' | sort | uniq -c`,
  ];
}

/** What to print of each of many responses. */
const SHOWING: Readonly<Record<ShownIn, Showing['shows']>> = {
  status: 'status',
  'media type': 'status and media type',
  body: 'body and status',
};

const CURL = 'curl ';

const loopOf = (times: number, commands: readonly string[]): string =>
  `for i in $(seq ${times}); do ${commands.join('; ')}; done`;

const sending = (requests: readonly OnConnection[], showing: Showing): string =>
  requests.some(({ request, connection }) => connection === 'pipelined' || !suitsCurl(request))
    ? overSocket(requests, showing)
    : requests
        .map(({ request }, index) => {
          const isLast = index === requests.length - 1;
          const shows = isLast || showing.shows === 'response' ? showing.shows : 'nothing';
          return curlArguments(request, { ...showing, shows }).join(' ');
        })
        .join(' --next ')
        .replace(/^/, CURL);

/** Whether curl can send a request, except for the order of its headers. It sends one segment and chunk. */
function suitsCurl(request: RecordedRequest): boolean {
  const { method, headers, body, delivery = {} } = request;
  const { cuts, headFirst, headCut, chunkSizes, leadingZeros, headerGap, headerOrder, abortAfter } = delivery;
  const unsuited = [cuts, headFirst, headCut, chunkSizes, leadingZeros, headerGap, headerOrder, abortAfter];
  return (
    unsuited.every((one) => one === undefined) &&
    !(isChunked(request) && delivery.chunks !== 'one') &&
    !(method === 'HEAD' && body.bytes > 0) &&
    headerValues(headers, 'host').length === 1
  );
}

type Recurring = Reproduction['before'][number] & { readonly times: number };

/** From this many on, requests that differ only in their values are sent in a loop. */
const MIN_LOOP = 4;

/** Combines consecutive requests over separate connections whose bodies differ only in words and numbers. */
function withoutRecurring(before: Reproduction['before']): readonly Recurring[] {
  const runs: [Reproduction['before'][number], ...Reproduction['before']][] = [];
  let earlier: string | undefined;
  for (const one of before) {
    const form = one.connection === 'other' ? formOf(one.request) : undefined;
    if (form !== undefined && form === earlier) runs.at(-1)?.push(one);
    else runs.push([one]);
    earlier = form;
  }
  return runs.flatMap((run) =>
    run.length < MIN_LOOP ? run.map((one) => ({ ...one, times: 1 })) : [{ ...run[0], times: run.length }],
  );
}

const formOf = ({ method, url, headers, body, delivery }: RecordedRequest): string =>
  JSON.stringify([
    method,
    url,
    headers.filter(([name]) => !/^content-length$/i.test(name)),
    delivery,
    wholeBody(body).replaceAll(/\p{L}+|\d+/gu, (found) => (/\d/.test(found) ? '0' : 'a')),
  ]);

/** The requests on each connection, in order. The last connection is the one that the next request uses. */
function connectionsOf(before: readonly Recurring[]): Recurring[][] {
  const connections: Recurring[][] = [[]];
  for (const one of before) {
    connections.at(-1)?.push(one);
    if (one.connection === 'other' || closesConnection(one.request.headers)) connections.push([]);
  }
  return connections;
}

/** The ids that occur in requests as complete numerals, with the names of their variables. */
function idsIn(requests: readonly WithId[]): readonly { readonly numeral: string; readonly name: string }[] {
  const texts = requests.map(
    ({ request }) => `${request.url.replace(/^[a-z]+:\/\/[^/]*/i, '')}\n${wholeBody(request.body)}`,
  );
  const numerals = requests.flatMap(({ freshId }) => (freshId === undefined ? [] : [String(freshId)]));
  return [...new Set(numerals)]
    .filter((numeral) => /\d{2}/.test(numeral))
    .filter((numeral) => texts.some((text) => new RegExp(`(?<!\\d)${numeral}(?!\\d)`).test(text)))
    .map((numeral, index) => ({ numeral, name: index === 0 ? 'ID' : `ID${index + 1}` }));
}

/** Numbers with more digits are too large for the arithmetic of a shell. */
const MAX_SHELL_DIGITS = 18;

/** A random number with as many digits, on the same side of all type limits, and with the same remainder. */
function numberLike(numeral: string, addend: string, modulus: number): string {
  const digits = numeral.replace('-', '');
  const number = BigInt(digits);
  const { base, size: range } = rangeLike(number);
  const step = BigInt(modulus);
  const first = firstLike(number, base, step);
  // Unless it is the base itself, there is one choice fewer.
  const choices = first === base ? range / step : range / step - 1n;
  const chosen = `(RANDOM * 32768 + RANDOM${addend}) % ${choices}`;
  const random = step === 1n ? chosen : `${step} * (${chosen})`;
  const sign = numeral.startsWith('-') ? '-' : '';
  if (digits.length <= MAX_SHELL_DIGITS) return `${sign}$((${first} + ${random}))`;
  return `${sign}${first / range}$(printf %0${MAX_RANDOM_DIGITS}d $((${first % range} + ${random})))`;
}
