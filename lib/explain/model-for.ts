import type { Contract } from '../contract/contract.ts';
import { type Model, modelsOf } from '../payloads/model/model.ts';
import type { Role } from './symptom/symptom.ts';

/** The model of requests with such a role. */
export function modelFor(role: Role, contract: Contract): Model {
  const { answered, rejected, unauthorised } = modelsOf(contract);
  if (role === 'reject-body') return rejected;
  return role === 'reject-credential' ? unauthorised : answered;
}
