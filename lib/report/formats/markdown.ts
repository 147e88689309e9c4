import { capped, compact, firstNames, groupBy } from '../../collections.ts';
import type { VerdictCount } from '../../run/result/verdict.ts';
import { counted } from '../../text.ts';
import { TOKEN_VARIABLE } from '../../token-variable.ts';
import { causeIn } from '../baseline/baseline-entry.ts';
import {
  aboutEntry,
  baselineNotes,
  type ExplainedChecks,
  entriesOf,
  knownCauses,
  newProblemsText,
  openCauses,
  whyKnown,
} from '../baseline/deviations.ts';
import type { EntryState, EvaluatedEntry, RecordedResult, RunRecord } from '../record/record.ts';
import { runCommandLine } from '../reproduce/run-command.ts';
import { weightOf } from '../wording/confirmed.ts';
import { coverageOfAll } from '../wording/coverage.ts';
import { documentText, highlightsOf, sentText } from '../wording/facts.ts';
import { failureText, visible } from '../wording/format-text.ts';
import { deselected, headlineOf, inUpperCase, unjudged } from '../wording/headline.ts';
import { causeBlocks, MAX_TITLE_CHARACTERS } from './cause-markdown.ts';
import { code, fenced, inBlocks, lines, prose } from './markdown-text.ts';

/** A GitHub comment may have at most 65,536 characters. */
const MAX_CHARACTERS = 60_000;

/** Characters reserved for warnings, however many failures there are. */
const MAX_WARNING_CHARACTERS = 8000;

const MAX_SIMILAR_CHECKS = 20;

const MAX_ITEMS = 10;

/**
 * Renders a report for a comment on a pull request or the summary of a job, on GitHub or GitLab. Text from
 * the store always appears as code, so that it cannot become a mention, link, image or heading. It never
 * begins a line, because GitLab executes lines that begin with a slash.
 */
export function markdownReport(record: RunRecord): string {
  const before = [head(record), baseline(record)];
  const after = [untestable(record), observed(record), reproduction(record)];
  const must = openCauses(record, 'MUST');
  const should = openCauses(record, 'SHOULD');
  const room = MAX_CHARACTERS - inBlocks([...before, ...after]).length;
  const failed = failures('MUST', must, record, should.length === 0 ? room : room - MAX_WARNING_CHARACTERS);
  const warned = failures('SHOULD', should, record, room - failed.length);
  return `${inBlocks([...before, failed, warned, ...after])}\n`;
}

function head(record: RunRecord): string {
  const { suite, target, document, options, startedAt, ciResult, advice } = record;
  const reason = unjudged(record);
  const covered = coverageOfAll(record.results);
  const name = target.name === target.baseUrl ? '' : `${code(target.name, 60)}, `;
  const server = target.server === null ? '' : `, server ${code(target.server, 60)}`;
  return inBlocks([
    `## ${suite.name}: ${inUpperCase(headlineOf(record))}`,
    `CI result: **${ciResult.exitCode === 0 ? 'pass' : 'fail'}** (exit code ${ciResult.exitCode}): ${ciResult.reason}.`,
    lines(
      compact(
        reason !== undefined && `- not completely judged: ${code(reason, 600)}`,
        advice !== null && `- advice: ${code(advice)}`,
      ),
    ),
    counts(record),
    lines([
      `- target: ${name}${code(target.baseUrl)}${server}`,
      `- document: ${documentText(document, code)}`,
      ...(document.warnings ?? []).map((warning) => `- document warning: ${code(warning, 400)}`),
      `- run: ${suite.name} ${suite.version}, ${startedAt}; ${sentText(record)}${options.strict ? '; strict' : ''}`,
      ...(covered === undefined ? [] : [`- covered: ${covered}`]),
    ]),
  ]);
}

function counts({ summary, options }: RunRecord): string {
  const row = (level: string, count: VerdictCount, note = '') =>
    `| ${level} | ${count.pass} | ${count.fail}${note} | ${count.untestable} | ${count.skipped} | ${count.observed} |`;
  return lines([
    '| level | passed | failed | untestable | skipped | observed |',
    '| --- | --: | --: | --: | --: | --: |',
    row('MUST', summary.MUST),
    row('SHOULD', summary.SHOULD, options.strict || summary.SHOULD.fail === 0 ? '' : ' (advisory)'),
    row('OBSERVE', summary.OBSERVE),
  ]);
}

function baseline(record: RunRecord): string {
  const { baseline: known } = record.ciResult;
  if (known === null) return '';
  const entries = (line: (entry: EvaluatedEntry) => string, ...states: readonly EntryState[]) =>
    some(entriesOf(record, ...states).map(line));
  const listedCauses = new Set(known.entries.map(causeIn));
  const about = (entry: EvaluatedEntry) => code(aboutEntry(entry, record), 200);
  return inBlocks([
    `### Known deviations (${code(known.file)})`,
    lines([
      ...baselineNotes(record).map((note) => `- ${note}`),
      ...entries(({ state, remedy = '' }) => `- **${state}**: ${code(remedy, 200)}`, 'stale', 'expired'),
      ...some(
        knownCauses(record)
          .filter(({ cause }) => !listedCauses.has(cause.fingerprint))
          .map(({ cause, checks }) => `- known cause: ${code(cause.title, 200)} (${listed(checks)})`),
      ),
      ...entries((entry) => `- known deviation: ${about(entry)}: ${code(whyKnown(entry), 200)}`, 'known'),
      ...entries((entry) => `- not evaluated: ${about(entry)}`, 'not-evaluated'),
      ...(known.entries.length === 0 ? ['- none'] : []),
    ]),
  ]);
}

/** The failures of a level, by cause. Of a cause that does not fit, only the id of its first check is listed. */
function failures(
  level: 'MUST' | 'SHOULD',
  causes: readonly ExplainedChecks[],
  record: RunRecord,
  room: number,
): string {
  if (causes.length === 0) return '';
  const isRequired = level === 'MUST' || record.options.strict;
  const title = `### ${counted(causes.length, 'cause')} of failed ${level} checks${isRequired ? '' : ' (advisory)'}`;
  const blocks = causes.map((one) => failure(one, record));
  const spare = room - title.length - 2000;
  let used = 0;
  const fit = blocks.findIndex((block) => {
    used += block.length + 2;
    return used > spare;
  });
  const shown = fit < 0 ? blocks : blocks.slice(0, fit);
  const omittedChecks = causes.slice(shown.length).flatMap((one) => one.checks.slice(0, 1));
  return inBlocks([
    title,
    ...shown,
    omittedChecks.length === 0
      ? ''
      : `Omitted for length: ${counted(omittedChecks.length, 'cause')}, of ${listed(omittedChecks)}. See the other reports of the run.`,
  ]);
}

function failure({ cause, rank, level, checks }: ExplainedChecks, record: RunRecord): string {
  return inBlocks([
    `**${rank}.** ${code(cause.title, MAX_TITLE_CHARACTERS)} ${weightOf({ level, checks })}`,
    lines(
      checks.flatMap((one) => {
        const news = newProblemsText(one, record);
        return news === undefined ? [] : [`- ${code(one.id)}: ${code(news)}`];
      }),
    ),
    ...causeBlocks(cause),
    ...checkDetails(checks),
  ]);
}

/** The details of the first check, and the ids of the others. */
function checkDetails([first, ...others]: readonly RecordedResult[]): readonly string[] {
  if (first === undefined) return [];
  // Omit the first line, which is the summary here.
  const details = failureText(first)
    .split('\n')
    .slice(1)
    .filter((line) => !/^ *reproduce /.test(line))
    .map((line) => line.replace(/^ {5}/, ''));
  return [
    `<details>\n<summary><code>${escapedHtml(first.id)}</code> ${escapedHtml(first.statement)}</summary>`,
    fenced(details, 'text'),
    others.length === 0
      ? ''
      : `Same cause:\n\n${lines(
          some(
            others.map(
              ({ id, statement, failed, cases }) =>
                `- ${code(id)}: ${prose(statement)} (${failed} of ${cases})`,
            ),
            MAX_SIMILAR_CHECKS,
          ),
        )}`,
    '</details>',
  ];
}

function untestable({ results }: RunRecord): string {
  const blocked = results.filter(({ verdict }) => verdict === 'untestable');
  if (blocked.length === 0) return '';
  const reasons = groupBy(blocked, ({ reason = '' }) => reason).map(
    ([reason, members]) =>
      `- ${code(reason, 200)}: ${members.length === 1 ? '' : `${members.length} checks, `}${listed(members)}`,
  );
  return `### ${counted(blocked.length, 'check')} could not be tested\n\n${lines(some(reasons))}`;
}

function observed({ observations }: RunRecord): string {
  const shown = highlightsOf(observations);
  const count = Object.keys(observations).length;
  if (shown.length === 0) return '';
  return inBlocks([
    `<details>\n<summary>Observed: ${shown.length} of ${counted(count, 'value')}; the HTML report has all</summary>`,
    lines(shown.map(({ name, value }) => `- ${name}: ${code(value, 60)}`)),
    '</details>',
  ]);
}

function reproduction(record: RunRecord): string {
  const skipped = deselected(record).length;
  return inBlocks([
    `To reproduce the run, with the token in \`${record.target.tokenEnv ?? TOKEN_VARIABLE}\`${skipped === 0 ? '' : ` and the same filter (${skipped} checks were skipped)`}:`,
    fenced([visible(runCommandLine(record))], 'sh'),
  ]);
}

/** The first items of a list, followed by the number of further ones. */
const some = (list: readonly string[], most = MAX_ITEMS): readonly string[] =>
  capped(most + 1, list, (count) => `- and ${count} more`);

const listed = (results: readonly RecordedResult[]) =>
  firstNames(
    12,
    results.map(({ id }) => code(id)),
  );

const escapedHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
