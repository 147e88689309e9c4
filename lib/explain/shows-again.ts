import type { Contract } from '../contract/contract.ts';
import { isFinding, type Rule } from '../judge/rules.ts';
import { expectedOutcomeOf } from '../payloads/expected-outcome.ts';
import type { RequestTemplate } from '../payloads/test-case.ts';
import type { Check } from '../run/check.ts';
import { rulingOf } from '../run/execute/apply-rules.ts';
import type { Exchange } from '../wire/exchange.ts';
import { symptomsOf } from './symptom/detect-symptoms.ts';
import { aspectOf, isAboutRejection, type Symptom } from './symptom/symptom.ts';
import { detailOf } from './symptom/target-symptom.ts';

/** A cause that an earlier run recorded, and the request that shows it. */
interface RecordedFault {
  readonly symptom: string;
  readonly template: RequestTemplate;
  readonly checks: readonly Check[];
  /** The symptoms of other causes, which the same request may also show. */
  readonly others: readonly string[];
}

/** Returns the recorded symptom if the response shows it; otherwise another symptom, if any. */
export function symptomIn(
  exchange: Exchange,
  { symptom, template, checks, others }: RecordedFault,
  contract: Contract,
  token: string,
): string | undefined {
  const expected = expectedOutcomeOf(exchange.request, template, contract, token);
  const symptoms = symptomsOf(exchange, expected, contract);
  const details = checks.flatMap(({ test }) => {
    const ruling = 'rules' in test && rulingOf(exchange, template, test.rules, { contract, token });
    return ruling && isFinding(ruling) ? [detailOf(ruling.problem).words] : [];
  });
  if ([...symptoms.map(({ words }) => words), ...details].includes(symptom)) return symptom;
  // If the store now rejects what it used to accept, this fault is fixed, whatever the status.
  const isFixed = ({ words }: Symptom) => isAboutRejection(words) && !isAboutRejection(symptom);
  return symptoms.find((one) => aspectOf(one) === 'outcome' && !others.includes(one.words) && !isFixed(one))
    ?.words;
}

/** Returns a rule that passes if a cause no longer shows. Its finding names the symptom that still shows. */
export const noLongerShows =
  (earlier: RecordedFault, token: string): Rule =>
  (exchange, contract) => {
    const shown = symptomIn(exchange, earlier, contract, token);
    return shown === undefined
      ? undefined
      : { expected: 'a conforming response', actual: shown, problem: shown, aspect: 'outcome' };
  };
