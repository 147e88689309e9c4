import { areaOf } from '../../../check-ids.ts';
import { compact, groupBy } from '../../../collections.ts';
import { counted, withSeparators } from '../../../text.ts';
import { isKnown, unaccounted } from '../../baseline/deviations.ts';
import { problemText } from '../../record/fingerprint.ts';
import type { RecordedResult, RunRecord } from '../../record/record.ts';
import { confidenceText, coverageText } from '../../wording/coverage.ts';
import { Exchange } from './exchange.tsx';
import { BaselineNote, whatFailed } from './failures.tsx';
import { Choice, Filter } from './kit/filter.tsx';
import { causeTitle, More, Section } from './kit/section.tsx';
import {
  AboutCheck,
  CheckLink,
  CopyButton,
  countInWords,
  countTones,
  Fact,
  inline,
  ToneWord,
  toneOf,
  WORDS,
} from './kit/text.tsx';

export function Checks({ record }: Readonly<{ record: RunRecord }>) {
  const { results } = record;
  const areas = groupBy(results, areaOf);
  const tones = (members: readonly RecordedResult[]) =>
    countTones(members.map((result) => toneOf(result, record)));
  return (
    <Section id="checks" heading="Every check">
      <Filter id="filter" search="id, statement or problem" rows={counted(results.length, 'check')}>
        <Choice name="level" label="Level" options={{ MUST: 'MUST', SHOULD: 'SHOULD', OBSERVE: 'OBSERVE' }} />
        <Choice
          name="verdict"
          label="Verdict"
          options={Object.fromEntries(tones(results).map(({ tone }) => [tone, WORDS[tone]]))}
        />
        <Choice name="area" label="Area" options={Object.fromEntries(areas.map(([area]) => [area, area]))} />
      </Filter>
      {areas.map(([area, members]) => (
        <section class="area">
          <h3>
            {area} <span class="aside">{countInWords(tones(members))}</span>
          </h3>
          {members.map((result) => (
            <Check result={result} record={record} />
          ))}
        </section>
      ))}
    </Section>
  );
}

function Check({ result, record }: Readonly<{ result: RecordedResult; record: RunRecord }>) {
  const { id, level, statement, problems } = result;
  const tone = toneOf(result, record);
  const known = isKnown(result, record);
  const searched = [
    id,
    statement,
    ...new Set(problems.map(({ problem }) => inline(problem))),
    known ? 'known deviation' : '',
  ];
  return (
    <details
      class={`check ${tone}`}
      id={id}
      data-area={areaOf(result)}
      data-level={level}
      data-verdict={tone}
      data-text={searched.join(' | ').toLowerCase()}
    >
      <summary>
        <ToneWord tone={tone} />
        <span class="level">{level}</span>
        <span class="head">
          <span class="id">{id}</span>
          <span class="statement">{statement}</span>
          {known && <span class="state">known deviation</span>}
        </span>
      </summary>
      <div class="inside">
        <Details result={result} record={record} />
      </div>
    </details>
  );
}

const KIND_WORDS = {
  cases: 'named requests',
  property: 'generated requests',
  invariant: 'every exchange of the run that it applies to',
  scenario: 'a scenario',
} as const;

function Details({ result, record }: Readonly<{ result: RecordedResult; record: RunRecord }>) {
  const { id, basis, hint, kind, verdict, cases, random, seconds, exchanges, counterexample, observations } =
    result;
  const [first, ...others] = exchanges;
  const cause = record.causes.find(({ checks }) => checks.includes(id));
  return (
    <>
      <BaselineNote result={result} record={record} />
      <dl class="facts">
        {verdict === 'fail' && <Fact name="What failed">{whatFailed(result)}</Fact>}
        <Blocker result={result} />
        {cause === undefined ? (
          <Fact name={verdict === 'fail' ? 'Fix' : 'If it fails'}>{hint}</Fact>
        ) : (
          <Fact name="Cause">{causeTitle(cause.title)}</Fact>
        )}
        <Fact name="Basis">{basis.join('; ')}</Fact>
        <Fact name="Tried">
          {counted(cases, 'case')} in {seconds.toFixed(2)} s: {KIND_WORDS[kind]}
          {random !== undefined && `, ${random} of them random`}
          {counterexample?.path !== undefined &&
            `; seed ${counterexample.seed}, path ${inline(counterexample.path, 60)}`}
        </Fact>
        <Fact name="Covered">{coverageText(result)}</Fact>
        <Fact name="Confidence">{confidenceText(result)}</Fact>
      </dl>
      {first !== undefined && <Exchange exchange={first} />}
      {others.map((exchange) => (
        <More
          summary={
            <>
              Another problem: {inline(exchange.problem, 160)}{' '}
              <span class="aside">{inline(exchange.label, 80)}</span>
            </>
          }
        >
          <Exchange exchange={exchange} />
        </More>
      ))}
      <ProblemTable result={result} />
      <Observed observations={observations} />
      <p class="permalink">
        <a href={`#${id}`}>#{id}</a>
        <AboutCheck id={id} />
        <CopyButton link={id} announcement="The link was copied.">
          Copy<span class="aside"> link</span>
        </CopyButton>
      </p>
    </>
  );
}

const BLOCKERS: Readonly<Record<string, string>> = {
  user: 'skipped by --only or --skip',
  shard: 'in another shard',
  bail: 'skipped after an earlier failure',
  document: 'the document',
  store: 'the store',
  concurrency: 'one request at a time',
};

function Blocker({ result: { verdict, reason, blockedBy } }: Readonly<{ result: RecordedResult }>) {
  if (reason === undefined || blockedBy === undefined) return null;
  return (
    <Fact name={verdict === 'fail' ? 'Also' : 'Not tested'}>
      {inline(reason)}
      {blockedBy.includes('/') ? (
        <>
          {' '}
          (see <CheckLink id={blockedBy} />)
        </>
      ) : (
        <span class="aside"> ({inline(BLOCKERS[blockedBy] ?? blockedBy, 60)})</span>
      )}
    </Fact>
  );
}

const MAX_PROBLEMS = 40;

function ProblemTable({ result }: Readonly<{ result: RecordedResult }>) {
  const { problems } = result;
  if (problems.length === 0) return null;
  const rest = compact(
    problems.length > MAX_PROBLEMS && `${problems.length - MAX_PROBLEMS} more are in the record`,
    unaccounted(result) > 0 &&
      `${counted(unaccounted(result), 'failure')} with problems that were not recorded`,
  );
  return (
    <table class="fingerprints">
      <caption>
        Problems, with their fingerprints for a baseline
        {rest.length > 0 && <span class="aside"> ({rest.join('; ')})</span>}
      </caption>
      <thead>
        <tr>
          <th scope="col">Problem</th>
          <th scope="col">Cases</th>
          <th scope="col">Fingerprint</th>
        </tr>
      </thead>
      <tbody>
        {problems.slice(0, MAX_PROBLEMS).map((problem) => (
          <tr>
            <td>{inline(problemText(problem), 200)}</td>
            <td>{withSeparators(problem.failed)}</td>
            <td class="code">{inline(problem.fingerprint, 40)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Observed({ observations }: Pick<RecordedResult, 'observations'>) {
  const entries = Object.entries(observations);
  if (entries.length === 0) return null;
  return (
    <dl class="observations">
      {entries.map(([key, value]) => (
        <Fact name={inline(key, 100)}>
          {value === '' ? <span class="aside">empty</span> : inline(String(value))}
        </Fact>
      ))}
    </dl>
  );
}
