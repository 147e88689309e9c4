import { groupBy } from '../groups.ts';
import type { Count } from '../run/verdict.ts';
import { commandOf } from './again.ts';
import { coverageOfAll } from './coverage.ts';
import { entriesOf, entryName, novelty, openGroups, unjudged, whyKnown } from './deviations.ts';
import { documentName } from './document.ts';
import { closedUnder, explain, leftBehind, short, visible, waitedFor } from './explain.ts';
import type { Group } from './groups.ts';
import { headlineOf, loudly } from './headline.ts';
import { code, fenced, joined, lines, prose } from './markdown-text.ts';
import type { RecordedResult, RunRecord } from './record.ts';

/** Characters of a report; a comment on GitHub may have 65,536. */
const LARGEST = 60_000;

/** Characters that are kept for the warnings, however many failures there are. */
const FOR_WARNINGS = 8000;

/** Checks that are named with a cause, beside the first. */
const MOST_ALIKE = 20;

/** Lines of any other list. */
const MOST = 10;

/**
 * The report of a run for a comment on a change or the summary of a job, on GitHub or GitLab. Whatever came
 * from the store stands in code, of which they make no mention, link, image or heading; and no line begins
 * with it, as GitLab takes a line that begins with a slash for an order.
 */
export function markdownReport(record: RunRecord): string {
  const before = [head(record), baseline(record)];
  const after = [untestable(record), observed(record), repeat(record)];
  const must = openGroups(record, 'MUST');
  const should = openGroups(record, 'SHOULD');
  const room = LARGEST - joined([...before, ...after]).length;
  const failed = failures('MUST', must, record, should.length === 0 ? room : room - FOR_WARNINGS);
  const warned = failures('SHOULD', should, record, room - failed.length);
  return `${joined([...before, failed, warned, ...after])}\n`;
}

function head(record: RunRecord): string {
  const { suite, target, document, options, requests, seconds, created, startedAt, gate, advice } = record;
  const reason = unjudged(record);
  const covered = coverageOfAll(record.results);
  const name = target.name === target.baseUrl ? '' : `${code(target.name, 60)}, `;
  const server = target.server === null ? '' : `, server ${code(target.server, 60)}`;
  return joined([
    `## ${suite.name}: ${loudly(headlineOf(record))}`,
    `CI result: **${gate.exitCode === 0 ? 'pass' : 'fail'}** (exit code ${gate.exitCode}): ${gate.reason}.`,
    lines([
      ...(reason === undefined ? [] : [`- not judged, or not to the end: ${code(reason, 600)}`]),
      ...(advice === null ? [] : [`- advice: ${code(advice)}`]),
    ]),
    counts(record),
    lines([
      `- target: ${name}${code(target.baseUrl)}${server}`,
      `- document: ${documentName(document, code)}, version ${code(document.version, 40)}, sha256 ${code(document.sha256.slice(0, 12))}`,
      ...(document.warnings ?? []).map((warning) => `- in the document: ${code(warning, 400)}`),
      `- run: ${suite.name} ${suite.version}, ${startedAt}; ${requests} requests in ${seconds.toFixed(1)} s${waitedFor(record)}${closedUnder(record)}, ${leftBehind(created)}${options.strict ? '; strict' : ''}`,
      ...(covered === undefined ? [] : [`- covered: ${covered}`]),
    ]),
  ]);
}

function counts({ summary, options }: RunRecord): string {
  const row = (level: string, count: Count, note = '') =>
    `| ${level} | ${count.pass} | ${count.fail}${note} | ${count.untestable} | ${count.skipped} | ${count.observed} |`;
  return lines([
    '| level | passed | failed | not testable | skipped | observed |',
    '| --- | --: | --: | --: | --: | --: |',
    row('MUST', summary.MUST),
    row('SHOULD', summary.SHOULD, options.strict || summary.SHOULD.fail === 0 ? '' : ' (warnings)'),
    row('OBSERVE', summary.OBSERVE),
  ]);
}

function baseline(record: RunRecord): string {
  const { baseline: known } = record.gate;
  if (known === null) return '';
  return joined([
    `### Known deviations, of ${code(known.file)}`,
    lines([
      ...some(
        entriesOf(record, 'stale', 'expired').map(
          ({ state, remedy = '' }) => `- **${state}**: ${code(remedy, 200)}`,
        ),
      ),
      ...some(
        entriesOf(record, 'known').map(
          (entry) => `- known deviation: ${code(entryName(entry))}: ${code(whyKnown(entry), 200)}`,
        ),
      ),
      ...some(
        entriesOf(record, 'not-evaluated').map((entry) => `- not evaluated: ${code(entryName(entry))}`),
      ),
      ...(known.entries.length === 0 ? ['- none'] : []),
    ]),
  ]);
}

/** The failures of a level, by cause, as many as there is room for; the others by name. */
function failures(
  level: 'MUST' | 'SHOULD',
  groups: readonly Group[],
  record: RunRecord,
  room: number,
): string {
  if (groups.length === 0) return '';
  const checks = groups.reduce((sum, { members }) => sum + members.length, 0);
  const verb = level === 'SHOULD' && !record.options.strict ? 'warned' : 'failed';
  const causes = groups.length === 1 ? '1 cause' : `${groups.length} causes, the likeliest first`;
  const title = `### ${checks} ${level} ${verb}, for ${causes}`;
  const blocks = groups.map((group, index) => failure(group, index, record));
  const spare = room - title.length - 2000;
  let used = 0;
  const fit = blocks.findIndex((block) => {
    used += block.length + 2;
    return used > spare;
  });
  const shown = fit < 0 ? blocks : blocks.slice(0, fit);
  const rest = groups.slice(shown.length).flatMap(({ members }) => members.slice(0, 1));
  return joined([
    title,
    ...shown,
    rest.length === 0
      ? ''
      : `Left out for want of room: ${rest.length === 1 ? '1 cause' : `${rest.length} causes`}, of ${listed(rest)}. The other reports of the run have them.`,
  ]);
}

function failure({ cause, members }: Group, index: number, record: RunRecord): string {
  const [first, ...others] = members;
  if (first === undefined) return '';
  const [exchange] = first.exchanges;
  // The first line of an explanation is the summary here, and the last one has a block of its own.
  const explained = explain(first)
    .split('\n')
    .slice(1)
    .filter((line) => !/^ *repeat /.test(line))
    .map((line) => line.replace(/^ {5}/, ''));
  return joined([
    `**${index + 1}.** ${code(cause, 120)}${others.length === 0 ? '' : ` (${members.length} checks)`}`,
    lines(
      members.flatMap((member) => {
        const news = novelty(member, record);
        return news === undefined ? [] : [`- ${code(member.id)}: ${code(news)}`];
      }),
    ),
    `<details>\n<summary><code>${html(first.id)}</code> ${html(first.statement)}</summary>`,
    fenced(explained, 'text'),
    exchange === undefined ? '' : fenced([short(exchange.curl, 2000)], 'sh'),
    others.length === 0
      ? ''
      : `For the same cause:\n\n${lines(
          some(
            others.map(
              ({ id, statement, failed, cases }) =>
                `- ${code(id)}: ${prose(statement)} (${failed} of ${cases})`,
            ),
            MOST_ALIKE,
          ),
        )}`,
    '</details>',
  ]);
}

function untestable({ results }: RunRecord): string {
  const blocked = results.filter(({ verdict }) => verdict === 'untestable');
  if (blocked.length === 0) return '';
  const reasons = groupBy(blocked, ({ reason = '' }) => reason).map(
    ([reason, members]) => `- ${members.length} for ${code(reason, 200)}: ${listed(members)}`,
  );
  return `### ${blocked.length} could not be tested\n\n${lines(some(reasons))}`;
}

/** What most readers want to know of what the interface leaves open. */
const TOLD = [
  'missing-token/status',
  'refusal/not-json/status',
  'refusal/wrong-type/status',
  'same-id/second/status',
  'id/echo',
  'name/longest-taken',
  'response-time-ms/median',
];

function observed({ observations }: RunRecord): string {
  const told = TOLD.filter((key) => key in observations);
  const count = Object.keys(observations).length;
  if (told.length === 0) return '';
  return joined([
    `<details>\n<summary>Observed: ${told.length} of ${count}</summary>`,
    lines(told.map((key) => `- ${key}: ${code(String(observations[key]), 60)}`)),
    '</details>',
  ]);
}

function repeat(record: RunRecord): string {
  const left = record.results.filter(
    ({ verdict, blockedBy }) => verdict === 'skipped' && blockedBy === 'user',
  ).length;
  return joined([
    `To repeat it, with the token in \`PLANT_STORE_TOKEN\`${left === 0 ? '' : `, and the same filter: ${left} checks were left out`}:`,
    fenced([visible(commandOf(record))], 'sh'),
  ]);
}

/** The beginning of a list, and how much longer it is. */
const some = (list: readonly string[], most = MOST): readonly string[] =>
  list.length > most ? [...list.slice(0, most), `- and ${list.length - most} more`] : list;

/** The ids of checks, a dozen at most. */
const listed = (results: readonly RecordedResult[]) =>
  `${results
    .slice(0, 12)
    .map(({ id }) => code(id))
    .join(', ')}${results.length > 12 ? ` and ${results.length - 12} more` : ''}`;

/** The suite's own words in HTML. */
const html = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
