import { isFinding, type Rule } from '../judge/rules.ts';
import type { RequestTemplate } from '../payloads/test-case.ts';
import type { Check } from '../run/check.ts';
import { rulingOf } from '../run/judging.ts';
import { roleOf } from './role.ts';
import { symptomsOf } from './symptom.ts';
import { wordsOf } from './wanted.ts';

/** A cause of an earlier run, and the request that shows it. */
export interface Earlier {
  readonly symptom: string;
  readonly template: RequestTemplate;
  /** The checks that it explained. */
  readonly checks: readonly Check[];
  /** The symptoms of other causes, which the same request may show as well. */
  readonly others: readonly string[];
}

/**
 * The rule that what was wrong with the response to a request is no longer wrong. The cause of its finding is the
 * symptom, or another one that is new.
 */
export const showsAgain =
  ({ symptom, template, checks, others }: Earlier, token: string): Rule =>
  (exchange, contract) => {
    const role = roleOf(exchange.request, template, contract, token);
    const details = checks.flatMap(({ test }) => {
      const ruling = 'rules' in test && rulingOf(exchange, template, test.rules, { contract, token });
      return ruling && isFinding(ruling) ? [wordsOf(ruling.cause)] : [];
    });
    const found = symptomsOf(exchange, role, contract).map(({ words }) => words);
    const shown = [...found, ...details].includes(symptom)
      ? symptom
      : found.find((words) => !others.includes(words));
    return shown === undefined
      ? undefined
      : { expected: 'a conforming response', actual: shown, cause: shown, aspect: 'outcome' };
  };
