import { groupBy } from '../collections.ts';
import { plainText, profileOf } from '../report/wording/profile.ts';
import type { Comparison } from './comparison.ts';
import { ran } from './table.ts';

/** Returns the questions that the interface leaves open, and what the stores do, most frequent first. */
export function questionsOf(comparison: Comparison) {
  const entries = ran(comparison).flatMap(({ name, observations }) =>
    profileOf(observations).flatMap(({ heading, entries: ofTopic }) =>
      ofTopic.map(({ label, sentence }) => ({ name, heading, label, sentence })),
    ),
  );
  const questions = groupBy(entries, ({ heading, label }) => JSON.stringify([heading, label]));
  return questions.map(([, answers]) => {
    const ways = groupBy(answers, ({ sentence }) => plainText(sentence)).map(([, alike]) => ({
      sentence: alike[0].sentence,
      names: alike.map(({ name }) => name),
    }));
    const { heading, label } = answers[0];
    return { heading, label, ways: ways.toSorted((a, b) => b.names.length - a.names.length) };
  });
}

/** Returns whether the stores answer a question differently. */
export const isAnsweredDifferently = ({ ways }: ReturnType<typeof questionsOf>[number]): boolean =>
  ways.length > 1;
