import { Arbitrary, type Random, Value as Sampled, Stream } from 'fast-check';
import { compact } from '../../collections.ts';
import type { Contract } from '../../contract/contract.ts';
import type { Row } from '../covering.ts';
import type { ExpectedOutcome, RequestTemplate, TestCase } from '../test-case.ts';
import {
  type Chosen,
  chosenIn,
  countsOf,
  dimensionsOf,
  type Model,
  modelsOf,
  requestOf,
  rowsOf,
  type Strength,
  valueIn,
  valuesOf,
} from './model.ts';
import { templateOf } from './model-request.ts';

/** The dimension that makes a request invalid. It distinguishes causes, so shrinking keeps it. */
const DECISIVE: Partial<Readonly<Record<ExpectedOutcome, string>>> = {
  'reject-body': 'defect',
  'reject-credential': 'credential',
};

/** The label of all rows with valid requests. */
export const IN_ONE_OF_MANY_WAYS = 'a plant in one of many ways';

const chosenFor = new WeakMap<object, () => Chosen>();

/** @param choose is called on demand, since there may be 100,000 rows */
function caseOf(
  expected: ExpectedOutcome,
  model: Model,
  control: RequestTemplate,
  choose: () => Chosen,
): TestCase {
  const at = model.dimensions.findIndex(({ name }) => name === DECISIVE[expected]);
  const dimension = model.dimensions[at];
  const decisive = () => (dimension === undefined ? undefined : valueIn(dimension, choose(), at));
  let cachedTemplate: WeakRef<RequestTemplate> | undefined;
  const testCase: TestCase = {
    get label() {
      const others = valuesOf(model, choose()).filter(({ index }, other) => index > 0 && other !== at);
      const invalid = decisive();
      const names = compact(invalid?.name, ...others.map(({ value }) => value.name));
      return `${invalid?.standalone ? '' : 'a plant '}${names.join(', ') || 'as usual'}`;
    },
    get stableLabel() {
      return decisive()?.stableLabel ?? IN_ONE_OF_MANY_WAYS;
    },
    // On demand, like the label: many rows are never sent. Not kept, since there may be 100,000 rows.
    get template() {
      const cached = cachedTemplate?.deref();
      if (cached !== undefined) return cached;
      const template = templateOf(requestOf(model, choose()));
      cachedTemplate = new WeakRef(template);
      return template;
    },
    control,
  };
  chosenFor.set(testCase, choose);
  return testCase;
}

/**
 * Makes a test case of each row of a covering array.
 * @param control an ordinary request, without which a rejection proves nothing
 * @param seed determines everything that the rows leave open
 */
export function combinations(
  contract: Contract,
  expected: ExpectedOutcome,
  strength: Strength,
  control: RequestTemplate,
  seed: number,
): readonly TestCase[] {
  const model = modelsOf(contract)[expected];
  const chosenAt = chosenIn(model, strength, seed);
  return rowsOf(model, strength).map((_, index) =>
    caseOf(expected, model, control, () => ({ ...chosenAt(index), seed: (seed + index) | 0 })),
  );
}

/** Samples cases of a model, which combine more unusual values than the rows of a covering array. */
export function anyCombination(
  contract: Contract,
  expected: ExpectedOutcome,
  control: RequestTemplate,
): Arbitrary<TestCase> {
  const model = modelsOf(contract)[expected];
  return new AnyRow(model, DECISIVE[expected]).map(
    (chosen) => caseOf(expected, model, control, () => chosen),
    (one) => {
      const choose = typeof one === 'object' && one !== null ? chosenFor.get(one) : undefined;
      if (choose === undefined) throw new Error('not a case of this model');
      return choose();
    },
  );
}

class AnyRow extends Arbitrary<Chosen> {
  private readonly model: Model;
  private readonly decisive: string | undefined;

  constructor(model: Model, decisive: string | undefined) {
    super();
    this.model = model;
    this.decisive = decisive;
  }

  generate(random: Random): Sampled<Chosen> {
    const { sizes, allowed, masking = [] } = dimensionsOf(this.model);
    const row: number[] = [];
    for (const [dimension, size] of sizes.entries()) {
      const weight = masking.includes(dimension) ? 7 : 1;
      const isUnusual = this.isDecisive(dimension) || random.nextInt(0, weight) === weight;
      const value = isUnusual ? random.nextInt(0, size - 1) : 0;
      const isAllowed = row.every((own, other) => allowed(dimension, value, other, own));
      row.push(isAllowed || this.isDecisive(dimension) ? value : 0);
    }
    const members = countsOf(this.model).map((counts, dimension) =>
      random.nextInt(0, (counts[row[dimension] ?? 0] ?? 1) - 1),
    );
    return new Sampled({ row: this.repaired(row), members, seed: random.nextInt() }, undefined);
  }

  canShrinkWithoutContext(value: unknown): value is Chosen {
    return typeof value === 'object' && value !== null && 'row' in value;
  }

  /** Tries dropping all unusual values, then each half of them, then each one. */
  shrink({ row, members, seed }: Chosen): Stream<Sampled<Chosen>> {
    const unusual = row.flatMap((value, dimension) =>
      value > 0 && !this.isDecisive(dimension) ? [dimension] : [],
    );
    const half = Math.ceil(unusual.length / 2);
    const steps = [
      ...(unusual.length > 1 ? [unusual] : []),
      ...(unusual.length > 3 ? [unusual.slice(0, half), unusual.slice(half)] : []),
      ...unusual.map((dimension) => [dimension]),
    ];
    const without = (dropped: readonly number[]) =>
      row.map((value, dimension) => (dropped.includes(dimension) ? 0 : value));
    return Stream.of(
      ...steps.map((dropped) => new Sampled({ row: without(dropped), members, seed }, undefined)),
    );
  }

  private isDecisive(dimension: number): boolean {
    return this.model.dimensions[dimension]?.name === this.decisive;
  }

  /** Keeps what makes the request invalid, and drops what has no effect in combination with it. */
  private repaired(row: readonly number[]): Row {
    const { allowed } = dimensionsOf(this.model);
    const at = row.findIndex((_, dimension) => this.isDecisive(dimension));
    if (at < 0) return row;
    const decisive = row[at] ?? 0;
    return row.map((value, dimension) =>
      dimension === at || allowed(at, decisive, dimension, value) ? value : 0,
    );
  }
}
