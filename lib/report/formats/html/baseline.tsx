import { capitalised, counted } from '../../../text.ts';
import { fingerprintsIn } from '../../baseline/baseline-entry.ts';
import { aboutEntry, baselineNotes, knownCauses } from '../../baseline/deviations.ts';
import type { EvaluatedEntry, RunRecord } from '../../record/record.ts';
import { Cause } from './failures.tsx';
import { List, Section } from './kit/section.tsx';
import { CheckLink, inline } from './kit/text.tsx';

const STATES = {
  expired: 'expired',
  stale: 'stale',
  known: 'known deviation',
  'not-evaluated': 'not evaluated',
} as const;

const MAX_FINGERPRINTS = 4;

export function Baseline({ record }: Readonly<{ record: RunRecord }>) {
  const { ciResult } = record;
  if (ciResult.baseline === null) return null;
  const { file, entries } = ciResult.baseline;
  // Entries that require action come first.
  const sorted = Object.keys(STATES).flatMap((state) => entries.filter((entry) => entry.state === state));
  const known = knownCauses(record);
  return (
    <Section id="baseline" heading="Known deviations">
      <p class="note">
        The baseline is <span class="code">{inline(file.split(/[\\/]/).at(-1) ?? '', 100)}</span>, with{' '}
        {counted(entries.length, 'entry', 'entries')}.{' '}
        {baselineNotes(record).map((note) => `${inline(note)}. `)}It affects the CI result, not the verdict.
      </p>
      <ul class="entries">
        {sorted.map((entry) => {
          const { reason, issue, until, state, remedy } = entry;
          return (
            <li class={state}>
              <p>
                <span class="state">{STATES[state]}</span> <About entry={entry} record={record} />
              </p>
              <p>
                {inline(reason)}
                {until !== undefined && ` Until ${inline(until, 40)}.`}{' '}
                {issue !== undefined && <Issue issue={issue} />}
              </p>
              {remedy !== undefined && (
                <p>
                  <strong>What to do.</strong> {inline(capitalised(remedy))}.
                </p>
              )}
            </li>
          );
        })}
      </ul>
      {known.length > 0 && (
        <section class="causes">
          <h3>{counted(known.length, 'cause')} that explain only known deviations</h3>
          <List ordered items={known.map((one) => <Cause explained={one} record={record} open={false} />)} />
        </section>
      )}
    </Section>
  );
}

/** The checks that an entry covers, each with its fingerprints; for a cause, preceded by its title. */
function About({ entry, record }: Readonly<{ entry: EvaluatedEntry; record: RunRecord }>) {
  return (
    <>
      {'cause' in entry && `${inline(aboutEntry(entry, record))} `}
      {fingerprintsIn(entry).map(({ id, names = [] }) => (
        <>
          {record.results.some((one) => one.id === id) ? (
            <CheckLink id={id} />
          ) : (
            <span class="id">{inline(id, 100)}</span>
          )}{' '}
          {names.slice(0, MAX_FINGERPRINTS).map((name) => (
            <>
              <span class="code aside">{inline(name, 40)}</span>{' '}
            </>
          ))}
          {names.length > MAX_FINGERPRINTS && (
            <span class="aside">and {names.length - MAX_FINGERPRINTS} more </span>
          )}
        </>
      ))}
    </>
  );
}

const Issue = ({ issue }: Readonly<{ issue: string }>) =>
  /^https?:\/\//.test(issue) && URL.canParse(issue) ? (
    <a href={new URL(issue).href} rel="noreferrer">
      {inline(issue, 100)}
    </a>
  ) : (
    <span>{inline(issue, 100)}</span>
  );
