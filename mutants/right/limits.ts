import { packageFile } from '../../lib/package.ts';
import { enforcing, type RightStore, right } from '../fleet.ts';

const overlays = [packageFile('mutants/overlays/limits.yaml')];

/** Stores whose document declares limits, which they enforce. */
export const limits: readonly RightStore[] = [
  { ...right('limits-enforced', 'enforces the declared limits with 400', enforcing({})), overlays },
];
