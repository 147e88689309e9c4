import fc from 'fast-check';
import {
  acceptsOrdinary,
  answered,
  errorBody,
  errorMediaType,
  noServerError,
  notSuccess,
  plantBody,
  plantMediaType,
  type Rule,
  sound,
  takenOrRefused,
} from '../lib/judge/rules.ts';
import { coverageOf, type Expectation, modelsOf } from '../lib/payloads/model/model.ts';
import { anyCombination, combinations as rows } from '../lib/payloads/model/rows.ts';
import type { Check, Test } from '../lib/run/check.ts';
import { creating, must } from './vocabulary.ts';

const onward =
  'Look for the branch that such a request takes: another reader, parser, route, cache or version of the handler, which leaves out what the usual one does.';

/** Every pair of the values in which requests differ (every triple with --thorough), and then any of them together. */
const combined = (expectation: Expectation, rules: readonly Rule[], share: number): Test => ({
  kind: 'property',
  named: (plants) =>
    rows(plants.contract, expectation, plants.strength, creating(plants.plain()), plants.draw(fc.nat())),
  cases: (plants) => anyCombination(plants.contract, expectation, creating(plants.plain())),
  rules,
  share,
  covers: ({ contract, strength }, count) => coverageOf(modelsOf(contract)[expectation], strength, count),
});

/** What holds for each way in which a request can be made holds for every two of them together. */
export const combinations: readonly Check[] = [
  must(
    'combinations/accepts-ordinary-plants',
    {
      statement:
        'An ordinary NewPlant is created in whatever way it is written, framed and sent, and whatever came before it.',
      basis: ['section 4, rule 1', 'section 4, rule 2', 'RFC 9110 section 3.3'],
      hint: `Accept it with 200 and a Plant. ${onward}`,
    },
    combined('accepted', [acceptsOrdinary, plantMediaType, plantBody], 1.1),
  ),
  must(
    'combinations/answers-unconstrained-plants',
    {
      statement:
        'A NewPlant that a store may reject is answered soundly in whatever way it is sent: 200 with a Plant, or a rejection.',
      basis: ['section 4, rule 1', 'section 4, rule 3', 'section 8'],
      hint: `Answer it with 200 and a Plant, or with 400 and an Error. ${onward}`,
    },
    combined('answered', [takenOrRefused, ...sound], 4.3),
  ),
  must(
    'combinations/rejects-invalid-bodies',
    {
      statement:
        'A body that is no NewPlant is rejected in whatever way it is sent, and whatever came before it.',
      basis: ['section 4, request body', 'section 2, NewPlant', 'RFC 9110 section 3.3'],
      hint: `Validate every body. ${onward}`,
    },
    combined('rejected', [notSuccess, answered, noServerError, errorMediaType, errorBody], 7.6),
  ),
  must(
    'combinations/rejects-invalid-credentials',
    {
      statement:
        'A request without the token is rejected in whatever way it is sent, and whoever is let in meanwhile.',
      basis: ['section 5, rule 1', 'section 5, rule 2', 'RFC 9110 section 3.3'],
      hint: `Authenticate every request, before anything else. ${onward}`,
    },
    combined('unauthorised', [notSuccess, answered, noServerError, errorMediaType, errorBody], 5.4),
  ),
];
