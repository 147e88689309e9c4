import { compact, groupBy } from '../../../collections.ts';
import { capitalised, counted, withSeparators } from '../../../text.ts';
import {
  type ExplainedChecks,
  isKnown,
  knownBy,
  newProblemsText,
  openCauses,
} from '../../baseline/deviations.ts';
import type { RecordedCause, RecordedResult, RunRecord } from '../../record/record.ts';
import { confirmedText, retrySummary } from '../../wording/confirmed.ts';
import { issueMarkdown } from '../cause-markdown.ts';
import { CauseExchange, Exchange } from './exchange.tsx';
import { Card, causeTitle, Fix, List, More, Section, titleOfChecks } from './kit/section.tsx';
import { CheckLink, Commands, CopyButton, Icon, inline, toneOf } from './kit/text.tsx';

/** If there are more causes than this, only the first is open initially. */
const MAX_OPEN_CAUSES = 3;

export const causeId = (rank: number): string => `cause-${rank}`;

export function Failures({ record }: Readonly<{ record: RunRecord }>) {
  const open = openCauses(record);
  const failed = record.results.filter(({ verdict }) => verdict === 'fail');
  const blocked = record.results.filter(({ verdict }) => verdict === 'untestable');
  return (
    <Section id="failures" heading="What to fix">
      {open.length + blocked.length === 0 && (
        <p class="nothing-to-fix">
          <Icon name="pass" />{' '}
          {failed.length === 0
            ? 'Nothing to fix: no check failed.'
            : 'Nothing to fix: every failure is a known deviation.'}
        </p>
      )}
      {failed.length === 0 && blocked.length > 0 && (
        <p>Nothing failed, but the following checks could not be tested.</p>
      )}
      <Causes level="MUST" record={record} />
      <Causes level="SHOULD" record={record} />
      <Blocked blocked={blocked} />
    </Section>
  );
}

function Causes({ level, record }: Readonly<{ level: 'MUST' | 'SHOULD'; record: RunRecord }>) {
  const causes = openCauses(record, level);
  if (causes.length === 0) return null;
  const checksOfLevel = causes.flatMap((one) => one.checks.filter((check) => check.level === level));
  const checks = new Set(checksOfLevel.map(({ id }) => id)).size;
  // Warnings can wait as long as a MUST fails.
  const folded = level === 'SHOULD' && record.summary.MUST.fail > 0;
  return (
    <section class={`causes ${level.toLowerCase()}`}>
      <h3>
        {level}: {counted(causes.length, 'cause')}
        <span class="aside">
          {' '}
          for {counted(checks, 'failed check')}
          {level === 'SHOULD' && !record.options.strict && ' (advisory)'}
          {causes.length > 1 && ', in the order in which to fix them'}
        </span>
      </h3>
      <List
        ordered
        items={causes.map((one, index) => {
          const unfolded = !folded && (index === 0 || causes.length <= MAX_OPEN_CAUSES);
          return <Cause explained={one} record={record} open={unfolded} />;
        })}
      />
    </section>
  );
}

export function Cause({
  explained,
  record,
  open,
}: Readonly<{ explained: ExplainedChecks; record: RunRecord; open: boolean }>) {
  const { cause, rank, level, checks, known } = explained;
  const { title, advice, expected, counterexample, steps, matters, ladders, fingerprint } = cause;
  const accepted = checks.filter((one) => isKnown(one, record)).length;
  return (
    <Card
      tone={toneOf({ level, verdict: 'fail' }, record)}
      id={causeId(rank)}
      open={open}
      mark={<span class="rank">{rank}</span>}
      head={
        <>
          <h4>{causeTitle(title)}</h4>
          <span class="statement">{confirmedText(cause)}</span>
        </>
      }
      weight={
        <>
          {counted(checks.length, 'check')}
          {accepted > 0 && <span class="state">{known ? 'known deviation' : `${accepted} known`}</span>}
        </>
      }
    >
      <Fix advice={advice} />
      {counterexample !== undefined && (
        <CauseExchange exchange={counterexample} expected={expected} matters={matters} />
      )}
      <Commands list={steps} />
      <Ladders ladders={ladders} />
      <Explained checks={checks} record={record} />
      <p class="fingerprint">
        <span class="aside">
          Fingerprint <span class="code">{fingerprint}</span>
        </span>
        <CopyButton text={issueMarkdown(explained, record)} announcement="The cause was copied as Markdown.">
          Copy as Markdown
        </CopyButton>
      </p>
    </Card>
  );
}

function Ladders({ ladders }: Pick<RecordedCause, 'ladders'>) {
  if (ladders.length === 0) return null;
  return (
    <More summary="What was tried">
      <ul class="ladders">
        {ladders.map(({ part, tried }) => (
          <li>
            <strong>{inline(part, 100)}</strong>
            <ul>
              {tried.map(({ value, shows }) => (
                <li class={shows ? 'fails' : undefined}>{inline(value, 100)}</li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </More>
  );
}

function Explained({ checks, record }: Readonly<{ checks: readonly RecordedResult[]; record: RunRecord }>) {
  const [lead, ...others] = checks;
  if (lead === undefined) return null;
  const [exchange] = lead.exchanges;
  return (
    <More summary={titleOfChecks(checks.length)}>
      <div class="inside">
        <p class="lead">
          <Icon name={toneOf(lead, record)} /> <CheckLink id={lead.id} /> <span class="aside">failed</span>{' '}
          {whatFailed(lead)}
        </p>
        <BaselineNote result={lead} record={record} />
        <Fix advice={lead.hint} />
        {exchange !== undefined && <Exchange exchange={exchange} />}
        <p class="basis">
          <strong>Basis.</strong> {lead.basis.join('; ')}
        </p>
        <Others members={others} record={record} />
      </div>
    </More>
  );
}

export function whatFailed({ failed, cases, counterexample }: RecordedResult): string {
  const retried = counterexample && retrySummary(counterexample);
  const { label, shrinks = 0 } = counterexample ?? {};
  return compact(
    `${withSeparators(failed)} of ${counted(cases, 'case')}${label === undefined ? '' : `: ${inline(label, 160)}`}.`,
    retried !== undefined && `${capitalised(retried)}.`,
    shrinks > 0 && `Shrunk in ${counted(shrinks, 'step')}.`,
  ).join(' ');
}

export function BaselineNote({ result, record }: Readonly<{ result: RecordedResult; record: RunRecord }>) {
  const news = newProblemsText(result, record);
  return (
    <>
      {news !== undefined && (
        <p>
          <strong>New.</strong> {inline(news)}
        </p>
      )}
      {knownBy(result, record).map(({ reason, issue, until }) => (
        <p>
          <span class="state">known deviation</span> {inline(reason)}
          {issue !== undefined && ` (${inline(issue, 100)})`}
          {until !== undefined && `, until ${inline(until, 40)}`}
        </p>
      ))}
    </>
  );
}

function Others({ members, record }: Readonly<{ members: readonly RecordedResult[]; record: RunRecord }>) {
  if (members.length === 0) return null;
  const list = (
    <ul class="others">
      {members.map((member) => (
        <li>
          <Icon name={toneOf(member, record)} /> <CheckLink id={member.id} />{' '}
          <span class="statement">
            {member.statement}{' '}
            <span class="aside">{`${withSeparators(member.failed)} of ${withSeparators(member.cases)}`}</span>
          </span>
        </li>
      ))}
    </ul>
  );
  const title = `${counted(members.length, 'other check')} ${members.length === 1 ? 'fails' : 'fail'} for the same cause`;
  return members.length > 4 ? (
    <More summary={title}>{list}</More>
  ) : (
    <>
      <p>{title}</p>
      {list}
    </>
  );
}

function Blocked({ blocked }: Readonly<{ blocked: readonly RecordedResult[] }>) {
  if (blocked.length === 0) return null;
  return (
    <section class="blocked">
      <h3>{counted(blocked.length, 'check')} could not be tested</h3>
      {groupBy(blocked, ({ reason = '' }) => reason).map(([reason, members]) => (
        <Card
          tone="untestable"
          open={members.length <= 12}
          mark={<Icon name="untestable" />}
          head={<span class="reason">{inline(reason)}</span>}
          weight={counted(members.length, 'check')}
        >
          <List
            class="links"
            items={members.map(({ id, level }) => (
              <>
                <CheckLink id={id} /> <span class="aside">{level}</span>
              </>
            ))}
          />
        </Card>
      ))}
    </section>
  );
}
