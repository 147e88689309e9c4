import fc from 'fast-check';
import { createdOrRejectedRules, createdRules, type Rule, rejectedRules } from '../lib/judge/rules.ts';
import { coverageOf, modelsOf } from '../lib/payloads/model/model.ts';
import { anyCombination, combinations } from '../lib/payloads/model/rows.ts';
import type { ExpectedOutcome } from '../lib/payloads/test-case.ts';
import type { Check, Test } from '../lib/run/check.ts';
import { must, ordinaryRequest } from './define.ts';

const CODE_PATH_HINT =
  'Look for a separate code path for such requests (another reader, parser, route, cache or handler version) that skips a step of the usual one.';

/** Every pair of values of the model (with --thorough, every triple), followed by random combinations. */
const combined = (expected: ExpectedOutcome, rules: readonly Rule[], weight: number): Test => ({
  kind: 'property',
  named: (plants) =>
    combinations(
      plants.contract,
      expected,
      plants.strength,
      ordinaryRequest(plants.plain()),
      plants.sample(fc.nat()),
    ),
  cases: (plants) => anyCombination(plants.contract, expected, ordinaryRequest(plants.plain())),
  rules,
  weight,
  covers: ({ contract, strength }, rows) => coverageOf(modelsOf(contract)[expected], strength, rows),
});

/**
 * Each weight is the number of rows of the covering array for openapi.yaml, divided by the default number of
 * cases, so that a default run tries every row.
 */
export const combinationChecks: readonly Check[] = [
  must('combinations/accepts-ordinary-plants', {
    statement:
      'An ordinary NewPlant is created however it is written, framed and sent, and whatever requests came before it.',
    basis: ['section 4, rule 1', 'section 4, rule 2', 'RFC 9110 section 3.3'],
    hint: `Answer 200 with a Plant. ${CODE_PATH_HINT}`,
    test: combined('accept', createdRules, 1.26),
  }),
  must('combinations/answers-unconstrained-plants', {
    statement: 'An unconstrained NewPlant gets a 200 with a Plant, or a valid rejection, however it is sent.',
    basis: ['section 4, rule 1', 'section 4, rule 3', 'section 8'],
    hint: `Answer 200 with a Plant, or 400 with an Error. ${CODE_PATH_HINT}`,
    test: combined('accept-or-reject', createdOrRejectedRules, 5),
  }),
  must('combinations/rejects-invalid-bodies', {
    statement:
      'A body that is not a NewPlant is rejected however it is sent, and whatever requests came before it.',
    basis: ['section 4, request body', 'section 2, NewPlant', 'RFC 9110 section 3.3'],
    hint: `Validate every body. ${CODE_PATH_HINT}`,
    test: combined('reject-body', rejectedRules, 8.04),
  }),
  must('combinations/rejects-invalid-credentials', {
    statement:
      'A request without the right token is rejected however it is sent, and whatever other requests were accepted.',
    basis: ['section 5, rule 1', 'section 5, rule 2', 'RFC 9110 section 3.3'],
    hint: `Authenticate every request before anything else. ${CODE_PATH_HINT}`,
    test: combined('reject-credential', rejectedRules, 5.94),
  }),
];
