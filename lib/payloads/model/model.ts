import type { Contract } from '../../contract/contract.ts';
import { admits, plainPlants } from '../admits.ts';
import { coverage, coveringArray, type Dimensions, type Row } from '../covering.ts';
import { draw } from '../random.ts';
import { remembered } from '../remembered.ts';
import { anyOf, begun, type Context, type Dimension, type Making, type Value } from './dimension.ts';
import { historyOfSound, historyOfWrong } from './history.ts';
import { messageDimensions } from './message.ts';
import { credentialDimension, defectDimension, fewDefects } from './outcome.ts';
import { plantDimensions } from './plant.ts';
import { sizeDimension, textDimensions } from './text.ts';

/** What has to come of a request. */
export type Expectation =
  /** A 200 with a Plant. */
  | 'accepted'
  /** That, or a rejection: the interface leaves open whether a store accepts it. */
  | 'answered'
  | 'rejected'
  /** A rejection, for its credential. */
  | 'unauthorised';

/** In what requests differ of which the same has to come; the dimensions are applied in this order. */
export interface Model {
  readonly contract: Contract;
  readonly dimensions: readonly Dimension[];
  /** How many values are left out, as the document does not admit them. */
  readonly notApplicable: number;
}

/** The models of a document: without the values that it does not admit. */
export const modelsOf = remembered((contract: Contract): Readonly<Record<Expectation, Model>> => {
  const ofAnyDocument = [...plantDimensions, sizeDimension];
  const plant = ofAnyDocument.map((one) => admitted(one, contract));
  const notApplicable = countOf(ofAnyDocument) - countOf(plant);
  const around = [...textDimensions, ...messageDimensions];
  const plantOfWrong = plant.map(certain).map(grouped(13));
  const aroundWrong = around.map(maskingWithout('history'));
  const model = (...dimensions: readonly Dimension[]): Model => ({
    contract,
    dimensions: dimensions.filter(({ values }) => values.length > 1),
    notApplicable,
  });
  const { shape } = contract.newPlant;
  return {
    accepted: model(...[...plant, ...around, historyOfSound].map(required)),
    answered: model(...plant, ...around.map(maskingWithout('name', 'size')), historyOfSound),
    rejected: model(...plantOfWrong, asked(defectDimension(shape)), ...aroundWrong, historyOfWrong),
    unauthorised: model(
      ...plantOfWrong,
      fewDefects(shape),
      ...aroundWrong,
      asked(credentialDimension),
      historyOfWrong,
    ),
  };
});

const countOf = (dimensions: readonly Dimension[]): number =>
  dimensions.reduce((sum, { values }) => sum + values.length, 0);

const withValues = (
  { values: [first, ...others], ...rest }: Dimension,
  keep: (value: Value) => boolean,
): Dimension => ({
  ...rest,
  values: [first, ...others.filter(keep)],
});

/** Without what may be a fault itself. */
const certain = (one: Dimension): Dimension => withValues(one, ({ doubtful }) => doubtful !== true);

const mapped = (
  { values: [first, ...others], ...rest }: Dimension,
  change: (value: Value) => Value,
): Dimension => ({
  ...rest,
  values: [first, ...others.map(change)],
});

/** What most stores reject anyway, apart from dimensions with which it would take many rows and show little. */
const maskingWithout =
  (...names: readonly string[]) =>
  (one: Dimension): Dimension =>
    one.masks === true
      ? mapped(one, (value) => ({ ...value, apart: [...(value.apart ?? []), ...names] }))
      : one;

/** A dimension of at most so many values but for the usual one, of which those that stand side by side are alike. */
const grouped =
  (most: number) =>
  ({ values: [first, ...others], ...rest }: Dimension): Dimension => {
    const size = Math.ceil(others.length / most);
    const groups = others.flatMap((value, index) => {
      const members = others.slice(index, index + size).flatMap((one) => one.members ?? [one]);
      if (index % size !== 0) return [];
      return [size === 1 ? value : anyOf([members[0] ?? value, ...members.slice(1)])];
    });
    return { ...rest, values: [first, ...groups] };
  };

/** Without what a store may reject. */
const required = (one: Dimension): Dimension => withValues(one, ({ optional }) => optional !== true);

/** Without what is not a NewPlant of the document. */
const admitted = (one: Dimension, contract: Contract): Dimension =>
  withValues(one, ({ apply }) =>
    admits(contract, apply(begun(plainOf(contract, 0)), contextOf(contract, 0, '')).plant),
  );

/** The dimension that a model is about: something is always wrong. */
const asked = ({ name, values: [, first, ...others] }: Dimension): Dimension => {
  if (first === undefined) throw new Error(`nothing can be wrong with the ${name}`);
  return { name, values: [first, ...others] };
};

const contextOf = (contract: Contract, salt: number, dimension: string): Context => {
  let drawn = 0;
  return {
    contract,
    pick: (arbitrary) => {
      drawn += 1;
      return draw(arbitrary, salt, dimension, drawn).value;
    },
  };
};

const plainOf = (contract: Contract, salt: number) =>
  draw(plainPlants(contract, 'all'), salt, 'plant', 0).value;

/** A row, which member of each of its values it has, and a number from which all follows that they leave open. */
export interface Chosen {
  readonly row: Row;
  readonly members: Row;
  readonly salt: number;
}

/** The request that a row describes. What its values leave open follows from `salt`. */
export function madeOf({ contract, dimensions }: Model, { row, members, salt }: Chosen): Making {
  const applied = (keep: (next: Making, before: Making) => boolean) =>
    dimensions.reduce<Making>(
      (making, { name, values }, index) => {
        const value = memberOf(values[row[index] ?? 0] ?? values[0], members[index] ?? 0);
        const next = value.apply(making, contextOf(contract, salt, name));
        return keep(next, making) ? next : making;
      },
      begun(plainOf(contract, salt)),
    );
  const whole = applied(() => true);
  if (admits(contract, whole.plant)) return whole;
  // Each value is admitted by itself; of two together the document has the last word.
  return applied((next, before) => next.plant === before.plant || admits(contract, next.plant));
}

/** Of a value that stands for several, one. */
const memberOf = (value: Value, member: number): Value => value.members?.[member] ?? value;

/** The values of a row, with the names of their dimensions. */
export const valuesOf = (
  { dimensions }: Model,
  { row, members }: Pick<Chosen, 'row' | 'members'>,
): readonly { readonly dimension: string; readonly value: Value; readonly index: number }[] =>
  dimensions.map(({ name, values }, at) => {
    const index = row[at] ?? 0;
    return { dimension: name, value: memberOf(values[index] ?? values[0], members[at] ?? 0), index };
  });

/** How many members each value of each dimension has. */
export const countsOf = ({ dimensions }: Model): readonly (readonly number[])[] =>
  dimensions.map(({ values }) => values.map(({ members }) => members?.length ?? 1));

export const dimensionsOf = remembered(({ dimensions }: Model): Dimensions => {
  const apart = dimensions.map(({ values }) =>
    values.map(
      (value) => new Set(dimensions.flatMap(({ name }, at) => (value.apart?.includes(name) ? [at] : []))),
    ),
  );
  const keepsApart = (dimension: number, value: number, other: number, otherValue: number) =>
    otherValue !== 0 && apart[dimension]?.[value]?.has(other) === true;
  return {
    sizes: dimensions.map(({ values }) => values.length),
    masking: dimensions.flatMap(({ masks }, at) => (masks === true ? [at] : [])),
    allowed: (dimension, value, other, otherValue) =>
      !keepsApart(dimension, value, other, otherValue) && !keepsApart(other, otherValue, dimension, value),
  };
});

/** How many values that are looked at together: 2 for all pairs, 3 for all triples. */
export type Strength = 2 | 3;

const arrays = {
  2: remembered((model: Model) => coveringArray(dimensionsOf(model), 2)),
  3: remembered((model: Model) => coveringArray(dimensionsOf(model), 3)),
} as const;

/** Rows in which every pair, or triple, of values occurs that may. */
export const rowsOf = (model: Model, strength: Strength): readonly Row[] => arrays[strength](model);

/** How many pairs, or triples, occur in some rows of a covering array. */
export interface Coverage {
  readonly strength: Strength;
  readonly dimensions: number;
  readonly rows: number;
  readonly covered: number;
  readonly all: number;
  /** Values that are left out, as the document does not admit them. */
  readonly notApplicable: number;
}

/** @param places of rows of the array */
export function coverageOf(model: Model, strength: Strength, places: readonly number[]): Coverage {
  const array = rowsOf(model, strength);
  const rows = places.flatMap((place) => array.slice(place, place + 1));
  const { dimensions, notApplicable } = model;
  return {
    strength,
    dimensions: dimensions.length,
    rows: rows.length,
    ...coverage(dimensionsOf(model), strength, rows),
    notApplicable,
  };
}
