import type { Condition } from '../explanation/condition.ts';
import type { Candidate, Sweep } from './candidates.ts';

const METHODS = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const ANY_OTHER = 'another method';

export const methodWords = (method = 'POST'): Condition => ({ phrase: `with the method ${method}` });

export const methodSweep: Sweep = {
  part: 'method',
  candidates: METHODS.map(
    (method): Candidate => ({
      value: method,
      condition: methodWords(method),
      apply: (request) => ({ ...request, template: { ...request.template, method } }),
      classes: [ANY_OTHER],
    }),
  ),
  classes: [{ id: ANY_OTHER, condition: { phrase: 'with a method other than POST' } }],
};
