import { suite } from '../package.ts';
import type { Delivery } from '../wire/exchange.ts';
import type { RecordedRequest } from './record.ts';
import { escaped, quoted } from './shell.ts';

/** Longer bodies are not put on a command line. */
const MAX_BODY_BYTES = 8 * 1024;

/** A value in which the shell still expands `$PLANT_STORE_TOKEN` and `$(…)`. */
const shellQuoted = (text: string) =>
  text.includes('$') && !/[`\\!]/.test(text)
    ? `"${text.includes('$(') ? text : text.replaceAll('"', '\\"')}"`
    : quoted(text);

/** Shell lines as they are for a target, whose token may be in a variable of its own. */
export const inShellOf = (lines: string, { tokenEnv }: { readonly tokenEnv?: string | undefined }): string =>
  tokenEnv === undefined ? lines : lines.replaceAll('PLANT_STORE_TOKEN', tokenEnv);

/** Whether a shell and curl pass the text on unchanged. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these do not survive.
const isPlain = (text: string) => !/[\u0000-\u0008\u000b-\u001f\u007f]/.test(text);

/** A command that sends a request again, with the token from $PLANT_STORE_TOKEN. */
export function curlOf({ method, url, headers, body, delivery, after, rawBytes }: RecordedRequest): string {
  if (rawBytes) return `# not well-formed, so no HTTP client can send it: ${method} ${url}`;
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
  return [...parts, shellQuoted(url), ...omissions(delivery, after)].join(' ');
}

/** A comment that names what curl cannot reproduce of a delivery. */
function omissions(
  { cuts, headFirst, headCut, chunks, leadingZeros, headerGap, headerOrder, abortAfter }: Delivery = {},
  after: RecordedRequest['after'],
): string[] {
  const omitted = [
    ...(after === undefined ? [] : ['the preceding request']),
    ...(cuts === undefined && headFirst === undefined && headCut === undefined ? [] : ['the segments']),
    ...(chunks === undefined ? [] : [`the chunks (${chunks})`]),
    ...(leadingZeros === undefined ? [] : ['the leading zeros of lengths']),
    ...(headerGap === undefined ? [] : ['the white space in headers']),
    ...(headerOrder === undefined ? [] : ['the order of headers']),
    ...(abortAfter === undefined ? [] : [`the abort after ${abortAfter} bytes of the body`]),
  ];
  return omitted.length === 0
    ? []
    : [`# curl cannot reproduce ${omitted.join(', ')}; use ${suite.name} replay`];
}

function bodyOf(body: RecordedRequest['body']): string[] {
  if (body.bytes === 0) return ['--data-binary', "''"];
  if (body.bytes > MAX_BODY_BYTES || body.truncated === true)
    return ['--data-binary', `@body-of-${body.bytes}-bytes`];
  if ('text' in body && body.text.includes('$PLANT_STORE_TOKEN')) {
    return ['--data-binary', `"${body.text.replaceAll('"', '\\"')}"`];
  }
  if ('text' in body && isPlain(body.text)) return ['--data-binary', quoted(body.text)];
  const bytes = 'text' in body ? Buffer.from(body.text) : Buffer.from(body.base64, 'base64');
  const octal = escaped(Buffer.from(bytes).toString('latin1'), /[^\x20-\x7e]|['\\]/g);
  return octal.includes('\\000')
    ? ['--data-binary', `@<(printf '${octal.replaceAll('%', '%%')}')`]
    : ['--data-binary', `$'${octal}'`];
}
