import { capped, compact, firstNames, groupBy } from '../../collections.ts';
import { counted } from '../../text.ts';
import {
  baselineNotes,
  type ExplainedChecks,
  entryFor,
  isKnown,
  knownCauses,
  newProblemsText,
  openCauses,
  whyKnown,
} from '../baseline/deviations.ts';
import type { RunRecord } from '../record/record.ts';
import { confidenceOfAll, coverageOfAll } from '../wording/coverage.ts';
import { documentText, highlightsOf, sentText } from '../wording/facts.ts';
import { coloured, formatFailure, shownText, uncoloured, visible } from '../wording/format-text.ts';
import { deselected, headlineOf, inUpperCase, OUTCOMES, unjudged } from '../wording/headline.ts';
import { hanging, heightOf, widthOf, wrapped } from './rows.ts';
import {
  ALL_WITH_VERBOSE,
  type Layout as CauseLayout,
  causeRow,
  causeRows,
  extentOf,
  minCauseRows,
  UNLIMITED,
  wholeCause,
} from './terminal-causes.ts';

interface TerminalOptions {
  readonly verbose?: boolean | undefined;
  readonly columns?: number | undefined;
  /** The maximum number of rows of a report that is not verbose. */
  readonly rows?: number | undefined;
  readonly files?: readonly string[] | undefined;
}

interface Layout extends CauseLayout {
  readonly verbose: boolean;
  readonly files?: readonly string[] | undefined;
}

/** Maximum number of rows of a report on a terminal of the usual width. */
export const MAX_ROWS = 40;
const DEFAULT_COLUMNS = 80;
const MIN_COLUMNS = 40;

const MAX_ITEMS = 3;

/**
 * Reports only the causes to be fixed and the verdict, each on one line unless `columns` is given. Ends with
 * a line feed.
 */
export function quietReport(record: RunRecord, colour: boolean, columns = Number.POSITIVE_INFINITY): string {
  const layout = { columns, paint: colour ? coloured : uncoloured, verbose: true };
  const unwrapped = { ...layout, columns: Number.POSITIVE_INFINITY };
  const causes = openCauses(record).flatMap((one) => wrapped(causeRow(one, unwrapped), columns));
  return `${[...causes, ...verdict(record, layout), ...ciResultLines(record, layout)].join('\n')}\n`;
}

/** Returns the terminal report of a run. Ends with a line feed. */
export function terminalReport(
  record: RunRecord,
  colour: boolean,
  { verbose = false, columns = DEFAULT_COLUMNS, rows = MAX_ROWS, files }: TerminalOptions = {},
): string {
  const paint = colour ? coloured : uncoloured;
  const layout = { columns: Math.max(columns, MIN_COLUMNS), paint, verbose, files };
  const lines = verbose ? wholeReport(record, layout) : shortReport(record, rows, layout);
  return `${lines.join('\n')}\n`;
}

/** The parts between the head and the end, except for the causes. A short report may omit them. */
const PARTS = { warnings: documentWarnings, untestable, known: deviations, summary };

type Part = keyof typeof PARTS;

/** From the most to the least important one. */
const BY_IMPORTANCE: readonly Part[] = ['untestable', 'known', 'warnings', 'summary'];

function reportRows(
  record: RunRecord,
  open: readonly ExplainedChecks[],
  layout: Layout,
  shown: readonly Part[],
  causes: readonly string[],
): readonly string[] {
  const part = (name: Part) => (shown.includes(name) ? PARTS[name](record, layout) : []);
  return [
    ...head(record, layout),
    ...part('warnings'),
    ...headingOf(open, record, layout),
    ...causes,
    ...part('untestable'),
    ...part('known'),
    ...part('summary'),
    ...end(open, record, layout),
  ];
}

function wholeReport(record: RunRecord, layout: Layout): readonly string[] {
  const open = openCauses(record);
  const causes = open.flatMap((one) => [
    '',
    ...wholeCause(one, UNLIMITED, layout),
    ...checkLines(one, record, layout),
  ]);
  return reportRows(record, open, layout, BY_IMPORTANCE, causes);
}

function shortReport(record: RunRecord, max: number, layout: Layout): readonly string[] {
  const open = openCauses(record);
  const heightAt = (at: Layout, parts: readonly Part[]) =>
    heightOf(reportRows(record, open, at, parts, []), at.columns);
  // Chosen for the usual width, so that a wider terminal shows at least as much.
  const usual = { ...layout, columns: Math.min(layout.columns, DEFAULT_COLUMNS) };
  let shown = BY_IMPORTANCE;
  while (shown.length > 0 && heightAt(usual, shown) + minCauseRows(open, usual) > max)
    shown = shown.slice(0, -1);
  const extent = extentOf(open, max - heightAt(usual, shown), usual);
  const causes = causeRows(open, extent, max - heightAt(layout, shown), layout);
  return reportRows(record, open, layout, shown, causes);
}

const gap = (rows: readonly string[]): readonly string[] => (rows.length === 0 ? [] : ['', ...rows]);

/** A text, if there is one, after its name; in at most `most` rows unless the report is verbose. */
const field = (name: string, text: string | undefined, layout: Layout, most?: number): readonly string[] =>
  text === undefined ? [] : hanging(name, limited(text, layout.columns - name.length, layout, most));

const limited = (text: string, columns: number, { verbose }: Layout, most?: number): readonly string[] =>
  wrapped(text, columns, verbose ? undefined : most);

/** Replaces the beginning of the first row, unless it is broken within it. */
const withBeginning = (rows: readonly string[], beginning: string, painted: string): readonly string[] =>
  rows.map((row, index) =>
    index === 0 && row.startsWith(beginning) ? `${painted}${row.slice(beginning.length)}` : row,
  );

function head(record: RunRecord, { columns, paint, files = [] }: Layout): readonly string[] {
  const layout = { columns, paint, verbose: false };
  const { suite, target, document, options } = record;
  const server = target.server === null ? '' : `  (${shownText(target.server, 60)})`;
  return [
    paint('bold', `${suite.name} ${suite.version}`),
    ...field(
      'target    ',
      `${target.name === target.baseUrl ? '' : `${shownText(target.name, 60)}  `}${shownText(target.baseUrl, 200)}${server}`,
      layout,
      2,
    ),
    ...field('document  ', documentText(document, shownText), layout, 2),
    ...field(
      'run       ',
      `--seed ${options.seed} --first-id ${options.firstId} --cases ${options.cases}${options.thorough === true ? ' --thorough' : ''}${options.shard === null ? '' : ` --shard ${options.shard}`}; ${sentText(record)}`,
      layout,
      4,
    ),
    ...field('reports   ', files.length === 0 ? undefined : visible(files.join(', ')), layout, 2),
  ];
}

function documentWarnings({ document: { warnings = [] } }: RunRecord, layout: Layout): readonly string[] {
  const shown = layout.verbose ? warnings : warnings.slice(0, 1);
  const omitted = warnings.length - shown.length;
  return [
    ...shown.flatMap((warning) => field('          ', shownText(warning, 400), layout, 3)),
    ...(omitted === 0 ? [] : [`          and ${omitted} more ${ALL_WITH_VERBOSE}`]),
  ];
}

function headingOf(
  open: readonly ExplainedChecks[],
  record: RunRecord,
  { paint }: Layout,
): readonly string[] {
  if (open.length === 0) return [];
  const failed = (level: string) =>
    record.results.filter(
      (result) => result.verdict === 'fail' && result.level === level && !isKnown(result, record),
    ).length;
  const [must, should] = [failed('MUST'), failed('SHOULD')];
  const counts = compact(
    must > 0 && paint(['red', 'bold'], `${must} MUST`),
    should > 0 && paint(['yellow', 'bold'], `${should} SHOULD`),
  );
  const checks = must + should === 1 ? 'check' : 'checks';
  return ['', `${counts.join(' and ')} ${checks} failed: ${counted(open.length, 'cause')}`];
}

const checkLines = ({ checks }: ExplainedChecks, record: RunRecord, { paint }: Layout): readonly string[] =>
  checks.flatMap((result) => {
    const news = newProblemsText(result, record);
    return compact(
      ...formatFailure(result, paint),
      news !== undefined && `     ${paint('dim', 'new'.padEnd(9))} ${news}`,
    );
  });

function deviations(record: RunRecord, layout: Layout): readonly string[] {
  const known = knownCauses(record);
  if (known.length === 0) return [];
  const rows = known.map((one) => {
    const entry = entryFor(one, record);
    return `${visible(one.cause.title)}${entry === undefined ? '' : `: ${whyKnown(entry)}`}`;
  });
  const results = record.results.filter((one) => one.verdict === 'fail' && isKnown(one, record));
  return gap([
    layout.paint('bold', counted(results.length, 'known deviation')),
    ...some(rows, layout).flatMap((row) => field('   ', row, layout, 1)),
  ]);
}

/** The first items of a list and the number of the others; all items if the report is verbose. */
const some = (list: readonly string[], { verbose }: Layout): readonly string[] =>
  verbose ? list : capped(MAX_ITEMS, list, (count) => `and ${count} more ${ALL_WITH_VERBOSE}`);

function untestable({ results, stop }: RunRecord, layout: Layout): readonly string[] {
  // The reason why the run stopped is part of the verdict.
  const blocked = results.filter(
    ({ verdict: one, reason }) => one === 'untestable' && reason !== stop?.reason,
  );
  const rows = groupBy(blocked, ({ reason = '' }) => reason).map(([reason, members]) => {
    const ids = members.map(({ id }) => id);
    const count = `${counted(members.length, 'check')} could not be tested`;
    const text = limited(`${count}: ${shownText(reason)}`, layout.columns, layout, 2);
    return [
      ...withBeginning(text, count, layout.paint(['magenta', 'bold'], count)),
      ...field('   ', firstNames(layout.verbose ? 12 : 2, ids), layout, 1),
    ];
  });
  const more = (count: number) => [`and checks for ${count} more reasons ${ALL_WITH_VERBOSE}`];
  return gap((layout.verbose ? rows : capped(MAX_ITEMS, rows, more)).flat());
}

function observed({ observations }: RunRecord, layout: Layout): readonly string[] {
  const count = Object.keys(observations).length;
  if (count === 0) return [];
  const shown = highlightsOf(observations).map(({ name, value }) => `${name}: ${shownText(value, 40)}`);
  if (layout.verbose)
    return [
      ...field('observed  ', shown.join(', '), layout),
      `          (${count} observations; --format html --out DIR shows all)`,
    ];
  if (shown.length === 0) return [];
  return field('observed  ', fittingItems(shown, layout.columns - 'observed  '.length), layout, 1);
}

function summary(record: RunRecord, layout: Layout): readonly string[] {
  const covered = field('covered   ', coverageOfAll(record.results), layout, 1);
  if (!layout.verbose) return gap([...observed(record, layout), ...covered]);
  const generated = field('generated ', confidenceOfAll(record.results), layout);
  return [...gap(observed(record, layout)), ...gap([...covered, ...generated])];
}

const fittingItems = (items: readonly string[], columns: number): string =>
  items.reduce((text, item) => (widthOf(`${text}, ${item}`) <= columns ? `${text}, ${item}` : text));

/** The verdict, what it means for a pipeline, and what to do first. */
function end([first]: readonly ExplainedChecks[], record: RunRecord, layout: Layout): readonly string[] {
  const title = first === undefined ? undefined : visible(first.cause.title);
  const label = record.outcome === 'conformant' ? 'Advisory: ' : 'Fix first: ';
  const fixFirst = field(label, title, layout, 3);
  return gap([...verdict(record, layout), ...ciResultLines(record, layout), ...fixFirst]);
}

function verdict(record: RunRecord, layout: Layout): readonly string[] {
  const { outcome, summary, stop, advice, options, results } = record;
  const { columns, paint } = layout;
  const title = inUpperCase(headlineOf(record));
  const reason = record.ciResult.exitCode === 2 ? unjudged(record) : undefined;
  const skipped = deselected(record).length;
  const judged = (['MUST', 'SHOULD'] as const).filter(
    (level) => summary[level].pass + summary[level].fail > 0,
  );
  const all = compact(
    ...judged.map((level) => !(level === 'MUST' && outcome === 'partial') && counts(level, record)),
    options.strict && judged.length > 0 && '--strict',
    summary.OBSERVE.observed > 0 && `${summary.OBSERVE.observed} observed`,
    skipped > 0 && `${skipped} not selected`,
  );
  const text = compact(title, all.length > 0 && all.join('; ')).join(outcome === 'partial' ? '; ' : '  ');
  const unsent = results.filter(
    ({ verdict: one, reason: why }) => one === 'untestable' && why === stop?.reason,
  );
  const notes = compact(
    stop !== null &&
      (judged.length > 0 && unsent.length > 0
        ? stopNote(
            `Ended early: ${shownText(stop.reason)}`,
            `${stop.remedy}. ${counted(unsent.length, 'check')} could not be completed.`,
            layout,
          )
        : stopNote(shownText(stop.reason), stop.remedy, layout)),
    outcome === 'nonconformant' && summary.MUST.fail === 0 && strictFindings(results),
    reason,
    advice !== null && shownText(advice),
    options.shard !== null &&
      `This is shard ${options.shard} of a run; merge joins the records of all shards.`,
  );
  return [
    ...withBeginning(wrapped(text, columns), title, paint([OUTCOMES[outcome].colour, 'bold'], title)),
    ...notes.flatMap((note) => limited(note, columns, layout, MAX_NOTE_ROWS)),
  ];
}

const MAX_NOTE_ROWS = 5;

/** Why a run stopped, and what to do. The reason gives way if there is no room for both. */
function stopNote(reason: string, remedy: string, { columns, verbose }: Layout): string {
  const words = reason.split(' ');
  const first = (count: number) =>
    count < words.length
      ? `${words.slice(0, count).join(' ').replace(/,$/, '')}…; ${remedy}`
      : `${reason}; ${remedy}`;
  let count = words.length;
  while (!verbose && count > 1 && wrapped(first(count), columns).length > MAX_NOTE_ROWS) count -= 1;
  return first(count);
}

function strictFindings(results: RunRecord['results']): string {
  const failed = results.filter(({ level, verdict: one }) => level === 'SHOULD' && one === 'fail');
  return `With --strict, ${counted(failed.length, 'failed SHOULD check')} made the run fail: ${failed.map(({ id }) => id).join(', ')}`;
}

/** The CI result, which may differ from the verdict if there is a baseline. */
function ciResultLines(record: RunRecord, layout: Layout): readonly string[] {
  const { baseline, exitCode, reason } = record.ciResult;
  if (baseline === null) return [];
  const { columns, paint } = layout;
  const outdated = baseline.entries
    .filter(({ remedy }) => remedy !== undefined)
    .map(({ state, remedy = '' }) => `${state}: ${shownText(remedy)}`);
  const result = `CI RESULT ${exitCode === 0 ? 'pass' : 'fail'}`;
  const text = `${result}  ${reason} (${shownText(baseline.file, 120)})`;
  return [
    ...withBeginning(limited(text, columns, layout, 3), result, paint('bold', result)),
    ...baselineNotes(record).flatMap((note) => field('   ', note, layout)),
    ...some(outdated, layout).flatMap((one) => field('   ', one, layout, 2)),
  ];
}

function counts(level: 'MUST' | 'SHOULD', { summary, results, options }: RunRecord): string {
  const { pass, fail, untestable: untested } = summary[level];
  const isRequired = level === 'MUST' || options.strict || fail === 0;
  const inapplicable = results.filter((one) => one.level === level && one.blockedBy === 'document').length;
  return compact(
    `${level} ${pass} passed`,
    `${fail} failed${isRequired ? '' : ' (advisory)'}`,
    untested > 0 && `${untested} untestable`,
    inapplicable > 0 && `${inapplicable} not applicable`,
  ).join(', ');
}
