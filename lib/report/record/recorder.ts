import { pick } from '../../collections.ts';
import { suite } from '../../package.ts';
import type { CheckResult } from '../../run/result/result.ts';
import type { RunEvent, RunFooter, RunHeader } from '../../run/run.ts';
import { withCiResult } from '../baseline/ci-result.ts';
import { fingerprinted, sha256Of } from './fingerprint.ts';
import type { Baseline, RecordedCause, RecordedResult, RunRecord, WithoutCiResult } from './record.ts';
import { recordedExchange, rounded } from './record-exchange.ts';
import { recordedCause, summarisedCause } from './recorded-cause.ts';
import { type Redact, redactAll, redactor } from './redact.ts';
import { withUnexplained } from './unexplained.ts';

/** Maximum number of causes with requests. Only a store that answers each request differently has more. */
const MAX_WHOLE_CAUSES = 20;

/** Folds the events of a run into its record. Secrets are redacted as soon as an event arrives. */
export class Recorder {
  private readonly redact: Redact;
  private readonly baseline: Baseline | undefined;
  private readonly results: RecordedResult[] = [];
  private causes: readonly RecordedCause[] = [];
  private header: RunHeader | undefined;
  private footer: RunFooter | undefined;

  /** `secrets` are the token, and the values of headers that the user added. */
  constructor(secrets: readonly string[], baseline?: Baseline) {
    this.redact = redactor(secrets);
    this.baseline = baseline;
  }

  add(event: RunEvent): RecordedResult | undefined {
    if (event.type === 'start') this.header = event.header;
    if (event.type === 'end') this.footer = event.footer;
    const { header, redact } = this;
    if (header === undefined) return undefined;
    if (event.type === 'causes')
      this.causes = event.causes.map((one, rank) =>
        rank < MAX_WHOLE_CAUSES ? recordedCause(one, header, redact) : summarisedCause(one, redact),
      );
    if (event.type !== 'result') return undefined;
    const result = resultOf(event.result, header, redact);
    this.results.push(result);
    return result;
  }

  /** @throws Error if the run has not ended yet */
  record(): RunRecord {
    const { header, footer, redact } = this;
    if (header === undefined || footer === undefined) throw new Error('the run has not ended');
    const position = new Map(header.planned.map((id, index) => [id, index]));
    const results = this.results.toSorted((a, b) => (position.get(a.id) ?? 0) - (position.get(b.id) ?? 0));
    const { document, target, options, startedAt } = header;
    const { stop = null, advice = null, server = null, latency = null } = footer;
    const { waited, closedMidRequest, failedWhenRaised, collisions } = footer;
    const withoutCiResult: WithoutCiResult = {
      schemaVersion: 1,
      suite: { ...suite, catalogue: `sha256:${catalogueDigest(results)}` },
      document: {
        ...pick(document, 'file', 'sha256', 'version'),
        ...(document.openapi.startsWith('3.1.') ? {} : { openapi: document.openapi }),
        ...(document.overlays.length === 0 ? {} : { overlays: document.overlays }),
        ...(document.warnings.length === 0 ? {} : { warnings: document.warnings }),
      },
      options,
      startedAt,
      seconds: rounded(footer.seconds),
      requests: footer.requests,
      ...(waited === 0 ? {} : { waited: rounded(waited) }),
      ...(closedMidRequest === 0 ? {} : { closedMidRequest }),
      ...(failedWhenRaised === 0 ? {} : { failedWhenRaised }),
      created: footer.created,
      ...(collisions === 0 ? {} : { collisions }),
      latency,
      ...pick(footer, 'outcome', 'summary'),
      ...redactAll({ target: { ...target, server }, stop, advice }, redact),
      causes: withUnexplained(this.causes, results),
      results,
      observations: Object.assign({}, ...results.map(({ observations }) => observations)),
    };
    return withCiResult(withoutCiResult, this.baseline);
  }
}

/** Identifies a catalogue. Records with the same digest can be compared. */
const catalogueDigest = (results: readonly RecordedResult[]): string =>
  sha256Of(JSON.stringify(results.map(({ id, level, statement }) => [id, level, statement])));

function resultOf(checked: CheckResult, header: RunHeader, redact: Redact): RecordedResult {
  const { check, kind, failures, problems, observations, coverage, blocked } = checked;
  const exchanges = failures.map((failure) => recordedExchange(failure, header, redact));
  const [first] = failures;
  const [shown] = exchanges;
  return {
    ...check,
    ...pick(checked, 'kind', 'verdict', 'cases', 'failed', 'random'),
    seconds: rounded(checked.seconds),
    problems: fingerprinted(check.id, kind, redactAll(problems, redact)),
    ...(shown === undefined ? {} : pick(shown, 'expected', 'actual')),
    ...(blocked === undefined ? {} : { blockedBy: blocked.by, reason: redact(blocked.reason) }),
    ...(first &&
      shown && {
        counterexample: {
          label: first.label,
          ...pick(first, 'when', 'retries'),
          payload: shown.request.body,
          seed: header.options.seed,
          ...first.sampled,
        },
      }),
    exchanges,
    observations: redactAll(observations, redact),
    ...(coverage === undefined ? {} : { coverage }),
  };
}
