import { isSuccess } from '../../judge/reading.ts';
import { freshId, withWords } from '../../payloads/fresh.ts';
import { FRESH, JsonObject } from '../../payloads/json.ts';
import { templateOf } from '../../payloads/model/model-request.ts';
import { ID } from '../../payloads/plants.ts';
import type { RequestTemplate } from '../../payloads/test-case.ts';
import type { Exchange } from '../../wire/exchange.ts';
import type { Condition } from '../explanation/condition.ts';
import type { SymptomKind } from '../symptom/symptom.ts';
import type { Experiments } from './experiments.ts';
import type { Search } from './search.ts';

/** Symptoms that an unrelated rejection of a value would hide (`accepts`) or mimic (`rejects`). */
export const HIDDEN_BY_REJECTION: readonly SymptomKind[] = ['accepts', 'rejects'];

/** The status with which the store rejects a plant whose id, or whose text, another plant has; 0 if it accepts it. */
const statusOfDuplicate = (property: string, experiments: Experiments): Promise<number> =>
  experiments.cached(`duplicate ${property}`, async () => {
    const { plant, ...rest } = experiments.ordinary;
    const value = property === ID ? FRESH : withWords((word) => word(16));
    const later = plant.with(property, value);
    // Two plants with the same text have ids of their own.
    const earlier = property === ID ? later : later.with(ID, freshId(2n ** 20n, 2n ** 22n));
    const template: RequestTemplate = {
      ...templateOf({ ...rest, plant: later }),
      preceding: { template: templateOf({ ...rest, plant: earlier }), connection: 'other' },
    };
    const { preceding, response } = await experiments.sendFromReserve(template);
    const status = response?.status ?? 0;
    return isSuccess(preceding?.response?.status) && status >= 400 ? status : 0;
  });

/** Whether a value that is the same each time may have been rejected only because the store knows it. */
export async function mayBeDuplicate(
  { isRepeated, property }: Condition,
  { response }: Exchange,
  { symptom, experiments }: Search,
): Promise<boolean> {
  return (
    isRepeated === true &&
    property !== undefined &&
    HIDDEN_BY_REJECTION.includes(symptom.kind) &&
    response !== undefined &&
    response.status >= 400 &&
    response.status === (await statusOfDuplicate(property, experiments))
  );
}

/**
 * Whether the store now rejects an invalid request as it rejects a plant whose id, or whose text, is in use, and
 * other invalid ones with another status.
 */
export async function isRejectedAsDuplicate(
  { failure: { template }, experiments }: Search,
  { property = ID }: Condition,
): Promise<boolean> {
  const statuses = [await statusOfDuplicate(ID, experiments), await statusOfDuplicate(property, experiments)];
  if (statuses.every((status) => status === 0)) return false;
  const invalid = templateOf({ ...experiments.ordinary, defect: { json: new JsonObject([]) } });
  const usual = (await experiments.sendFromReserve(invalid)).response?.status ?? 0;
  const status = (await experiments.sendFromReserve(template)).response?.status ?? 0;
  return statuses.includes(status) && !statuses.includes(usual);
}
