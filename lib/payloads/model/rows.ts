import { Arbitrary, Value as Drawn, type Random, Stream } from 'fast-check';
import type { Contract } from '../../contract/contract.ts';
import type { Case, Draft, Population } from '../case.ts';
import { membersOf, type Row } from '../covering.ts';
import { draftOf } from './dimension.ts';
import {
  type Chosen,
  countsOf,
  dimensionsOf,
  type Expectation,
  type Model,
  madeOf,
  modelsOf,
  rowsOf,
  type Strength,
  valuesOf,
} from './model.ts';

/** The requests of a model as cases: those of its covering array, and any. */

const POPULATIONS: Readonly<Record<Expectation, Population>> = {
  accepted: 'ordinary',
  answered: 'whole-shape',
  rejected: 'malformed',
  unauthorised: 'other',
};

/** The dimension that says what is wrong with a request: it tells causes apart, and stays when a failure is shrunk. */
const FAULT: Partial<Readonly<Record<Expectation, string>>> = {
  rejected: 'defect',
  unauthorised: 'credential',
};

/** What cases were made of: whoever shrinks a failure goes on from there. */
const chosenFor = new WeakMap<object, Chosen>();

function caseOf(expectation: Expectation, model: Model, control: Draft, chosen: Chosen): Case {
  const values = valuesOf(model, chosen);
  const isFault = (dimension: string) => dimension === FAULT[expectation];
  const fault = values.find(({ dimension }) => isFault(dimension))?.value;
  const others = values.flatMap(({ dimension, value, index }) =>
    index > 0 && !isFault(dimension) ? [value.name] : [],
  );
  let made: Draft | undefined;
  const one: Case = {
    label: `a plant ${[...(fault === undefined ? [] : [fault.name]), ...others].join(', ') || 'as usual'}`,
    stableLabel: fault?.fault ?? 'a plant in one of many ways',
    population: POPULATIONS[expectation],
    // Most rows of an array are never asked for their bytes twice, and many not at all.
    get draft() {
      made ??= draftOf(madeOf(model, chosen));
      return made;
    },
    twin: control,
  };
  chosenFor.set(one, chosen);
  return one;
}

/**
 * The cases of a covering array: every pair, or triple, of values occurs in one of them.
 * @param control an ordinary request, without which a rejection says nothing
 * @param salt from which all follows that the rows leave open
 */
export function combinations(
  contract: Contract,
  expectation: Expectation,
  strength: Strength,
  control: Draft,
  salt: number,
): readonly Case[] {
  const model = modelsOf(contract)[expectation];
  const rows = rowsOf(model, strength);
  const members = membersOf(rows, countsOf(model), salt);
  return rows.map((row, index) =>
    caseOf(expectation, model, control, { row, members: members[index] ?? [], salt: (salt + index) | 0 }),
  );
}

/** Any case of a model, of more values that are not usual than a covering array looks at together. */
export function anyCombination(
  contract: Contract,
  expectation: Expectation,
  control: Draft,
): Arbitrary<Case> {
  const model = modelsOf(contract)[expectation];
  return new AnyRow(model, FAULT[expectation]).map(
    (chosen) => caseOf(expectation, model, control, chosen),
    (one) => {
      const chosen = typeof one === 'object' && one !== null ? chosenFor.get(one) : undefined;
      if (chosen === undefined) throw new Error('not a case of this model');
      return chosen;
    },
  );
}

/** Rows, which shrink towards the usual value of each dimension. */
class AnyRow extends Arbitrary<Chosen> {
  private readonly model: Model;
  private readonly fault: string | undefined;

  constructor(model: Model, fault: string | undefined) {
    super();
    this.model = model;
    this.fault = fault;
  }

  generate(random: Random): Drawn<Chosen> {
    const { sizes, allowed, masking = [] } = dimensionsOf(this.model);
    const row: number[] = [];
    for (const [dimension, size] of sizes.entries()) {
      const one = masking.includes(dimension) ? 7 : 1;
      const isUnusual = this.isFault(dimension) || random.nextInt(0, one) === one;
      const value = isUnusual ? random.nextInt(0, size - 1) : 0;
      const isAllowed = row.every((own, other) => allowed(dimension, value, other, own));
      // A fault stays; what says nothing together with it goes.
      row.push(isAllowed || this.isFault(dimension) ? value : 0);
    }
    const members = countsOf(this.model).map((counts, dimension) =>
      random.nextInt(0, (counts[row[dimension] ?? 0] ?? 1) - 1),
    );
    return new Drawn({ row: this.repaired(row), members, salt: random.nextInt() }, undefined);
  }

  canShrinkWithoutContext(value: unknown): value is Chosen {
    return typeof value === 'object' && value !== null && 'row' in value;
  }

  /** With all that is not usual given up, with one half of it, and with one after the other. */
  shrink({ row, members, salt }: Chosen): Stream<Drawn<Chosen>> {
    const unusual = row.flatMap((value, dimension) =>
      value > 0 && !this.isFault(dimension) ? [dimension] : [],
    );
    const half = Math.ceil(unusual.length / 2);
    const steps = [
      ...(unusual.length > 1 ? [unusual] : []),
      ...(unusual.length > 3 ? [unusual.slice(0, half), unusual.slice(half)] : []),
      ...unusual.map((dimension) => [dimension]),
    ];
    const without = (given: readonly number[]) => ({
      row: row.map((value, dimension) => (given.includes(dimension) ? 0 : value)),
      members,
      salt,
    });
    return Stream.of(...steps.map((given) => new Drawn(without(given), undefined)));
  }

  private isFault(dimension: number): boolean {
    return this.model.dimensions[dimension]?.name === this.fault;
  }

  /** A fault stays, and what says nothing together with it goes. */
  private repaired(row: readonly number[]): Row {
    const { allowed } = dimensionsOf(this.model);
    const at = row.findIndex((_, dimension) => this.isFault(dimension));
    if (at < 0) return row;
    const fault = row[at] ?? 0;
    return row.map((value, dimension) =>
      dimension === at || allowed(at, fault, dimension, value) ? value : 0,
    );
  }
}
