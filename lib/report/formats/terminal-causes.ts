import { capped, firstNames } from '../../collections.ts';
import { counted } from '../../text.ts';
import type { ExplainedChecks } from '../baseline/deviations.ts';
import type { Messages, RecordedCause } from '../record/record.ts';
import { confirmedText, countsLabel, weightOf } from '../wording/confirmed.ts';
import {
  answerLine,
  type Paint,
  requestLine,
  timesBefore,
  timesText,
  visible,
} from '../wording/format-text.ts';
import { hanging, heightOf, rowsOf, shellRows, widthOf, wrapped } from './rows.ts';

const MAX_FULL = 3;

/** In fewer rows, a cause says nothing useful. */
const MIN_ROWS = 5;
/** Fewer steps may send nothing. */
const MIN_STEPS = 2;

const MAX_RESERVED = 5;

export const ALL_WITH_VERBOSE = '(all with --verbose)';

const INDENT_COLUMNS = 13;

/** Columns to the left of a step, and of its continuation. */
const STEP_COLUMN = 5;
const CONTINUATION_COLUMN = 7;

export interface Layout {
  readonly columns: number;
  readonly paint: Paint;
}

type RowLimits = Readonly<Record<'before' | 'checks' | 'line' | 'fix', number>>;

const ALL = Number.POSITIVE_INFINITY;
export const UNLIMITED: RowLimits = { before: ALL, checks: ALL, line: ALL, fix: ALL };
const ROOMY: RowLimits = { before: 2, checks: 1, line: 3, fix: 4 };
const TIGHT: RowLimits = { before: 1, checks: 1, line: 2, fix: 3 };
const TIGHTEST: RowLimits = { before: 1, checks: 0, line: 1, fix: 2 };

/** What the report shows: how many causes in full, how much of each, and whether with all of its steps. */
interface Extent {
  readonly full: number;
  readonly limits: RowLimits;
  readonly isWhole: boolean;
}

/**
 * Finds the most that fits in `max` rows. Shows another cause in full only if all the others can be named.
 */
export function extentOf(open: readonly ExplainedChecks[], max: number, layout: Layout): Extent {
  // What fails the run is shown in full, and other findings only if there is nothing else.
  const required = open.filter(({ level }) => level === 'MUST');
  const shown = (required.length > 0 ? required : open).slice(0, MAX_FULL);
  const fits = (rows: readonly string[], reserved: number) =>
    heightOf(rows, layout.columns) + reserved <= max;
  for (let full = shown.length; full > 0; full -= 1)
    for (const limits of [ROOMY, TIGHT])
      if (fits(fullRows(shown.slice(0, full), limits, layout), rowsForWholeTitles(open.slice(full), layout)))
        return { full, limits, isWhole: true };
  const reserved = rowsForOthers(open.length - 1);
  const first = shown.slice(0, 1);
  for (const limits of [ROOMY, TIGHT, TIGHTEST])
    if (fits(fullRows(first, limits, layout), reserved)) return { full: 1, limits, isWhole: true };
  // Room for an empty row and the row that says that commands are omitted.
  const isTight = fits(
    first.flatMap((one) => fieldsOf(one, TIGHT, layout)),
    reserved + 2,
  );
  return { full: 1, limits: isTight ? TIGHT : TIGHTEST, isWhole: false };
}

/** Returns the causes to be fixed in at most `max` rows, the first ones in full. */
export function causeRows(
  open: readonly ExplainedChecks[],
  { full, limits, isWhole }: Extent,
  max: number,
  layout: Layout,
): readonly string[] {
  const [first] = open;
  if (first === undefined) return [];
  const rows = isWhole
    ? fullRows(open.slice(0, full), limits, layout)
    : ['', ...partOfCause(first, limits, max - 1, open.length - 1, layout)];
  return [...rows, ...others(open, full, max - heightOf(rows, layout.columns), layout)];
}

const fullRows = (causes: readonly ExplainedChecks[], limits: RowLimits, layout: Layout): readonly string[] =>
  causes.flatMap((one) => ['', ...wholeCause(one, limits, layout)]);

/** A cause with as many steps as fit if the other causes are named below it. */
function partOfCause(
  one: ExplainedChecks,
  limits: RowLimits,
  max: number,
  otherCauses: number,
  layout: Layout,
): readonly string[] {
  const fields = fieldsOf(one, limits, layout).slice(
    0,
    Math.max(max - rowsForOthers(otherCauses), MIN_ROWS) - 1,
  );
  const room = max - heightOf(fields, layout.columns) - 1 - rowsForAll(otherCauses);
  const { steps } = one.cause;
  let count = steps.length;
  const rowsOf = (some: readonly string[]) => stepRows({ ...one.cause, steps: some }, layout);
  while (count > 0 && heightOf(rowsOf(steps.slice(0, count)), layout.columns) > room) count -= 1;
  const shown = count < MIN_STEPS ? [] : steps.slice(0, count);
  const isPart = shown.length > 0 && count < steps.length;
  const omitted = isPart ? `and ${counted(steps.length - count, 'more command')} ` : '';
  return [...fields, ...rowsOf(shown), `   ${layout.paint('dim', `… ${omitted}${ALL_WITH_VERBOSE}`)}`];
}

/** Counts the rows that it takes to show the first cause in full and to name the others. */
export function minCauseRows(open: readonly ExplainedChecks[], layout: Layout): number {
  const [first] = open;
  if (first === undefined) return 0;
  return 1 + heightOf(wholeCause(first, TIGHT, layout), layout.columns) + rowsForOthers(open.length - 1);
}

/** Number of rows that name so many causes, with an empty row before them. */
const rowsForAll = (count: number): number => (count === 0 ? 0 : count + 1);

/** Number of rows that name causes in whole titles, with an empty row before them. */
const rowsForWholeTitles = (causes: readonly ExplainedChecks[], layout: Layout): number =>
  causes.length === 0 ? 0 : 1 + causes.flatMap((one) => wholeTitle(one, layout)).length;

const rowsForOthers = (count: number): number => Math.min(rowsForAll(count), MAX_RESERVED);

export const wholeCause = (one: ExplainedChecks, limits: RowLimits, layout: Layout): readonly string[] => [
  ...fieldsOf(one, limits, layout),
  ...stepRows(one.cause, layout),
];

function fieldsOf(
  { cause, rank, level, checks, news }: ExplainedChecks,
  limits: RowLimits,
  { columns, paint }: Layout,
): readonly string[] {
  const { title, advice, counterexample } = cause;
  const room = columns - INDENT_COLUMNS;
  const rowsOfField = (name: string, rows: readonly string[]) =>
    hanging(`   ${paint('dim', name.padEnd(INDENT_COLUMNS - 4))} `, rows, ' '.repeat(INDENT_COLUMNS));
  const field = (name: string, text: string | undefined, max: number) =>
    rowsOfField(name, text ? wrapped(text, room, max) : []);
  const number = `${rank}. `;
  const rows = hanging(number, wrapped(visible(title), columns - number.length));
  const heading = rows.map((row) => paint('bold', row));
  const weight = weightOf({ level, checks });
  const last = heading.at(-1) ?? '';
  const fits = rowsOf(`${last}  ${weight}`, columns) === 1;
  const before = (counterexample?.before ?? []).slice(-limits.before);
  return [
    ...(fits ? [...heading.slice(0, -1), `${last}  ${weight}`] : [...heading, `   ${weight}`]),
    ...field(countsLabel(cause), confirmedText(cause), limits.line),
    ...news.slice(0, limits.line).flatMap((one) => field('new', one, limits.line)),
    ...before.flatMap((one) =>
      rowsOfField('before', beforeRows(one, timesBefore(counterexample), Math.min(limits.line, 2), room)),
    ),
    ...field(
      'request',
      counterexample &&
        requestLine(counterexample.request, {
          matters: cause.matters,
          maxCharacters: limits.line * room - 1,
        }),
      limits.line,
    ),
    ...field('response', counterexample && answerLine(counterexample), limits.line),
    ...field('expected', cause.expected && visible(cause.expected), limits.line),
    ...field('fix', firstSentences(visible(advice), limits.fix, room), ALL),
    ...field('checks', limits.checks === 0 ? '' : idsOf(checks, limits.checks, room), limits.checks),
  ];
}

/** A request before another one, with the status of its response at the end of the last row. */
function beforeRows(
  { request, response }: Messages,
  times: number,
  max: number,
  columns: number,
): readonly string[] {
  const status = ` → ${response?.status ?? 'no response'}${timesText(times)}`;
  const sent = requestLine(request, { maxCharacters: max * columns - status.length - 1 });
  const rows = wrapped(sent, columns, max);
  const [last = ''] = wrapped(rows.at(-1) ?? '', columns - status.length, 1);
  return [...rows.slice(0, -1), `${last}${status}`];
}

/** As many sentences as fit in so many rows, but the first one in any case. */
function firstSentences(text: string, rows: number, columns: number): string {
  const [first = '', ...more] = text.split(/(?<=[.!?]) (?=[A-Z])/);
  let shown = first;
  for (const sentence of more) {
    const longer = `${shown} ${sentence}`;
    if (wrapped(longer, columns).length > rows) break;
    shown = longer;
  }
  return shown;
}

/** The ids of the checks, as many as fit in so many rows, and how many more there are. */
function idsOf(checks: ExplainedChecks['checks'], rows: number, columns: number): string {
  const ids = checks.map(({ id }) => id);
  const fits = (most: number) => wrapped(firstNames(most, ids), columns).length <= rows;
  let most = ids.length;
  while (most > 1 && !fits(most)) most -= 1;
  return firstNames(most, ids);
}

/** The steps below their heading, one on each line, so that they can be copied as a block. */
function stepRows({ steps, answer, kind }: RecordedCause, { columns, paint }: Layout): readonly string[] {
  const rows = steps.flatMap((step) => {
    const parts = shellRows(visible(step), columns - STEP_COLUMN, columns - CONTINUATION_COLUMN);
    return hanging(' '.repeat(STEP_COLUMN), parts, ' '.repeat(CONTINUATION_COLUMN));
  });
  const shows = answer === 'none' ? 'no response' : `answers ${answer}`;
  // Whatever the fault leaves behind, or only the first request shows it.
  const where = kind === 'from-then-on' || kind === 'once' ? ', on a freshly started store' : '';
  const heading = `reproduce (bash, curl)${where}: ${shows} while the fault is there`;
  return rows.length === 0 ? [] : [`   ${paint('dim', heading)}`, ...rows];
}

/** The number, title and level of a cause, in as many rows as they take. */
function wholeTitle(one: ExplainedChecks, { columns }: Layout): readonly string[] {
  const number = `${one.rank}. `;
  const text = `${visible(one.cause.title)}  ${weightOf(one)}`;
  return hanging(number, wrapped(text, columns - number.length));
}

export function causeRow(one: ExplainedChecks, { columns }: Layout): string {
  const number = `${one.rank}. `;
  const title = visible(one.cause.title);
  const isFitting = (text: string) => widthOf(`${number}${title}  ${text}`) <= columns;
  // The title says more than the number of its checks.
  const weight = isFitting(weightOf(one)) ? `  ${weightOf(one)}` : `  (${one.level})`;
  const [row = ''] = wrapped(title, columns - number.length - weight.length, 1);
  // Drop the words that introduce what did not fit.
  const whole = row
    .replace(/ (?:when \w+ is|an?|the|or|and|of|to|in|with|when|whose|such as)…$/, '…')
    .replace(/ (?:to|with|in) requests such as:…$|,? such as:…$/, '…');
  return `${number}${whole}${weight}`;
}

/** The causes from index `from` on, in whole titles or, if there is no room for them, one in each row. */
function others(
  open: readonly ExplainedChecks[],
  from: number,
  room: number,
  layout: Layout,
): readonly string[] {
  const remaining = open.slice(from);
  if (remaining.length === 0) return [];
  if (rowsForWholeTitles(remaining, layout) <= room)
    return ['', ...remaining.flatMap((one) => wholeTitle(one, layout))];
  const rows = remaining.map((one) => causeRow(one, layout));
  return ['', ...capped(Math.max(room - 1, 1), rows, (count) => `and ${count} more ${ALL_WITH_VERBOSE}`)];
}
