import { groupBy } from '../../groups.ts';
import type { Suspect } from '../../run/execute/last-requests.ts';
import { isAborted } from '../../wire/exchange.ts';
import type { CheckFailure, Cluster } from '../cluster.ts';
import type { Experiments } from '../experiments.ts';
import { bareExplanation } from '../explanation.ts';
import { listOf } from '../wording/several.ts';
import type { Wording } from '../wording/wording.ts';

/** Suspects that the title names, and that the steps send. */
const [MAX_NAMED, MAX_SUSPECTS] = [3, 8];

/**
 * The one cause of everything that a store left unanswered since it died. It cannot be asked any more: what was in
 * flight when it last answered is all that is known.
 */
export function died(
  failures: readonly CheckFailure[],
  { ordinary, run: { suspects } }: Experiments,
): Cluster | undefined {
  const distinct = groupBy(suspects, labelOf).flatMap(([, [first]]) => first ?? []);
  const members = failures.filter(
    ({ sought: { kind }, failure: { exchange } }) =>
      exchange.response === undefined && (kind === 'closed' || kind === 'no-answer'),
  );
  const isSuspect = ({ failure }: CheckFailure) =>
    suspects.some(({ template }) => template === failure.template);
  const last =
    members.find((one) => one.failure.template.ordinary === true && !isSuspect(one)) ?? members.at(-1);
  if (distinct.length === 0 || last === undefined) return undefined;
  const { exchange, template } = last.failure;
  return {
    sought: { kind: 'dies', words: `stops answering for good${distinct.length === 1 ? '' : ', probably'}` },
    found: {
      ...bareExplanation(ordinary, exchange),
      kind: 'from-then-on',
      conditions: [wordsFor(distinct.slice(0, MAX_NAMED))],
      inside: [1, 1],
      before: distinct.slice(0, MAX_SUSPECTS),
      template,
    },
    members,
  };
}

const labelOf = ({ exchange, template: { sentAs = '' }, check }: Suspect): string =>
  isAborted(exchange) ? 'broken off' : `${check}: ${sentAs}`;

/** @param named the likeliest first, at least one */
function wordsFor(named: readonly Suspect[]): Wording {
  if (named.some(({ exchange }) => isAborted(exchange))) return { phrase: 'that the client broke off' };
  // The label of a combination names everything that is unusual about it.
  const labels = named.flatMap(({ template: { sentAs }, check }) =>
    sentAs === undefined || check.startsWith('combinations/') ? [] : [sentAs],
  );
  const checks = [...new Set(named.map(({ check }) => check))];
  return {
    phrase: labels.length > 0 ? `such as: ${listOf(labels)}` : `like those of ${listOf(checks)}`,
    isVague: true,
  };
}
