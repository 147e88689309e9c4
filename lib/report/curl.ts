import { suite } from '../package.ts';
import type { Delivery } from '../wire/exchange.ts';
import type { RecordedRequest } from './record.ts';

/** Beyond this a body is not put on a command line. */
const LONGEST = 8 * 1024;

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** A header value that is written for a shell: what it takes from the environment stays outside of the quotes. */
const shellQuoted = (text: string) =>
  text.includes('$') && !/[`\\!]/.test(text)
    ? `"${text.includes('$(') ? text : text.replaceAll('"', '\\"')}"`
    : quoted(text);

/** Whether a shell and curl pass the text on as it is. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that do not survive.
const isPlain = (text: string) => !/[\u0000-\u0008\u000b-\u001f\u007f]/.test(text);

/** A command that sends a request again, with the token taken from $PLANT_STORE_TOKEN. */
export function curlOf({ method, url, headers, body, delivery, after, verbatim }: RecordedRequest): string {
  if (verbatim) return `# no HTTP client sends this request: ${method} ${url}, not well-formed`;
  const own = headers.filter(
    ([name]) => !['host', 'content-length', 'connection', 'user-agent'].includes(name.toLowerCase()),
  );
  const parts = ['curl', '-sS', '-i', ...(method === 'HEAD' ? ['--head'] : ['-X', method])];
  for (const [name, value] of own) {
    if (name.toLowerCase() === 'transfer-encoding') parts.push('-H', quoted('Transfer-Encoding: chunked'));
    else parts.push('-H', value === '' ? quoted(`${name};`) : shellQuoted(`${name}: ${value}`));
  }
  if (method === 'POST' && !own.some(([name]) => name.toLowerCase() === 'content-type'))
    parts.push('-H', quoted('content-type:'));
  if (body.bytes > 0 || method === 'POST') parts.push(...bodyOf(body));
  if (delivery !== undefined) parts.push('--http1.1');
  if (delivery?.absoluteTarget) parts.push('--request-target', shellQuoted(url));
  return [...parts, shellQuoted(url), ...beyondCurl(delivery, after)].join(' ');
}

/** What curl leaves out of a delivery, as a comment. */
function beyondCurl(
  { cuts, headFirst, headCut, chunks, leadingZeros, headerGap, headerOrder, abortAfter }: Delivery = {},
  after: RecordedRequest['after'],
): string[] {
  const beyond = [
    ...(after === undefined ? [] : ['the request before it']),
    ...(cuts === undefined && headFirst === undefined && headCut === undefined ? [] : ['the segments']),
    ...(chunks === undefined ? [] : [`the chunks (${chunks})`]),
    ...(leadingZeros === undefined ? [] : ['the zeros before lengths']),
    ...(headerGap === undefined ? [] : ['the white space of headers']),
    ...(headerOrder === undefined ? [] : ['the order of headers']),
    ...(abortAfter === undefined ? [] : [`the end after ${abortAfter} bytes of the body`]),
  ];
  return beyond.length === 0 ? [] : [`# without ${beyond.join(', ')}: that takes ${suite.name} replay`];
}

function bodyOf(body: RecordedRequest['body']): string[] {
  if (body.bytes === 0) return ['--data-binary', "''"];
  if (body.bytes > LONGEST || body.truncated === true)
    return ['--data-binary', `@body-of-${body.bytes}-bytes`];
  if ('text' in body && body.text.includes('$PLANT_STORE_TOKEN')) {
    return ['--data-binary', `"${body.text.replaceAll('"', '\\"')}"`];
  }
  if ('text' in body && isPlain(body.text)) return ['--data-binary', quoted(body.text)];
  const bytes = 'text' in body ? Buffer.from(body.text) : Buffer.from(body.base64, 'base64');
  const octal = [...bytes].map((byte) =>
    byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c
      ? String.fromCharCode(byte)
      : `\\${byte.toString(8).padStart(3, '0')}`,
  );
  return octal.includes('\\000')
    ? ['--data-binary', `@<(printf '${octal.join('').replaceAll('%', '%%')}')`]
    : ['--data-binary', `$'${octal.join('')}'`];
}
