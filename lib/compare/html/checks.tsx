import { areaOf } from '../../groups.ts';
import { Choice, SearchField } from '../../report/html/checks.tsx';
import { counted, Icon, inline, type Tone, toneOf, WORDS } from '../../report/html/text.tsx';
import type { Comparison } from '../comparison.ts';
import { differing, reasonOf, verdictOf } from '../table.ts';
import { CheckByCheck } from './explained.tsx';
import { Matrix } from './matrix.tsx';
import { groupsOf, nameOf, type PlacedRun, triedOf } from './parts.tsx';

/** Every check at every store. */
export function Checks({ comparison }: { readonly comparison: Comparison }) {
  const { checks } = comparison;
  const tried = triedOf(comparison);
  const lost = comparison.columns.filter((column) => !tried.some((one) => one.column === column));
  const differs = differing(comparison);
  return (
    <section class="matrix" id="checks" aria-labelledby="checks-heading">
      <h2 id="checks-heading">Checks</h2>
      <p class="note">
        {differs.length === 0
          ? `All ${counted(checks.length, 'check')} came out alike at the stores that were run to the end.`
          : `${differs.length} of ${counted(checks.length, 'check')} did not come out alike.`}{' '}
        The marks of what is not well lead to what was expected and what came instead; the arrow keys go from
        one to the next.
        {lost.length > 0 && ' Not in the table: '}
        {lost
          .map((column) => `${nameOf(column)} (${inline(reasonOf(column) ?? verdictOf(column), 200)})`)
          .join('; ')}
        {lost.length > 0 && '.'}
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

/** What the marks of the table mean. */
function Marks({
  comparison,
  tried,
}: {
  readonly comparison: Comparison;
  readonly tried: readonly PlacedRun[];
}) {
  const there = new Set(
    comparison.checks.flatMap(({ id, level }) =>
      tried.map(({ column }) =>
        toneOf({ level, verdict: column.cells[id]?.verdict ?? 'skipped' }, comparison),
      ),
    ),
  );
  return (
    <ul class="legend marks-legend">
      {(Object.keys(WORDS) as Tone[])
        .filter((tone) => there.has(tone))
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
  readonly tried: readonly PlacedRun[];
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
