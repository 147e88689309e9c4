import { isFinding } from '../judge/rules.ts';
import { bearer, type Draft, isOutsideContract } from '../payloads/case.ts';
import type { Exchange } from '../wire/exchange.ts';
import { type Judging, rulingOf } from './attempt.ts';
import type { Check } from './check.ts';
import type { Failure } from './result.ts';
import { Tally } from './tally.ts';

/** Holds the standing checks against every exchange of the run, whoever sent it. */
export class Standing {
  private readonly tallies = new Map<Check, Tally>();

  constructor(checks: readonly Check[], onFailure: (check: Check, failure: Failure) => void) {
    for (const check of checks)
      if (check.test.kind === 'standing')
        this.tallies.set(check, new Tally((failure) => onFailure(check, failure)));
  }

  /**
   * Judges an exchange.
   * @param place of its request in the plan of the run
   */
  watch(exchange: Exchange, draft: Draft, during: string, place: () => number, judging: Judging): void {
    if (isOutsideContract(draft)) return;
    for (const [check, tally] of this.tallies) {
      const { test } = check;
      if (test.kind !== 'standing' || !test.applies(exchange, draft)) continue;
      const ruling = rulingOf(exchange, draft, test.rules, judging);
      if (!isFinding(ruling)) tally.look(ruling);
      if (ruling !== undefined && !isFinding(ruling)) continue;
      tally.cases += 1;
      if (ruling === undefined) continue;
      const label = `sent for ${[during, draft.sentAs ?? unusual(draft)].filter(Boolean).join(': ')}`;
      tally.book({ label, population: 'other', finding: ruling, draft, exchange }, place());
    }
  }

  tally(check: Check): Tally {
    return this.tallies.get(check) ?? new Tally();
  }
}

/** In what a request is not as an ordinary client sends it, but for its body, whose values differ from run to run. */
function unusual({
  method,
  path,
  contentType,
  credential = bearer,
  headers = [],
  framing,
  delivery = {},
}: Draft): string {
  const traits = [
    method,
    path?.replace(/\?.*$/, ''),
    contentType,
    credential === bearer ? undefined : credential.shell.join(' | ') || 'no token',
    ...headers.map(([name]) => name),
    framing,
    ...Object.keys(delivery),
  ];
  return traits.filter((trait) => trait !== undefined).join(' ');
}
