import type { Exchange } from '../../wire/exchange.ts';
import type { Experiments } from '../experiment/experiments.ts';
import type { CheckFailure, Cluster } from '../explanation/cluster.ts';
import { symptomsOf } from '../symptom/detect-symptoms.ts';
import { aspectOf, type Symptom } from '../symptom/symptom.ts';

/** Finds a single cause of many failures with different symptoms. */
export type RunWideCauseFinder = (
  failures: readonly CheckFailure[],
  experiments: Experiments,
) => Promise<Cluster | undefined>;

/** What is wrong with the response to an ordinary plant, other than values that are not those sent. */
export const wrongResponse = (exchange: Exchange, { contract }: Experiments): Symptom | undefined =>
  symptomsOf(exchange, 'accept', contract).find((one) => aspectOf(one) !== 'echo');
