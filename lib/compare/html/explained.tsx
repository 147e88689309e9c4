import { groupBy } from '../../groups.ts';
import { Comparison as Sides } from '../../report/html/exchange.tsx';
import { Command, counted, Icon, inline, type Tone, toneOf, WORDS } from '../../report/html/text.tsx';
import type { About } from '../../run/check.ts';
import type { Cell, Comparison } from '../comparison.ts';
import { Names, nameOf, type PlacedRun } from './parts.tsx';

interface Told {
  readonly one: PlacedRun;
  readonly cell: Cell;
  readonly tone: Tone;
}

/** What every store did on every check: what the marks of the table lead to. */
export const CheckByCheck = ({
  comparison,
  tried,
}: {
  readonly comparison: Comparison;
  readonly tried: readonly PlacedRun[];
}) => (
  <div class="by-check">
    <h3>Check by check</h3>
    {comparison.checks.map((check) => (
      <Check
        key={check.id}
        check={check}
        all={tried.flatMap((one): Told[] => {
          const cell = one.column.cells[check.id];
          if (cell === undefined) return [];
          return [{ one, cell, tone: toneOf({ level: check.level, verdict: cell.verdict }, comparison) }];
        })}
      />
    ))}
  </div>
);

/** What is worst comes first. */
const ORDER: readonly Tone[] = ['fail', 'warn', 'untestable', 'skipped', 'pass', 'observed'];

function Check({
  check: { id, level, statement, basis, hint },
  all,
}: {
  readonly check: About;
  readonly all: readonly Told[];
}) {
  const there = ORDER.map((tone) => ({ tone, own: all.filter((told) => told.tone === tone) })).filter(
    ({ own }) => own.length > 0,
  );
  const [worst] = there;
  const tone = worst?.tone ?? 'skipped';
  return (
    <details class={`cause ${tone}`} data-check={id}>
      <summary>
        <Icon name={tone} />
        <span class="head">
          <span class="id">{id}</span> <span class="level">{level}</span>
          <span class="statement">{statement}</span>
        </span>
        <span class="weight">
          {there.map(({ tone: own, own: list }) => `${list.length} ${WORDS[own]}`).join(', ')}
        </span>
      </summary>
      <div class="inside">
        <p class="hint">{hint}</p>
        <p class="basis">Basis: {basis.join('; ')}</p>
        {there.map(({ tone: own, own: list }) =>
          own === 'pass' || own === 'observed' ? (
            <Alike key={own} tone={own} list={list} of={all.length} />
          ) : (
            groupBy(list, causeOf)
              .toSorted(([, a], [, b]) => b.length - a.length)
              .map(([key, members]) => <Way key={key} id={id} members={members} />)
          ),
        )}
      </div>
    </details>
  );
}

const Alike = ({ tone, list, of }: { tone: Tone; list: readonly Told[]; of: number }) => (
  <div class="way">
    <h4>
      <Icon name={tone} /> {WORDS[tone]}
    </h4>
    <Names names={list.map(({ one }) => one.column.name)} of={of} />
  </div>
);

/** Stores are told of together where they failed for one cause. */
const causeOf = ({ cell: { cause, reason } }: Told): string => cause ?? reason ?? '';

/** And closer together where the very same came back. */
const sidesOf = ({ cell: { expected, actual } }: Told): string => JSON.stringify([expected, actual]);

function Way({ id, members }: { readonly id: string; readonly members: readonly Told[] }) {
  const [first] = members;
  if (first === undefined) return null;
  const { tone, cell } = first;
  const { cause, reason } = cell;
  return (
    <div class={`way ${tone}`}>
      <h4>
        <Icon name={tone} /> {WORDS[tone]}
        {cause !== undefined && <>: {inline(cause, 200)}</>}
        {members.length > 1 && <span class="aside"> at {counted(members.length, 'store')}</span>}
      </h4>
      {cause === undefined && reason !== undefined && <p>{inline(reason)}</p>}
      {groupBy(members, sidesOf).map(([key, alike]) => (
        <Variant key={key} id={id} alike={alike} />
      ))}
    </div>
  );
}

function Variant({ id, alike }: { readonly id: string; readonly alike: readonly Told[] }) {
  const { expected, actual } = alike[0]?.cell ?? {};
  return (
    <div class="variant">
      {expected !== undefined && actual !== undefined && <Sides expected={expected} actual={actual} />}
      <ul class="who">
        {alike.map(({ one, cell }) => (
          <li key={one.number} id={`${id}~${one.number}`}>
            <Who one={one} cell={cell} />
          </li>
        ))}
      </ul>
    </div>
  );
}

const Who = ({ one, cell: { failed, cases, cause, reason, curl } }: Pick<Told, 'one' | 'cell'>) => (
  <>
    <p>
      <strong class="name">{nameOf(one.column)}</strong>{' '}
      {failed > 0 && (
        <span class="aside">
          {failed} of {counted(cases, 'case')}
        </span>
      )}
      {cause !== undefined && reason !== undefined && <span class="aside">; besides: {inline(reason)}</span>}
    </p>
    {curl !== undefined && <Command name="The request as curl" text={curl} />}
  </>
);
