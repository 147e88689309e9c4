import { areaOf } from '../../check-ids.ts';
import { Choice } from '../../report/formats/html/kit/filter.tsx';
import { CheckLink, inline, toneOf } from '../../report/formats/html/kit/text.tsx';
import type { About } from '../../run/check.ts';
import { counted } from '../../text.ts';
import type { Comparison } from '../comparison.ts';
import { differing, reasonOf, verdictOf } from '../table.ts';
import { CheckByCheck } from './explained.tsx';
import { Marks, type MarksRow } from './marks.tsx';
import { type NumberedRun, nameOf, triedOf } from './page-parts.tsx';

export function Checks({ comparison }: Readonly<{ comparison: Comparison }>) {
  const { checks } = comparison;
  const tried = triedOf(comparison);
  const areas = [...new Set(checks.map(areaOf))];
  const differs = differing(comparison).length;
  return (
    <Marks
      id="checks"
      heading="Checks"
      noun="check"
      note={<Note comparison={comparison} tried={tried} differs={differs} />}
      search="id, statement or problem"
      filters={
        <>
          <Choice name="area" label="Area" options={Object.fromEntries(areas.map((area) => [area, area]))} />
          <label class="field tick">
            <input type="checkbox" name="differs" checked={differs > 0} /> Only rows that differ
          </label>
        </>
      }
      rows={checks.map((check) => rowOf(check, tried, comparison))}
      tried={tried}
      comparison={comparison}
    >
      <CheckByCheck comparison={comparison} tried={tried} />
    </Marks>
  );
}

function Note({
  comparison: { checks, columns },
  tried,
  differs,
}: Readonly<{ comparison: Comparison; tried: readonly NumberedRun[]; differs: number }>) {
  const untested = columns.filter((column) => !tried.some((one) => one.column === column));
  return (
    <>
      {differs === 0
        ? `No check differs between the stores whose runs were completed.`
        : `${differs} of ${counted(checks.length, 'check')} ${differs === 1 ? 'differs' : 'differ'} between the stores.`}{' '}
      Marks other than passed and observed link to the expected and the actual result; the arrow keys move
      between them.
      {untested.length > 0 && ' Not in the table: '}
      {untested
        .map((column) => `${nameOf(column)} (${inline(reasonOf(column) ?? verdictOf(column).words, 200)})`)
        .join('; ')}
      {untested.length > 0 && '.'}
    </>
  );
}

function rowOf(
  { id, level, statement }: About,
  tried: readonly NumberedRun[],
  comparison: Comparison,
): MarksRow {
  const cells = tried.map(({ column }) => column.cells[id]);
  const problems = new Set(cells.flatMap((cell) => cell?.problem ?? []));
  return {
    id,
    level,
    area: areaOf({ id }),
    title: (
      <>
        <CheckLink id={id} /> <span class="level">{level}</span>
        <span class="statement">{statement}</span>
      </>
    ),
    words: [id, statement, ...[...problems].map((problem) => inline(problem))],
    marks: cells.map((cell) => {
      const verdict = cell?.verdict ?? 'skipped';
      return {
        tone: toneOf({ level, verdict }, comparison),
        // Passed and observed checks have no details.
        hasDetails: cell !== undefined && verdict !== 'pass' && verdict !== 'observed',
      };
    }),
  };
}
