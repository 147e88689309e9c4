import type { Contract } from '../../contract/contract.ts';
import type { Check } from '../../run/check.ts';
import type { Failure } from '../../run/result/result.ts';
import type { SoughtSymptom } from '../experiments.ts';
import { roleOf } from './role.ts';
import { symptomsOf } from './symptom.ts';

/** What to look for to see the failure of a check again. */
export function wantedOf(
  { finding, exchange, template }: Failure,
  { test }: Check,
  contract: Contract,
  token: string,
): SoughtSymptom {
  const role = roleOf(exchange.request, template, contract, token);
  const symptoms = symptomsOf(exchange, role, contract);
  // What should not have succeeded need not look like a success.
  const success = symptoms.find(({ aspect }) => aspect === 'success');
  const own = symptoms.find(({ aspect }) => aspect === finding.aspect);
  // What is broken off has no content.
  const broken = exchange.kind === 'broken' ? symptoms.find(({ aspect }) => aspect === 'outcome') : undefined;
  const symptom = broken ?? (finding.aspect === 'representation' ? (success ?? own) : own);
  // Of a long response only the beginning is kept.
  if (symptom === undefined || exchange.response?.size !== undefined) {
    const rules = 'rules' in test ? { all: test.rules, cause: finding.cause, role } : undefined;
    return { words: wordsOf(finding.cause), aspect: 'detail', ...(rules === undefined ? {} : { rules }) };
  }
  const status = exchange.response?.status;
  return symptom.aspect === 'representation' && status !== undefined ? { ...symptom, status } : symptom;
}

/** Causes of the rules about details, as the beginning of a sentence about the store. */
const DETAILS: Readonly<Record<string, string>> = {
  accepted: 'accepts requests that it should reject',
  'empty message': 'answers 400 with an empty message',
  'internals in an error response': 'reveals a stack trace or file path in error responses',
  'the token is echoed': 'repeats the token in a response',
  'byte order mark': 'begins JSON with a byte order mark',
  'no Bearer challenge': 'answers 401 without WWW-Authenticate: Bearer',
  'no Allow': 'answers 405 without Allow',
};

export const wordsOf = (cause: string): string => DETAILS[cause] ?? `does not do what is expected (${cause})`;
