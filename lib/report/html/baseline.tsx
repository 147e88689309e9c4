import { explainedChecks } from '../deviations.ts';
import type { RunRecord } from '../record.ts';
import { Cause } from './failures.tsx';
import { CheckLink, counted, inline } from './kit/text.tsx';

const STATES = {
  expired: 'expired',
  stale: 'stale',
  known: 'known deviation',
  'not-evaluated': 'not evaluated',
} as const;

/** Fingerprints shown of an entry. */
const MAX_FINGERPRINTS = 4;

/** The known deviations and the states of their baseline entries. */
export function Baseline({ record }: { readonly record: RunRecord }) {
  const { ciResult, results } = record;
  if (ciResult.baseline === null) return null;
  const { file, entries } = ciResult.baseline;
  // Entries that require action come first.
  const sorted = Object.keys(STATES).flatMap((state) => entries.filter((entry) => entry.state === state));
  const known = explainedChecks(record).filter((one) => one.known);
  return (
    <section class="baseline" id="baseline" aria-labelledby="baseline-heading">
      <h2 id="baseline-heading">Known deviations</h2>
      <p class="note">
        The baseline is <span class="code">{inline(file.split(/[\\/]/).at(-1) ?? '', 100)}</span>, with{' '}
        {counted(entries.length, 'entry', 'entries')}. It affects the CI result, not the verdict.
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
              {[fingerprint, ...fingerprints].slice(0, MAX_FINGERPRINTS + 1).map(
                (name) =>
                  name !== undefined && (
                    <>
                      {' '}
                      <span class="code aside">{inline(name, 40)}</span>
                    </>
                  ),
              )}
              {fingerprints.length > MAX_FINGERPRINTS && (
                <span class="aside"> and {fingerprints.length - MAX_FINGERPRINTS} more</span>
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
      {known.length > 0 && (
        <section class="causes">
          <h3>{counted(known.length, 'cause')} of nothing but known deviations</h3>
          <ol>
            {known.map((one, index) => (
              <li key={one.cause.fingerprint}>
                <Cause explained={one} rank={index + 1} record={record} open={false} />
              </li>
            ))}
          </ol>
        </section>
      )}
    </section>
  );
}

/** The issue, as a link if it is an HTTP URL. */
const Issue = ({ issue }: { readonly issue: string }) =>
  /^https?:\/\//.test(issue) && URL.canParse(issue) ? (
    <a href={new URL(issue).href} rel="noreferrer">
      {inline(issue, 100)}
    </a>
  ) : (
    <span>{inline(issue, 100)}</span>
  );
