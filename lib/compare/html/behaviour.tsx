import { groupBy } from '../../collections.ts';
import { List, More, Section } from '../../report/formats/html/kit/section.tsx';
import { Sentence } from '../../report/formats/html/profile.tsx';
import { counted } from '../../text.ts';
import type { Comparison } from '../comparison.ts';
import { isAnsweredDifferently, questionsOf } from '../questions.ts';
import { Ways } from './page-parts.tsx';

export function Behaviour({ comparison }: Readonly<{ comparison: Comparison }>) {
  const questions = questionsOf(comparison);
  const differ = questions.filter(isAnsweredDifferently);
  const topics = groupBy(differ, ({ heading }) => heading);
  const alike = questions.filter((question) => !isAnsweredDifferently(question));
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
      {alike.length > 0 && (
        <More class="alike" summary={`No difference: ${counted(alike.length, 'question')}`}>
          <List
            class="topics"
            items={alike.map(({ ways: [way] }) => way !== undefined && <Sentence parts={way.sentence} />)}
          />
        </More>
      )}
    </Section>
  );
}
