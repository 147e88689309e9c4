import { groupBy } from '../groups.ts';
import { type Draft, levelOf } from './draft.ts';
import { keyOf, NOT_HTTP } from './symptom/symptom.ts';
import { sentenceOf } from './wording/title.ts';
import { isVague, labelOf } from './wording/words.ts';

/** What is to be fixed: one draft for each fault, in the order in which to fix them. */
export const merged = (drafts: readonly Draft[]): readonly Draft[] =>
  ordered(
    byWayIn(
      withoutRemains(withoutOthersRejected(withoutIncluded(withoutRepetition(acrossProperties(drafts))))),
    ),
  );

/** Joins drafts that say the same of two properties: what checks one of them usually checks the other. */
function acrossProperties(drafts: readonly Draft[]): readonly Draft[] {
  const key = (draft: Draft) => {
    const one = ofProperty(draft);
    return `${draft.wanted.words}\n${one === undefined ? drafts.indexOf(draft) : one.key}`;
  };
  return groupBy(drafts, key).flatMap(([, members]) => {
    const [first] = members;
    const one = first && ofProperty(first);
    if (first === undefined || one === undefined || members.length < 2) return members;
    const properties = [...new Set(members.flatMap((draft) => ofProperty(draft)?.property ?? []))];
    const found = { ...first.found, ...one.ofAll(properties.join(' or ')) };
    return [{ ...first, found, members: members.flatMap((draft) => draft.members) }];
  });
}

interface OfProperty {
  readonly property: string;
  /** The same for what is said of another property. */
  readonly key: string;
  /** What is said if it applies to several properties. */
  readonly ofAll: (properties: string) => Pick<Draft['found'], 'conditions'> & Partial<Draft['found']>;
}

/** What a draft says of one property, which it may say of others as well. */
function ofProperty({ found: { kind, subject, conditions } }: Draft): OfProperty | undefined {
  if (kind !== 'always') return undefined;
  const [property, own] =
    /^(\w+) ((?:contains|is|begins|ends|inherited|nested) .*)$/
      .exec(subject?.noun ?? conditions[0]?.clause ?? '')
      ?.slice(1) ?? [];
  if (property === undefined || own === undefined) return undefined;
  // An exception is about the same property.
  const rest = own.replace(`when ${property} `, 'when it ');
  if (subject !== undefined)
    return {
      property,
      key: `${rest} ${JSON.stringify(conditions)}`,
      ofAll: (all) => ({ subject: { noun: `${all} ${rest}`, clause: `${all} is ${rest}` }, conditions }),
    };
  if (conditions.length > 1) return undefined;
  return { property, key: rest, ofAll: (all) => ({ conditions: [{ clause: `${all} ${rest}` }] }) };
}

const hasVague = ({ found }: Draft): boolean => found.conditions.some(isVague);

/** One draft for each symptom and condition. What is known of one condition best stands for those known less. */
function withoutRepetition(drafts: readonly Draft[]): readonly Draft[] {
  const key = (draft: Draft) => {
    const clear = drafts.find((one) => keyOf(one.wanted) === keyOf(draft.wanted) && !hasVague(one));
    const { wanted, found } = hasVague(draft) ? (clear ?? draft) : draft;
    const { title } = sentenceOf(wanted, found.subject, found.conditions);
    return hasVague(draft) && clear === undefined
      ? keyOf(wanted)
      : title.replace(/ \(\d+ of \d+ tried\)/g, '');
  };
  return groupBy(drafts, key).flatMap(([, members]) => {
    const first = members.find((one) => !hasVague(one)) ?? members[0];
    return first === undefined ? [] : [{ ...first, members: members.flatMap((one) => one.members) }];
  });
}

/** One draft for what another one says of all or more kinds of requests under the same conditions. */
function withoutIncluded(drafts: readonly Draft[]): readonly Draft[] {
  const conditions = ({ found }: Draft) => JSON.stringify(found.conditions);
  const kinds = ({ found: { labels = [] } }: Draft) => labels.length;
  const isOfAll = ({ found: { subject } }: Draft) => subject === undefined;
  const isWider = (one: Draft, other: Draft) =>
    one !== other &&
    one.found.conditions.length > 0 &&
    one.found.conditions.length < other.found.conditions.length &&
    one.found.kind === other.found.kind &&
    JSON.stringify(one.found.subject) === JSON.stringify(other.found.subject) &&
    one.found.conditions.every((own) =>
      other.found.conditions.some((another) => JSON.stringify(another) === JSON.stringify(own)),
    );
  const isMore = (one: Draft, other: Draft) =>
    conditions(one) === conditions(other) &&
    ((isOfAll(one) && !isOfAll(other)) ||
      (kinds(one) > kinds(other) &&
        other.members.every(({ failure }) => one.found.labels?.includes(labelOf(failure)) === true)));
  const includes = (one: Draft, other: Draft) =>
    keyOf(one.wanted) === keyOf(other.wanted) &&
    (isMore(one, other) || isWider(one, other) || (isFeatured(one, other) && !isMore(other, one)));
  return joinedBy(drafts, (draft) => drafts.find((one) => includes(one, draft)));
}

/** Whether all bodies of a draft have the feature of another one. */
const isFeatured = ({ found: { feature } }: Draft, { found, members }: Draft): boolean =>
  feature !== undefined &&
  found.feature === undefined &&
  members.every(({ failure: { exchange } }) =>
    feature.has(Buffer.from(exchange.request.body ?? []).toString('utf8')),
  );

/**
 * One draft for everything that goes wrong on one way in: a branch of the code that is not the usual one tends to lack
 * more than one thing. What depends on values may well be several faults.
 */
function byWayIn(drafts: readonly Draft[]): readonly Draft[] {
  const wayIn = (draft: Draft) => {
    const { kind, conditions } = draft.found;
    const isWayIn = kind === 'under-concurrency' || conditions.some(({ phrase }) => phrase !== undefined);
    return isWayIn && !hasVague(draft) ? JSON.stringify([kind, conditions]) : String(drafts.indexOf(draft));
  };
  return groupBy(drafts, wayIn).flatMap(([, members]) => {
    const [first, ...others] = ordered(members);
    if (first === undefined) return [];
    const words = new Set(others.map((one) => one.wanted.words));
    words.delete(first.wanted.words);
    return [{ ...first, also: [...words], members: members.flatMap((one) => one.members) }];
  });
}

/** Gives the members of each draft that another one explains to that one. */
function joinedBy(
  drafts: readonly Draft[],
  explaining: (draft: Draft) => Draft | undefined,
): readonly Draft[] {
  const last = (draft: Draft): Draft => {
    const next = explaining(draft);
    return next === undefined ? draft : last(next);
  };
  return groupBy(drafts, (draft) => String(drafts.indexOf(last(draft)))).flatMap(([, members]) => {
    const [first] = members;
    return first === undefined ? [] : [{ ...last(first), members: members.flatMap((one) => one.members) }];
  });
}

/**
 * A store that rejects valid plants whatever they contain does the same with others: that their status is not the right
 * one is no second fault.
 */
function withoutOthersRejected(drafts: readonly Draft[]): readonly Draft[] {
  const everything = drafts.filter(
    ({ wanted, found: { kind, conditions } }) =>
      wanted.isRejection === true && (kind !== 'always' || conditions.length === 0),
  );
  return joinedBy(drafts, ({ wanted }) =>
    everything.find((one) => wanted.words.startsWith(`${one.wanted.words} instead`)),
  );
}

/** What a response with a wrong length leaves on its connection is read as the next one: one fault. */
function withoutRemains(drafts: readonly Draft[]): readonly Draft[] {
  const wrongLength = drafts.find(({ wanted }) => /with truncated JSON|incomplete/.test(wanted.words));
  return joinedBy(drafts, ({ wanted }) => (wanted.words === NOT_HTTP ? wrongLength : undefined));
}

/** MUST first, then what explains the most checks. */
function ordered(drafts: readonly Draft[]): readonly Draft[] {
  const isMust = (draft: Draft) => (levelOf(draft) === 'MUST' ? 1 : 0);
  const checks = ({ members }: Draft) => new Set(members.map(({ check }) => check)).size;
  return drafts.toSorted((a, b) => isMust(b) - isMust(a) || checks(b) - checks(a));
}
