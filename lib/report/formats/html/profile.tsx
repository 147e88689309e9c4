import { pick } from '../../../collections.ts';
import type { RunRecord } from '../../record/record.ts';
import { isResponseTime } from '../../wording/facts.ts';
import { profileOf, type SentencePart } from '../../wording/profile.ts';
import { List, Section } from './kit/section.tsx';
import { inline } from './kit/text.tsx';

export function Profile({ record }: Readonly<{ record: RunRecord }>) {
  // The plot of response times says more than these observations do.
  const keys = Object.keys(record.observations).filter((key) => !isResponseTime(key));
  const topics = profileOf(pick(record.observations, ...keys));
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
