import { groupBy, sum } from '../collections.ts';
import type { ComparedCause } from '../report/record/record.ts';
import { OUTCOMES } from '../report/wording/headline.ts';
import type { About } from '../run/check.ts';
import { counted } from '../text.ts';
import type { Cell, Column, Comparison } from './comparison.ts';

/** How the stores answered generated payloads that are not part of the checks. */
export type Differential = NonNullable<Comparison['differential']>;

export type RunColumn = Extract<Column, { state: 'run' }>;

const NOT_RUN = { words: 'not run', colour: 'magenta', icon: 'skipped' } as const;

/** The verdicts, best first. */
export const VERDICTS = [...Object.values(OUTCOMES), NOT_RUN];

export const verdictOf = (column: Column) =>
  column.state === 'not-run' ? NOT_RUN : OUTCOMES[column.outcome];

export const reasonOf = (column: Column): string | undefined =>
  column.state === 'not-run' ? column.reason : column.stop?.reason;

export const ran = ({ columns }: Comparison): readonly RunColumn[] =>
  columns.filter((column) => column.state === 'run');

/** Says how many checks differ, for example `1 of 118 checks differs`. */
export const differingCount = (count: number, { checks }: Comparison): string =>
  count === 0
    ? 'No check differs between the stores'
    : `${count} of ${counted(checks.length, 'check')} ${count === 1 ? 'differs' : 'differ'} between the stores`;

/** Returns the checks with different verdicts among completed runs, by cause, with a mark for each store. */
export function differing(comparison: Comparison) {
  const columns = ran(comparison);
  const completed = columns.filter(({ stop }) => stop === null);
  const rows = comparison.checks.filter(
    ({ id }) => new Set(completed.map(({ cells }) => cells[id]?.verdict)).size > 1,
  );
  return byCause(rows, sharedCauses(comparison)).map(({ id, level, causes }) => ({
    id,
    level,
    causes: causes.map(({ number }) => number).join(', '),
    marks: columns.map(({ cells }) => MARKS[cells[id]?.verdict ?? 'skipped']),
  }));
}

export interface SharedCause {
  readonly cause: ComparedCause;
  readonly stores: readonly { readonly column: RunColumn; readonly cause: ComparedCause }[];
}

/** Returns the causes of all stores by fingerprint: MUST first, then those that most stores share. */
export function sharedCauses(comparison: Comparison): readonly SharedCause[] {
  const all = ran(comparison).flatMap((column) => column.causes.map((cause) => ({ column, cause })));
  return groupBy(all, ({ cause }) => cause.fingerprint)
    .map(([, stores]) => {
      const { cause } = stores.find((one) => one.cause.level === 'MUST') ?? stores[0];
      return { cause, stores };
    })
    .toSorted(
      (a, b) =>
        a.cause.level.localeCompare(b.cause.level) ||
        b.stores.length - a.stores.length ||
        b.cause.checks.length - a.cause.checks.length,
    );
}

/**
 * Groups checks by cause, in the order of the causes; those without a cause come last. `causes` are all causes
 * that explain failures of the check, numbered from 1.
 */
export function byCause<C extends Pick<About, 'id'>>(checks: readonly C[], shared: readonly SharedCause[]) {
  const numberedCauses = shared.map((one, index) => ({ ...one, number: index + 1 }));
  const firstNumber = ([first]: readonly { readonly number: number }[]) => first?.number ?? shared.length + 1;
  return checks
    .map((check) => {
      const explains = ({ cause }: SharedCause['stores'][number]) => cause.checks.includes(check.id);
      return { ...check, causes: numberedCauses.filter(({ stores }) => stores.some(explains)) };
    })
    .toSorted((a, b) => firstNumber(a.causes) - firstNumber(b.causes));
}

/** Counts the failed checks that a cause explains at a store; 0 if the store does not have the cause. */
export const checksAt = ({ stores }: SharedCause, column: RunColumn): number =>
  sum(stores, (one) => (one.column === column ? one.cause.checks.length : 0));

/** Counts causes in words: `3 causes, 1 shared by several stores`. */
export function causeCount(causes: readonly SharedCause[]): string {
  const several = causes.filter(({ stores }) => stores.length > 1).length;
  const all = counted(causes.length, 'cause');
  return several === 0 ? all : `${all}, ${several} shared by several stores`;
}

/** A mark for each verdict, distinct without colour. */
export const MARKS: Readonly<Record<Cell['verdict'], string>> = {
  pass: '+',
  fail: 'F',
  observed: '.',
  untestable: '?',
  skipped: '-',
};

export const disagreementCount = ({ payloads, disagreements, more }: Differential): string =>
  disagreements.length === 0
    ? `All stores agree on ${payloads} generated payloads.`
    : `${counted(disagreements.length + more, 'disagreement')} among ${payloads} generated payloads`;
