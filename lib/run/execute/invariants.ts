import { compact } from '../../collections.ts';
import { isFinding } from '../../judge/rules.ts';
import { isOutsideContract, type RequestTemplate, validCredential } from '../../payloads/test-case.ts';
import type { Exchange } from '../../wire/exchange.ts';
import type { Check } from '../check.ts';
import type { Failure } from '../result/result.ts';
import { Tally } from '../result/tally.ts';
import { type JudgeContext, rulingOf } from './apply-rules.ts';

export class Invariants {
  private readonly tallies = new Map<Check, Tally>();

  constructor(checks: readonly Check[], onFailure: (check: Check, failure: Failure) => void) {
    for (const check of checks)
      if (check.test.kind === 'invariant')
        this.tallies.set(check, new Tally((failure) => onFailure(check, failure)));
  }

  /** @param position returns the position of the request in the plan of the run */
  watch(
    exchange: Exchange,
    template: RequestTemplate,
    during: string,
    position: () => number,
    judging: JudgeContext,
    recent: () => readonly RequestTemplate[],
  ): void {
    if (isOutsideContract(template)) return;
    for (const [check, tally] of this.tallies) {
      const { test } = check;
      if (test.kind !== 'invariant' || !test.applies(exchange, template)) continue;
      const ruling = rulingOf(exchange, template, test.rules, judging);
      if (!isFinding(ruling)) tally.recordPass(ruling);
      if (ruling !== undefined && !isFinding(ruling)) continue;
      tally.cases += 1;
      if (ruling === undefined) continue;
      const sentFor = { check: during, label: template.sentAs ?? unusual(template) };
      const label = `sent for ${[during, sentFor.label].filter(Boolean).join(': ')}`;
      tally.recordFailure(
        { label, sentFor, finding: ruling, template, exchange, recent: recent() },
        position(),
      );
    }
  }

  tally(check: Check): Tally {
    return this.tallies.get(check) ?? new Tally();
  }
}

/** How a request differs from an ordinary one. Ignores the body, whose values differ from run to run. */
function unusual({
  method,
  path,
  contentType,
  credential = validCredential,
  headers = [],
  framing,
  delivery = {},
}: RequestTemplate): string {
  return compact(
    method,
    path?.replace(/\?.*$/, ''),
    contentType,
    credential === validCredential ? undefined : credential.shell.join(' | ') || 'no token',
    ...headers.map(([name]) => name),
    framing,
    ...Object.keys(delivery),
  ).join(' ');
}
