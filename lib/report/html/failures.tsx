import { groupBy } from '../../groups.ts';
import { knownBy, newFirst, novelty } from '../deviations.ts';
import { type CauseGroup, groupsOf } from '../groups.ts';
import type { RecordedResult, RunRecord } from '../record.ts';
import { retrySummary } from '../retries.ts';
import { Exchange } from './exchange.tsx';
import { CheckLink, counted, grouped, Icon, inline, toneOf } from './text.tsx';

type JudgedLevel = 'MUST' | 'SHOULD';

/** With more causes, only the first is open initially. */
const MAX_OPEN_CAUSES = 3;

/** The id of the first cause on the page. */
export const FIRST_CAUSE = 'cause-1';

const failedOf = (record: RunRecord, level: JudgedLevel) =>
  record.results
    .filter((result) => result.level === level && result.verdict === 'fail')
    .map((result) => newFirst(result, record));

const isKnown = (record: RunRecord, { members }: CauseGroup) =>
  members.every((one) => knownBy(one, record).length > 0);

/** The causes of a level, with known deviations last. */
export function ranked(record: RunRecord, level: JudgedLevel): readonly CauseGroup[] {
  const groups = groupsOf(failedOf(record, level));
  return [
    ...groups.filter((group) => !isKnown(record, group)),
    ...groups.filter((group) => isKnown(record, group)),
  ];
}

/** The failures by cause, the largest group first, then the untestable checks. */
export function Failures({ record }: { readonly record: RunRecord }) {
  const [must, should] = [failedOf(record, 'MUST').length, failedOf(record, 'SHOULD').length];
  const blocked = record.results.filter(({ verdict }) => verdict === 'untestable');
  return (
    <section class="failures" id="failures" aria-labelledby="failures-heading">
      <h2 id="failures-heading">What to fix</h2>
      {must + should + blocked.length === 0 && (
        <p class="nothing-to-fix">
          <Icon name="pass" /> Nothing: no check failed or warned.
        </p>
      )}
      {must + should === 0 && blocked.length > 0 && (
        <p>Nothing failed, but the following checks could not be tested.</p>
      )}
      <Causes level="MUST" failed={must} record={record} />
      <Causes level="SHOULD" failed={should} record={record} />
      <Blocked blocked={blocked} />
    </section>
  );
}

interface CausesProps {
  readonly level: JudgedLevel;
  readonly failed: number;
  readonly record: RunRecord;
}

function Causes({ level, failed, record }: CausesProps) {
  if (failed === 0) return null;
  const groups = ranked(record, level);
  // Warnings can wait while a MUST fails.
  const folded = level === 'SHOULD' && record.summary.MUST.fail > 0;
  return (
    <section class={`causes ${level.toLowerCase()}`}>
      <h3>
        {counted(failed, `${level} check`)}{' '}
        {level === 'MUST' || record.options.strict ? 'failed' : failed === 1 ? 'warns' : 'warn'}
        <span class="aside">
          {' '}
          for {counted(groups.length, 'cause')}
          {groups.length > 1 && ', most likely first'}
        </span>
      </h3>
      <ol>
        {groups.map((group, index) => (
          <li key={group.cause}>
            <Cause
              group={group}
              rank={index + 1}
              record={record}
              open={!folded && !isKnown(record, group) && (index === 0 || groups.length <= MAX_OPEN_CAUSES)}
            />
          </li>
        ))}
      </ol>
    </section>
  );
}

interface CauseProps {
  readonly group: CauseGroup;
  readonly rank: number;
  readonly record: RunRecord;
  readonly open: boolean;
}

function Cause({ group: { cause, members }, rank, record, open }: CauseProps) {
  const [lead, ...others] = members;
  if (lead === undefined) return null;
  const known = members.filter((one) => knownBy(one, record).length > 0).length;
  return (
    <details
      class={`cause ${toneOf(lead, record)}`}
      id={rank === 1 && lead.level === 'MUST' ? FIRST_CAUSE : undefined}
      open={open}
    >
      <summary>
        <span class="rank">{rank}</span>
        <span class="head">
          <h4>{inline(cause, 160)}</h4>
          <span class="statement">{lead.statement}</span>
        </span>
        <span class="weight">
          {counted(members.length, 'check')}
          {known > 0 && (
            <span class="state">{known === members.length ? 'known deviation' : `${known} known`}</span>
          )}
        </span>
      </summary>
      <div class="inside">
        <Lead result={lead} record={record} />
        <Others members={others} record={record} />
      </div>
    </details>
  );
}

function Lead({ result, record }: { readonly result: RecordedResult; readonly record: RunRecord }) {
  const { id, basis, hint, exchanges } = result;
  const [exchange] = exchanges;
  return (
    <>
      <p class="lead">
        <Icon name={toneOf(result, record)} /> <CheckLink id={id} /> <span class="aside">failed</span>{' '}
        {whatFailed(result)}
      </p>
      <KnownAs result={result} record={record} />
      <p class="hint">
        <strong>Fix.</strong> {hint}
      </p>
      {exchange !== undefined && <Exchange exchange={exchange} />}
      <p class="basis">
        <strong>Basis.</strong> {basis.join('; ')}
      </p>
    </>
  );
}

/** How many cases of a check failed, with the counterexample and its retries. */
export function whatFailed({ failed, cases, counterexample }: RecordedResult): string {
  const retried = counterexample === undefined ? undefined : retrySummary(counterexample);
  return [
    `${grouped(failed)} of ${counted(cases, 'case')}${counterexample === undefined ? '' : `: ${inline(counterexample.label, 160)}`}.`,
    ...(retried === undefined ? [] : [`${retried.charAt(0).toUpperCase()}${retried.slice(1)}.`]),
    ...(counterexample?.shrinks === undefined || counterexample.shrinks === 0
      ? []
      : [`Shrunk in ${counted(counterexample.shrinks, 'step')}.`]),
  ].join(' ');
}

/** The reason of a known deviation, or the new causes of a known failing check. */
export function KnownAs({ result, record }: { readonly result: RecordedResult; readonly record: RunRecord }) {
  const news = novelty(result, record);
  return (
    <>
      {news !== undefined && (
        <p class="known-reason">
          <strong>New.</strong> {inline(news)}
        </p>
      )}
      {knownBy(result, record).map(({ reason, issue, until }) => (
        <p key={reason} class="known-reason">
          <span class="state">known deviation</span> {inline(reason)}
          {issue !== undefined && ` (${inline(issue, 100)})`}
          {until !== undefined && `, until ${inline(until, 40)}`}
        </p>
      ))}
    </>
  );
}

function Others({
  members,
  record,
}: {
  readonly members: readonly RecordedResult[];
  readonly record: RunRecord;
}) {
  if (members.length === 0) return null;
  const list = (
    <ul class="others">
      {members.map((member) => (
        <li key={member.id}>
          <Icon name={toneOf(member, record)} /> <CheckLink id={member.id} />{' '}
          <span class="statement">
            {member.statement}{' '}
            <span class="aside">{`${grouped(member.failed)} of ${grouped(member.cases)}`}</span>
          </span>
        </li>
      ))}
    </ul>
  );
  const title = `${counted(members.length, 'other check')} ${members.length === 1 ? 'fails' : 'fail'} for the same cause`;
  return members.length > 4 ? (
    <details class="more">
      <summary>{title}</summary>
      {list}
    </details>
  ) : (
    <>
      <p class="more-title">{title}</p>
      {list}
    </>
  );
}

/** Untestable checks, by reason. */
function Blocked({ blocked }: { readonly blocked: readonly RecordedResult[] }) {
  if (blocked.length === 0) return null;
  return (
    <section class="blocked">
      <h3>{counted(blocked.length, 'check')} could not be tested</h3>
      {groupBy(blocked, ({ reason = '' }) => reason).map(([reason, members]) => (
        <details key={reason} class="cause untestable" open={members.length <= 12}>
          <summary>
            <Icon name="untestable" />
            <span class="head">
              <span class="reason">{inline(reason)}</span>
            </span>
            <span class="weight">{counted(members.length, 'check')}</span>
          </summary>
          <div class="inside">
            <ul class="ids">
              {members.map(({ id, level }) => (
                <li key={id}>
                  <CheckLink id={id} /> <span class="aside">{level}</span>
                </li>
              ))}
            </ul>
          </div>
        </details>
      ))}
    </section>
  );
}
