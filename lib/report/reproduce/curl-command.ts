import { DEFAULT_HEADERS, inUsualCase } from '../../run/send/fill-template.ts';
import { hasHeader } from '../../wire/headers.ts';
import type { RecordedRequest } from '../record/record.ts';
import { dividedUrl, latin1, MAX_SECONDS, type Showing } from './on-connection.ts';
import { fitsWord, printing, shellParts, shortened, word } from './shell.ts';
import { wholeBody } from './untruncated-body.ts';

const SHOWING: Readonly<Record<Showing['shows'], readonly string[]>> = {
  response: ['-i'],
  'body and status': ['-w', "'\\n%{http_code}\\n'"],
  'status and media type': ['-o', '/dev/null', '-w', "'%{http_code} %{content_type}\\n'"],
  status: ['-o', '/dev/null', '-w', "'%{http_code}\\n'"],
  nothing: ['-o', '/dev/null'],
};

export function curlArguments(request: RecordedRequest, { shows, givesUp, variables }: Showing): string[] {
  const { method, url, delivery } = request;
  const { origin, target } = dividedUrl(url);
  const text = (bytes: string) => word(shortened(shellParts(bytes, variables)));
  const isPlain =
    /^\/[\w\-.~%!$&'()*+,;=:@/?]*(?<!\?)$/.test(target) && !/\/(?:\.|%2e){1,2}(?=[/?]|$)/i.test(target);
  const hasBody = sendsBody(request);
  const usual =
    method === 'HEAD' ? ['--head'] : method === (hasBody ? 'POST' : 'GET') ? [] : ['-X', text(method)];
  return [
    '-sS',
    ...SHOWING[shows],
    ...(givesUp ? ['-m', String(MAX_SECONDS)] : []),
    ...(origin.startsWith('https:') ? ['--http1.1'] : []),
    ...(delivery?.version === '1.0' ? ['--http1.0'] : []),
    ...usual,
    ...(delivery?.absoluteTarget === true ? ['--request-target', text(latin1(url))] : []),
    ...(isPlain || delivery?.absoluteTarget === true ? [] : ['--request-target', text(latin1(target))]),
    text(isPlain ? latin1(url) : `${origin}/`),
    ...curlHeaders(request, hasBody, text),
    ...(hasBody ? curlBody(request, variables) : []),
  ];
}

/** Headers that curl would not send by itself, and headers that it must not send. */
function curlHeaders(
  { url, headers }: RecordedRequest,
  hasBody: boolean,
  text: (bytes: string) => string,
): string[] {
  const { host } = new URL(dividedUrl(url).origin);
  const sentHeaders = headers.filter(
    ([name, value]) =>
      !['content-length', ...(value === host ? ['host'] : [])].includes(name.toLowerCase()) &&
      // Default headers of the suite can be left out, since any client's will do.
      (!DEFAULT_HEADERS.some((one) => one[0] === name.toLowerCase() && one[1] === value) ||
        headers.filter(([other]) => other === name).length > 1),
  );
  const unwanted = ['accept', 'user-agent', ...(hasBody ? ['content-type'] : [])].filter(
    (name) => !hasHeader(headers, name),
  );
  return [
    ...sentHeaders.flatMap(([name, value]) => {
      const pair = BASIC.exec(value)?.[1];
      if (pair !== undefined && name.toLowerCase() === 'authorization') return ['-u', text(pair)];
      return ['-H', text(value === '' ? `${inUsualCase(name)};` : `${inUsualCase(name)}: ${value}`)];
    }),
    ...unwanted.flatMap((name) => ['-H', text(`${inUsualCase(name)}:`)]),
  ];
}

/** Matches Basic credentials with user and password, as they are recorded; curl encodes them by itself. */
const BASIC = /^Basic \$\(printf %s "([^":]*:[^"]*)" \| base64\b[^)]*\)$/;

function curlBody({ body }: RecordedRequest, variables: ReadonlyMap<string, string>): string[] {
  const bytes = wholeBody(body);
  const parts = shortened(shellParts(bytes, variables));
  if (!fitsWord(parts)) return ['--data-binary', `@<(${printing(parts).join('; ')})`];
  const option = bytes.startsWith('@') ? '--data-raw' : bytes.includes('\n') ? '--data-binary' : '-d';
  return [option, word(parts)];
}

/** Whether the request has a body, even an empty one. */
const sendsBody = ({ method, headers, body, delivery }: RecordedRequest): boolean =>
  body.bytes > 0 ||
  (delivery === undefined
    ? // What undici sends, whatever the record says.
      ['POST', 'PUT', 'PATCH'].includes(method)
    : method !== 'HEAD' && hasHeader(headers, 'content-length'));
