import type { RunRecord } from '../../record/record.ts';
import { profileOf, type SentencePart } from '../../wording/profile.ts';
import { List, Section } from './kit/section.tsx';
import { inline } from './kit/text.tsx';

export function Profile({ record }: Readonly<{ record: RunRecord }>) {
  const topics = profileOf(record.observations);
  return (
    <Section id="profile" heading="Observed behaviour">
      <p class="note">
        {topics.length === 0
          ? 'Nothing was observed.'
          : 'What the interface leaves open, and what this store does. None of it is judged.'}
      </p>
      <div class="topics">
        {topics.map(({ heading, entries }) => (
          <section>
            <h3>{heading}</h3>
            <List items={entries.map((one) => <Sentence parts={one.sentence} />)} />
          </section>
        ))}
      </div>
    </Section>
  );
}

export const Sentence = ({ parts }: Readonly<{ parts: readonly SentencePart[] }>) => (
  <>
    {parts.map((part) => (typeof part === 'string' ? inline(part) : <strong>{inline(part.value)}</strong>))}
  </>
);
