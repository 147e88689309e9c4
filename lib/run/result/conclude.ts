import { type Check, NotApplicable } from '../check.ts';
import { sampleCount } from '../plan/plan.ts';
import type { Shard } from '../plan/shard.ts';
import type { CheckResult, Stop, Verdict } from './result.ts';
import { Tally } from './tally.ts';

interface RunEnd {
  readonly stop: Stop | undefined;
  readonly shard: Shard;
  /** Number of random cases that suffice for a verdict on a check of weight 1. */
  readonly usual: number;
  readonly unfinished: boolean;
}

/** Reaches a verdict. Failures count however the run ended; a check that was not completed does not pass. */
export function concluded(check: Check, tally: Tally, seconds: number, end: RunEnd): CheckResult {
  const { level, id, test } = check;
  const { cases, failed, blocked } = tally;
  const { stop, shard } = end;
  if (failed > 0 && level !== 'OBSERVE') return result(check, 'fail', tally, seconds, blockedOf(blocked));
  if (stop?.kind === 'bailed') return skipped(check, 'bail', stop.reason, tally);
  if (stop !== undefined && !isTriedEnough(check, cases, end))
    return result(check, 'untestable', tally, seconds, { by: stop.kind, reason: stop.reason });
  if (blocked instanceof NotApplicable) return skipped(check, blocked.blockedBy, blocked.message, tally);
  if (blocked !== undefined) return result(check, 'untestable', tally, seconds, blockedOf(blocked));
  const isConclusive = level === 'OBSERVE' ? Object.keys(tally.observations).length > 0 : tally.ruleApplied;
  if (cases > 0 && !isConclusive) return vacuous(check, tally, seconds, shard);
  if (cases > 0) return result(check, level === 'OBSERVE' ? 'observed' : 'pass', tally, seconds);
  if (test.kind === 'invariant') return skipped(check, 'store', tally.whyNotApplied ?? test.absent, tally);
  if (test.kind === 'cases') return skipped(check, 'document', 'the document allows no such request', tally);
  // In this shard, the check had nothing to do but send its control request.
  if (shard.of > 1) return inAnotherShard(check);
  throw new Error(`${id} made no request`);
}

/** The result of a check whose rules applied to none of its exchanges. In another shard, they may apply. */
function vacuous(check: Check, tally: Tally, seconds: number, { of }: Shard): CheckResult {
  const { test } = check;
  const by = ('untestableBecauseOf' in test ? test.untestableBecauseOf : undefined) ?? 'invariants/answers';
  const reason = tally.whyNotApplied ?? 'no response';
  if (test.kind === 'property' && of > 1) return skipped(check, by, reason, tally);
  return result(check, 'untestable', tally, seconds, { by, reason });
}

/** Whether a random check has tried the usual number of cases, or an invariant has seen all checks end. */
function isTriedEnough({ test }: Check, cases: number, { stop, shard, usual, unfinished }: RunEnd): boolean {
  if (stop?.kind !== 'limit') return false;
  if (test.kind === 'invariant') return !unfinished;
  if (test.kind !== 'property') return false;
  return cases >= Math.max(1, Math.floor(sampleCount(test.weight, usual) / shard.of));
}

export const skipped = (check: Check, by: string, reason: string, tally: Tally = new Tally()): CheckResult =>
  result(check, 'skipped', tally, 0, { by, reason });

export const inAnotherShard = (check: Check): CheckResult => skipped(check, 'shard', 'runs in another shard');

const result = (
  { id, level, statement, basis, hint, test }: Check,
  verdict: Verdict,
  tally: Tally,
  seconds: number,
  blocked?: CheckResult['blocked'],
): CheckResult => {
  const { cases, failed, random, failures, failedCases, problems, observations } = tally;
  const coverage = cases === 0 ? undefined : tally.coverage();
  return {
    check: { id, level, statement, basis, hint },
    kind: test.kind,
    verdict,
    cases,
    failed,
    ...(test.kind === 'property' ? { random } : {}),
    seconds,
    failures,
    failedCases,
    problems,
    observations: verdict === 'skipped' ? {} : observations,
    ...(coverage === undefined ? {} : { coverage }),
    ...(blocked === undefined ? {} : { blocked }),
  };
};

const blockedOf = (blocked: Tally['blocked']): CheckResult['blocked'] =>
  blocked === undefined ? undefined : { by: blocked.blockedBy, reason: blocked.message };
