import {
  Card,
  causeTitle,
  Fix,
  List,
  More,
  Section,
  titleOfChecks,
} from '../../report/formats/html/kit/section.tsx';
import { CheckLink, Commands, Icon, inline, type Tone, toneOf } from '../../report/formats/html/kit/text.tsx';
import type { ComparedCause } from '../../report/record/record.ts';
import { confirmedText } from '../../report/wording/confirmed.ts';
import { counted } from '../../text.ts';
import type { Comparison } from '../comparison.ts';
import { causeCount, checksAt, type SharedCause, sharedCauses } from '../table.ts';
import { Marks, type MarksRow } from './marks.tsx';
import { AtStore, type NumberedRun, triedOf } from './page-parts.tsx';

export function Causes({ comparison }: Readonly<{ comparison: Comparison }>) {
  const shared = sharedCauses(comparison);
  if (shared.length === 0)
    return (
      <Section id="causes" heading="Causes">
        <p class="note">No causes were recorded.</p>
      </Section>
    );
  const tried = triedOf(comparison);
  const shown = shared.map((one, index): Shown => {
    const tone = toneOf({ level: one.cause.level, verdict: 'fail' }, comparison);
    return { one, number: index + 1, tone, tried };
  });
  return (
    <Marks
      noun="cause"
      note={`What is to be fixed: ${causeCount(shared)}. The numbers say how many failed checks a cause explains, and link to the commands that reproduce it.`}
      search="title or check"
      rows={shown.map(rowOf)}
      comparison={comparison}
    >
      {shown.map((one) => (
        <CauseDetails {...one} />
      ))}
    </Marks>
  );
}

interface Shown {
  readonly one: SharedCause;
  readonly number: number;
  readonly tone: Tone;
  readonly tried: readonly NumberedRun[];
}

function rowOf({ one, number, tone, tried }: Shown): MarksRow {
  const { title, level, symptom, checks, fingerprint } = one.cause;
  return {
    id: fingerprint,
    level,
    title: <Title cause={one.cause} number={number} />,
    words: [inline(title), inline(symptom), ...checks],
    marks: tried.map(({ column }) => {
      const count = checksAt(one, column);
      return count === 0
        ? { tone: 'pass', text: '', hasDetails: false }
        : { tone, text: String(count), hasDetails: true };
    }),
  };
}

const Title = ({ cause: { title, level }, number }: Readonly<{ cause: ComparedCause; number: number }>) => (
  <>
    <span class="title">
      {number}. {causeTitle(title)}
    </span>{' '}
    <span class="level">{level}</span>
  </>
);

function CauseDetails({ one: { cause, stores }, number, tone, tried }: Shown) {
  const own = tried.flatMap((run) =>
    stores.flatMap((store) => (store.column === run.column ? [{ run, theirs: store.cause }] : [])),
  );
  return (
    <Card
      tone={tone}
      of={cause.fingerprint}
      mark={<Icon name={tone} />}
      head={<Title cause={cause} number={number} />}
      weight={counted(stores.length, 'store')}
    >
      <Fix advice={cause.advice} />
      <div class="way">
        <ul class="who">
          {own.map(({ run, theirs }) => (
            <AtStore row={cause.fingerprint} run={run} note={confirmedText(theirs)}>
              <div>
                <Commands list={theirs.steps} />
                <More summary={titleOfChecks(theirs.checks.length)}>
                  <List class="links" items={theirs.checks.map((id) => <CheckLink id={id} />)} />
                </More>
              </div>
            </AtStore>
          ))}
        </ul>
      </div>
    </Card>
  );
}
