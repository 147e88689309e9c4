import { write } from '../../payloads/json.ts';
import type { RequestState } from '../../payloads/model/dimension.ts';
import { modelsOf } from '../../payloads/model/model.ts';
import { ID } from '../../payloads/plants.ts';
import type { Experiments } from '../experiments.ts';
import type { Sweep } from './candidates.ts';
import { CREDENTIAL, type Part } from './parts.ts';
import { credentialSweep } from './sweeps/credentials.ts';
import { headerSweep } from './sweeps/headers.ts';
import { idSweep } from './sweeps/ids.ts';
import { modelSweep } from './sweeps/model.ts';
import { orderSweep } from './sweeps/order.ts';
import { depthSweep, nestingIn } from './sweeps/sizes.ts';
import { textSweep } from './sweeps/texts.ts';

/** What to try to find out how far a part of a request matters. */
export function sweepOf(
  part: Part,
  state: RequestState,
  ordinary: RequestState,
  experiments: Experiments,
): Sweep | undefined {
  const { shape } = experiments.contract.newPlant;
  const { name, dimension } = part;
  if (part === CREDENTIAL)
    return experiments.expectedOutcomeOf(state) === 'reject-credential'
      ? credentialSweep(experiments.token)
      : undefined;
  if (name === ID) return idSweep;
  if (name === 'property order') return orderSweep(ordinary.plant);
  const property = shape.properties.get(name);
  if (property !== undefined)
    return property.types.includes('string')
      ? textSweep(name, shape.required.has(name), state.plant.get(name))
      : undefined;
  const undeclared = state.plant.get(name);
  if (undeclared !== undefined) {
    const nesting = nestingIn(write(undeclared, 0n));
    return nesting === undefined ? undeclaredSweep(experiments) : depthSweep(name, nesting);
  }
  if (dimension !== undefined) return modelSweep(experiments.modelOf(state), dimension);
  const value = state.template.headers?.find(([own]) => own.toLowerCase() === name.toLowerCase())?.[1];
  return value === undefined ? undefined : headerSweep(name, value);
}

function undeclaredSweep({ contract }: Experiments): Sweep | undefined {
  const model = modelsOf(contract).open;
  const parts = ['undeclared names', 'undeclared values'].flatMap((name) => modelSweep(model, name) ?? []);
  const classes = parts.flatMap((sweep) => sweep.classes).slice(0, 1);
  return {
    part: 'undeclared properties',
    candidates: parts.flatMap(({ candidates }) => candidates),
    classes,
  };
}
