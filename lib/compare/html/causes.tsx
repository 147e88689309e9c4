import { confirmedText } from '../../report/confirmed.ts';
import { CheckLink, Commands, counted, Icon, inline, toneOf } from '../../report/html/kit/text.tsx';
import type { ComparedCause, Comparison } from '../comparison.ts';
import { causeCount, checksAt, type SharedCause, sharedCauses } from '../table.ts';
import { Marks, type MarksRow } from './marks.tsx';
import { type NumberedRun, nameOf, triedOf } from './parts.tsx';

/** Longer titles are truncated. */
const MAX_TITLE_CHARACTERS = 1000;
const MAX_ADVICE_CHARACTERS = 2000;

/** The causes of all stores. Those that several stores have share a row. */
export function Causes({ comparison }: { readonly comparison: Comparison }) {
  const shared = sharedCauses(comparison);
  if (shared.length === 0)
    return (
      <section id="causes" aria-labelledby="causes-heading">
        <h2 id="causes-heading">Causes</h2>
        <p class="note">No causes were recorded.</p>
      </section>
    );
  const tried = triedOf(comparison);
  return (
    <Marks
      id="causes"
      heading="Causes"
      noun="cause"
      note={`What is to be fixed: ${causeCount(shared)}. The numbers say how many failed checks a cause explains, and link to the commands that reproduce it.`}
      search="title or check"
      rows={shared.map((one) => rowOf(one, tried, comparison))}
      tried={tried}
      comparison={comparison}
    >
      <div class="by-row">
        <h3>Cause by cause</h3>
        {shared.map((one) => (
          <CauseDetails key={one.cause.fingerprint} one={one} tried={tried} comparison={comparison} />
        ))}
      </div>
    </Marks>
  );
}

interface Shown {
  readonly one: SharedCause;
  readonly tried: readonly NumberedRun[];
  readonly comparison: Comparison;
}

const toneFor = ({ level }: ComparedCause, comparison: Comparison) =>
  toneOf({ level, verdict: 'fail' }, comparison);

function rowOf(one: SharedCause, tried: Shown['tried'], comparison: Comparison): MarksRow {
  const { title, level, symptom, checks, fingerprint } = one.cause;
  return {
    id: fingerprint,
    level,
    title: (
      <>
        <span class="title">{inline(title, MAX_TITLE_CHARACTERS)}</span> <span class="level">{level}</span>
      </>
    ),
    words: [inline(title), inline(symptom), ...checks],
    marks: tried.map(({ column }) => {
      const count = checksAt(one, column);
      return count === 0
        ? { tone: 'pass', text: '', hasDetails: false }
        : { tone: toneFor(one.cause, comparison), text: String(count), hasDetails: true };
    }),
  };
}

/** What to do about a cause, and what reproduces it at each store. */
function CauseDetails({ one, tried, comparison }: Shown) {
  const { cause, stores } = one;
  const tone = toneFor(cause, comparison);
  const own = tried.flatMap(({ column, number }) =>
    stores.flatMap((store) => (store.column === column ? [{ ...store, number }] : [])),
  );
  return (
    <details class={`cause ${tone}`} data-of={cause.fingerprint}>
      <summary>
        <Icon name={tone} />
        <span class="head">
          <span class="title">{inline(cause.title, MAX_TITLE_CHARACTERS)}</span>{' '}
          <span class="level">{cause.level}</span>
        </span>
        <span class="weight">{counted(stores.length, 'store')}</span>
      </summary>
      <div class="inside">
        <p class="hint">
          <strong>Fix.</strong> {inline(cause.advice, MAX_ADVICE_CHARACTERS)}
        </p>
        <div class="way">
          <ul class="who">
            {own.map(({ column, cause: theirs, number }) => (
              <li key={number} id={`${cause.fingerprint}~${number}`}>
                <p>
                  <strong class="name">{nameOf(column)}</strong>{' '}
                  <span class="aside">{confirmedText(theirs)}</span>
                </p>
                <AtStore cause={theirs} />
              </li>
            ))}
          </ul>
        </div>
      </div>
    </details>
  );
}

const AtStore = ({ cause: { steps, checks } }: { readonly cause: ComparedCause }) => (
  <div>
    <Commands list={steps} />
    <details class="more">
      <summary>
        {checks.length === 1 ? 'The failed check' : `The ${checks.length} failed checks`} that this explains
      </summary>
      <ul class="ids">
        {checks.map((id) => (
          <li key={id}>
            <CheckLink id={id} />
          </li>
        ))}
      </ul>
    </details>
  </div>
);
