import { sum } from '../../collections.ts';
import type { Contract } from '../../contract/contract.ts';
import { chooseMembers, coverage, coveringArray, type Dimensions, type Row } from '../covering.ts';
import { memoised } from '../memoised.ts';
import { sample } from '../random.ts';
import type { ExpectedOutcome } from '../test-case.ts';
import { isValid, plainPlants } from '../validity.ts';
import { credentialDimension, defectDimension, fewDefects } from './defects-and-credentials.ts';
import { anyOfList, type Context, type Dimension, type DimensionName, type Value } from './dimension.ts';
import { historyOfInvalid, historyOfValid } from './history.ts';
import { messageDimensions, schemeDimension, schemeOfInvalid } from './message.ts';
import { initialRequest, type ModelRequest } from './model-request.ts';
import { storedPairs } from './pairs.ts';
import { plantDimensions } from './plant.ts';
import { sizeDimension, textDimensions } from './text.ts';

/** The dimensions of requests with the same expected outcome, in the order in which they are applied. */
export interface Model {
  readonly contract: Contract;
  readonly dimensions: readonly Dimension[];
  readonly notApplicable: number;
}

/** Maximum number of values per property if the request is invalid anyway: more would only add rows. */
const MAX_PLANT_VALUES = 13;

export const modelsOf = memoised((contract: Contract): Readonly<Record<ExpectedOutcome, Model>> => {
  const ofAnyDocument = [...plantDimensions, sizeDimension];
  const plant = ofAnyDocument.map((one) => valid(one, contract));
  const notApplicable = countOf(ofAnyDocument) - countOf(plant);
  const aroundAccepted = [...textDimensions, ...messageDimensions];
  const around = aroundAccepted.map(withoutSlow);
  const plantOfInvalid = plant.map(without('mayMakeInvalid')).map(grouped(MAX_PLANT_VALUES));
  const aroundInvalid = around.map(maskingWithout('history'));
  const model = (...dimensions: readonly Dimension[]): Model => ({
    contract,
    dimensions: dimensions.filter(({ values }) => values.length > 1),
    notApplicable,
  });
  const { shape } = contract.newPlant;
  return {
    accept: model(...[...plant, ...aroundAccepted, historyOfValid].map(without('mayBeRejected'))),
    'accept-or-reject': model(
      ...plant,
      ...[...around, schemeDimension].map(maskingWithout('name', 'size')),
      historyOfValid,
    ),
    'reject-body': model(
      ...plantOfInvalid,
      withoutUsual(defectDimension(shape)),
      ...aroundInvalid,
      maskingWithout('history')(schemeDimension),
      historyOfInvalid,
    ),
    'reject-credential': model(
      ...plantOfInvalid,
      fewDefects(shape),
      ...aroundInvalid,
      withoutUsual(credentialDimension),
      schemeOfInvalid,
      historyOfInvalid,
    ),
  };
});

const countOf = (dimensions: readonly Dimension[]): number => sum(dimensions, ({ values }) => values.length);

/** The dimension with other unusual values: none, one or several in place of each. */
const mapped = (
  { values: [first, ...others], ...rest }: Dimension,
  change: (value: Value, index: number, unusual: readonly Value[]) => Value | readonly Value[],
): Dimension => ({ ...rest, values: [first, ...others.flatMap(change)] });

/** The dimension without the values that have this flag. */
const without =
  (flag: 'mayMakeInvalid' | 'mayBeRejected') =>
  (one: Dimension): Dimension =>
    mapped(one, (value) => (value[flag] === true ? [] : value));

const withoutSlow = (one: Dimension): Dimension =>
  mapped(one, ({ members, ...value }) => {
    const quick = members?.filter(({ isSlow }) => isSlow !== true) ?? [];
    return { ...value, ...(quick.length > 1 ? { members: quick } : {}) };
  });

/** Does not combine masking values with these dimensions, which would add many rows and reveal little. */
const maskingWithout =
  (...names: readonly DimensionName[]) =>
  (one: Dimension): Dimension =>
    one.masksOthers === true
      ? mapped(one, ({ incompatibleWith = [], ...value }) => ({
          ...value,
          incompatibleWith: [...incompatibleWith, ...names],
        }))
      : one;

/** Groups adjacent values, which are similar, until at most `maxCount` unusual values remain. */
const grouped =
  (maxCount: number) =>
  (dimension: Dimension): Dimension =>
    mapped(dimension, (value, index, unusual) => {
      const size = Math.ceil(unusual.length / maxCount);
      if (index % size !== 0) return [];
      const group = unusual.slice(index, index + size);
      return size === 1 ? value : anyOfList(group.flatMap((one) => one.members ?? [one]));
    });

/** The dimension without values that the document does not allow. */
const valid = (one: Dimension, contract: Contract): Dimension =>
  mapped(one, (value) => {
    const { plant } = value.apply(initialRequest(plainOf(contract, 0)), contextOf(contract, 0, ''));
    return isValid(contract, plant) ? value : [];
  });

/** The dimension that makes requests invalid, without its usual value, so that something is always wrong. */
const withoutUsual = ({ name, values: [, first, ...others] }: Dimension): Dimension => {
  if (first === undefined) throw new Error(`nothing can be wrong with the ${name}`);
  return { name, values: [first, ...others] };
};

const contextOf = (contract: Contract, seed: number, dimension: string): Context => {
  let sampled = 0;
  return {
    contract,
    sample: (arbitrary) => {
      sampled += 1;
      return sample(arbitrary, seed, dimension, sampled).value;
    },
  };
};

const plainOf = (contract: Contract, seed: number) =>
  sample(plainPlants(contract, 'all'), seed, 'plant', 0).value;

/** A row, and the member of each of its values. */
interface ChosenRow {
  readonly row: Row;
  readonly members: Row;
}

/** The seed determines everything that the row leaves open. */
export interface Chosen extends ChosenRow {
  readonly seed: number;
}

export function requestOf({ contract, dimensions }: Model, { row, members, seed }: Chosen): ModelRequest {
  const applied = (keep: (next: ModelRequest, before: ModelRequest) => boolean) =>
    dimensions.reduce<ModelRequest>(
      (request, dimension, at) => {
        const value = valueIn(dimension, { row, members }, at);
        const next = value.apply(request, contextOf(contract, seed, dimension.name));
        return keep(next, request) ? next : request;
      },
      initialRequest(plainOf(contract, seed)),
    );
  const whole = applied(() => true);
  if (isValid(contract, whole.plant)) return whole;
  // Each value is valid by itself, but two of them may be invalid together.
  return applied((next, before) => next.plant === before.plant || isValid(contract, next.plant));
}

export function valueIn({ values }: Dimension, { row, members }: ChosenRow, at: number): Value {
  const value = values[row[at] ?? 0] ?? values[0];
  return value.members?.[members[at] ?? 0] ?? value;
}

export const valuesOf = (
  { dimensions }: Model,
  chosen: ChosenRow,
): readonly { readonly dimension: string; readonly value: Value; readonly index: number }[] =>
  dimensions.map((one, at) => ({
    dimension: one.name,
    value: valueIn(one, chosen, at),
    index: chosen.row[at] ?? 0,
  }));

export const countsOf = ({ dimensions }: Model): readonly (readonly number[])[] =>
  dimensions.map(({ values }) => values.map(({ members }) => members?.length ?? 1));

export const dimensionsOf = memoised(({ dimensions }: Model): Dimensions => {
  const apart = dimensions.map(({ values }) =>
    values.map(
      (value) =>
        new Set(dimensions.flatMap(({ name }, at) => (value.incompatibleWith?.includes(name) ? [at] : []))),
    ),
  );
  const keepsApart = (dimension: number, value: number, other: number, otherValue: number) =>
    otherValue !== 0 && apart[dimension]?.[value]?.has(other) === true;
  return {
    sizes: dimensions.map(({ values }) => values.length),
    masking: dimensions.flatMap(({ masksOthers: masks }, at) => (masks === true ? [at] : [])),
    allowed: (dimension, value, other, otherValue) =>
      !keepsApart(dimension, value, other, otherValue) && !keepsApart(other, otherValue, dimension, value),
  };
});

/** How many values are combined: 2 for all pairs, 3 for all triples. */
export type Strength = 2 | 3;

/** The dimensions of a model with each member of a value as a value of its own. */
const ungrouped = memoised((model: Model) => ({
  places: countsOf(model).map((counts) =>
    counts.flatMap((count, value) => Array.from({ length: count }, (_, member) => ({ value, member }))),
  ),
  dimensions: dimensionsOf({
    ...model,
    dimensions: model.dimensions.map(({ values: [first, ...others], ...rest }): Dimension => {
      const [one = first, ...further] = [first, ...others].flatMap((value) => value.members ?? [value]);
      return { ...rest, values: [one, ...further] };
    }),
  }),
}));

const dimensionsFor = (model: Model, strength: Strength): Dimensions =>
  strength === 2 ? dimensionsOf(model) : ungrouped(model).dimensions;

const arrays = {
  2: memoised((model: Model) => storedPairs(model) ?? coveringArray(dimensionsFor(model, 2), 2)),
  3: memoised((model: Model) => coveringArray(dimensionsFor(model, 3), 3)),
} as const;

/** The rows of the covering array. Rows of strength 3 count the members of each value as values. */
export const rowsOf = (model: Model, strength: Strength): readonly Row[] => arrays[strength](model);

/** Returns the values and members of a row. Rows of strength 2 use the members of a value in turn. */
export function chosenIn(model: Model, strength: Strength, seed: number): (index: number) => ChosenRow {
  const rows = rowsOf(model, strength);
  if (strength === 2) {
    const members = chooseMembers(rows, countsOf(model), seed);
    return (index) => ({ row: rows[index] ?? [], members: members[index] ?? [] });
  }
  const { places } = ungrouped(model);
  return (index) => {
    const chosen = (rows[index] ?? []).map((place, dimension) => places[dimension]?.[place]);
    return {
      row: chosen.map((one) => one?.value ?? 0),
      members: chosen.map((one) => one?.member ?? 0),
    };
  };
}

/** How many pairs, or triples, occur in the given rows of a covering array. */
export interface Coverage {
  readonly strength: Strength;
  readonly dimensions: number;
  readonly rows: number;
  readonly covered: number;
  readonly all: number;
  /** Number of values omitted because the document does not allow them. */
  readonly notApplicable: number;
}

/**
 * Counts how many combinations some rows of a covering array cover.
 * @param positions the indices of the rows
 */
export function coverageOf(model: Model, strength: Strength, positions: readonly number[]): Coverage {
  const array = rowsOf(model, strength);
  const rows = positions.flatMap((position) => array.slice(position, position + 1));
  const { dimensions, notApplicable } = model;
  return {
    strength,
    dimensions: dimensions.length,
    rows: rows.length,
    ...coverage(dimensionsFor(model, strength), strength, rows),
    notApplicable,
  };
}
