import { groupBy } from '../groups.ts';
import type { Check } from '../run/check.ts';
import { type Draft, levelOf } from './draft.ts';
import { keyOf } from './symptom.ts';
import { sentenceOf } from './title.ts';
import { isVague } from './words.ts';

/** Joins drafts that say the same of two properties: what checks one of them usually checks the other. */
export function acrossProperties(drafts: readonly Draft[]): readonly Draft[] {
  const parts = ({ found: { kind, subject, conditions } }: Draft) => {
    const [only, ...others] = conditions;
    if (kind !== 'always' || subject !== undefined || others.length > 0) return undefined;
    return /^(\w+) ((?:contains|is|begins|ends) .*)$/.exec(only?.clause ?? '')?.slice(1);
  };
  const key = (draft: Draft) => {
    const [, rest] = parts(draft) ?? [];
    return `${draft.wanted.words}\n${rest ?? drafts.indexOf(draft)}`;
  };
  return groupBy(drafts, key).flatMap(([, members]) => {
    const [first, second] = members;
    if (first === undefined || second === undefined || first.wanted.words !== second.wanted.words)
      return members;
    const properties = [...new Set(members.flatMap((draft) => parts(draft)?.[0] ?? []))];
    const clause = `${properties.join(' or ')} ${parts(first)?.[1] ?? ''}`;
    const all = members.flatMap((draft) => draft.members);
    return [{ ...first, found: { ...first.found, conditions: [{ clause }] }, members: all }];
  });
}

const hasVague = ({ found }: Draft): boolean => found.conditions.some(isVague);

/** One draft for each symptom and condition. What is known of one condition best stands for those known less. */
export function withoutRepetition(drafts: readonly Draft[]): readonly Draft[] {
  const key = (draft: Draft) => {
    const clear = drafts.find((one) => keyOf(one.wanted) === keyOf(draft.wanted) && !hasVague(one));
    const { wanted, found } = hasVague(draft) ? (clear ?? draft) : draft;
    const { title } = sentenceOf(wanted, found.subject, found.conditions);
    return hasVague(draft) && clear === undefined ? keyOf(wanted) : title;
  };
  return groupBy(drafts, key).flatMap(([, members]) => {
    const first = members.find((one) => !hasVague(one)) ?? members[0];
    return first === undefined ? [] : [{ ...first, members: members.flatMap((one) => one.members) }];
  });
}

/**
 * A store that rejects valid plants whatever they contain does the same with others: that their status is not the right
 * one is no second fault.
 */
export function withoutOthersRejected(drafts: readonly Draft[]): readonly Draft[] {
  const everything = drafts.filter(
    ({ wanted, found: { kind, conditions } }) =>
      wanted.isRejection === true && (kind !== 'always' || conditions.length === 0),
  );
  const by = ({ wanted }: Draft) =>
    everything.find((one) => wanted.words.startsWith(`${one.wanted.words} instead`));
  return drafts
    .filter((draft) => by(draft) === undefined)
    .map((draft) => ({
      ...draft,
      members: [...draft.members, ...drafts.flatMap((one) => (by(one) === draft ? one.members : []))],
    }));
}

/** MUST first, then what explains the most. */
export function ordered(drafts: readonly Draft[], catalogue: readonly Check[]): readonly Draft[] {
  const weight = (draft: Draft) =>
    (levelOf(draft) === 'MUST' ? catalogue.length : 0) +
    new Set(draft.members.map(({ check }) => check)).size;
  return drafts.toSorted((a, b) => weight(b) - weight(a));
}
