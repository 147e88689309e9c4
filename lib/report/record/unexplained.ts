import { groupBy, pick, sum } from '../../collections.ts';
import { capitalised } from '../../text.ts';
import { causeFingerprint } from './fingerprint.ts';
import type { RecordedCause, RecordedResult, RunRecord } from './record.ts';

/**
 * Adds a cause for each kind of failure that no cause explains, for example because the run was cut short
 * before the experiments.
 */
export function withUnexplained(
  causes: readonly RecordedCause[],
  results: readonly RecordedResult[],
): readonly RecordedCause[] {
  const explained = new Set(causes.flatMap(({ checks }) => checks));
  const unexplainedResults = results.filter(({ id, verdict }) => verdict === 'fail' && !explained.has(id));
  const kinds = groupBy(unexplainedResults, symptomOf);
  return [...causes, ...mustFirst(kinds.map(([symptom, members]) => unexplained(symptom, members)))];
}

/** Returns the causes that say more than that a check has failed. */
export function explainedIn({ causes, results }: RunRecord): readonly RecordedCause[] {
  const symptoms = new Map(results.map((result) => [result.id, symptomOf(result)]));
  return causes.filter(
    ({ kind, symptom, checks }) => kind !== 'once' || checks.some((id) => symptoms.get(id) !== symptom),
  );
}

const symptomOf = ({ exchanges, statement }: RecordedResult): string => exchanges[0]?.problem ?? statement;

/** Sorts causes: MUST first, then those that explain the most checks. */
export const mustFirst = (causes: readonly RecordedCause[]): readonly RecordedCause[] =>
  causes.toSorted((a, b) => a.level.localeCompare(b.level) || b.checks.length - a.checks.length);

function unexplained(
  symptom: string,
  members: readonly [RecordedResult, ...RecordedResult[]],
): RecordedCause {
  const lead = members.find(({ level }) => level === 'MUST') ?? members[0];
  const [exchange] = lead.exchanges;
  const what = { symptom, condition: null, kind: 'once' } as const;
  return {
    title: capitalised(symptom),
    level: lead.level === 'MUST' ? 'MUST' : 'SHOULD',
    ...what,
    confirmed: {
      inside: [sum(members, ({ failed }) => failed), sum(members, ({ cases }) => cases)],
      outside: [0, 0],
    },
    notExamined: 'no experiments were made',
    checks: members.map(({ id }) => id),
    ...(exchange && { expected: exchange.expected }),
    advice: lead.hint,
    matters: [],
    ladders: [],
    steps: exchange === undefined ? [] : [exchange.command],
    answer: exchange?.response?.status ?? 'none',
    ...(exchange && { counterexample: pick(exchange, 'before', 'request', 'response', 'fault', 'ms') }),
    fingerprint: causeFingerprint(what),
  };
}
