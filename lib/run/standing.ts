import type { Draft } from '../payloads/case.ts';
import type { Exchange } from '../wire/exchange.ts';
import { judged, type Tools } from './attempt.ts';
import { KEPT, type Tried } from './cases.ts';
import type { Check } from './check.ts';
import type { Failure } from './result.ts';

/** Holds the standing checks against every exchange of the run, whoever sent it. */
export class Standing {
  private readonly checks: readonly Check[];
  private readonly tallies = new Map<string, { cases: number; failed: number; failures: Failure[] }>();

  constructor(checks: readonly Check[]) {
    this.checks = checks.filter(({ test }) => test.kind === 'standing');
  }

  watch(exchange: Exchange, draft: Draft, during: string, tools: Tools): void {
    if (draft.beyond === true) return;
    for (const { id, test } of this.checks) {
      if (test.kind !== 'standing' || !test.applies(exchange, draft)) continue;
      const tally = this.tallies.get(id) ?? { cases: 0, failed: 0, failures: [] };
      this.tallies.set(id, tally);
      tally.cases += 1;
      const finding = judged(exchange, draft, test.rules, tools);
      if (finding === undefined) continue;
      tally.failed += 1;
      // One of each cause: a thousand of the same say no more than the first.
      if (
        tally.failures.length >= KEPT ||
        tally.failures.some((known) => known.finding.cause === finding.cause)
      )
        continue;
      tally.failures.push({
        label: `sent for ${during}`,
        population: 'other',
        finding,
        draft,
        exchange,
        when: 'always',
      });
    }
  }

  tally(id: string): Tried {
    return this.tallies.get(id) ?? { cases: 0, failed: 0, failures: [] };
  }
}
