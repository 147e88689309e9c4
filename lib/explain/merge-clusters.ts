import { groupBy } from '../groups.ts';
import { mediaTypes } from '../judge/reading.ts';
import type { Exchange } from '../wire/exchange.ts';
import { type Cluster, levelOf } from './cluster.ts';
import type { SoughtSymptom } from './experiments.ts';
import { keyOf } from './symptom/symptom.ts';
import { alternatives, listOf, ofOthers } from './wording/several.ts';
import { sentenceOf } from './wording/title.ts';
import { topicsOf } from './wording/topics.ts';
import { areVague, fullText, type Wording } from './wording/wording.ts';
import { labelOf } from './wording/words.ts';

/** What is to be fixed: one cluster for each fault, in the order in which to fix them. */
export const merged = (clusters: readonly Cluster[]): readonly Cluster[] =>
  [
    withDistinctConditions,
    withoutRepeatedValues,
    withoutChance,
    withoutCarriers,
    acrossProperties,
    acrossPieces,
    acrossMediaTypes,
    withoutRepetition,
    withoutIncluded,
    withoutOthersRejected,
    withoutRemains,
    byCodePath,
    ordered,
  ].reduce((left, step) => step(left), clusters);

/** Several parts of a request may matter for one reason, such as that each makes the body larger. */
const withDistinctConditions = (clusters: readonly Cluster[]): readonly Cluster[] =>
  clusters.map(({ found, ...rest }) => {
    const byText = new Map(found.conditions.map((words) => [fullText(words), words]));
    return { ...rest, found: { ...found, conditions: [...byText.values()] } };
  });

const textOfAll = (conditions: readonly Wording[]): string => conditions.map(fullText).join('\n');

/** Parts of a request that decide how many pieces of its body a store reads. */
const PIECES: readonly (string | undefined)[] = ['segments', 'framing'];

const isAboutPieces = ({ found: { conditions } }: Cluster): boolean =>
  conditions.length > 0 && conditions.every(({ part }) => PIECES.includes(part));

/** Makes one cluster, with the failures of all, of those with the same key. Those without a key stay as they are. */
function joinedByKey(
  clusters: readonly Cluster[],
  key: (cluster: Cluster) => string | undefined,
  join: (first: Cluster, all: readonly Cluster[]) => Cluster,
): readonly Cluster[] {
  const groups = groupBy(clusters, (cluster) => key(cluster) ?? String(clusters.indexOf(cluster)));
  return groups.flatMap(([, all]) => {
    const [first] = all;
    if (first === undefined || all.length < 2) return all;
    return [{ ...join(first, all), members: all.flatMap(({ members }) => members) }];
  });
}

/** Joins clusters that say the same of bodies in segments and of bodies in chunks: one reader reads both. */
function acrossPieces(clusters: readonly Cluster[]): readonly Cluster[] {
  const key = (cluster: Cluster) =>
    isAboutPieces(cluster) && cluster.found.kind === 'always' && cluster.found.conditions.length === 1
      ? JSON.stringify([keyOf(cluster.sought), cluster.found.subject])
      : undefined;
  return joinedByKey(clusters, key, (first, all) => ({
    ...first,
    found: { ...first.found, conditions: [alternatives(all.flatMap(({ found }) => found.conditions))] },
  }));
}

/** Joins clusters with different media types, each of which the Accept of the request names: the store takes it from there. */
function acrossMediaTypes(clusters: readonly Cluster[]): readonly Cluster[] {
  const key = ({ sought: { kind, status }, found: { conditions, exchange } }: Cluster) => {
    const isAboutAccept = conditions.length > 0 && conditions.every(({ part }) => part === 'Accept');
    return kind === 'media-type' && isAboutAccept && hasTypeOfAccept(exchange) ? String(status) : undefined;
  };
  return joinedByKey(clusters, key, (first) => ({
    ...first,
    ofSeveral: { ...first.sought, words: `answers ${first.sought.status} with a Content-Type from Accept` },
    found: {
      ...first.found,
      conditions: [{ phrase: 'whose Accept names another media type', part: 'Accept' }],
    },
  }));
}

function hasTypeOfAccept({ request, response }: Exchange): boolean {
  const accepted = request.headers.filter(([name]) => name.toLowerCase() === 'accept').join();
  return response !== undefined && mediaTypes(response).some((type) => accepted.toLowerCase().includes(type));
}

/** Joins clusters that say the same of two properties: what checks one of them usually checks the other. */
function acrossProperties(clusters: readonly Cluster[]): readonly Cluster[] {
  const key = (cluster: Cluster) => {
    const one = ofProperty(cluster);
    return one && `${aboutProperties(cluster.sought, one.property, '').words}\n${one.key}`;
  };
  return joinedByKey(clusters, key, (first, all) => {
    const one = ofProperty(first);
    if (one === undefined) return first;
    const names = new Set(all.flatMap((cluster) => ofProperty(cluster)?.property ?? []));
    const properties = listOf([...names]);
    return {
      ...first,
      ofSeveral: aboutProperties(first.sought, one.property, properties),
      found: { ...first.found, ...one.ofAll(properties) },
    };
  });
}

/** A symptom of one property in the words for others. */
const aboutProperties = (sought: SoughtSymptom, property: string, others: string): SoughtSymptom =>
  sought.property === property ? { ...sought, words: sought.words.replace(property, others) } : sought;

interface OfProperty {
  readonly property: string;
  /** The same for what is said of another property. */
  readonly key: string;
  /** What is said if it applies to several properties. */
  readonly ofAll: (properties: string) => Pick<Cluster['found'], 'conditions'> & Partial<Cluster['found']>;
}

/** What a cluster says of one property, which it may say of others as well. */
function ofProperty({ found: { kind, subject, conditions } }: Cluster): OfProperty | undefined {
  const [condition, ...others] = conditions;
  const about = subject ?? (others.length === 0 ? condition : undefined);
  const property = about?.property;
  if (kind !== 'always' || about === undefined || property === undefined) return undefined;
  const other = fullText(ofOthers(about, property, ''));
  return {
    property,
    key: subject === undefined ? other : `${other} ${textOfAll(conditions)}`,
    ofAll: (properties) => {
      const words = ofOthers(about, property, properties);
      return subject === undefined ? { conditions: [words] } : { subject: words, conditions };
    },
  };
}

const hasVague = ({ found }: Cluster): boolean => areVague(found.conditions);

/** One cluster for each symptom and condition. Clusters with a vague condition join the one that has a clear condition for the same symptom. */
function withoutRepetition(clusters: readonly Cluster[]): readonly Cluster[] {
  const key = (cluster: Cluster) => {
    const clear = clusters.find((one) => keyOf(one.sought) === keyOf(cluster.sought) && !hasVague(one));
    const { sought, found } = hasVague(cluster) ? (clear ?? cluster) : cluster;
    const { title } = sentenceOf(sought, found.subject, found.conditions);
    return hasVague(cluster) && clear === undefined
      ? keyOf(sought)
      : title.replace(/ \(\d+ of \d+ tried\)/g, '');
  };
  return joinedByKey(clusters, key, (first, all) => all.find((one) => !hasVague(one)) ?? first);
}

/** Drops clusters that a broader cluster with the same conditions includes. */
function withoutIncluded(clusters: readonly Cluster[]): readonly Cluster[] {
  const conditions = ({ found }: Cluster) => textOfAll(found.conditions);
  const kinds = ({ found: { labels = [] } }: Cluster) => labels.length;
  const isOfAll = ({ found: { subject } }: Cluster) => subject === undefined;
  const isWider = (one: Cluster, other: Cluster) =>
    one !== other &&
    one.found.conditions.length > 0 &&
    one.found.conditions.length < other.found.conditions.length &&
    one.found.kind === other.found.kind &&
    JSON.stringify(one.found.subject) === JSON.stringify(other.found.subject) &&
    one.found.conditions.every((own) =>
      other.found.conditions.some((another) => fullText(another) === fullText(own)),
    );
  const isMore = (one: Cluster, other: Cluster) =>
    conditions(one) === conditions(other) &&
    ((isOfAll(one) && !isOfAll(other)) ||
      (kinds(one) > kinds(other) &&
        other.members.every(({ failure }) => one.found.labels?.includes(labelOf(failure)) === true)));
  const includes = (one: Cluster, other: Cluster) =>
    keyOf(one.sought) === keyOf(other.sought) &&
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
function byCodePath(clusters: readonly Cluster[]): readonly Cluster[] {
  const codePath = (cluster: Cluster) => {
    const { kind, conditions } = cluster.found;
    const isCodePath = kind === 'under-concurrency' || conditions.some(({ phrase }) => phrase !== undefined);
    if (!isCodePath || hasVague(cluster)) return undefined;
    return JSON.stringify([kind, isAboutPieces(cluster) ? PIECES : textOfAll(conditions)]);
  };
  return joinedByKey(clusters, codePath, (first, all) => {
    const [gravest = first, ...others] = ordered(all);
    const words = new Set(
      others.map(({ sought: { kind, words } }) =>
        kind === 'accepts' ? `${words} what it has to reject` : words,
      ),
    );
    words.delete(gravest.sought.words);
    return { ...gravest, also: [...words] };
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
  return joinedByKey(clusters, (cluster) => String(clusters.indexOf(last(cluster))), last);
}

/**
 * A store that rejects valid plants whatever they contain does the same with others: that their status is not the right
 * one is no second fault.
 */
function withoutOthersRejected(clusters: readonly Cluster[]): readonly Cluster[] {
  const everything = clusters.filter(
    ({ sought, found: { kind, conditions } }) =>
      sought.kind === 'rejects' && (kind !== 'always' || conditions.length === 0),
  );
  return joinedBy(clusters, ({ sought: { kind, status } }) =>
    kind === 'wrong-rejection' ? everything.find((one) => one.sought.status === status) : undefined,
  );
}

/** If a header stands in for a token whatever it contains, the token in that header does so as well. */
function withoutCarriers(clusters: readonly Cluster[]): readonly Cluster[] {
  const accepting = clusters.filter(({ sought: { kind } }) => kind === 'accepts');
  const hasPart = ({ found: { conditions } }: Cluster, header: string) =>
    conditions.some(({ part }) => part?.toLowerCase() === header.toLowerCase());
  return joinedBy(clusters, (cluster) => {
    const { header } = cluster.found.state.credential ?? {};
    return header === undefined || !accepting.includes(cluster)
      ? undefined
      : accepting.find((one) => one !== cluster && hasPart(one, header));
  });
}

const dependsOnEarlier = ({ found: { kind, conditions } }: Cluster): boolean =>
  kind === 'sequence' || conditions.some(({ part }) => part === 'earlier requests');

/** If earlier requests matter, what no experiment shows again has probably come after such requests by chance. */
function withoutChance(clusters: readonly Cluster[]): readonly Cluster[] {
  const afterEarlier = clusters.filter(dependsOnEarlier);
  const isAuthentication = ({ sought: { kind, status }, found }: Cluster) =>
    (kind === 'rejects' && status === 401) ||
    (kind === 'accepts' && found.subject !== undefined && topicsOf(found.subject).includes('credential'));
  return joinedBy(clusters, (cluster) =>
    cluster.found.kind === 'once' && !afterEarlier.includes(cluster)
      ? afterEarlier.find(
          (one) =>
            keyOf(one.sought) === keyOf(cluster.sought) ||
            (isAuthentication(one) && isAuthentication(cluster)),
        )
      : undefined,
  );
}

/** If an earlier request matters, a value that was sent before shows the symptom for that reason. */
function withoutRepeatedValues(clusters: readonly Cluster[]): readonly Cluster[] {
  const afterEarlier = clusters.filter(dependsOnEarlier);
  return joinedBy(clusters, (cluster) =>
    !afterEarlier.includes(cluster) && cluster.found.conditions.some(({ isRepeated }) => isRepeated === true)
      ? afterEarlier.find(({ sought }) => keyOf(sought) === keyOf(cluster.sought))
      : undefined,
  );
}

/** What a request or response leaves on its connection is read as the next one: one fault. */
function withoutRemains(clusters: readonly Cluster[]): readonly Cluster[] {
  const wrongLength = clusters.find(
    ({ sought: { kind } }) => kind === 'truncated-json' || kind === 'incomplete',
  );
  const unread = clusters.find(({ sought: { kind } }) => kind === 'unread-body');
  const isAfterOthers = ({ found: { kind, conditions } }: Cluster) =>
    kind === 'sequence' || kind === 'once' || conditions.some(({ part }) => part === 'history');
  return joinedBy(clusters, (cluster) => {
    if (cluster.sought.kind === 'not-http' && wrongLength !== undefined) return wrongLength;
    return cluster !== unread && isAfterOthers(cluster) ? unread : undefined;
  });
}

/** MUST first, then what explains the most checks. */
function ordered(clusters: readonly Cluster[]): readonly Cluster[] {
  const isMust = (cluster: Cluster) => (levelOf(cluster) === 'MUST' ? 1 : 0);
  const checks = ({ members }: Cluster) => new Set(members.map(({ check }) => check)).size;
  return clusters.toSorted((a, b) => isMust(b) - isMust(a) || checks(b) - checks(a));
}
