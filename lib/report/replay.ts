import type { Body, Credential, Draft } from '../payloads/case.ts';
import { credentialOf } from '../payloads/credentials.ts';
import { FRESH, object } from '../payloads/json.ts';
import type { Check } from '../run/check.ts';
import { IdRanges } from '../run/id-ranges.ts';
import { pathOf } from './explain.ts';
import type { RecordedRequest, RecordedResult, RunRecord } from './record.ts';
import { REDACTED } from './redact.ts';

type Rules = Extract<Check['test'], { kind: 'standing' }>['rules'];

const TOKEN = '$PLANT_STORE_TOKEN';

/** Headers that a request gets again on its way. */
const MADE_ANEW = new Set(['host', 'content-length', 'content-type', 'transfer-encoding', 'authorization']);

/**
 * A check that does again what a failure of a record was: sends the request of the counterexample, byte for
 * byte but for an id that the store has used up. Undefined where one request alone does not show the
 * failure, or was too odd or too long to be written down: there the whole check has to be carried out again.
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
  if (request.verbatim === true || request.after !== undefined || !isWhole(request.body)) return undefined;
  const { kind, rules: own } = check.test;
  // What holds whenever something happens is mended where it no longer happens.
  const rules = kind === 'standing' ? [...own, whateverAnswer] : own;
  const draft = draftOf(request, record);
  return { ...check, test: { kind: 'cases', rules, cases: () => [{ label, population: 'other', draft }] } };
}

const whateverAnswer: Rules[number] = ({ response }) =>
  response === undefined ? { unseen: 'no answer' } : undefined;

const isWhole = (body: RecordedRequest['body']) =>
  body.truncated !== true && !('text' in body && body.text.includes(REDACTED));

/** A recorded request as one that can be sent again, with any token. */
function draftOf({ method, url, headers, body, delivery }: RecordedRequest, record: RunRecord): Draft {
  const path = pathOf(url).slice(pathOf(record.target.baseUrl).replace(/\/+$/, '').length);
  const inQuery = /[?&]([^=&]+)=\$PLANT_STORE_TOKEN$/.exec(path);
  const valuesOf = (name: string) =>
    headers.filter(([own]) => own.toLowerCase() === name).map(([, value]) => value);
  const isMadeAnew = (name: string) =>
    MADE_ANEW.has(name) ||
    (name === 'expect' && delivery?.expectContinue === true) ||
    (name === 'trailer' && delivery?.chunks === 'trailer');
  const chunked = valuesOf('transfer-encoding').length > 0;
  const carrier = headers.find(
    ([name, value]) => name.toLowerCase() !== 'authorization' && value.includes(TOKEN),
  );
  return {
    method,
    path: inQuery === null ? path : path.slice(0, inQuery.index),
    ...(inQuery?.[1] === undefined ? {} : { tokenIn: inQuery[1] }),
    credential: carrier === undefined ? credentialOf(valuesOf('authorization')) : carriedBy(...carrier),
    contentType: valuesOf('content-type')[0],
    headers: headers.filter(
      ([name, value]) => !isMadeAnew(name.toLowerCase()) && value !== REDACTED && !value.includes(TOKEN),
    ),
    body: body.bytes === 0 && !chunked ? undefined : bodyOf(body, valuesOf('content-type')[0], record),
    framing: chunked ? 'chunked' : 'length',
    ...(delivery === undefined ? {} : { delivery }),
  };
}

/** The token in another header than its own. */
const carriedBy = (header: string, value: string): Credential => ({
  header,
  values: (token) => [value.replaceAll(TOKEN, token)],
  shell: [value],
});

function bodyOf(body: RecordedRequest['body'], contentType = '', { created }: RunRecord): Body {
  if (!('text' in body)) return { bytes: Buffer.from(body.base64, 'base64') };
  const { text } = body;
  if (text.includes(TOKEN)) {
    const form = contentType.includes('urlencoded');
    return { secret: (token) => text.replaceAll(TOKEN, form ? encodeURIComponent(token) : token) };
  }
  const used = IdRanges.from(created.ids);
  return {
    // What the judge is told of the request; its text is the recorded one.
    json: object({ id: FRESH, ...stringsOf(text) }),
    edit: (fresh) => {
      const id = /^\{"id":(\d+)/.exec(fresh)?.[1] ?? '0';
      return text.replace(/(?<=[:[,]\s*)\d{1,19}(?=\s*(?:[,}\]]|$))/g, (numeral) =>
        used.has(BigInt(numeral)) ? id : numeral,
      );
    },
  };
}

/** Name and tag of the plant that a text holds, if it holds one. */
function stringsOf(text: string): Record<string, string> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return {};
  }
  const members = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  return Object.fromEntries(
    ['name', 'tag'].flatMap((key) => {
      const member = Object.hasOwn(members, key) ? members[key] : undefined;
      return typeof member === 'string' ? [[key, member]] : [];
    }),
  );
}
