import type { RunRecord } from '../record.ts';
import { CheckLink, counted, inline } from './text.tsx';

const STATES = {
  expired: 'expired',
  stale: 'stale',
  known: 'known deviation',
  'not-evaluated': 'not evaluated',
} as const;

/** Fingerprints of an entry that are shown. */
const NAMED = 4;

/** The deviations that a team knows. The verdict is the store's, what it means for a pipeline is the team's. */
export function Baseline({ record: { gate, results } }: { readonly record: RunRecord }) {
  if (gate.baseline === null) return null;
  const { file, entries } = gate.baseline;
  // What asks for something to be done comes first.
  const sorted = Object.keys(STATES).flatMap((state) => entries.filter((entry) => entry.state === state));
  return (
    <section class="baseline" id="baseline" aria-labelledby="baseline-heading">
      <h2 id="baseline-heading">Known deviations</h2>
      <p class="note">
        The baseline is <span class="code">{inline(file.split(/[\\/]/).at(-1) ?? '', 100)}</span>, with{' '}
        {counted(entries.length, 'entry', 'entries')}. It changes what the run means for a pipeline, not the
        verdict.
      </p>
      <ul class="entries">
        {sorted.map(({ id, reason, issue, until, fingerprint, fingerprints = [], state, remedy }, index) => (
          <li key={index} class={state}>
            <p>
              <span class="state">{STATES[state]}</span>{' '}
              {results.some((one) => one.id === id) ? (
                <CheckLink id={id} />
              ) : (
                <span class="id">{inline(id, 100)}</span>
              )}
              {[fingerprint, ...fingerprints].slice(0, NAMED + 1).map(
                (name) =>
                  name !== undefined && (
                    <>
                      {' '}
                      <span class="code aside">{inline(name, 40)}</span>
                    </>
                  ),
              )}
              {fingerprints.length > NAMED && (
                <span class="aside"> and {fingerprints.length - NAMED} more</span>
              )}
            </p>
            <p>
              {inline(reason)}
              {until !== undefined && ` Until ${inline(until, 40)}.`}{' '}
              {issue !== undefined && <Issue issue={issue} />}
            </p>
            {remedy !== undefined && (
              <p>
                <strong>What to do.</strong> {inline(remedy.charAt(0).toUpperCase() + remedy.slice(1))}.
              </p>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A link only where it leads to a page. */
const Issue = ({ issue }: { readonly issue: string }) =>
  /^https?:\/\//.test(issue) && URL.canParse(issue) ? (
    <a href={new URL(issue).href} rel="noreferrer">
      {inline(issue, 100)}
    </a>
  ) : (
    <span>{inline(issue, 100)}</span>
  );
