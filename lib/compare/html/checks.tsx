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
import type { Cell, Comparison } from '../comparison.ts';
import {
  byCause,
  differing,
  differingCount,
  reasonOf,
  type SharedCause,
  sharedCauses,
  verdictOf,
} from '../table.ts';
import { Marks, type MarksRow } from './marks.tsx';
import { AtStore, Names, type NumberedRun, nameOf, triedOf } from './page-parts.tsx';

export function Checks({ comparison }: Readonly<{ comparison: Comparison }>) {
  const { checks } = comparison;
  const tried = triedOf(comparison);
  const shared = sharedCauses(comparison);
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
      rows={byCause(checks, shared).map((check) => rowOf(check, tried, comparison, shared))}
      comparison={comparison}
    >
      <CheckByCheck comparison={comparison} tried={tried} />
    </Marks>
  );
}

function Note({
  comparison,
  tried,
  differs,
}: Readonly<{ comparison: Comparison; tried: readonly NumberedRun[]; differs: number }>) {
  const untested = comparison.columns.filter((column) => !tried.some((one) => one.column === column));
  return (
    <>
      {differingCount(differs, comparison)}
      {differs === 0 && ' whose runs were completed'}. The rows are grouped by cause. Marks other than passed
      and observed link to the expected and the actual result; the arrow keys move between them.
      {untested.length > 0 && ' Not in the table: '}
      {untested
        .map((column) => `${nameOf(column)} (${inline(reasonOf(column) ?? verdictOf(column).words, 200)})`)
        .join('; ')}
      {untested.length > 0 && '.'}
    </>
  );
}

function rowOf(
  { id, level, statement, causes }: About & { readonly causes: readonly number[] },
  tried: readonly NumberedRun[],
  comparison: Comparison,
  shared: readonly SharedCause[],
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
        {causes.map((number) => (
          <CauseLink number={number} shared={shared} />
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

function CauseLink({ number, shared }: Readonly<{ number: number; shared: readonly SharedCause[] }>) {
  const cause = shared[number - 1]?.cause;
  if (cause === undefined) return null;
  return (
    <>
      {' '}
      <a class="of-cause" href={`#${cause.fingerprint}`} title={causeTitle(cause.title)}>
        cause {number}
      </a>
    </>
  );
}

interface ShownCell {
  readonly run: NumberedRun;
  readonly cell: Cell;
  readonly tone: Tone;
}

const CheckByCheck = ({
  comparison,
  tried,
}: Readonly<{ comparison: Comparison; tried: readonly NumberedRun[] }>) => (
  <div class="by-row">
    <h3>Check by check</h3>
    {comparison.checks.map((check) => (
      <Check
        check={check}
        all={tried.flatMap((run): ShownCell[] => {
          const cell = run.column.cells[check.id];
          if (cell === undefined) return [];
          return [{ run, cell, tone: toneOf({ level: check.level, verdict: cell.verdict }, comparison) }];
        })}
      />
    ))}
  </div>
);

const ORDER: readonly Tone[] = ['fail', 'warn', 'untestable', 'skipped', 'pass', 'observed'];

function Check({
  check: { id, level, statement, basis, hint },
  all,
}: Readonly<{ check: About; all: readonly ShownCell[] }>) {
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
          groupBy(list, problemOf)
            .toSorted(([, a], [, b]) => b.length - a.length)
            .map(([, members]) => <Way id={id} members={members} />)
        ),
      )}
    </Card>
  );
}

const problemOf = ({ cell: { problem, reason } }: ShownCell): string => problem ?? reason ?? '';

/** The result by which stores share a comparison of expected and actual within a group. */
const resultOf = ({ cell: { expected, actual } }: ShownCell): string => JSON.stringify([expected, actual]);

/** Cells with the same problem, or the same reason. */
type Alike = readonly [ShownCell, ...ShownCell[]];

function Way({ id, members }: Readonly<{ id: string; members: Alike }>) {
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
      {groupBy(members, resultOf).map(([, alike]) => (
        <Variant id={id} alike={alike} />
      ))}
    </div>
  );
}

const Variant = ({ id, alike }: Readonly<{ id: string; alike: Alike }>) => (
  <div class="variant">
    <ExpectedAndActual {...alike[0].cell} />
    <ul class="who">
      {alike.map(({ run, cell: { failed, cases, problem, reason, command } }) => (
        <AtStore
          row={id}
          run={run}
          note={compact(
            failed > 0 && `${failed} of ${counted(cases, 'case')}`,
            problem !== undefined && reason !== undefined && `also: ${inline(reason)}`,
          ).join('; ')}
        >
          <Commands list={command === undefined ? [] : [command]} />
        </AtStore>
      ))}
    </ul>
  </div>
);
