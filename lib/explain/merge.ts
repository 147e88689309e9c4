import { groupBy } from '../groups.ts';
import type { Check } from '../run/check.ts';
import { type Draft, levelOf } from './draft.ts';
import { keyOf } from './symptom.ts';
import { sentenceOf } from './title.ts';
import { SOME_VALUES, SUCH_AS } from './words.ts';

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

/** One draft for each symptom and condition. What is known of one condition best stands for those known less. */
export function withoutRepetition(drafts: readonly Draft[]): readonly Draft[] {
  const isVague = ({ found: { conditions } }: Draft) =>
    conditions.some(({ phrase = '' }) => phrase.includes(SOME_VALUES) || phrase.includes(SUCH_AS));
  const key = (draft: Draft) => {
    const clear = drafts.find((one) => keyOf(one.wanted) === keyOf(draft.wanted) && !isVague(one));
    const { wanted, found } = isVague(draft) ? (clear ?? draft) : draft;
    const { title } = sentenceOf(wanted, found.subject, found.conditions);
    return isVague(draft) && clear === undefined ? keyOf(wanted) : title;
  };
  return groupBy(drafts, key).flatMap(([, members]) => {
    const first = members.find((one) => !isVague(one)) ?? members[0];
    return first === undefined ? [] : [{ ...first, members: members.flatMap((one) => one.members) }];
  });
}

/** MUST first, then what explains the most. */
export function ordered(drafts: readonly Draft[], catalogue: readonly Check[]): readonly Draft[] {
  const weight = (draft: Draft) =>
    (levelOf(draft) === 'MUST' ? catalogue.length : 0) +
    new Set(draft.members.map(({ check }) => check)).size;
  return drafts.toSorted((a, b) => weight(b) - weight(a));
}
