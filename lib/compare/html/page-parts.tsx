import type { ComponentChildren } from 'preact';
import { sum } from '../../collections.ts';
import { percent } from '../../report/formats/html/kit/axis.ts';
import { List, More } from '../../report/formats/html/kit/section.tsx';
import { inline } from '../../report/formats/html/kit/text.tsx';
import { counted } from '../../text.ts';
import type { Column, Comparison } from '../comparison.ts';
import { type RunColumn, ran, VERDICTS, verdictOf } from '../table.ts';

/** A table with so many columns or more has vertical heads, and the page is wider. */
export const MIN_WIDE_COLUMNS = 6;

export const nameOf = ({ name }: Readonly<{ name: string }>): string => inline(name, 80);

/** A column and its number. The number is its id on the page, because a name may contain any characters. */
export interface Numbered<C extends Column = Column> {
  readonly column: C;
  readonly number: number;
}

export const numbered = ({ columns }: Comparison): readonly Numbered[] =>
  columns.map((column, index) => ({ column, number: index + 1 }));

export type NumberedRun = Numbered<RunColumn>;

/** Returns the stores for which at least one check has a result. */
export const triedOf = (comparison: Comparison): readonly NumberedRun[] =>
  numbered(comparison).flatMap(({ column, number }) =>
    column.state === 'run' && wasTried(column) ? [{ column, number }] : [],
  );

const wasTried = ({ stop, cells }: RunColumn) =>
  stop === null ||
  Object.values(cells).some(({ verdict }) => verdict !== 'untestable' && verdict !== 'skipped');

export const groupsOf = (comparison: Comparison): readonly string[] => [
  ...VERDICTS.filter((verdict) => ran(comparison).some((column) => verdictOf(column) === verdict)).map(
    ({ words }) => words,
  ),
  ...[...new Set(ran(comparison).flatMap(({ implementation }) => implementation?.language ?? []))].sort(),
];

export const StoreLink = ({ column, number }: Numbered) => <a href={`#store-${number}`}>{nameOf(column)}</a>;

export const VisuallyHidden = ({ children }: Readonly<{ children: ComponentChildren }>) => (
  <span class="visually-hidden">{children}</span>
);

/** Renders the details of a row at one store, which the store's mark in the table links to. */
export const AtStore = ({
  row,
  run: { column, number },
  note,
  children,
}: Readonly<{ row: string; run: NumberedRun; note: string; children: ComponentChildren }>) => (
  <li id={`${row}~${number}`}>
    <p>
      <strong class="name">{nameOf(column)}</strong> <span class="aside">{note}</span>
    </p>
    {children}
  </li>
);

export const SortableHead = ({
  first = 'ascending',
  number = false,
  children,
}: Readonly<{ first?: 'ascending' | 'descending'; number?: boolean; children: string }>) => (
  <th scope="col" data-sort={first} class={number ? 'number' : undefined}>
    {children}
  </th>
);

export const NumberCell = ({
  value,
  children = value,
}: Readonly<{ value: number; children?: ComponentChildren }>) => (
  <td class="number" data-value={value}>
    {children}
  </td>
);

export const AllNames = ({ names }: Readonly<{ names: readonly string[] }>) => (
  <span class="names">
    {names.map((name) => (
      <span class="name">{inline(name, 80)}</span>
    ))}
  </span>
);

const MAX_NAMES = 6;

/** Renders the names of some stores, collapsed if there are many. `of` is the number of all stores. */
export function Names({ names, of }: Readonly<{ names: readonly string[]; of: number }>) {
  const list = <AllNames names={names} />;
  if (names.length <= MAX_NAMES) return list;
  return (
    <More summary={names.length === of ? `all ${of} stores` : counted(names.length, 'store')}>{list}</More>
  );
}

interface Way {
  readonly head: ComponentChildren;
  readonly names: readonly string[];
  readonly details?: ComponentChildren;
}

/** Renders the different behaviours, with the stores that show each. A bar shows their number. */
export function Ways({ ways }: Readonly<{ ways: readonly Way[] }>) {
  const all = sum(ways, ({ names }) => names.length);
  return (
    <List
      class="answers"
      items={ways.map(({ head, names, details }) => (
        <>
          <span class="share">
            <strong>{names.length}</strong>
            <svg class="bar" width="100%" height="5" aria-hidden="true" focusable="false">
              <rect width="100%" height="5" rx="2.5" />
              <rect
                class="pass"
                width={percent((100 * names.length) / Math.max(all, 1))}
                height="5"
                rx="2.5"
              />
            </svg>
          </span>
          <div>
            {head}
            <Names names={names} of={all} />
            {details}
          </div>
        </>
      ))}
    />
  );
}

/** Renders a focusable box in which a wide table can scroll. */
export const Scrolling = ({
  name,
  class: kind = '',
  children,
}: Readonly<{ name: string; class?: string; children: ComponentChildren }>) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls.
  <section class={`scrolling ${kind}`.trim()} aria-label={name} tabIndex={0}>
    {children}
  </section>
);
