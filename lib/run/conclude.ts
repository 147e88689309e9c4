import { type Check, NotApplicable } from './check.ts';
import { drawsOf } from './plan.ts';
import type { CheckResult, Stop, Verdict } from './result.ts';
import type { Shard } from './shard.ts';
import { Tally } from './tally.ts';

/** What the verdict on a check depends on besides what it has found. */
export interface Circumstances {
  readonly stop: Stop | undefined;
  readonly shard: Shard;
  /** Random cases of a check of share 1 that are enough to judge by. */
  readonly usual: number;
  /** Whether some check was left untried because the run was stopped. */
  readonly unfinished: boolean;
}

/** What has been found stands, whatever became of the run; what has not been tried to the end is no pass. */
export function concluded(
  check: Check,
  tally: Tally,
  seconds: number,
  circumstances: Circumstances,
): CheckResult {
  const { level, id, test } = check;
  const { cases, failed, blocked } = tally;
  const { stop, shard } = circumstances;
  if (failed > 0 && level !== 'OBSERVE') return result(check, 'fail', tally, seconds, blockedOf(blocked));
  if (stop?.kind === 'bailed') return skipped(check, 'bail', stop.reason, tally);
  if (stop !== undefined && !isTriedEnough(check, cases, circumstances))
    return result(check, 'untestable', tally, seconds, { by: stop.kind, reason: stop.reason });
  if (blocked instanceof NotApplicable) return skipped(check, blocked.blockedBy, blocked.message, tally);
  if (blocked !== undefined) return result(check, 'untestable', tally, seconds, blockedOf(blocked));
  const seen = level === 'OBSERVE' ? Object.keys(tally.noted).length > 0 : tally.seen;
  if (cases > 0 && !seen) return vacuous(check, tally, seconds, shard);
  if (cases > 0) return result(check, level === 'OBSERVE' ? 'observed' : 'pass', tally, seconds);
  if (test.kind === 'standing') return skipped(check, 'store', tally.unseen ?? test.lacking, tally);
  if (test.kind === 'cases') return skipped(check, 'document', 'the document admits no such request', tally);
  // Its one place in the line is that of the control.
  if (shard.of > 1) return elsewhere(check);
  throw new Error(`${id} made no request`);
}

/**
 * It made requests, and saw nothing of what it is about. Of a check that draws at random, another shard may have seen
 * something.
 */
function vacuous(check: Check, tally: Tally, seconds: number, { of }: Shard): CheckResult {
  const { test } = check;
  const by = ('explainedBy' in test ? test.explainedBy : undefined) ?? 'always/answers';
  const reason = `nothing to judge: ${tally.unseen ?? 'no answer'}`;
  if (test.kind === 'property' && of > 1) return skipped(check, by, reason, tally);
  return result(check, 'untestable', tally, seconds, { by, reason });
}

/**
 * Whether a limit that the user set came late enough: a check that draws at random has tried what it tries by
 * default, and one that watches the others has seen all of them through.
 */
function isTriedEnough(
  { test }: Check,
  cases: number,
  { stop, shard, usual, unfinished }: Circumstances,
): boolean {
  if (stop?.kind !== 'limit') return false;
  if (test.kind === 'standing') return !unfinished;
  if (test.kind !== 'property') return false;
  return cases >= Math.max(1, Math.floor(drawsOf(test.share, usual) / shard.of));
}

export const skipped = (check: Check, by: string, reason: string, tally: Tally = new Tally()): CheckResult =>
  result(check, 'skipped', tally, 0, { by, reason });

/** A check that another shard of the run carries out. */
export const elsewhere = (check: Check): CheckResult => skipped(check, 'shard', 'belongs to another shard');

const result = (
  { id, level, statement, basis, hint, test }: Check,
  verdict: Verdict,
  tally: Tally,
  seconds: number,
  blocked?: CheckResult['blocked'],
): CheckResult => {
  const { cases, failed, failures, causes, noted } = tally;
  const coverage = cases === 0 ? undefined : tally.coverage();
  return {
    check: { id, level, statement, basis, hint },
    kind: test.kind,
    verdict,
    cases,
    failed,
    seconds,
    failures,
    causes,
    observations: verdict === 'skipped' ? {} : noted,
    ...(coverage === undefined ? {} : { coverage }),
    ...(blocked === undefined ? {} : { blocked }),
  };
};

const blockedOf = (blocked: Tally['blocked']): CheckResult['blocked'] =>
  blocked === undefined ? undefined : { by: blocked.blockedBy, reason: blocked.message };
