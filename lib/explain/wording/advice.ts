import { compact } from '../../collections.ts';
import type { ExpectedOutcome } from '../../payloads/test-case.ts';
import type { CheckFailure } from '../explanation/cluster.ts';
import { fullText, topicsOf } from '../explanation/condition.ts';
import type { Explanation } from '../explanation/explanation.ts';
import type { TargetSymptom } from '../symptom/target-symptom.ts';
import { ADVICE, type Advice } from './advice-table.ts';
import { hintsOf } from './stack.ts';

/** Says what to do about a fault: the fix, hints for the software of the store, and typical reasons. */
export function adviceFor(
  symptom: TargetSymptom,
  found: Explanation,
  members: readonly CheckFailure[],
  expected: ExpectedOutcome,
): string {
  const facts = factsOf(symptom, found, expected);
  const advice = ADVICE.find((one) => applies(one, facts));
  const hints = new Set(members.map(({ check }) => check.hint));
  if (advice === undefined || (advice.isGeneral === true && hints.size === 1))
    return members[0]?.check.hint ?? 'Compare the request with one that is answered correctly.';
  const exchanges = [found.exchange, ...members.map(({ failure }) => failure.exchange)];
  const [first = '', ...background] = sentencesIn(advice.text);
  return [first, ...hintsOf(advice.settings ?? {}, exchanges), ...background].join(' ');
}

/** What decides which advice applies. */
function factsOf(
  symptom: TargetSymptom,
  { subject, conditions, kind }: Explanation,
  expected: ExpectedOutcome,
) {
  const all = compact(subject, ...conditions);
  // A condition may say what comes before.
  const isAfterOthers = conditions.some(({ part }) => part === 'earlier requests');
  return {
    symptom,
    topics: new Set(all.flatMap(topicsOf)),
    words: [symptom.words, ...all.map(fullText)].join(' '),
    kind: isAfterOthers ? 'sequence' : kind,
    isOfValidRequest: expected === 'accept' || expected === 'accept-or-reject',
    isCodePath: conditions.some(({ phrase }) => phrase !== undefined),
  };
}

const isOneOf = <T>(value: T | undefined, allowed: readonly T[] | undefined): boolean =>
  allowed === undefined || (value !== undefined && allowed.includes(value));

const applies = (
  advice: Advice,
  { symptom, topics, words, kind, ...facts }: ReturnType<typeof factsOf>,
): boolean =>
  isOneOf(symptom.kind, advice.symptoms) &&
  isOneOf(symptom.status, advice.statuses) &&
  isOneOf(symptom.property, advice.properties) &&
  (advice.about === undefined || advice.about.some((topic) => topics.has(topic))) &&
  (advice.says === undefined || advice.says.some((pattern) => pattern.test(words))) &&
  (advice.kind === undefined || advice.kind === kind) &&
  (advice.isCodePath === undefined || facts.isCodePath) &&
  (advice.isErrorAsSuccess === undefined || symptom.isErrorAsSuccess === true) &&
  (advice.isOfValidRequest === undefined || facts.isOfValidRequest);

const sentencesIn = (text: string): readonly string[] => text.split(/(?<=\.) (?=[A-Z])/);
