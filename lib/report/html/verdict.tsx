import type { Summary } from '../../run/verdict.ts';
import { headlineOf, NOTHING_JUDGED } from '../headline.ts';
import type { RunRecord } from '../record.ts';
import { FIRST_CAUSE, ranked } from './failures.tsx';
import { counted, Icon, inline, type Tone, toneOf, WORDS } from './text.tsx';

const ICONS = {
  conformant: 'pass',
  nonconformant: 'fail',
  undetermined: 'untestable',
  partial: 'observed',
} as const;

export const titleOf = (record: RunRecord): string =>
  `${capital(headlineOf(record))}: ${inline(record.target.name, 80)}`;

/** The verdict in one sentence, and how many checks stand behind it. */
export function Verdict({ record }: { readonly record: RunRecord }) {
  const { outcome, target, gate, stop, advice } = record;
  const ci = gate.exitCode === 0 ? 'pass' : 'fail';
  return (
    <section class={`verdict ${outcome}`} aria-label="Verdict">
      <p class="outcome">
        <Icon name={ICONS[outcome]} /> {capital(headlineOf(record))}
      </p>
      <h1>
        <span class="name">{inline(target.name, 80)}</span> {sentence(record)}
      </h1>
      <p class="gate">
        CI result: <strong class={ci}>{ci}</strong>, {inline(gate.reason)}. The run exits with {gate.exitCode}
        .
      </p>
      {stop !== null && (
        <div class="callout">
          <p>
            <strong>What happened.</strong> {inline(stop.reason)}.
          </p>
          <p>
            <strong>What to do.</strong> {capital(inline(stop.remedy))}.
          </p>
        </div>
      )}
      {gate.exitCode === 2 && <p class="callout">{capital(NOTHING_JUDGED)}.</p>}
      {advice !== null && <p class="callout">{capital(inline(advice))}</p>}
      <Likeliest record={record} />
      <div class="levels">
        <Level level="MUST" record={record} />
        <Level level="SHOULD" record={record} />
      </div>
    </section>
  );
}

const STOPPED = {
  unreachable: 'it cannot be reached',
  untrusted: 'its certificate is not trusted',
  'not-http': 'it does not speak HTTP',
  'token-refused': 'it refuses the token on every request',
  throttled: 'it asks for more patience than the run has',
  'ids-in-use': 'it knows the ids of this run already',
  'cut-off': 'the run was interrupted',
  limit: 'the run was cut off before its end',
  bailed: 'nothing new was begun after the first failure',
  gone: 'it stopped answering',
} as const;

function sentence(record: RunRecord): string {
  const { outcome, summary, stop, results } = record;
  const { MUST, SHOULD } = summary;
  const judged = MUST.pass + MUST.fail + MUST.untestable;
  if (outcome === 'undetermined')
    return `could not be judged: ${stop === null ? `${MUST.untestable} of ${counted(judged, 'MUST check')} could not be tested` : STOPPED[stop.kind]}.`;
  if (MUST.fail > 0)
    return `is not conformant: ${MUST.fail} of ${counted(judged, 'MUST check')} failed, for ${counted(ranked(record, 'MUST').length, 'cause')}.`;
  const all = judged === 0 ? 'no MUST check was carried out' : `all ${counted(judged, 'MUST check')} passed`;
  if (outcome === 'nonconformant')
    return `is not conformant: ${all}, but ${counted(SHOULD.fail, 'SHOULD check')} failed, and the run was strict.`;
  const left = results.filter(({ level, blockedBy }) => level === 'MUST' && blockedBy === 'user').length;
  const notes = [
    ...(left > 0 ? [`${left} ${left === 1 ? 'was' : 'were'} left out`] : []),
    ...(SHOULD.fail > 0
      ? [`${counted(SHOULD.fail, 'SHOULD check')} ${SHOULD.fail === 1 ? 'warns' : 'warn'}`]
      : []),
  ];
  if (outcome === 'partial')
    return judged === 0 && !(record.options.strict && SHOULD.pass > 0)
      ? `was not judged: ${[all, ...notes].join(', ')}.`
      : `passed what was checked: ${[all, ...notes].join(', ')}.`;
  return `is conformant: ${[all, ...notes].join(', ')}.`;
}

/** Where to begin, where there is more than one thing to mend. */
function Likeliest({ record }: { readonly record: RunRecord }) {
  const groups = ranked(record, 'MUST');
  const [first] = groups;
  const [lead] = first?.members ?? [];
  if (groups.length < 2 || first === undefined || lead === undefined || first.members.length < 2) return null;
  return (
    <p class="callout">
      <strong>Begin with</strong> <a href={`#${FIRST_CAUSE}`}>{inline(first.cause, 160)}</a>, which is behind{' '}
      {first.members.length} of the {record.summary.MUST.fail}. {lead.hint}
    </p>
  );
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** What is worst comes first. */
const ORDER: readonly Tone[] = ['fail', 'warn', 'untestable', 'pass', 'skipped'];
const COLUMNS = 28;
const STEP = 20;

/** One mark for each check of a level: how much of it holds is seen before it is read. */
function Level({ level, record }: { readonly level: keyof Summary; readonly record: RunRecord }) {
  const tones = record.results.filter((one) => one.level === level).map((one) => toneOf(one, record));
  const told = ORDER.map((tone) => ({ tone, count: tones.filter((one) => one === tone).length }));
  const there = told.filter(({ count }) => count > 0);
  const marks = there.flatMap(({ tone, count }) => Array.from({ length: count }, () => tone));
  const rows = Math.max(1, Math.ceil(marks.length / COLUMNS));
  const label = there.map(({ tone, count }) => `${count} ${WORDS[tone]}`).join(', ');
  const { pass, fail, untestable } = record.summary[level];
  const judged = pass + fail + untestable;
  return (
    <div class="level-picture">
      <p class="share">
        <span class="level">{level}</span> <strong>{pass}</strong> of {judged} passed
      </p>
      <svg
        class="marks"
        viewBox={`0 0 ${COLUMNS * STEP - 4} ${rows * STEP - 4}`}
        role="img"
        aria-label={`${level}: ${label === '' ? 'no checks' : label}`}
      >
        {marks.map((tone, index) => (
          <use
            key={index}
            class={`icon ${tone}`}
            href={`#icon-${tone}`}
            x={(index % COLUMNS) * STEP}
            y={Math.floor(index / COLUMNS) * STEP}
            width="16"
            height="16"
          />
        ))}
      </svg>
      <ul class="legend">
        {there.map(({ tone, count }) => (
          <li key={tone}>
            <Icon name={tone} /> {count} {WORDS[tone]}
          </li>
        ))}
      </ul>
    </div>
  );
}
