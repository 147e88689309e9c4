import { areaOf } from '../../groups.ts';
import { Icon, inline, toneOf, WORDS } from '../../report/html/text.tsx';
import type { About } from '../../run/check.ts';
import type { Comparison } from '../comparison.ts';
import { verdictOf } from '../table.ts';
import {
  groupsOf,
  MIN_WIDE_COLUMNS,
  type NumberedRun,
  nameOf,
  Scrolling,
  VERDICTS,
  VisuallyHidden,
} from './parts.tsx';

/** A row for each check, a column for each store that was tested. */
export function Matrix({
  comparison,
  tried,
}: {
  readonly comparison: Comparison;
  readonly tried: readonly NumberedRun[];
}) {
  const groups = groupsOf(comparison);
  return (
    <Scrolling
      name="Checks by stores"
      class={tried.length >= MIN_WIDE_COLUMNS ? 'marks-box many' : 'marks-box'}
    >
      <table class="sortable marks-table" id="matrix">
        <thead>
          <tr>
            <th scope="col" data-sort="ascending">
              Check
            </th>
            <th scope="col" data-sort="descending" class="number">
              Fail at
            </th>
            {tried.map((one) => (
              <Head key={one.number} one={one} groups={groups} />
            ))}
          </tr>
        </thead>
        <tbody>
          {comparison.checks.map((check, index) => (
            <Row key={check.id} check={check} index={index} comparison={comparison} tried={tried} />
          ))}
        </tbody>
      </table>
      <p class="no-match" id="matrix-no-match" hidden>
        Nothing matches. <em>Show all</em> clears the search and the filters.
      </p>
    </Scrolling>
  );
}

function Head({
  one: { column, number },
  groups,
}: {
  readonly one: NumberedRun;
  readonly groups: readonly string[];
}) {
  const own = [verdictOf(column), column.implementation?.language];
  return (
    <th
      scope="col"
      class="store"
      data-groups={groups.flatMap((group, index) => (own.includes(group) ? [`g${index}`] : [])).join(' ')}
      data-stopped={column.stop === null ? undefined : ''}
    >
      <a href={`#store-${number}`} title={nameOf(column)}>
        {inline(column.name, 40)}
      </a>
      <Icon name={VERDICTS[verdictOf(column)]} />
    </th>
  );
}

function Row({
  check: { id, level, statement },
  index,
  comparison,
  tried,
}: {
  readonly check: About;
  readonly index: number;
  readonly comparison: Comparison;
  readonly tried: readonly NumberedRun[];
}) {
  const cells = tried.map(({ column, number }) => ({ cell: column.cells[id], number }));
  const failing = cells.filter(({ cell }) => cell?.verdict === 'fail').length;
  const causes = [...new Set(cells.flatMap(({ cell }) => cell?.cause ?? []))];
  return (
    <tr
      id={id}
      data-level={level}
      data-area={areaOf({ id })}
      data-text={[id, statement, ...causes.map((cause) => inline(cause))].join(' | ').toLowerCase()}
    >
      <th scope="row" data-value={index}>
        <a class="id" href={`#${id}`}>
          {id}
        </a>{' '}
        <span class="level">{level}</span>
        <span class="statement">{statement}</span>
      </th>
      <td class="number" data-value={failing}>
        {failing}
      </td>
      {cells.map(({ cell, number }) => {
        const verdict = cell?.verdict ?? 'skipped';
        const tone = toneOf({ level, verdict }, comparison);
        const mark = (
          <>
            <Icon name={tone} />
            <VisuallyHidden>{WORDS[tone]}</VisuallyHidden>
          </>
        );
        return (
          <td key={number} class={tone === 'warn' ? 'fail warned' : verdict}>
            {hasDetails(verdict) && cell !== undefined ? <a href={`#${id}~${number}`}>{mark}</a> : mark}
          </td>
        );
      })}
    </tr>
  );
}

/** Passed and observed checks have no details. */
const hasDetails = (verdict: string) =>
  verdict === 'fail' || verdict === 'untestable' || verdict === 'skipped';
