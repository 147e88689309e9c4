import { areaOf } from '../../check-ids.ts';
import { compact, groupBy } from '../../collections.ts';
import { ExpectedAndActual } from '../../report/formats/html/kit/expected.tsx';
import { Choice } from '../../report/formats/html/kit/filter.tsx';
import { Card, causeTitle } from '../../report/formats/html/kit/section.tsx';
import {
  AboutCheck,
  CheckLink,
  Commands,
  Icon,
  inline,
  type Tone,
  ToneLabel,
  toneOf,
  WORDS,
} from '../../report/formats/html/kit/text.tsx';
import type { About } from '../../run/check.ts';
import { counted } from '../../text.ts';
import type { Cell, Column, Comparison } from '../comparison.ts';
import { byCause, differing, differingCount, reasonOf, sharedCauses, verdictOf } from '../table.ts';
import { Marks, type MarksRow } from './marks.tsx';
import { AtStore, Names, type NumberedRun, nameOf, triedOf } from './page-parts.tsx';

export function Checks({ comparison }: Readonly<{ comparison: Comparison }>) {
  const { checks } = comparison;
  const tried = triedOf(comparison);
  const areas = [...new Set(checks.map(areaOf))];
  const differs = differing(comparison).length;
  const untested = comparison.columns.filter((column) => !tried.some((one) => one.column === column));
  return (
    <Marks
      noun="check"
      note={
        <>
          {differingCount(differs, comparison)}
          {differs === 0 && ' whose runs were completed'}. The rows are grouped by cause. Marks other than
          passed and observed link to the expected and the actual result; the arrow keys move between them.
          {untested.length > 0 && ` Not in the table: ${untested.map(whyUntested).join('; ')}.`}
        </>
      }
      search="id, statement or problem"
      filters={
        <>
          <Choice name="area" label="Area" options={Object.fromEntries(areas.map((area) => [area, area]))} />
          <label class="field tick">
            <input type="checkbox" name="differs" checked={differs > 0} /> Only rows that differ
          </label>
        </>
      }
      rows={byCause(checks, sharedCauses(comparison)).map((check) => rowOf(check, tried, comparison))}
      comparison={comparison}
    >
      {checks.map((check) => (
        <Check check={check} tried={tried} comparison={comparison} />
      ))}
    </Marks>
  );
}

const whyUntested = (column: Column): string =>
  `${nameOf(column)} (${inline(reasonOf(column) ?? verdictOf(column).words, 200)})`;

function rowOf(
  { id, level, statement, causes }: ReturnType<typeof byCause<About>>[number],
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
        {causes.map(({ number, cause }) => (
          <>
            {' '}
            <a class="of-cause" href={`#${cause.fingerprint}`} title={causeTitle(cause.title)}>
              cause {number}
            </a>
          </>
        ))}
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

interface ShownCell {
  readonly run: NumberedRun;
  readonly cell: Cell;
  readonly tone: Tone;
}

const ORDER: readonly Tone[] = ['fail', 'warn', 'untestable', 'skipped', 'pass', 'observed'];

function Check({
  check: { id, level, statement, basis, hint },
  tried,
  comparison,
}: Readonly<{ check: About; tried: readonly NumberedRun[]; comparison: Comparison }>) {
  const all = tried.flatMap((run): ShownCell[] => {
    const cell = run.column.cells[id];
    return cell ? [{ run, cell, tone: toneOf({ level, verdict: cell.verdict }, comparison) }] : [];
  });
  const present = ORDER.map((tone) => ({ tone, own: all.filter((shown) => shown.tone === tone) })).filter(
    ({ own }) => own.length > 0,
  );
  const [worst] = present;
  const tone = worst?.tone ?? 'skipped';
  return (
    <Card
      tone={tone}
      of={id}
      mark={<Icon name={tone} />}
      head={
        <>
          <span class="id">{id}</span> <span class="level">{level}</span>
          <span class="statement">{statement}</span>
        </>
      }
      weight={present.map(({ tone: own, own: list }) => `${list.length} ${WORDS[own]}`).join(', ')}
    >
      <p class="hint">{hint}</p>
      <p class="basis">
        Basis: {basis.join('; ')}. <AboutCheck id={id} />
      </p>
      {present.map(({ tone: own, own: list }) =>
        own === 'pass' || own === 'observed' ? (
          <div class="way">
            <h4>
              <ToneLabel tone={own} />
            </h4>
            <Names names={list.map(({ run }) => run.column.name)} of={all.length} />
          </div>
        ) : (
          groupBy(list, ({ cell: { problem, reason = '' } }) => problem ?? reason)
            .toSorted(([, a], [, b]) => b.length - a.length)
            .map(([, members]) => <Way id={id} members={members} />)
        ),
      )}
    </Card>
  );
}

/** The stores whose cells have the same problem, or the same reason. */
function Way({ id, members }: Readonly<{ id: string; members: readonly [ShownCell, ...ShownCell[]] }>) {
  const { tone, cell } = members[0];
  const { problem, reason } = cell;
  return (
    <div class={`way ${tone}`}>
      <h4>
        <ToneLabel tone={tone} />
        {problem !== undefined && <>: {inline(problem, 200)}</>}
        {members.length > 1 && <span class="aside"> at {counted(members.length, 'store')}</span>}
      </h4>
      {problem === undefined && reason !== undefined && <p>{inline(reason)}</p>}
      {groupBy(members, ({ cell: { expected, actual } }) => JSON.stringify([expected, actual])).map(
        ([, alike]) => (
          <div class="variant">
            <ExpectedAndActual {...alike[0].cell} />
            <ul class="who">
              {alike.map((one) => (
                <AtStore row={id} run={one.run} note={noteOf(one.cell)}>
                  <Commands list={compact(one.cell.command)} />
                </AtStore>
              ))}
            </ul>
          </div>
        ),
      )}
    </div>
  );
}

const noteOf = ({ failed, cases, problem, reason }: Cell): string =>
  compact(
    failed > 0 && `${failed} of ${counted(cases, 'case')}`,
    problem !== undefined && reason !== undefined && `also: ${inline(reason)}`,
  ).join('; ');
