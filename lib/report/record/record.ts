import {
  boolean,
  constant,
  described,
  either,
  integer,
  list,
  mapOf,
  matching,
  named,
  nonNegative,
  nonNegativeInteger,
  nullable,
  number,
  type ObjectOf,
  type Of,
  object,
  oneOf,
  optional,
  pair,
  positiveInteger,
  type Schema,
  text,
  withKeywords,
  wordOf,
} from '../../json-schema.ts';
import type { Preceding } from '../../payloads/test-case.ts';
import type { About, Level, TestKind } from '../../run/check.ts';
import type { Cause, Repeat } from '../../run/result/cause.ts';
import type {
  CheckCoverage,
  Failure,
  FailureCount,
  FailureGroup,
  Observations,
  Retries,
  Stop,
  Verdict,
} from '../../run/result/result.ts';
import type { Outcome, Summary, VerdictCount } from '../../run/result/verdict.ts';
import type { RecordedOptions, RunFooter } from '../../run/run.ts';
import type { Latency } from '../../run/send/latency.ts';
import type { Delivery, FaultKind } from '../../wire/exchange.ts';

/**
 * The record of a run: its JSON Schema, which `npm run docs` writes to record.schema.json, and the types
 * derived from it. An annotation such as `Schema<Verdict>` makes the compiler compare the schema with a type
 * of the run. It only overlooks an optional property that the schema lacks.
 */

const texts = list(text);
const date = withKeywords(text, { format: 'date' });
const instant = withKeywords(text, { format: 'date-time' });
const sha256 = '[0-9a-f]{64}';
const checkId = matching('^[a-z0-9-]+/[a-z0-9^-]+$');
const failureName = 'f[0-9a-f]{11}';
const causeFingerprint = matching('^c[0-9a-f]{11}$');
const failureFingerprint = matching(`^${failureName}$`);

const level: Schema<Level> = wordOf('MUST SHOULD OBSERVE');
export const verdict: Schema<Verdict> = wordOf('pass fail observed untestable skipped');
export const exitCode = oneOf(0, 1, 2, 3);

const count: Schema<VerdictCount> = named(
  'count',
  object({
    pass: nonNegativeInteger,
    fail: nonNegativeInteger,
    observed: nonNegativeInteger,
    untestable: nonNegativeInteger,
    skipped: nonNegativeInteger,
  }),
);

const tried: Schema<FailureCount> = named('tried', pair(nonNegativeInteger));

const observations: Schema<Observations> = named(
  'observations',
  mapOf<string | number | boolean>({ json: { type: ['string', 'number', 'boolean'] } }),
);

const size = { bytes: nonNegativeInteger, truncated: optional(constant(true)) };

export const body = named(
  'body',
  either(
    object({ ...size, text }),
    object({ ...size, base64: withKeywords(text, { contentEncoding: 'base64' }) }),
  ),
  'A body: text if it is UTF-8, otherwise base64. `bytes` is its full length; `truncated` means that only the beginning is recorded.',
);
export type RecordedBody = Of<typeof body>;

const headers = list(pair(text));

const delivery: Schema<Delivery> = named(
  'delivery',
  object({
    cuts: optional(
      list(integer),
      'Offsets in the body, without its transfer coding, at each of which a TCP segment ended and a pause followed; negative ones count from the end.',
    ),
    headFirst: optional(constant(true), 'The body was sent after a pause.'),
    headCut: optional(
      wordOf('middle end'),
      'The head was sent in two segments, divided in its middle or between the two line ends at its end.',
    ),
    pauseMs: optional(nonNegativeInteger, 'Milliseconds between two segments.'),
    chunks: optional(
      wordOf('one halves many extensions trailer'),
      'How the chunked body was divided: one chunk, two chunks, chunks of seven bytes, two chunks with chunk extensions, two chunks with a trailer section.',
    ),
    chunkEnd: optional(
      nonNegativeInteger,
      'The offset in the body at which the first of two chunks ended, if not the middle.',
    ),
    chunkSizes: optional(
      wordOf('zeros capitals'),
      'How chunk sizes were written, if not usually: with leading zeros, or with capital letters as digits.',
    ),
    leadingZeros: optional(constant(true), 'Content-Length had leading zeros.'),
    noLength: optional(constant(true), 'The request had no body and no Content-Length.'),
    headerGap: optional(text, 'The white space between the colon and the value of each header.'),
    expectContinue: optional(
      constant(true),
      'The body was sent after 100 Continue, or after a second without it.',
    ),
    absoluteTarget: optional(constant(true), 'The request target was in absolute form.'),
    capitals: optional(constant(true), 'Expect and Transfer-Encoding had values with capital letters.'),
    version: optional(constant('1.0'), 'The version of HTTP in the request line, if it was not 1.1.'),
    freshConnection: optional(constant(true), 'The request was the first on its connection.'),
    headerOrder: optional(texts, 'Header names in the order and letter case in which they were sent.'),
    abortAfter: optional(
      nonNegativeInteger,
      'The suite closed the connection after this many bytes of the body.',
    ),
  }),
  'How the request was sent, if not in the usual way.',
);

const connectionOfPreceding: Schema<Preceding['connection']> = wordOf(
  'same pipelined other other-open concurrent',
);

const request = named(
  'request',
  object({
    method: text,
    url: text,
    headers,
    body,
    delivery: optional(delivery),
    rawBytes: optional(
      constant(true),
      'The request was not well-formed, so that the other fields do not give the bytes that were sent.',
    ),
    after: optional(
      connectionOfPreceding,
      'Another request, named in the label, was sent right before it on the same or another connection, or at the same time.',
    ),
  }),
);
export interface RecordedRequest extends Of<typeof request> {}

const status = withKeywords(nonNegativeInteger, { minimum: 100, maximum: 999 });

const response = named('response', object({ status, statusText: text, headers, body }));

const faultKind: Schema<FaultKind> = wordOf(
  'unresolved refused untrusted not-tls connect-timeout timeout closed not-http unsolicited-continue aborted',
);

const fault = named('fault', object({ kind: faultKind, detail: text }));

const messages = { request, response: optional(response), fault: optional(fault), ms: nonNegative };

export interface Messages extends ObjectOf<typeof messages> {}
export type Answered = Omit<Messages, 'request'>;

const before = named(
  'before',
  described(list(object(messages)), 'Requests before it, or at the same time, that the failure depends on.'),
);

const exchange = named(
  'exchange',
  object({
    label: text,
    before: optional(before),
    ...messages,
    command: text,
    expected: text,
    actual: text,
    problem: text,
  }),
);
export interface RecordedExchange extends Of<typeof exchange> {}

export const about = {
  id: checkId,
  level,
  statement: text,
  basis: list(text, { minItems: 1 }),
  hint: text,
} satisfies Record<keyof About, unknown>;

const problem: Schema<FailureGroup & { readonly fingerprint: string }> = object({
  problem: described(text, 'What is wrong with the response.'),
  request: optional(text, 'The request, if the problem does not name it.'),
  failed: positiveInteger,
  position: described(nonNegativeInteger, 'The position of the first of them among the cases.'),
  fingerprint: failureFingerprint,
});

const when: Schema<NonNullable<Failure['when']>> = wordOf(
  'always this-request intermittent under-concurrency once',
);

const retries: Schema<Retries> = object({
  same: optional(tried),
  fresh: optional(tried),
  concurrent: optional(tried),
});

const kind: Schema<TestKind> = wordOf('cases property invariant scenario');

const coverage: Schema<CheckCoverage> = object({
  strength: described(oneOf(2, 3), 'How many values are combined: 2 for pairs, 3 for triples.'),
  dimensions: described(positiveInteger, 'The number of dimensions in which requests differ.'),
  rows: described(nonNegativeInteger, 'Rows of the array that were tried.'),
  covered: described(nonNegativeInteger, 'Pairs or triples of values in these rows.'),
  all: described(nonNegativeInteger, 'All possible pairs or triples of values.'),
  notApplicable: described(nonNegativeInteger, 'Values that do not apply to the document.'),
  together: optional(
    object({ rows: nonNegativeInteger, covered: nonNegativeInteger }),
    'In the record of a shard: what all shards together try and cover.',
  ),
});

const result = named(
  'result',
  object({
    ...about,
    kind,
    verdict,
    cases: nonNegativeInteger,
    failed: nonNegativeInteger,
    random: optional(
      nonNegativeInteger,
      'For a generated check: how many of the cases had random values. The others are the same in every run.',
    ),
    seconds: described(nonNegative, 'From start to end; other checks may run at the same time.'),
    problems: described(
      list(problem),
      'What was wrong in its failures, in the order in which it occurred. If the counts do not add up to `failed`, there was more than is recorded.',
    ),
    expected: optional(text),
    actual: optional(text),
    blockedBy: optional(text),
    reason: optional(text),
    counterexample: optional(
      object({
        label: text,
        when: optional(when, 'Whether it occurred again on a retry; absent if it was not retried.'),
        retries: optional(
          retries,
          'How many retries failed, of how many: in isolation with the same bytes and with a fresh id, and under concurrency.',
        ),
        payload: body,
        seed: nonNegativeInteger,
        path: optional(text),
        shrinks: optional(nonNegativeInteger),
      }),
    ),
    exchanges: list(exchange),
    observations,
    coverage: optional(coverage, 'For a check that begins with a covering array: how much of it was tried.'),
  }),
);
export interface RecordedResult extends Of<typeof result> {}

const repeat: Schema<Repeat> = object({
  times: positiveInteger,
  inFlight: described(positiveInteger, 'How many requests are sent at a time.'),
  onConnection: optional(constant(true), 'All requests are sent over one connection.'),
  sameId: optional(constant(true), 'All requests have the same id.'),
  pauseMs: optional(nonNegative, 'Milliseconds to wait before the request.'),
});

const causeKind: Schema<Cause['kind']> = wordOf(
  'always intermittent under-concurrency sequence from-then-on once',
);

const ladders: Schema<Cause['ladders']> = list(
  object({
    part: text,
    tried: list(object({ value: text, shows: described(boolean, 'Whether the fault showed.') })),
  }),
);

/** Properties of a cause that are also part of a comparison. */
export const comparedCause = {
  title: described(text, 'One complete sentence with the condition, never truncated.'),
  level: wordOf('MUST SHOULD'),
  symptom: described(text, 'What is wrong with the response.'),
  condition: described(nullable(text), 'When it is wrong; null if whatever is sent, or if that is unknown.'),
  kind: described(
    causeKind,
    'When it shows: with each request that meets the condition; with some of them, whatever they contain; only while other requests are in flight; only after other requests; with every request since a point of the run; or not again, so that no experiment was possible.',
  ),
  confirmed: described(
    object({ inside: tried, outside: tried }),
    'Failed and tried requests: `inside` counts those that meet the condition, `outside` those that do not.',
  ),
  until: optional(
    list(object({ status, count: nonNegativeInteger })),
    'The responses of the run until the store accepted its last plant, if it accepts none any more.',
  ),
  notExamined: optional(
    text,
    'Why no experiment could examine it, for example because the budget was used up.',
  ),
  checks: described(list(text, { minItems: 1 }), 'The ids of the failed checks that it explains.'),
  expected: optional(text, 'What the store should have answered.'),
  advice: described(text, 'What to fix, and how such a fault typically comes about.'),
  steps: described(texts, 'Shell lines that show the fault, with the token in $PLANT_STORE_TOKEN.'),
  answer: described(either(status, constant('none')), 'The status that the steps show, or `none`.'),
  fingerprint: described(causeFingerprint, 'Names symptom, condition and kind, the same in every run.'),
};

export interface ComparedCause extends ObjectOf<typeof comparedCause> {}

const cause = named(
  'cause',
  object({
    ...comparedCause,
    matters: described(
      texts,
      'The parts of the request that matter, such as `name` or the name of a header; the others can be anything ordinary.',
    ),
    ladders: described(ladders, 'What was tried to find out how far each part of the condition reaches.'),
    counterexample: optional(
      object({
        before: optional(list(object({ ...messages, connection: optional(connectionOfPreceding) }))),
        ...messages,
        repeat: optional(repeat),
        modulus: optional(positiveInteger, 'Only ids that leave the same remainder by this divisor show it.'),
        keepsId: optional(constant(true), 'No other id shows it.'),
      }),
      'The simplest request that shows it, what has to be sent before, and how often.',
    ),
  }),
  'One fault of the store: what explains one failed check or many.',
);
export interface RecordedCause extends Of<typeof cause> {}
export type Counterexample = NonNullable<RecordedCause['counterexample']>;

/** A known deviation, which a team accepts for some time. */
const accepted = {
  reason: described(
    matching('\\S'),
    'Why the team accepts the deviation; reports flag TODO until it is replaced.',
  ),
  issue: optional(text, 'Where it is tracked, such as the URL of an issue.'),
  until: optional(date, 'The last day on which the entry applies, such as 2026-12-31.'),
};

export const listedCause = {
  cause: described(
    causeFingerprint,
    'The fingerprint of a cause, as in the report: it names symptom and condition, whatever the seed.',
  ),
  ...accepted,
};

/** By check: the fingerprints of its failures, separated by spaces. */
export const failuresByCheck: Schema<Readonly<Record<string, string>>> = described(
  mapOf(matching(`^${failureName}( +${failureName})*$`)),
  'The checks that fail for this cause, each with the fingerprints of its failures, separated by spaces.',
);

const knownCause = { ...listedCause, checks: failuresByCheck };

export const knownCheck = {
  id: described(withKeywords(text, { minLength: 1 }), 'The id of a check, as in the report.'),
  ...accepted,
  fingerprints: optional(
    list(failureFingerprint, { minItems: 1 }),
    'The known failures. Without fingerprints, every failure of the check is known.',
  ),
};

export interface KnownCause extends ObjectOf<typeof knownCause> {}
/** A check whose failures are known: those with the listed fingerprints, or all. */
export interface KnownCheck extends ObjectOf<typeof knownCheck> {}
export type BaselineEntry = KnownCause | KnownCheck;

const entryState = wordOf('known stale expired not-evaluated');
/** `stale`: some failures no longer occur. `not-evaluated`: not run, or the failure may have been missed. */
export type EntryState = Of<typeof entryState>;

const judged = { state: entryState, remedy: optional(text) };

/** Absent from a baseline that is a plain list. */
export const recordedIn = {
  seed: optional(nonNegativeInteger, 'The --seed of the run that recorded the entries.'),
  cases: optional(positiveInteger, 'The --cases of the run that recorded the entries.'),
  thorough: optional(boolean, 'Whether that run used --thorough.'),
  since: optional(date, 'The day of the first run whose failures were recorded.'),
  total: optional(
    nonNegativeInteger,
    'How many entries the file has had since then, so that reports can say how many are fixed.',
  ),
};

const judgedBaseline = object({
  file: text,
  ...recordedIn,
  entries: list(either(object({ ...knownCause, ...judged }), object({ ...knownCheck, ...judged }))),
});
export interface JudgedBaseline extends Of<typeof judgedBaseline> {}
export type EvaluatedEntry = JudgedBaseline['entries'][number];
export interface Baseline extends Omit<JudgedBaseline, 'entries'> {
  readonly entries: readonly BaselineEntry[];
}

const ciResult = described(
  object({ exitCode, reason: text, baseline: nullable(judgedBaseline) }),
  'What the run means for a pipeline, given the known deviations. Exit code 0 is pass, all others are fail. It never changes the outcome.',
);
export interface CiResult extends Of<typeof ciResult> {}

/** The options of a run, some of which are also recorded in a comparison. */
export const OPTIONS = {
  seed: nonNegativeInteger,
  firstId: matching('^-?\\d+$'),
  cases: nonNegativeInteger,
  thorough: optional(constant(true), 'Present only for a thorough run.'),
  concurrency: nonNegativeInteger,
  timeout: nonNegativeInteger,
  rate: nullable(number),
  maxSeconds: nullable(number),
  maxRequests: nullable(nonNegativeInteger),
  strict: boolean,
  shard: described(
    nullable(matching('^[1-9][0-9]*/[1-9][0-9]*$')),
    '2/3 is the second of three shards; null for a whole run.',
  ),
};
const options: Schema<RecordedOptions> = object(OPTIONS);

export const CREATED = {
  plants: described(nonNegativeInteger, 'Plants that the store confirmed as created.'),
  ids: described(
    list(matching('^-?[0-9]+([.][.]-?[0-9]+)?$'), { maxItems: 10000 }),
    'The ids that were sent for them, and inclusive ranges of ids, in ascending order.',
  ),
  unlisted: optional(positiveInteger, 'Plants whose ids are not listed because there were too many.'),
};
const created: Schema<RunFooter['created']> = object(CREATED);

const latency: Schema<Latency> = object({
  answers: positiveInteger,
  median: nonNegative,
  p95: nonNegative,
  p99: nonNegative,
  longest: nonNegative,
  buckets: list(object({ from: nonNegative, to: nonNegative, answers: positiveInteger }), { minItems: 1 }),
});

const outcome: Schema<Outcome> = wordOf('conformant nonconformant undetermined partial');

const stopKind: Schema<Stop['kind']> = wordOf(
  'unreachable untrusted not-http token-rejected not-found throttled ids-in-use cut-off limit bailed gone outage unresponsive too-large',
);

const summary: Schema<Summary> = object({ MUST: count, SHOULD: count, OBSERVE: count });

/** The properties of a record, some of which are also properties of a comparison. */
export const PROPERTIES = {
  schemaVersion: constant(1),
  suite: object({ name: text, version: text, catalogue: matching(`^sha256:${sha256}$`) }),
  document: object({
    file: text,
    sha256: matching(`^${sha256}$`),
    version: text,
    openapi: optional(text, 'The OpenAPI version of the document, if it is not 3.1.'),
    overlays: optional(texts, 'The overlays that were applied, in order.'),
    warnings: optional(texts, 'Likely mistakes in the document.'),
  }),
  target: object({
    name: text,
    baseUrl: text,
    server: nullable(text),
    tokenEnv: optional(
      text,
      'The environment variable of the token in shell commands, if not PLANT_STORE_TOKEN.',
    ),
  }),
  options,
  startedAt: instant,
  seconds: nonNegative,
  requests: nonNegativeInteger,
  waited: optional(
    nonNegative,
    "Seconds spent waiting at the store's request: 429, or 503 with Retry-After.",
  ),
  closedMidRequest: optional(
    positiveInteger,
    'Connections that were closed during a request; each of those requests was resent on a fresh connection.',
  ),
  failedWhenRaised: optional(
    positiveInteger,
    'Requests that failed (429, 5xx or no response) while more were in flight than by default, because the store is distant; they were resent and are not judged. --concurrency has those of a fixed number judged.',
  ),
  created,
  collisions: optional(
    positiveInteger,
    'Valid plants that were rejected because an id or name was in use, and therefore not judged.',
  ),
  latency: described(nullable(latency), 'Response times in milliseconds; null if there were no responses.'),
  outcome: described(
    outcome,
    'partial: the checks that ran passed, and others were skipped by --only or --skip.',
  ),
  ciResult,
  stop: nullable<Stop>(object({ kind: stopKind, reason: text, remedy: text })),
  advice: nullable(text),
  summary,
  causes: described(
    list(cause),
    'What is to be fixed, in the order in which to fix it. Every failed check is in at least one of them.',
  ),
  results: list(result, { minItems: 1 }),
  observations,
};

export const RECORD = object(PROPERTIES);

/** Everything that a run found, and the only source of all reports. Never contains the token. */
export interface RunRecord extends Of<typeof RECORD> {}

/** A record whose CI result has not been determined yet. */
export type WithoutCiResult = Omit<RunRecord, 'ciResult'>;
