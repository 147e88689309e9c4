import { compact, groupBy } from '../../collections.ts';
import { ExpectedAndActual } from '../../report/formats/html/kit/expected.tsx';
import { Card } from '../../report/formats/html/kit/section.tsx';
import {
  Commands,
  DocsLink,
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
import { AtStore, Names, type NumberedRun } from './page-parts.tsx';

interface ShownCell {
  readonly run: NumberedRun;
  readonly cell: Cell;
  readonly tone: Tone;
}

/** The results of every check at every store, which the marks of the table link to. */
export const CheckByCheck = ({
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
        Basis: {basis.join('; ')}. <DocsLink id={id} />
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
