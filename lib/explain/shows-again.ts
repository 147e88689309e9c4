import type { Contract } from '../contract/contract.ts';
import { isFinding, type Rule } from '../judge/rules.ts';
import { expectedOutcomeOf } from '../payloads/expected-outcome.ts';
import type { RequestTemplate } from '../payloads/test-case.ts';
import type { Check } from '../run/check.ts';
import { rulingOf } from '../run/execute/judging.ts';
import type { Exchange } from '../wire/exchange.ts';
import { symptomsOf } from './symptom/detect-symptoms.ts';
import { aspectOf, isAboutRejection, type Symptom } from './symptom/symptom.ts';
import { detailOf } from './symptom/target-symptom.ts';

/** A cause of an earlier run, and the request that shows it. */
interface RecordedFault {
  readonly symptom: string;
  readonly template: RequestTemplate;
  readonly checks: readonly Check[];
  /** The symptoms of other causes, which the same request may show as well. */
  readonly others: readonly string[];
}

/** What is wrong with a response to the request: the symptom if it shows, else what goes wrong instead. */
export function symptomIn(
  exchange: Exchange,
  { symptom, template, checks, others }: RecordedFault,
  contract: Contract,
  token: string,
): string | undefined {
  const symptoms = symptomsOf(
    exchange,
    expectedOutcomeOf(exchange.request, template, contract, token),
    contract,
  );
  const details = checks.flatMap(({ test }) => {
    const ruling = 'rules' in test && rulingOf(exchange, template, test.rules, { contract, token });
    return ruling && isFinding(ruling) ? [detailOf(ruling.problem).words] : [];
  });
  if ([...symptoms.map(({ words }) => words), ...details].includes(symptom)) return symptom;
  // A store that rejects what it accepted, with whichever status, has been fixed in this respect.
  const isFixed = ({ words }: Symptom) => isAboutRejection(words) && !isAboutRejection(symptom);
  return symptoms.find((one) => aspectOf(one) === 'outcome' && !others.includes(one.words) && !isFixed(one))
    ?.words;
}

/** The rule that nothing of that kind is wrong; if something is, it is the problem found. */
export const noLongerShows =
  (earlier: RecordedFault, token: string): Rule =>
  (exchange, contract) => {
    const shown = symptomIn(exchange, earlier, contract, token);
    return shown === undefined
      ? undefined
      : { expected: 'a conforming response', actual: shown, problem: shown, aspect: 'outcome' };
  };
