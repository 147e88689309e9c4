import type { Draft } from '../payloads/case.ts';
import type { Exchange } from '../wire/exchange.ts';
import { judged, type Tools } from './attempt.ts';
import type { Check } from './check.ts';
import type { Failure } from './result.ts';
import { Tally } from './tally.ts';

/** Holds the standing checks against every exchange of the run, whoever sent it. */
export class Standing {
  private readonly tallies = new Map<Check, Tally>();

  constructor(checks: readonly Check[]) {
    for (const check of checks) if (check.test.kind === 'standing') this.tallies.set(check, new Tally());
  }

  watch(exchange: Exchange, draft: Draft, id: bigint, during: string, tools: Tools): void {
    if (draft.beyond === true) return;
    for (const [{ test }, tally] of this.tallies) {
      if (test.kind !== 'standing' || !test.applies(exchange, draft)) continue;
      tally.cases += 1;
      const finding = judged(exchange, draft, test.rules, tools);
      if (finding === undefined) continue;
      const failure: Failure = {
        label: `sent for ${during}`,
        population: 'other',
        finding,
        draft,
        exchange,
        when: 'always',
      };
      // The first in the plan is shown, whatever order the answers came in.
      tally.book(failure, tools.ids.placeOf(id));
    }
  }

  tally(check: Check): Tally {
    return this.tallies.get(check) ?? new Tally();
  }
}
