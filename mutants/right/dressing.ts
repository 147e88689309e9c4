import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { type Answer, json } from '../../reference/store.ts';
import { type Change, type RightStore, right } from '../fleet.ts';
import {
  adding,
  answering,
  answeringText,
  answeringValue,
  depthOf,
  html,
  rejected,
  sending,
  textOf,
  withFreshState,
} from '../helpers.ts';

const bytesOf = ({ body = '' }: Answer) => Buffer.from(body);

/** Echoes the whole body, as long as it is not nested too deeply for the store. */
const echoing = (maxDepth: number, indent?: number): Change =>
  answering((answer, { name, tag }, { body }) => {
    if (depthOf(body.toString()) > maxDepth) return answer;
    const plant: Record<string, unknown> = JSON.parse(body.toString());
    return { ...answer, body: JSON.stringify({ ...plant, name, tag }, null, indent) };
  });

const RAW_BLOCK_BYTES = 100_000;
/** Encodes as Zstandard without compressing (RFC 8878): a frame of raw blocks. */
function zstd(bytes: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(bytes.length);
  const blocks: Buffer[] = [];
  for (let from = 0; from === 0 || from < bytes.length; from += RAW_BLOCK_BYTES) {
    const block = bytes.subarray(from, from + RAW_BLOCK_BYTES);
    const head = Buffer.alloc(3);
    head.writeUIntLE((block.length << 3) | (from + RAW_BLOCK_BYTES >= bytes.length ? 1 : 0), 0, 3);
    blocks.push(head, block);
  }
  // A single-segment frame with a four-byte size.
  return Buffer.concat([Buffer.of(0x28, 0xb5, 0x2f, 0xfd, 0xa0), size, ...blocks]);
}

const GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;
const twoMembers = (bytes: Buffer) =>
  Buffer.concat([gzipSync(bytes.subarray(0, 3)), gzipSync(bytes.subarray(3))]);

type Codings = Readonly<Record<string, (bytes: Buffer) => Uint8Array>>;
/** Compresses the response if Accept-Encoding names a known coding. */
const negotiated = (codings: Codings, which: (answer: Answer) => boolean = () => true): Change =>
  sending((answer, { headers, method }) => {
    const accepted = (headers['accept-encoding'] ?? []).join().toLowerCase().split(',');
    const weights = accepted.map((range) => {
      const [coding = '', ...parameters] = range.split(';').map((part) => part.trim());
      return [coding, Number(parameters.find((one) => one.startsWith('q='))?.slice(2) ?? 1)] as const;
    });
    const chosen = weights
      .filter(([coding, weight]) => weight > 0 && codings[coding] !== undefined)
      .sort(([, one], [, other]) => other - one)[0]?.[0];
    const vary = { ...answer.headers, vary: 'Accept-Encoding' };
    const encode = codings[chosen ?? ''];
    if (chosen === undefined || encode === undefined || method === 'HEAD' || !which(answer))
      return { ...answer, headers: vary };
    return {
      ...answer,
      headers: { ...vary, 'content-encoding': chosen },
      body: encode(bytesOf(answer)),
    };
  });

/** Stores with the usual additions of proxies and frameworks. */
export const dressing: readonly RightStore[] = [
  right(
    'compressed-where-accepted',
    'compresses with br, gzip or deflate according to the weights in Accept-Encoding',
    negotiated({ br: brotliCompressSync, gzip: gzipSync, deflate: deflateSync }),
  ),
  right(
    'errors-compressed-where-accepted',
    'compresses only responses other than 200, if Accept-Encoding allows it',
    negotiated({ gzip: gzipSync }, ({ status }) => status !== 200),
  ),
  right(
    'x-gzip-where-accepted',
    'labels gzip as x-gzip and sends two members (RFC 9110 section 8.4.1.3, RFC 1952 section 2.2)',
    sending((answer, { headers, method }) =>
      GZIP.test((headers['accept-encoding'] ?? []).join()) && method !== 'HEAD'
        ? {
            ...answer,
            headers: { ...answer.headers, 'content-encoding': 'x-gzip', vary: 'accept-encoding' },
            body: twoMembers(bytesOf(answer)),
          }
        : answer,
    ),
  ),
  right(
    'zstd-where-accepted',
    'compresses with zstd (RFC 8878) if Accept-Encoding names it: such a client can read it',
    negotiated({ zstd }),
  ),
  right(
    'identity-coding',
    'sends Content-Encoding: identity, which is true',
    adding({ 'content-encoding': 'identity' }),
  ),
  right(
    'cloudflare',
    'sends the headers of a content delivery network, including two Vary fields and cookies',
    adding({
      server: 'cloudflare',
      'cf-ray': '8f1e2d3c4b5a6978-FRA',
      'cf-cache-status': 'DYNAMIC',
      'alt-svc': 'h3=":443"; ma=86400',
      nel: '{"success_fraction":0,"report_to":"cf-nel","max_age":604800}',
      'report-to': '{"endpoints":[{"url":"https://nel.example/report"}],"group":"cf-nel","max_age":604800}',
      'strict-transport-security': 'max-age=15552000; includeSubDomains; preload',
      'server-timing': 'cfL4;desc="?proto=TCP&rtt=1"',
      'set-cookie': ['__cf_bm=x.y-1.0; path=/; HttpOnly; Secure', '_cfuvid=z; Domain=.plants.example'],
      vary: ['Accept-Encoding', 'Origin, accept-encoding'],
    }),
  ),
  right(
    'varnish',
    'sends the headers of a cache (Age, Via, X-Cache, Accept-Ranges), which passes POST through',
    adding({
      age: '0',
      via: '1.1 varnish (Varnish/7.1), 1.1 squid (squid/6.6)',
      'x-varnish': '32770 3',
      'x-cache': 'MISS from squid',
      'accept-ranges': 'bytes',
      'cache-control': 'public, max-age=60',
      expires: 'Thu, 01 Jan 1970 00:00:00 GMT',
      etag: '"5f3e"',
      'last-modified': 'Wed, 21 Oct 2015 07:28:00 GMT',
    }),
  ),
  right(
    'attachment',
    'sends responses as attachments with a file name, a language and a profile',
    adding({
      'content-disposition': 'attachment; filename="plant.json"; filename*=UTF-8\'\'pl%C3%A4nt.json',
      'content-language': 'en, de',
      link: '</profile>; rel="profile", </plants>; rel="collection"',
      'content-location': '/plants/1',
    }),
  ),
  right('capital-names', 'sends header names in capitals and no Date', (reference) => ({
    send(answer, response, request) {
      response.sendDate = false;
      const capitals = Object.entries(answer.headers ?? {}).map(([name, value]) => [
        name.toUpperCase(),
        value,
      ]);
      reference.send({ ...answer, headers: Object.fromEntries(capitals) }, response, request);
    },
  })),
  right(
    'length-with-zeros',
    'sends Content-Length with leading zeros: it is 1*DIGIT (RFC 9110 section 8.6)',
    sending((answer) => ({
      ...answer,
      headers: { ...answer.headers, 'content-length': String(bytesOf(answer).length).padStart(12, '0') },
    })),
  ),
  right(
    'cors-everywhere',
    'sends CORS headers that echo Origin, and answers OPTIONS with 200 without a body',
    sending((answer, { headers, method }) => {
      const cors = {
        'access-control-allow-origin': headers.origin?.[0] ?? '*',
        'access-control-expose-headers': '*',
        vary: 'Origin',
      };
      return method === 'OPTIONS'
        ? { status: 200, headers: cors }
        : { ...answer, headers: { ...answer.headers, ...cors } };
    }),
  ),
  right(
    'rate-limit-fields',
    'sends rate limit headers and Retry-After: 0 with every response, but limits nothing',
    withFreshState(() => {
      let left = 100_000;
      return sending((answer) => {
        left -= 1;
        return {
          ...answer,
          headers: {
            ...answer.headers,
            'ratelimit-policy': '"default";q=100000;w=60',
            ratelimit: `"default";r=${left};t=1`,
            'x-ratelimit-remaining': '0',
            'retry-after': '0',
          },
        };
      });
    }),
  ),

  // The body.
  right(
    'markup-escaped',
    "writes < > & ' + and non-ASCII characters as \\u, like Go and .NET",
    answeringText((text) =>
      text.replace(
        /[<>&'+`\u007f-\uffff]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`,
      ),
    ),
  ),
  right(
    'markup-sanitised',
    'returns the name with < > & as entities: echoing it is a SHOULD',
    answeringValue(({ name, tag }) => ({
      name: name.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
      tag,
    })),
  ),
  right(
    'composed',
    'returns the name in NFKC, trimmed, truncated after 30 characters: echoing it is a SHOULD',
    answeringValue(({ name, tag }) => ({
      name: [...name.normalize('NFKC').trim()].slice(0, 30).join(''),
      tag,
    })),
  ),
  right(
    'nameless',
    'returns an empty name and tag: they are strings',
    answeringValue(() => ({ name: '', tag: '' })),
  ),
  right(
    'id-as-double',
    'returns id as a double with an exponent: whether it comes back exact is unspecified',
    answering((answer, { id }) => ({
      ...answer,
      body: textOf(answer).replace(/}$/, `,"id":${Number(id).toExponential()}}`),
    })),
  ),
  right(
    'echoes-all',
    'echoes the whole body with undeclared properties, without those that would make it an invalid Plant',
    echoing(100),
  ),
  right(
    'echoes-all-indented',
    'echoes the whole body, indented by four spaces a level: deeply nested ones become longer than 8 MiB',
    echoing(2500, 4),
  ),
  right(
    'message-quotes',
    'quotes the truncated body in the message of a 400: nothing forbids it',
    rejected((answer, { code, message }, { body }) =>
      json(answer.status, { error: code, message: `${message}: ${body.toString().slice(0, 200)}` }),
    ),
  ),
  right(
    'error-varies',
    'sends a different int32 as error each time, also negative ones: its values are unspecified',
    withFreshState(() => {
      let error = -(2 ** 31);
      return rejected((answer, { message }) => {
        error += 104_729;
        return json(answer.status, { error, message });
      });
    }),
  ),
  right(
    'framework-errors',
    'answers 404, 405, 413 and 415 in HTML from the framework, other rejections with an Error',
    (reference) => ({
      reject: (rejection, request) =>
        [400, 401].includes(rejection.status)
          ? reference.reject(rejection, request)
          : {
              ...html(rejection.status, `Error ${rejection.status}`),
              headers: { ...rejection.headers, 'content-type': 'text/html' },
            },
    }),
  ),
];
