import { createHash } from 'node:crypto';
import { suite } from '../package.ts';
import { bearer, type Draft } from '../payloads/case.ts';
import type { CheckResult, Failure, Observations } from '../run/result.ts';
import type { RunEvent, RunFooter, RunHeader } from '../run/run.ts';
import type { Exchange } from '../wire/exchange.ts';
import { curlOf } from './curl.ts';
import type { RecordedBody, RecordedExchange, RecordedRequest, RecordedResult, RunRecord } from './record.ts';
import { REDACTED, type Redact, redactAll, redactor } from './redact.ts';

/** Bytes of a body that are kept: all of a request, the beginning of an answer. */
const REQUEST_CAP = 64 * 1024 + 1024;
const ANSWER_CAP = 4 * 1024;

/**
 * Folds the events of a run into its record. What must not be written down is taken out of each event as
 * it comes, so that nothing of it is kept.
 */
export class Recorder {
  private readonly redact: Redact;
  private readonly results: RecordedResult[] = [];
  private header: RunHeader | undefined;
  private footer: RunFooter | undefined;

  /** @param secrets the token, and the values of the headers that the user has added */
  constructor(secrets: readonly string[]) {
    this.redact = redactor(secrets);
  }

  take(event: RunEvent): RecordedResult | undefined {
    if (event.type === 'start') this.header = event.header;
    if (event.type === 'end') this.footer = event.footer;
    if (event.type !== 'result' || this.header === undefined) return undefined;
    const result = resultOf(event.result, this.header, this.redact);
    this.results.push(result);
    return result;
  }

  /** @throws Error before the run has ended */
  record(): RunRecord {
    const { header, footer, results, redact } = this;
    if (header === undefined || footer === undefined) throw new Error('the run has not ended');
    const { document, target, options, startedAt } = header;
    const { summary, outcome, stop, advice, requests, seconds, created, server } = footer;
    const open = {
      target: { ...target, server: server ?? null },
      stop: stop ?? null,
      advice: advice ?? null,
    };
    return {
      schemaVersion: 1,
      suite: { ...suite, catalogue: `sha256:${catalogueDigest(results)}` },
      document: { file: document.file, sha256: document.sha256, version: document.version },
      options,
      startedAt,
      seconds: rounded(seconds),
      requests,
      created,
      outcome,
      summary,
      ...redactAll(open, redact),
      results,
      observations: Object.assign({}, ...results.map(({ observations }) => observations)) as Observations,
    };
  }
}

/** What a catalogue checks, in one word: two records can be compared where it is the same. */
const catalogueDigest = (results: readonly RecordedResult[]): string =>
  createHash('sha256')
    .update(JSON.stringify(results.map(({ id, level, statement }) => [id, level, statement])))
    .digest('hex');

const rounded = (value: number) => Math.round(value * 1000) / 1000;

function resultOf(
  { check, verdict, cases, failed, seconds, failures, observations, blocked }: CheckResult,
  header: RunHeader,
  redact: Redact,
): RecordedResult {
  const exchanges = failures.map((failure) => exchangeOf(failure, header, redact));
  const [first] = failures;
  const [shown] = exchanges;
  return {
    ...check,
    verdict,
    cases,
    failed,
    seconds: rounded(seconds),
    ...(shown === undefined ? {} : { expected: shown.expected, actual: shown.actual }),
    ...(blocked === undefined ? {} : { blockedBy: blocked.by, reason: redact(blocked.reason) }),
    ...(first === undefined || shown === undefined
      ? {}
      : {
          counterexample: {
            label: redact(first.label),
            when: first.when,
            payload: shown.request.body,
            seed: header.options.seed,
            ...first.drawn,
          },
        }),
    exchanges,
    observations: redactAll(observations, redact),
  };
}

function exchangeOf(
  { label, draft, exchange, finding }: Failure,
  { target }: RunHeader,
  redact: Redact,
): RecordedExchange {
  const request = requestOf(exchange, draft, target.baseUrl, redact);
  const { response } = exchange;
  return {
    label: redact(label),
    request,
    ...(response === undefined
      ? {}
      : {
          response: {
            status: response.status,
            statusText: redact(response.statusText),
            headers: response.headers.map(([name, value]) => [redact(name), redact(value)] as const),
            body: bodyOf(response.body, ANSWER_CAP, redact),
          },
        }),
    ...(exchange.kind === 'broken'
      ? { fault: { kind: exchange.fault.kind, detail: redact(exchange.fault.detail) } }
      : {}),
    ms: rounded(exchange.ms),
    curl: curlOf(request),
    ...redactAll(
      {
        expected: finding.expected,
        actual: finding.actual,
        cause: finding.ofRequest ? `${finding.cause}: ${label}` : finding.cause,
      },
      redact,
    ),
  };
}

/** The request as it can be written down: what was made from the token is named as a shell would make it. */
function requestOf({ request }: Exchange, draft: Draft, baseUrl: string, redact: Redact): RecordedRequest {
  const { method, headers, body, verbatim } = request;
  const { origin } = new URL(baseUrl);
  const shell = [...(draft.credential ?? bearer).shell];
  const path =
    draft.tokenIn === undefined ? request.path : request.path.replace(/=[^=]*$/, '=$PLANT_STORE_TOKEN');
  const secret =
    draft.body !== undefined && 'secret' in draft.body ? draft.body.secret('$PLANT_STORE_TOKEN') : undefined;
  return {
    method,
    url: `${origin}${path}`,
    headers: headers.map(
      ([name, value]) =>
        [name, name === 'authorization' ? (shell.shift() ?? REDACTED) : redact(value)] as const,
    ),
    body:
      secret === undefined
        ? bodyOf(body ?? new Uint8Array(), REQUEST_CAP, redact)
        : { bytes: body?.length ?? 0, text: secret },
    ...(verbatim === undefined ? {} : { verbatim: true }),
  };
}

function bodyOf(body: Uint8Array, cap: number, redact: Redact): RecordedBody {
  const bytes = body.length;
  const kept = body.subarray(0, cap);
  const cut = bytes > cap ? { truncated: true as const } : {};
  try {
    return {
      bytes,
      ...cut,
      text: redact(
        new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(kept, { stream: bytes > cap }),
      ),
    };
  } catch {
    const clean = Buffer.from(redact(Buffer.from(kept).toString('latin1')), 'latin1');
    return { bytes, ...cut, base64: clean.toString('base64') };
  }
}
