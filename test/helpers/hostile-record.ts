import { createHash } from 'node:crypto';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { RunRecord } from '../../index.ts';
import { smallRecordOf } from './stores.ts';

/** A token that looks different in every encoding. */
export const HOSTILE_TOKEN = 'Tok3n/AbCdEfGh+0123456789==';

/** A word in every text of the hostile store, to find that text in the output. */
export const MARK = 'EVIL';

/** Attacks on whoever reads a report about the store. */
const NASTY = {
  html: `<script>${MARK}()</script><img src=x onerror=${MARK}()></code></pre></details><a href="javascript:${MARK}">`,
  xml: `]]></failure></testcase><${MARK}/><!-- ${MARK} --><?${MARK}?>&${MARK};&#0; [[ATTACHMENT|/${MARK}]]`,
  quotes: `"${MARK}" '${MARK}' \`${MARK}\` \`\`\`${MARK} \`\`\`\`\`\n\`\`\`\`\n$(${MARK}) $\{${MARK}} \\${MARK}`,
  terminal: `\u001b]0;${MARK}\u0007\u001b[2J\u001b[31m${MARK}\u0000\u0008\u007f\u0085\u009b1m`,
  bidi: `\u202e${MARK}\u2066\u200b\u2028${MARK}\u2029\ufeff\ufffe\uffff`,
  markdown: `\n\n# ${MARK}\n- ${MARK}\n| ${MARK} | a |\n| - | - |\n[${MARK}](http://${MARK}) ![${MARK}](http://${MARK}) @${MARK} #1 ${MARK}/${MARK}#2 https://${MARK}.example **${MARK}**\n\n---\n`,
  orders: `\n::error::${MARK}\n::add-mask::${MARK}\r\n##[add-mask]${MARK} ##vso[task.setvariable variable=a]${MARK}\n/close ${MARK}\n`,
} as const;

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly authorization: string;
}

interface Answer {
  readonly status: number;
  readonly reason: string;
  readonly headers: readonly string[];
  readonly body: Buffer;
}

const answer = (
  status: number,
  body: string | Buffer,
  reason = MARK,
  headers: readonly string[] = ['Content-Type: application/json'],
): Answer => ({ status, reason, headers, body: Buffer.isBuffer(body) ? body : Buffer.from(body) });

const swapped = (text: string) =>
  [...text].map((c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase())).join('');

/** The forms in which a store may echo a credential and its token. */
export function formsOf(authorization: string): string[] {
  const token = authorization.replace(/^\S+ +/, '');
  return [
    authorization,
    token,
    token.toUpperCase(),
    token.toLowerCase(),
    swapped(token),
    encodeURIComponent(token),
    encodeURIComponent(token).toLowerCase(),
    Buffer.from(token).toString('base64'),
    Buffer.from(`user:${token}`).toString('base64'),
    [...token].reverse().join(''),
  ];
}

/** Escapes with \u, so that lone surrogates and control characters appear only after parsing. */
const json = (value: unknown) =>
  JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Responses that are wrong in different ways. */
const ANSWERS: readonly ((asked: Asked) => Answer)[] = [
  () => answer(400, json({ error: NASTY.html, message: NASTY.quotes })),
  () => answer(200, json({ name: NASTY.html, tag: [NASTY.markdown], id: NASTY.orders })),
  () =>
    answer(500, `Error: ${NASTY.orders}${NASTY.markdown}\n    at ${MARK} (/srv/${MARK}/app.js:1:2)`, MARK, [
      `Content-Type: text/html; x="${MARK}<script>"`,
    ]),
  () =>
    answer(
      200,
      Buffer.concat([Buffer.from(`{"name":"${MARK}`), Buffer.from([0xff, 0xc0, 0xed, 0xa0, 0x80])]),
    ),
  () => answer(200, `{"name":"\\ud800${MARK}\\udfff\\u0000","tag":"\\u001b[2J\\u009b","id":1}`),
  () => answer(400, json({ error: 1, message: NASTY.xml, [NASTY.html]: NASTY.terminal })),
  () => answer(400, JSON.stringify({ error: MARK, message: [NASTY.bidi, '🌵<b>`'.repeat(170_000)] })),
  () =>
    answer(302, NASTY.xml, `<script>${MARK}</script> | \`${MARK}\` @${MARK} ::error::${MARK} ##[${MARK}]`, [
      `Location: javascript:${MARK}`,
      `Content-Type: ${MARK}/<img src=x onerror=${MARK}>; \`\`\` | ]]> @${MARK}`,
      `Server: ${MARK}<script>\u00e4\u0085 \`##[add-mask]${MARK}`,
      `WWW-Authenticate: ${MARK} realm="<script>${MARK}</script>"`,
    ]),
  () => answer(200, NASTY.quotes),
  ({ authorization, path }) => {
    const forms = formsOf(authorization).map((form) => form.replace(/[^\x20-\x7e]/g, ''));
    return answer(400, json({ error: MARK, message: forms, path }), forms.join(' ').slice(0, 900), [
      'Content-Type: application/json',
      `Server: ${MARK} ${forms[0]}`,
      ...forms.map((form, index) => `X-Echo-${index}: ${form}`),
      `WWW-Authenticate: ${forms.join(' ')}`,
    ]);
  },
  () => answer(418, `\ufeff${NASTY.terminal}${NASTY.bidi}`, `\u0001${MARK}\u00ff`),
];

/** The same request always gets the same response, in whatever order requests arrive. */
function answerTo(head: string, body: Buffer): Buffer {
  const [method = '', path = ''] = (head.split('\r\n')[0] ?? '').split(' ');
  const header = (name: string) => new RegExp(`^${name}: *(.*?)\\r?$`, 'im').exec(head)?.[1] ?? '';
  const authorization = header('authorization');
  const digest = createHash('sha256')
    .update([method, path, authorization, header('content-type')].join('\n'))
    .update(body)
    .digest();
  const choose = ANSWERS[digest.readUInt16BE(0) % ANSWERS.length] ?? (() => answer(500, ''));
  const { status, reason, headers, body: content } = choose({ method, path, authorization });
  const fields = [...headers, `Content-Length: ${content.length}`, 'Connection: close'];
  return Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status} ${reason}\r\n${fields.join('\r\n')}\r\n\r\n`, 'latin1'),
    content,
  ]);
}

/** The request in some bytes; undefined while it is incomplete. */
function requestIn(bytes: Buffer): { readonly head: string; readonly body: Buffer } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = bytes.subarray(0, end).toString('latin1');
  const body = bytes.subarray(end + 4);
  if (/^transfer-encoding: *chunked/im.test(head))
    return /(?:^|\n)0(?:;.*)?\r\n(?:.+\r\n)*\r\n$/.test(body.toString('latin1')) ? { head, body } : undefined;
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  return body.length < length ? undefined : { head, body };
}

/**
 * Starts a store whose responses attack whoever shows them; on a raw socket, since no library would send
 * them.
 */
export async function startHostile(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server: Server = createServer((socket) => {
    let bytes = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      const request = requestIn(bytes);
      if (request === undefined) return;
      bytes = Buffer.alloc(0);
      socket.end(answerTo(request.head, request.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

const SHA = 'ab'.repeat(32);

/** Later releases of Node also name the line and column in a JSON error. */
const steadyText = (text: string, host: string) =>
  (host.endsWith(':1') ? text : text.replaceAll(host, '127.0.0.1:8080')).replaceAll(
    / \(line \d+ column \d+\)/g,
    '',
  );

/** A record without the checks that the user left out. */
export const tried = (record: RunRecord): RunRecord => ({
  ...record,
  results: record.results.filter(({ blockedBy }) => blockedBy !== 'user'),
});

/** A page one element a line, without style and script, which are the same on every page. */
export const withoutAssets = (page: string): string =>
  page
    .replace(/<(style|script)>[\s\S]*?<\/\1>/g, '<$1></$1>')
    .replace(/'sha256-[^']+'/g, "'sha256-'")
    .replaceAll('><', '>\n<');

/** A Markdown text without its code: without the blocks, then without the spans. */
export function withoutCode(text: string): string {
  const kept: string[] = [];
  let fence: string | undefined;
  for (const line of text.split('\n')) {
    const ticks = /^(`{3,})/.exec(line)?.[1];
    if (fence === undefined && ticks !== undefined) fence = ticks;
    else if (fence === undefined) kept.push(line);
    else if (line === fence) fence = undefined;
  }
  if (fence !== undefined) throw new Error(`the fence ${fence} is not closed`);
  return kept.join('\n').replace(/(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, '(code)');
}

/**
 * A record without what differs from run to run and from release to release (times, ports, versions), so that
 * what is rendered from it can be compared with a golden file.
 */
export function steady(record: RunRecord): RunRecord {
  const { host } = new URL(record.target.baseUrl);
  const anywhere = (key: string, value: unknown): unknown => {
    if (key === 'seconds') return 0.5;
    if (key === 'ms') return 1;
    if (key.startsWith('response-time-ms/')) return 1;
    if (Array.isArray(value) && value.length === 2 && String(value[0]).toLowerCase() === 'date')
      return [value[0], 'Sat, 31 Jan 2026 12:00:00 GMT'];
    return typeof value === 'string' ? steadyText(value, host) : value;
  };
  const same = JSON.parse(JSON.stringify(record, anywhere)) as RunRecord;
  return {
    ...same,
    suite: { ...same.suite, version: '0.0.0', catalogue: `sha256:${SHA}` },
    document: { ...same.document, file: 'openapi.yaml', sha256: SHA },
    startedAt: '2026-01-31T12:00:00.000Z',
    latency:
      same.latency === null
        ? null
        : {
            answers: same.latency.answers,
            median: 1,
            p95: 1,
            p99: 1,
            longest: 1,
            buckets: [{ from: 1, to: 1.189, answers: same.latency.answers }],
          },
  };
}

/** The steady record of a small run. */
export const steadyRecordOf = async (baseUrl: string, more: object = {}): Promise<RunRecord> =>
  tried(steady(await smallRecordOf(baseUrl, more)));
