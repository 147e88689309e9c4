import { membersOf } from '../../members.ts';
import { credentialOf, KEPT_COOKIES, keptCookies } from '../../payloads/credentials.ts';
import { FRESH, object } from '../../payloads/json.ts';
import type { Body, Credential, RequestTemplate } from '../../payloads/test-case.ts';
import type { Check } from '../../run/check.ts';
import { IdRanges } from '../../run/plan/id-ranges.ts';
import { fill } from '../../run/send/fill-template.ts';
import { TOKEN_IN_SHELL } from '../../token-variable.ts';
import type { Exchange } from '../../wire/exchange.ts';
import { hasHeader, headerValues } from '../../wire/headers.ts';
import type { Answered, RecordedRequest, RecordedResult, RunRecord } from '../record/record.ts';
import { REDACTED } from '../record/redact.ts';
import { pathOf } from '../wording/format-text.ts';
import { bytesIn } from './untruncated-body.ts';

type Rules = Extract<Check['test'], { kind: 'invariant' }>['rules'];

const REGENERATED = new Set(['host', 'content-length', 'content-type', 'transfer-encoding', 'authorization']);

/**
 * Returns a check that sends a recorded request again: byte for byte, except for an id that may now be in
 * use. Undefined if more than one request is needed or the record is incomplete; then the whole check has to
 * be repeated.
 */
export function replayOf(
  { exchanges, counterexample }: RecordedResult,
  check: Check,
  record: RunRecord,
): Check | undefined {
  const [exchange] = exchanges;
  const { when = 'always' } = counterexample ?? {};
  if (exchange === undefined || when !== 'always' || !('rules' in check.test)) return undefined;
  const { label, request } = exchange;
  const template = templateFromRecord(request, record);
  if (template === undefined) return undefined;
  const { kind, rules: own } = check.test;
  // A failure of an invariant is also fixed if the situation that the invariant is about no longer arises.
  const rules = kind === 'invariant' ? [...own, anyResponse] : own;
  return {
    ...check,
    test: { kind: 'cases', rules, cases: () => [{ label, template }] },
  };
}

const anyResponse: Rules[number] = ({ response }) =>
  response === undefined ? { notApplied: 'no response' } : undefined;

const isWhole = (body: RecordedRequest['body']) =>
  body.truncated !== true && !('text' in body && body.text.includes(REDACTED));

/**
 * Turns a recorded request into a template; undefined if it depends on an earlier request or was not recorded
 * completely.
 *
 * @param ids what to replace ids by; without it, ids that the run has used are replaced by a fresh one
 */
export function templateFromRecord(
  { method, url, headers, body, delivery, rawBytes, after }: RecordedRequest,
  record: RunRecord,
  ids?: ReplacedIds,
): RequestTemplate | undefined {
  if (rawBytes === true || after !== undefined || !isWhole(body)) return undefined;
  const path = withIds(pathOf(url), ids).slice(pathOf(record.target.baseUrl).replace(/\/+$/, '').length);
  const inQuery = /[?&]([^=&]+)=\$PLANT_STORE_TOKEN$/.exec(path);
  const [contentType] = headerValues(headers, 'content-type');
  const isRegenerated = (name: string) =>
    REGENERATED.has(name) ||
    (name === 'expect' && delivery?.expectContinue === true) ||
    (name === 'trailer' && delivery?.chunks === 'trailer');
  const chunked = hasHeader(headers, 'transfer-encoding');
  const isCarried = (value: string) => value.includes(TOKEN_IN_SHELL) || value === KEPT_COOKIES;
  const carrier = headers.find(([name, value]) => name.toLowerCase() !== 'authorization' && isCarried(value));
  return {
    method,
    path: inQuery === null ? path : path.slice(0, inQuery.index),
    ...(inQuery?.[1] === undefined ? {} : { tokenIn: inQuery[1] }),
    credential:
      carrier === undefined
        ? credentialOf(headerValues(headers, 'authorization'))
        : carrier[1] === KEPT_COOKIES
          ? keptCookies.credential
          : carriedBy(...carrier),
    contentType,
    headers: headers.filter(
      ([name, value]) => !isRegenerated(name.toLowerCase()) && value !== REDACTED && !isCarried(value),
    ),
    body: body.bytes === 0 && !chunked ? undefined : bodyOf(body, contentType, record, ids),
    framing: chunked ? 'chunked' : 'length',
    ...(delivery === undefined ? {} : { delivery }),
  };
}

/** Restores an exchange from a record. The token stays as it is recorded. */
export function restoredExchange({ response, fault, ms }: Answered, template: RequestTemplate): Exchange {
  const request = fill(template, 0n, { token: TOKEN_IN_SHELL, host: '', prefix: '', headers: [] });
  const received = response && { ...response, body: bytesIn(response.body), truncated: false };
  const sent = { request, ms, interim: [] };
  if (received !== undefined && fault === undefined) return { ...sent, kind: 'answered', response: received };
  const { kind = 'closed', detail = '' } = fault ?? {};
  return { ...sent, kind: 'broken', fault: { kind, detail }, response: received };
}

const carriedBy = (header: string, value: string): Credential => ({
  header,
  values: (token) => [value.replaceAll(TOKEN_IN_SHELL, token)],
  shell: [value],
});

function bodyOf(
  body: RecordedRequest['body'],
  contentType = '',
  { created }: RunRecord,
  ids: ReplacedIds | undefined,
): Body {
  if (!('text' in body)) return { bytes: bytesIn(body) };
  const { text } = body;
  if (text.includes(TOKEN_IN_SHELL)) {
    const form = contentType.includes('urlencoded');
    return { secret: (token) => text.replaceAll(TOKEN_IN_SHELL, form ? encodeURIComponent(token) : token) };
  }
  // Used only for judging; the text that is sent is the recorded one.
  const json = object({ id: FRESH, ...sentStringsIn(text) });
  if (ids !== undefined) return { json, edit: () => withIds(text, ids) };
  const used = IdRanges.from(created.ids);
  return {
    json,
    edit: (fresh) => {
      const id = /^\{"id":(\d+)/.exec(fresh)?.[1] ?? '0';
      return text.replace(/(?<=[:[,]\s*)\d{1,19}(?=\s*(?:[,}\]]|$))/g, (numeral) =>
        used.has(BigInt(numeral)) ? id : numeral,
      );
    },
  };
}

/** Ids as they were recorded, and what to send instead. */
export type ReplacedIds = ReadonlyMap<bigint, bigint>;

const withIds = (text: string, ids: ReplacedIds = new Map()): string =>
  text.replace(/-?\d+/g, (numeral) => String(ids.get(BigInt(numeral)) ?? numeral));

/** The strings that rules may compare with those of the response. */
function sentStringsIn(text: string): Record<string, string> {
  const { name, tag } = membersOf(text);
  return {
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof tag === 'string' ? { tag } : {}),
  };
}
