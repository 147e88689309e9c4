import type { Contract } from '../../contract/contract.ts';
import type { Rule } from '../../judge/rules.ts';
import { expectedOutcomeOf } from '../../payloads/expected-outcome.ts';
import type { ExpectedOutcome } from '../../payloads/test-case.ts';
import type { Check } from '../../run/check.ts';
import type { Failure } from '../../run/result/result.ts';
import { symptomsOf } from './detect-symptoms.ts';
import { aspectOf, type Symptom } from './symptom.ts';

/** A symptom to look for. If only the rules of a check can detect it, `rules` contains them. */
export interface TargetSymptom extends Symptom {
  readonly rules?: {
    readonly all: readonly Rule[];
    readonly problem: string;
    readonly expected: ExpectedOutcome;
  };
}

/** Returns whether the symptom is a malformed 400 response, which only a rejected request can show. */
export const isWrong400 = (symptom: TargetSymptom): boolean =>
  aspectOf(symptom) === 'representation' && symptom.status === 400;

/** Returns the symptom to look for in order to reproduce the failure of a check. */
export function targetSymptomOf(
  { finding, exchange, template }: Failure,
  { test }: Check,
  contract: Contract,
  token: string,
): TargetSymptom {
  const expected = expectedOutcomeOf(exchange.request, template, contract, token);
  const symptoms = symptomsOf(exchange, expected, contract);
  // If a rejection was due, a success is the symptom, even if the finding is about the form of that success.
  const success = symptoms.find(({ kind }) => kind === 'accepts');
  const symptomOfAspect = symptoms.find((one) => aspectOf(one) === finding.aspect);
  // Ignore the content of an incomplete response.
  const broken = exchange.kind === 'broken' ? symptoms.find((one) => aspectOf(one) === 'outcome') : undefined;
  const symptom =
    broken ?? (finding.aspect === 'representation' ? (success ?? symptomOfAspect) : symptomOfAspect);
  // Only the beginning of a long response may have been kept.
  const isWhole = exchange.response?.size === undefined;
  if (symptom !== undefined && (isWhole || !needsWholeBody(symptom))) return symptom;
  const rules = 'rules' in test ? { all: test.rules, problem: finding.problem, expected } : undefined;
  return { ...detailOf(finding.problem), ...(rules === undefined ? {} : { rules }) };
}

/** Whether the symptom can be recognised only in the whole body of the response. */
const needsWholeBody = (symptom: Symptom): boolean =>
  aspectOf(symptom) === 'echo' ||
  (aspectOf(symptom) === 'representation' && symptom.kind !== 'media-type' && symptom.kind !== 'no-body');

/** Findings of rules about details, worded as the beginning of a sentence about the store. */
const DETAILS: Readonly<Record<string, string>> = {
  'empty message': 'answers 400 with an empty message',
  'internals in an error response': 'reveals a stack trace or file path in error responses',
  'the token is echoed': 'repeats the token in a response',
  'byte order mark': 'begins JSON with a byte order mark',
  'no Bearer challenge': 'answers 401 without WWW-Authenticate: Bearer',
  'no 100 Continue': 'sends no 100 Continue',
  'no Allow': 'answers 405 without Allow',
};

/** Returns the symptom that corresponds to a finding of a rule about details. */
export const detailOf = (problem: string): Symptom =>
  problem === 'accepted'
    ? { kind: 'should-reject', words: 'accepts requests that it should reject' }
    : { kind: 'detail', words: DETAILS[problem] ?? `does not do what is expected (${problem})` };
