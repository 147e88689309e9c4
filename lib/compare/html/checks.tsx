import { areaOf } from '../../groups.ts';
import { Choice, SearchField } from '../../report/html/checks.tsx';
import { counted, Icon, inline, type Tone, toneOf, WORDS } from '../../report/html/text.tsx';
import type { Comparison } from '../comparison.ts';
import { differing, reasonOf, verdictOf } from '../table.ts';
import { CheckByCheck } from './explained.tsx';
import { Matrix } from './matrix.tsx';
import { groupsOf, type NumberedRun, nameOf, triedOf } from './parts.tsx';

/** Every check at every store. */
export function Checks({ comparison }: { readonly comparison: Comparison }) {
  const { checks } = comparison;
  const tried = triedOf(comparison);
  const untested = comparison.columns.filter((column) => !tried.some((one) => one.column === column));
  const differs = differing(comparison);
  return (
    <section class="matrix" id="checks" aria-labelledby="checks-heading">
      <h2 id="checks-heading">Checks</h2>
      <p class="note">
        {differs.length === 0
          ? `No check differs between the stores whose runs were completed.`
          : `${differs.length} of ${counted(checks.length, 'check')} ${differs.length === 1 ? 'differs' : 'differ'} between the stores.`}{' '}
        Marks other than passed and observed link to the expected and the actual result; the arrow keys move
        between them.
        {untested.length > 0 && ' Not in the table: '}
        {untested
          .map((column) => `${nameOf(column)} (${inline(reasonOf(column) ?? verdictOf(column), 200)})`)
          .join('; ')}
        {untested.length > 0 && '.'}
      </p>
      <Marks comparison={comparison} tried={tried} />
      <Filter comparison={comparison} some={differs.length > 0} tried={tried} />
      <div class="around">
        <Matrix comparison={comparison} tried={tried} />
        <section class="panel" id="panel" aria-labelledby="panel-heading" hidden>
          <div class="panel-head">
            <h3 id="panel-heading" tabIndex={-1}>
              A cell
            </h3>
            <button type="button" id="panel-close">
              Close
            </button>
          </div>
          <div id="panel-body" />
        </section>
      </div>
      <CheckByCheck comparison={comparison} tried={tried} />
    </section>
  );
}

/** The legend of the table. */
function Marks({
  comparison,
  tried,
}: {
  readonly comparison: Comparison;
  readonly tried: readonly NumberedRun[];
}) {
  const present = new Set(
    comparison.checks.flatMap(({ id, level }) =>
      tried.map(({ column }) =>
        toneOf({ level, verdict: column.cells[id]?.verdict ?? 'skipped' }, comparison),
      ),
    ),
  );
  return (
    <ul class="legend marks-legend">
      {(Object.keys(WORDS) as Tone[])
        .filter((tone) => present.has(tone))
        .map((tone) => (
          <li key={tone} class={tone}>
            <Icon name={tone} /> {WORDS[tone]}
          </li>
        ))}
    </ul>
  );
}

function Filter({
  comparison,
  some,
  tried,
}: {
  readonly comparison: Comparison;
  readonly some: boolean;
  readonly tried: readonly NumberedRun[];
}) {
  const areas = [...new Set(comparison.checks.map(areaOf))];
  const groups = groupsOf(comparison);
  return (
    <search>
      <form class="filter" id="matrix-filter" hidden>
        <SearchField />
        <Choice name="level" label="Level" options={{ MUST: 'MUST', SHOULD: 'SHOULD', OBSERVE: 'OBSERVE' }} />
        <Choice name="area" label="Area" options={Object.fromEntries(areas.map((area) => [area, area]))} />
        {tried.length > 2 && groups.length > 1 && (
          <Choice
            name="stores"
            label="Stores"
            options={Object.fromEntries(groups.map((group, index) => [`g${index}`, inline(group, 40)]))}
          />
        )}
        <p class="field tick">
          <label>
            <input type="checkbox" name="differs" checked={some} /> Only rows that differ
          </label>
        </p>
        <p class="field">
          <button type="reset">Show all</button>
        </p>
        <p class="shown" role="status" id="matrix-shown">
          {counted(comparison.checks.length, 'check')}
        </p>
      </form>
    </search>
  );
}
