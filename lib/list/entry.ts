import { pick } from '../collections.ts';
import type { Contract } from '../contract/contract.ts';
import type { About, Check, Level, TestKind } from '../run/check.ts';
import { examplesOf, type SentExamples } from './sent.ts';

/** A basis of a check. `text` is set only for a clause of the interface. */
export interface BasisEntry {
  readonly ref: string;
  readonly text?: string;
}

export interface CatalogueEntry extends Omit<About, 'basis'> {
  readonly basis: readonly BasisEntry[];
  readonly kind: TestKind;
  readonly sends: SentExamples;
}

type Clauses = Readonly<Record<string, { readonly text: string }>>;

export function entryOf(check: Check, contract: Contract, clauses: Clauses): CatalogueEntry {
  return {
    ...pick(check, 'id', 'level', 'statement'),
    basis: check.basis.map((ref) => ({ ref, ...(clauses[ref] && pick(clauses[ref], 'text')) })),
    kind: check.test.kind,
    sends: examplesOf(check, contract),
    hint: check.hint,
  };
}

/** Counts the checks of each level, without zeros: `46 MUST, 35 SHOULD`. */
export const countsOf = (checks: readonly { readonly level: Level }[]): string =>
  LEVELS.filter((level) => countOf(checks, level) > 0)
    .map((level) => `${countOf(checks, level)} ${level}`)
    .join(', ');

export const countOf = (checks: readonly { readonly level: Level }[], counted: Level): number =>
  checks.filter(({ level }) => level === counted).length;

export const LEVELS: readonly Level[] = ['MUST', 'SHOULD', 'OBSERVE'];

/** Returns the command that runs a check. An invariant needs other checks to run along with it. */
export const commandFor = ({ id, kind }: CatalogueEntry): string =>
  kind === 'invariant'
    ? 'plant-store-conformance run URL  (it judges the exchanges of other checks)'
    : `plant-store-conformance run URL --only ${id}`;

/** Checks as a JSON array. `sends` contains the description followed by the examples. */
export const json = (entries: readonly CatalogueEntry[]): string => {
  const listed = entries.map((one) => ({ ...one, sends: [one.sends.text, ...one.sends.examples] }));
  return `${JSON.stringify(listed, null, 2)}\n`;
};
