import { packageFile } from '../../lib/package.ts';
import { enforcing, type RightStore, right } from '../fleet.ts';

const overlays = [packageFile('mutants/overlays/limits.yaml')];

/** Stores whose document declares limits, and which keep to them. */
export const limits: readonly RightStore[] = [
  { ...right('limits-enforced', 'the declared limits are enforced with 400', enforcing({})), overlays },
];
