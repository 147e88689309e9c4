import type { ComponentChildren } from 'preact';
import { counted, Icon, inline, type Tone } from '../../report/html/text.tsx';
import type { Column, Comparison } from '../comparison.ts';
import { type RunColumn, ran, verdictOf } from '../table.ts';

/** Columns from which on a table has heads on their side, and the page more room. */
export const MANY = 6;

export type Told = ReturnType<typeof verdictOf>;

/** The verdicts, the best first, each with its picture. */
export const VERDICTS: Readonly<Record<Told, Tone>> = {
  conformant: 'pass',
  partial: 'observed',
  'not conformant': 'fail',
  'could not be judged': 'untestable',
  'not run': 'skipped',
};

export const StoreVerdict = ({ column }: { readonly column: Column }) => {
  const word = verdictOf(column);
  return (
    <span class={`word ${VERDICTS[word]}`}>
      <Icon name={VERDICTS[word]} /> {word}
    </span>
  );
};

export const nameOf = ({ name }: { readonly name: string }): string => inline(name, 80);

/** A column with its number, by which the page refers to it: a name may hold anything. */
export interface Placed<C extends Column = Column> {
  readonly column: C;
  readonly number: number;
}

export const placed = ({ columns }: Comparison): readonly Placed[] =>
  columns.map((column, index) => ({ column, number: index + 1 }));

export type PlacedRun = Placed<RunColumn>;

/** The stores of which at least one check says something. */
export const triedOf = (comparison: Comparison): readonly PlacedRun[] =>
  placed(comparison).flatMap(({ column, number }) =>
    column.state === 'run' && wasTried(column) ? [{ column, number }] : [],
  );

const wasTried = ({ stop, cells }: RunColumn) =>
  stop === null ||
  Object.values(cells).some(({ verdict }) => verdict !== 'untestable' && verdict !== 'skipped');

/** The groups of stores that can be chosen: by verdict, and by language. */
export const groupsOf = (comparison: Comparison): readonly string[] => [
  ...Object.keys(VERDICTS).filter((word) => ran(comparison).some((column) => verdictOf(column) === word)),
  ...[...new Set(ran(comparison).flatMap(({ portrait }) => portrait?.language ?? []))].sort(),
];

export const StoreLink = ({ column, number }: Placed) => <a href={`#store-${number}`}>{nameOf(column)}</a>;

/** Words that are there to be heard. */
export const Heard = ({ children }: { readonly children: ComponentChildren }) => (
  <span class="heard">{children}</span>
);

/** Names that are shown at once; of more, how many. */
const FEW = 6;

export function Names({ names, of }: { readonly names: readonly string[]; readonly of: number }) {
  const list = (
    <span class="names">
      {names.map((name, index) => (
        <span key={index} class="name">
          {inline(name, 80)}
        </span>
      ))}
    </span>
  );
  if (names.length <= FEW) return list;
  return (
    <details class="more">
      <summary>{names.length === of ? `all ${of} stores` : counted(names.length, 'store')}</summary>
      {list}
    </details>
  );
}

/** How many of all do something, as a bar beside the words that say it. */
export const Share = ({ count, of }: { readonly count: number; readonly of: number }) => (
  <svg class="share-bar" width="100%" height="5" aria-hidden="true" focusable="false">
    <rect class="rest" width="100%" height="5" rx="2.5" />
    <rect class="part" width={percent((100 * count) / Math.max(of, 1))} height="5" rx="2.5" />
  </svg>
);

export const percent = (value: number): string => `${value.toFixed(2)}%`;

/** A wide table scrolls in a box of its own; the keyboard reaches it. */
export const Scrolling = ({
  name,
  class: kind = '',
  children,
}: {
  readonly name: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls.
  <section class={`scrolling ${kind}`.trim()} aria-label={name} tabIndex={0}>
    {children}
  </section>
);
