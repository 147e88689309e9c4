import { groupBy } from '../groups.ts';
import { type Cluster, levelOf } from './cluster.ts';
import { keyOf, NOT_HTTP } from './symptom/symptom.ts';
import { sentenceOf } from './wording/title.ts';
import { isVague, labelOf } from './wording/words.ts';

/** What is to be fixed: one cluster for each fault, in the order in which to fix them. */
export const merged = (clusters: readonly Cluster[]): readonly Cluster[] =>
  ordered(
    byWayIn(
      withoutRemains(withoutOthersRejected(withoutIncluded(withoutRepetition(acrossProperties(clusters))))),
    ),
  );

/** Joins clusters that say the same of two properties: what checks one of them usually checks the other. */
function acrossProperties(clusters: readonly Cluster[]): readonly Cluster[] {
  const key = (cluster: Cluster) => {
    const one = ofProperty(cluster);
    return `${cluster.wanted.words}\n${one === undefined ? clusters.indexOf(cluster) : one.key}`;
  };
  return groupBy(clusters, key).flatMap(([, members]) => {
    const [first] = members;
    const one = first && ofProperty(first);
    if (first === undefined || one === undefined || members.length < 2) return members;
    const properties = [...new Set(members.flatMap((cluster) => ofProperty(cluster)?.property ?? []))];
    const found = { ...first.found, ...one.ofAll(properties.join(' or ')) };
    return [{ ...first, found, members: members.flatMap((cluster) => cluster.members) }];
  });
}

interface OfProperty {
  readonly property: string;
  /** The same for what is said of another property. */
  readonly key: string;
  /** What is said if it applies to several properties. */
  readonly ofAll: (properties: string) => Pick<Cluster['found'], 'conditions'> & Partial<Cluster['found']>;
}

/** What a cluster says of one property, which it may say of others as well. */
function ofProperty({ found: { kind, subject, conditions } }: Cluster): OfProperty | undefined {
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

const hasVague = ({ found }: Cluster): boolean => found.conditions.some(isVague);

/** One cluster for each symptom and condition. What is known of one condition best stands for those known less. */
function withoutRepetition(clusters: readonly Cluster[]): readonly Cluster[] {
  const key = (cluster: Cluster) => {
    const clear = clusters.find((one) => keyOf(one.wanted) === keyOf(cluster.wanted) && !hasVague(one));
    const { wanted, found } = hasVague(cluster) ? (clear ?? cluster) : cluster;
    const { title } = sentenceOf(wanted, found.subject, found.conditions);
    return hasVague(cluster) && clear === undefined
      ? keyOf(wanted)
      : title.replace(/ \(\d+ of \d+ tried\)/g, '');
  };
  return groupBy(clusters, key).flatMap(([, members]) => {
    const first = members.find((one) => !hasVague(one)) ?? members[0];
    return first === undefined ? [] : [{ ...first, members: members.flatMap((one) => one.members) }];
  });
}

/** One cluster for what another one says of all or more kinds of requests under the same conditions. */
function withoutIncluded(clusters: readonly Cluster[]): readonly Cluster[] {
  const conditions = ({ found }: Cluster) => JSON.stringify(found.conditions);
  const kinds = ({ found: { labels = [] } }: Cluster) => labels.length;
  const isOfAll = ({ found: { subject } }: Cluster) => subject === undefined;
  const isWider = (one: Cluster, other: Cluster) =>
    one !== other &&
    one.found.conditions.length > 0 &&
    one.found.conditions.length < other.found.conditions.length &&
    one.found.kind === other.found.kind &&
    JSON.stringify(one.found.subject) === JSON.stringify(other.found.subject) &&
    one.found.conditions.every((own) =>
      other.found.conditions.some((another) => JSON.stringify(another) === JSON.stringify(own)),
    );
  const isMore = (one: Cluster, other: Cluster) =>
    conditions(one) === conditions(other) &&
    ((isOfAll(one) && !isOfAll(other)) ||
      (kinds(one) > kinds(other) &&
        other.members.every(({ failure }) => one.found.labels?.includes(labelOf(failure)) === true)));
  const includes = (one: Cluster, other: Cluster) =>
    keyOf(one.wanted) === keyOf(other.wanted) &&
    (isMore(one, other) || isWider(one, other) || (isFeatured(one, other) && !isMore(other, one)));
  return joinedBy(clusters, (cluster) => clusters.find((one) => includes(one, cluster)));
}

/** Whether all bodies of a cluster have the feature of another one. */
const isFeatured = ({ found: { feature } }: Cluster, { found, members }: Cluster): boolean =>
  feature !== undefined &&
  found.feature === undefined &&
  members.every(({ failure: { exchange } }) =>
    feature.has(Buffer.from(exchange.request.body ?? []).toString('utf8')),
  );

/**
 * One cluster for everything that goes wrong on one way in: a branch of the code that is not the usual one tends to lack
 * more than one thing. What depends on values may well be several faults.
 */
function byWayIn(clusters: readonly Cluster[]): readonly Cluster[] {
  const wayIn = (cluster: Cluster) => {
    const { kind, conditions } = cluster.found;
    const isWayIn = kind === 'under-concurrency' || conditions.some(({ phrase }) => phrase !== undefined);
    return isWayIn && !hasVague(cluster)
      ? JSON.stringify([kind, conditions])
      : String(clusters.indexOf(cluster));
  };
  return groupBy(clusters, wayIn).flatMap(([, members]) => {
    const [first, ...others] = ordered(members);
    if (first === undefined) return [];
    const words = new Set(others.map((one) => one.wanted.words));
    words.delete(first.wanted.words);
    return [{ ...first, also: [...words], members: members.flatMap((one) => one.members) }];
  });
}

/** Gives the members of each cluster that another one explains to that one. */
function joinedBy(
  clusters: readonly Cluster[],
  explaining: (cluster: Cluster) => Cluster | undefined,
): readonly Cluster[] {
  const last = (cluster: Cluster): Cluster => {
    const next = explaining(cluster);
    return next === undefined ? cluster : last(next);
  };
  return groupBy(clusters, (cluster) => String(clusters.indexOf(last(cluster)))).flatMap(([, members]) => {
    const [first] = members;
    return first === undefined ? [] : [{ ...last(first), members: members.flatMap((one) => one.members) }];
  });
}

/**
 * A store that rejects valid plants whatever they contain does the same with others: that their status is not the right
 * one is no second fault.
 */
function withoutOthersRejected(clusters: readonly Cluster[]): readonly Cluster[] {
  const everything = clusters.filter(
    ({ wanted, found: { kind, conditions } }) =>
      wanted.isRejection === true && (kind !== 'always' || conditions.length === 0),
  );
  return joinedBy(clusters, ({ wanted }) =>
    everything.find((one) => wanted.words.startsWith(`${one.wanted.words} instead`)),
  );
}

/** What a response with a wrong length leaves on its connection is read as the next one: one fault. */
function withoutRemains(clusters: readonly Cluster[]): readonly Cluster[] {
  const wrongLength = clusters.find(({ wanted }) => /with truncated JSON|incomplete/.test(wanted.words));
  return joinedBy(clusters, ({ wanted }) => (wanted.words === NOT_HTTP ? wrongLength : undefined));
}

/** MUST first, then what explains the most checks. */
function ordered(clusters: readonly Cluster[]): readonly Cluster[] {
  const isMust = (cluster: Cluster) => (levelOf(cluster) === 'MUST' ? 1 : 0);
  const checks = ({ members }: Cluster) => new Set(members.map(({ check }) => check)).size;
  return clusters.toSorted((a, b) => isMust(b) - isMust(a) || checks(b) - checks(a));
}
