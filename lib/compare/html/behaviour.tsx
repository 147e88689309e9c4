import { groupBy } from '../../collections.ts';
import { List, More, Section } from '../../report/formats/html/kit/section.tsx';
import { Sentence } from '../../report/formats/html/profile.tsx';
import { plainText, profileOf } from '../../report/wording/profile.ts';
import { counted } from '../../text.ts';
import type { Comparison } from '../comparison.ts';
import { ran } from '../table.ts';
import { Ways } from './page-parts.tsx';

/** Response times always differ, and have a section of their own. */
const TIMES = 'Response times';

/** The questions that the interface leaves open and what the stores do, the most frequent behaviour first. */
export function questionsOf(comparison: Comparison) {
  const entries = ran(comparison).flatMap(({ name, observations }) =>
    profileOf(observations).flatMap(({ heading, entries: ofTopic }) =>
      ofTopic.map(({ label, sentence }) => ({ name, heading, label, sentence })),
    ),
  );
  const questions = groupBy(
    entries.filter(({ heading }) => heading !== TIMES),
    ({ heading, label }) => JSON.stringify([heading, label]),
  );
  return questions.map(([, answers]) => {
    const ways = groupBy(answers, ({ sentence }) => plainText(sentence)).map(([, alike]) => ({
      sentence: alike[0].sentence,
      names: alike.map(({ name }) => name),
    }));
    const { heading, label } = answers[0];
    return { heading, label, ways: ways.toSorted((a, b) => b.names.length - a.names.length) };
  });
}

export function Behaviour({ comparison }: Readonly<{ comparison: Comparison }>) {
  const questions = questionsOf(comparison);
  const differ = questions.filter(({ ways }) => ways.length > 1);
  const topics = groupBy(differ, ({ heading }) => heading);
  const alike = questions.filter(({ ways }) => ways.length === 1);
  return (
    <Section id="behaviour" heading="Behaviour">
      <p class="note">
        {questions.length === 0
          ? 'Nothing was observed.'
          : 'What the interface leaves open, and what the stores do. None of it is judged.'}
      </p>
      {topics.length > 1 && (
        <List
          class="links"
          items={topics.map(([heading], index) => <a href={`#topic-${index + 1}`}>{heading}</a>)}
        />
      )}
      {topics.map(([heading, members], index) => (
        <section class="topic" id={`topic-${index + 1}`}>
          <h3>{heading}</h3>
          {members.map(({ label, ways }) => (
            <div class="question">
              <h4>{label}</h4>
              <Ways
                ways={ways.map(({ sentence, names }) => ({
                  head: (
                    <p>
                      <Sentence parts={sentence} />
                    </p>
                  ),
                  names,
                }))}
              />
            </div>
          ))}
        </section>
      ))}
      {alike.length > 0 && <Alike questions={alike} />}
    </Section>
  );
}

const Alike = ({ questions }: Readonly<{ questions: ReturnType<typeof questionsOf> }>) => (
  <More class="alike" summary={<>No difference: {counted(questions.length, 'question')}</>}>
    <List
      class="topics"
      items={questions.map(({ ways: [way] }) => way !== undefined && <Sentence parts={way.sentence} />)}
    />
  </More>
);
