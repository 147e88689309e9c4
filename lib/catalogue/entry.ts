import type { Contract } from '../contract/contract.ts';
import type { Check, Level, TestKind } from '../run/check.ts';
import { type Sent, sentBy } from './sent.ts';

/** What a check rests on; the text is that of a clause of the interface. */
export interface Ground {
  readonly ref: string;
  readonly text?: string;
}

/** A check as it is told to whoever is to meet it. */
export interface Entry {
  readonly id: string;
  readonly level: Level;
  readonly statement: string;
  readonly basis: readonly Ground[];
  readonly kind: TestKind;
  readonly sends: Sent;
  readonly hint: string;
}

/** The statements of the interface, by their names. */
export type Clauses = Readonly<Record<string, { readonly text: string }>>;

export function entryOf(check: Check, contract: Contract, clauses: Clauses): Entry {
  const { id, level, statement, basis, hint, test } = check;
  return {
    id,
    level,
    statement,
    basis: basis.map((ref) => {
      const text = clauses[ref]?.text;
      return text === undefined ? { ref } : { ref, text };
    }),
    kind: test.kind,
    sends: sentBy(check, contract),
    hint,
  };
}

/** `46 MUST, 35 SHOULD`: how many there are of each level, those left out that there are none of. */
export const countsOf = (checks: readonly { readonly level: Level }[]): string =>
  LEVELS.map((level) => [countOf(checks, level), level] as const)
    .filter(([count]) => count > 0)
    .map(([count, level]) => `${count} ${level}`)
    .join(', ');

export const countOf = (checks: readonly { readonly level: Level }[], wanted: Level): number =>
  checks.filter(({ level }) => level === wanted).length;

export const LEVELS: readonly Level[] = ['MUST', 'SHOULD', 'OBSERVE'];

/** How to carry out one check alone, as far as that can be done. */
export const aloneWith = ({ id, kind }: Entry): string =>
  kind === 'standing'
    ? 'plant-store-conformance run URL  (without other checks it has nothing to look at)'
    : `plant-store-conformance run URL --only ${id}`;
