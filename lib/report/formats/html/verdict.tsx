import { compact } from '../../../collections.ts';
import { countToJudge, type Summary } from '../../../run/result/verdict.ts';
import { counted } from '../../../text.ts';
import { explainedChecks, openCauses } from '../../baseline/deviations.ts';
import type { RunRecord } from '../../record/record.ts';
import { deselected, headlineOf, NOTHING_JUDGED, OUTCOMES } from '../../wording/headline.ts';
import { causeId } from './failures.tsx';
import { causeTitle, List } from './kit/section.tsx';
import { countInWords, countTones, Icon, inline, ToneLabel, toneOf, WORDS } from './kit/text.tsx';

export const titleOf = (record: RunRecord): string =>
  `${capital(headlineOf(record))}: ${inline(record.target.name, 80)}`;

export function Verdict({ record }: Readonly<{ record: RunRecord }>) {
  const { outcome, target, ciResult, stop, advice } = record;
  const ci = ciResult.exitCode === 0 ? 'pass' : 'fail';
  return (
    <section class={`verdict ${outcome}`} aria-label="Verdict">
      <p class="outcome">
        <Icon name={OUTCOMES[outcome].icon} /> {capital(headlineOf(record))}
      </p>
      <h1>
        <span class="name">{inline(target.name, 80)}</span> {sentence(record)}
      </h1>
      <p class="ci-result">
        CI result: <strong class={ci}>{ci}</strong>, {inline(ciResult.reason)} (exit code {ciResult.exitCode}
        ).
      </p>
      {stop !== null && (
        <div class="callout">
          <p>
            <strong>What happened.</strong> {capital(inline(stop.reason))}.
          </p>
          <p>
            <strong>What to do.</strong> {capital(inline(stop.remedy))}.
          </p>
        </div>
      )}
      {ciResult.exitCode === 2 && <p class="callout">{capital(NOTHING_JUDGED)}.</p>}
      {advice !== null && <p class="callout">{capital(inline(advice))}</p>}
      <FirstCause record={record} />
      <div class="levels">
        <LevelMarks level="MUST" record={record} />
        <LevelMarks level="SHOULD" record={record} />
      </div>
    </section>
  );
}

const STOPPED = {
  unreachable: 'it cannot be reached',
  untrusted: 'its certificate is not trusted',
  'not-http': 'it does not speak HTTP',
  'token-rejected': 'it rejects the token on every request',
  'not-found': 'it has no POST /plants at this URL',
  throttled: 'it asks for longer waits than the run allows',
  'ids-in-use': 'the ids of this run are already in use',
  'cut-off': 'the run was interrupted',
  limit: 'the run reached a limit',
  bailed: 'the run stopped after the first failure',
  gone: 'it stopped answering',
  outage: 'it serves nothing',
  unresponsive: 'it leaves most requests unanswered',
  'too-large': 'its responses are too large',
} as const;

function sentence(record: RunRecord): string {
  const { outcome, summary, stop } = record;
  const { MUST, SHOULD } = summary;
  const judged = countToJudge(MUST);
  if (outcome === 'undetermined')
    return `could not be judged: ${stop === null ? `${MUST.untestable} of ${counted(judged, 'MUST check')} could not be tested` : STOPPED[stop.kind]}.`;
  if (MUST.fail > 0)
    return `is not conformant: ${MUST.fail} of ${counted(judged, 'MUST check')} failed, due to ${counted(explainedChecks(record).filter(({ level }) => level === 'MUST').length, 'cause')}.`;
  const all = judged === 0 ? 'no MUST check was run' : `all ${counted(judged, 'MUST check')} passed`;
  if (outcome === 'nonconformant')
    return `is not conformant: ${all}, but ${counted(SHOULD.fail, 'SHOULD check')} failed, and the run was strict.`;
  const skipped = deselected(record).filter(({ level }) => level === 'MUST').length;
  const notes = compact(
    all,
    skipped > 0 && `${skipped} ${skipped === 1 ? 'was' : 'were'} skipped`,
    SHOULD.fail > 0 && `${counted(SHOULD.fail, 'SHOULD check')} failed (advisory)`,
  ).join(', ');
  if (outcome !== 'partial') return `is conformant: ${notes}.`;
  return judged === 0 && !(record.options.strict && SHOULD.pass > 0)
    ? `was not judged: ${notes}.`
    : `passed the selected checks: ${notes}.`;
}

function FirstCause({ record }: Readonly<{ record: RunRecord }>) {
  const must = openCauses(record, 'MUST');
  const [first] = must;
  if (must.length < 2 || first === undefined) return null;
  const { cause, rank, checks } = first;
  return (
    <p class="callout">
      <strong>Fix first:</strong> <a href={`#${causeId(rank)}`}>{causeTitle(cause.title)}</a>, which explains{' '}
      {counted(checks.length, 'failed check')}.
    </p>
  );
}

/** Capitalises a text, unless it begins with a URL. */
const capital = (text: string) => text.replace(/^[a-z](?=[a-z]*\b(?!:))/, (letter) => letter.toUpperCase());

const COLUMNS = 28;
const STEP = 20;

function LevelMarks({ level, record }: Readonly<{ level: keyof Summary; record: RunRecord }>) {
  const tones = record.results.filter((one) => one.level === level).map((one) => toneOf(one, record));
  const shown = countTones(tones);
  const marks = shown.flatMap(({ tone, count }) => Array.from({ length: count }, () => tone));
  const rows = Math.max(1, Math.ceil(marks.length / COLUMNS));
  const summary = record.summary[level];
  const label = countInWords(shown);
  return (
    <div class="level-picture">
      <p class="level-count">
        <span class="level">{level}</span> <strong>{summary.pass}</strong> of {countToJudge(summary)} passed
      </p>
      <svg
        class="marks"
        viewBox={`0 0 ${COLUMNS * STEP - 4} ${rows * STEP - 4}`}
        role="img"
        aria-label={`${level}: ${label === '' ? 'no checks' : label}`}
      >
        {marks.map((tone, index) => (
          <use
            class={`icon ${tone}`}
            href={`#icon-${tone}`}
            x={(index % COLUMNS) * STEP}
            y={Math.floor(index / COLUMNS) * STEP}
            width="16"
            height="16"
          />
        ))}
      </svg>
      <List
        class="legend"
        items={shown.map(({ tone, count }) => (
          <ToneLabel tone={tone}>
            {count} {WORDS[tone]}
          </ToneLabel>
        ))}
      />
    </div>
  );
}
