import { firstNames } from '../../collections.ts';
import { counted } from '../../text.ts';
import type { ExplainedChecks } from '../baseline/deviations.ts';
import { confirmedText, countsLabel } from '../wording/confirmed.ts';
import { answerLine, type Paint, requestLine, visible } from '../wording/format-text.ts';
import { heightOf, rowsOf, shellRows, wrapped } from './rows.ts';

const MAX_FULL = 3;

/** With fewer rows, a cause is not worth showing in full. */
const MIN_ROWS = 5;

/** Rows reserved for the other causes. */
const MAX_RESERVED = 5;

export const SEE_REPORTS = '(all with --verbose)';

/** Columns before the text of a row of a cause. */
const INDENT = 13;

/** Columns before a step, and before what continues one. */
const [STEP, CONTINUED] = [5, 7];

/** The width of the terminal, and how to colour text. */
export interface Layout {
  readonly columns: number;
  readonly paint: Paint;
}

/** How many rows the fields of a cause may take. */
type RowLimits = Readonly<Record<'title' | 'before' | 'checks' | 'line' | 'fix', number>>;

const ALL = Number.POSITIVE_INFINITY;
const UNLIMITED: RowLimits = { title: ALL, before: ALL, checks: ALL, line: ALL, fix: ALL };
const ROOMY: RowLimits = { title: 3, before: 2, checks: 1, line: 2, fix: 3 };
const TIGHT: RowLimits = { title: 2, before: 1, checks: 0, line: 1, fix: 2 };
const TIGHTEST: RowLimits = { ...TIGHT, fix: 1 };

/** The causes to be fixed, the first ones in full, in at most so many rows. */
export function causeRows(open: readonly ExplainedChecks[], max: number, layout: Layout): readonly string[] {
  const full = open.slice(0, MAX_FULL);
  const reserved = open.length > full.length ? Math.min(open.length - full.length + 1, MAX_RESERVED) : 0;
  for (const limits of [ROOMY, TIGHT, TIGHTEST]) {
    const rows = full.flatMap((one, index) => ['', ...wholeCause(one, index + 1, limits, layout)]);
    const height = heightOf(rows, layout.columns);
    if (height + reserved <= max) return [...rows, ...others(open, full.length, max - height, layout)];
  }
  // The first one is most useful if it can be reproduced.
  const rows: string[] = [];
  let left = max;
  let shown = 0;
  for (const one of full) {
    const later = full.length - shown - 1;
    const room = left - reserved - later * (shown === 0 ? 2 : MIN_ROWS + 1) - 1;
    if (room < MIN_ROWS) break;
    const block = truncatedCause(one, shown + 1, room, layout);
    rows.push('', ...block);
    left -= 1 + heightOf(block, layout.columns);
    shown += 1;
  }
  return [...rows, ...others(open, shown, left, layout)];
}

/** Every cause in full, followed by what `below` says about its checks. */
export const allCauseRows = (
  open: readonly ExplainedChecks[],
  layout: Layout,
  below: (one: ExplainedChecks) => readonly string[],
): readonly string[] =>
  open.flatMap((one, index) => ['', ...wholeCause(one, index + 1, UNLIMITED, layout), ...below(one)]);

const wholeCause = (
  one: ExplainedChecks,
  rank: number,
  limits: RowLimits,
  layout: Layout,
): readonly string[] => [...fieldsOf(one, rank, limits, layout), ...stepRows(one, layout)];

/** A cause in at most so many rows, without the steps if they do not fit: half a command is of no use. */
function truncatedCause(one: ExplainedChecks, rank: number, max: number, layout: Layout): readonly string[] {
  const whole = wholeCause(one, rank, TIGHTEST, layout);
  return heightOf(whole, layout.columns) <= max
    ? whole
    : [
        ...fieldsOf(one, rank, TIGHTEST, layout).slice(0, max - 1),
        `   ${layout.paint('dim', `… ${SEE_REPORTS}`)}`,
      ];
}

function fieldsOf(
  { cause, level, checks, news }: ExplainedChecks,
  rank: number,
  limits: RowLimits,
  { columns, paint }: Layout,
): readonly string[] {
  const { title, advice, counterexample } = cause;
  const field = (name: string, text: string | undefined, max: number) =>
    (text ? wrapped(text, columns - INDENT, max) : []).map((row, index) =>
      index === 0 ? `   ${paint('dim', name.padEnd(INDENT - 4))} ${row}` : `${' '.repeat(INDENT)}${row}`,
    );
  const number = `${rank}. `;
  const heading = wrapped(visible(title), columns - number.length, limits.title).map((row, index) =>
    paint('bold', `${index === 0 ? number : ' '.repeat(number.length)}${row}`),
  );
  const weight = weightOf({ level, checks });
  const last = heading.at(-1) ?? '';
  const fits = rowsOf(`${last}  ${weight}`, columns) === 1;
  const before = (counterexample?.before ?? []).slice(-limits.before);
  return [
    ...(fits ? [...heading.slice(0, -1), `${last}  ${weight}`] : [...heading, `   ${weight}`]),
    ...field(countsLabel(cause), confirmedText(cause), limits.line),
    ...news.slice(0, limits.line).flatMap((one) => field('new', one, limits.line)),
    ...before.flatMap(({ request, response }) => {
      const status = ` → ${response?.status ?? 'no response'}`;
      const [sent = ''] = wrapped(requestLine(request), columns - INDENT - status.length, 1);
      return field('before', `${sent}${status}`, 1);
    }),
    ...field('request', counterexample && requestLine(counterexample.request), limits.line),
    ...field('response', counterexample && answerLine(counterexample), limits.line),
    ...field('fix', visible(advice), limits.fix),
    ...field(
      'checks',
      limits.checks === 0 ? '' : idsOf(checks, limits.checks, columns - INDENT),
      limits.checks,
    ),
  ];
}

/** The ids of the checks, as many as fit in so many rows, and how many more there are. */
function idsOf(checks: ExplainedChecks['checks'], rows: number, columns: number): string {
  const ids = checks.map(({ id }) => id);
  const fits = (most: number) => wrapped(firstNames(most, ids), columns).length <= rows;
  let most = ids.length;
  while (most > 1 && !fits(most)) most -= 1;
  return firstNames(most, ids);
}

/** The steps, each on a line of its own, below their heading: they can be copied as a block. */
function stepRows({ cause: { steps } }: ExplainedChecks, { columns, paint }: Layout): readonly string[] {
  const rows = steps.flatMap((step) =>
    shellRows(visible(step), columns - STEP, columns - CONTINUED).map(
      (row, index) => `${' '.repeat(index === 0 ? STEP : CONTINUED)}${row}`,
    ),
  );
  return rows.length === 0 ? [] : [`   ${paint('dim', 'reproduce (bash, curl)')}`, ...rows];
}

/** How many checks a cause explains, and their level. */
const weightOf = ({ level, checks }: Pick<ExplainedChecks, 'level' | 'checks'>): string =>
  `(${counted(checks.length, 'check')}, ${level})`;

export function causeRow(one: ExplainedChecks, rank: number, { columns }: Layout): string {
  const [number, weight] = [`${rank}. `, `  ${weightOf(one)}`];
  const [row = ''] = wrapped(visible(one.cause.title), columns - number.length - weight.length, 1);
  // Without an example, the words before it say nothing.
  return `${number}${row.replace(/ (?:for|to|with|in) requests such as:…$|,? such as:…$/, '…')}${weight}`;
}

/** The causes from the given place on, one row for each, as far as there is room. */
function others(
  open: readonly ExplainedChecks[],
  from: number,
  room: number,
  layout: Layout,
): readonly string[] {
  const rest = open.slice(from);
  if (rest.length === 0) return [];
  const most = Math.max(room - 1, 1);
  const shown = rest.length > most ? rest.slice(0, most - 1) : rest;
  const rows = shown.map((one, index) => causeRow(one, from + index + 1, layout));
  const omitted = rest.length - shown.length;
  return ['', ...rows, ...(omitted === 0 ? [] : [`and ${omitted} more ${SEE_REPORTS}`])];
}
