import { compact, groupBy, leastBy } from '../../collections.ts';
import { membersOf } from '../../members.ts';
import { joined } from '../../text.ts';
import { bodyText } from '../../utf8.ts';
import { type Cluster, withExplanation } from '../explanation/cluster.ts';
import {
  alternatives,
  type Condition,
  fullText,
  ofOthers,
  propertiesIn,
  withOthers,
} from '../explanation/condition.ts';
import type { Explanation } from '../explanation/explanation.ts';
import { keyOf } from '../symptom/symptom.ts';
import type { TargetSymptom } from '../symptom/target-symptom.ts';
import { hasVague, isReproducible, textOfAll } from './cluster-facts.ts';
import type { SameFault } from './merge-rule.ts';

/** Sorted, so that the wording does not depend on the order of the failures. */
const sortedNames = (properties: readonly string[]): readonly string[] => [...new Set(properties)].sort();

/** The character that a cluster is about, and where it is, if the cluster is about nothing else. */
function characterIn({ explanation: { kind, subject, conditions } }: Cluster) {
  const [only, ...others] = compact(subject, ...conditions).filter(({ clause }) => clause !== undefined);
  const character = only?.contained;
  return kind === 'always' && others.length === 0 && character !== undefined
    ? { place: only?.property ?? 'the name of an undeclared property', character }
    : undefined;
}

/** The same character in different places of the body, not only in texts, which `acrossProperties` merges. */
export const acrossPlaces: SameFault = {
  key: (cluster, clusters) => {
    const own = characterIn(cluster);
    const places = clusters.flatMap((one) => {
      const other = characterIn(one);
      const isAlike = other?.character === own?.character && keyOf(one.symptom) === keyOf(cluster.symptom);
      return other !== undefined && isAlike ? [other.place] : [];
    });
    return own !== undefined && new Set(places).size > 1
      ? `${keyOf(cluster.symptom)} ${own.character}`
      : undefined;
  },
  join: (first, all) => {
    const plainest = leastBy(all, ({ explanation }) => explanation.conditions.length) ?? first;
    const others = plainest.explanation.conditions.filter(({ clause }) => clause === undefined);
    const clause = `the body contains ${characterIn(first)?.character}`;
    return withExplanation(plainest, { subject: undefined, conditions: [...others, { clause }] });
  },
};

/** The subject of a cluster that accepts values of a wrong type. */
const wrongTypeIn = ({
  symptom,
  explanation: { kind, subject, conditions },
}: Cluster): Condition | undefined =>
  symptom.kind === 'accepts' &&
  kind === 'always' &&
  conditions.length === 0 &&
  subject?.noun !== undefined &&
  subject.topics?.some((topic) => topic === 'wrong type' || topic === 'null') === true
    ? subject
    : undefined;

const isOfSeveralProperties = ({ property, otherProperties = [] }: Condition): boolean =>
  property === undefined || otherProperties.length > 1;

/** If several properties accept at least this many wrong types, a library seems to convert values. */
const MIN_CONVERTED_TYPES = 2;

/** Whether the response returns the value of a wrong type as another type. */
function isConverted({ explanation: { subject, exchange } }: Cluster): boolean {
  const { property = '' } = subject ?? {};
  const sent = membersOf(bodyText(exchange.request.body))[property];
  const back = membersOf(bodyText(exchange.response?.body))[property];
  return sent !== undefined && typeof back !== typeof sent && String(back) === String(sent);
}

/**
 * Values of several types are accepted as several properties, or values of several properties are accepted and
 * a response shows one of them converted: the store's library converts them.
 */
export const acrossConversions: SameFault = {
  key: (cluster, clusters) => {
    if (wrongTypeIn(cluster) === undefined) return undefined;
    const all = clusters.filter((one) => wrongTypeIn(one) !== undefined);
    const subjects = all.flatMap((one) => wrongTypeIn(one) ?? []);
    const areSeveral = new Set(subjects.flatMap(propertiesIn)).size > 1;
    return subjects.filter(isOfSeveralProperties).length >= MIN_CONVERTED_TYPES ||
      (areSeveral && all.some(isConverted))
      ? 'converts values'
      : undefined;
  },
  join: (first, all) => {
    const subjects = all.flatMap((one) => wrongTypeIn(one) ?? []);
    const example = leastBy(subjects, (subject) => fullText(subject).length);
    if (example === undefined) return first;
    const subject: Condition = {
      ...example,
      noun: `values of a wrong type, such as ${example.noun}, and converts them`,
      topics: ['wrong type'],
    };
    return withExplanation(first, { subject });
  },
};

/** Single values of one property, of which no class is known. */
export const acrossExamples: SameFault = {
  key: ({ symptom, explanation: { kind, subject, conditions } }) => {
    const [only, ...others] = conditions;
    const isOfExample = only?.isExample === true && others.length === 0 && subject === undefined;
    return kind === 'always' && isOfExample ? `${keyOf(symptom)} ${only.property}` : undefined;
  },
  join: (first, all) =>
    withExplanation(first, {
      conditions: [alternatives(all.flatMap(({ explanation }) => explanation.conditions))],
    }),
};

/** Clusters that state the same about two properties: the same code usually checks both. */
export const acrossProperties: SameFault = {
  key: (cluster) => {
    const statement = ofProperty(cluster);
    return statement && `${aboutProperties(cluster.symptom, statement.property, []).words}\n${statement.key}`;
  },
  join: (first, all) => {
    const statement = ofProperty(first);
    if (statement === undefined) return first;
    const properties = sortedNames(all.flatMap((cluster) => ofProperty(cluster)?.property ?? []));
    return {
      ...withExplanation(first, statement.ofAll(properties)),
      ofSeveral: aboutProperties(first.symptom, statement.property, properties),
    };
  },
};

/**
 * Values that come back as another type: one function converts values, of one property or of several. The
 * checks do not send the same values for each property.
 */
export const acrossTypes: SameFault = {
  key: (cluster, clusters) => {
    const conversion = conversionOf(cluster);
    if (conversion === undefined) return undefined;
    const sameStatus = clusters
      .flatMap((one) => conversionOf(one) ?? [])
      .filter(({ status }) => status === conversion.status);
    const byProperty = groupBy(sameStatus, ({ property }) => property).map(([property, some]) => ({
      property,
      instead: some.map((one) => one.instead),
      texts: new Set(some.flatMap(({ text }) => text ?? [])),
    }));
    const texts = byProperty.find(({ property }) => property === conversion.property)?.texts ?? new Set();
    const alike = byProperty.filter(({ texts: others, instead }) =>
      texts.size > 0 ? [...texts].some((text) => others.has(text)) : instead.includes(conversion.instead),
    );
    const widest = leastBy(alike, (one) => -one.texts.size);
    return widest === undefined || widest.texts.size === 0
      ? undefined
      : `${conversion.status} ${widest.property}`;
  },
  join: (one, all) => {
    const clear = all.filter((other) => !hasVague(other));
    const [first = one] = clear;
    const { instead = '', property = '' } = first.symptom;
    const types = joined([...new Set(all.flatMap(({ symptom }) => symptom.instead ?? []))], 'or');
    const properties = sortedNames(all.flatMap(({ symptom }) => symptom.property ?? []));
    const ofAll = aboutProperties(first.symptom, property, properties);
    const conditions = clear.flatMap(({ symptom, explanation }) =>
      explanation.conditions.map((words) => ofOthers(words, symptom.property ?? '', properties)),
    );
    return {
      ...withExplanation(first, { conditions: [alternatives(conditions)] }),
      ofSeveral: { ...ofAll, words: ofAll.words.replace(instead, () => types) },
    };
  },
};

/**
 * What a cluster states about values of one property that come back as another type. The text says what is
 * converted into what, without the name of the property; it is undefined if only examples are known.
 */
function conversionOf(cluster: Cluster) {
  const { symptom, explanation } = cluster;
  const { status, property, instead } = symptom;
  if (property === undefined || instead === undefined) return undefined;
  if (hasVague(cluster)) return { status, property, instead, text: undefined };
  const [condition, ...others] = explanation.conditions;
  const isClause = condition?.property === property && condition.clause !== undefined && others.length === 0;
  if (explanation.kind !== 'always' || !isClause) return undefined;
  return { status, property, instead, text: `${fullText(ofOthers(condition, property, []))} ${instead}` };
}

/** Strings that make the response malformed: one function escapes all of them wrongly. */
export const acrossEscaping: SameFault = {
  key: (cluster) => {
    const { symptom, explanation } = cluster;
    return symptom.kind === 'unreadable' &&
      symptom.status === 200 &&
      isReproducible(cluster) &&
      !hasVague(cluster) &&
      explanation.conditions.filter(isOfText).length === 1
      ? keyOf(symptom)
      : undefined;
  },
  join: (first, all) => {
    const conditions = all.flatMap(({ explanation }) => explanation.conditions.filter(isOfText));
    const others = all.map(({ explanation }) => explanation.conditions.filter((one) => !isOfText(one)));
    const shared = others.some(({ length }) => length === 0) ? [] : (others[0] ?? []);
    return withExplanation(first, { conditions: [alternatives(conditions), ...shared] });
  },
};

/** Texts beyond ASCII that truncate the response: its length is counted in characters, whatever these are. */
export const acrossCharacters: SameFault = {
  key: (cluster) => {
    const { conditions } = cluster.explanation;
    const [only, ...others] = conditions.map(({ topics = [] }) => topics.includes('beyond ASCII'));
    const isOfBytes = cluster.symptom.kind === 'truncated-json' && only === true && others.length === 0;
    return isOfBytes && isReproducible(cluster) ? cluster.symptom.words : undefined;
  },
  join: (first, all) => leastBy(all, ({ explanation: { inside } }) => -inside[1]) ?? first,
};

/** Whether a condition is about the characters of a property. */
const isOfText = ({ property, contained }: Condition): boolean =>
  property !== undefined && contained !== undefined;

/** Long responses that break off: one buffer or counter is too small, whatever makes the response long. */
export const acrossSizes: SameFault = {
  key: (cluster) =>
    ['incomplete', 'truncated-json', 'no-answer'].includes(cluster.symptom.kind) &&
    isReproducible(cluster) &&
    cluster.explanation.conditions.some(({ isLarger }) => isLarger === true)
      ? keyOf(cluster.symptom)
      : undefined,
  join: (first, all) => leastBy(all, ({ explanation }) => -explanation.conditions.length) ?? first,
};

/** Rewords a symptom about one property for others. */
const aboutProperties = (
  symptom: TargetSymptom,
  property: string,
  others: readonly string[],
): TargetSymptom =>
  symptom.property === property
    ? { ...symptom, words: withOthers(symptom.words, property, others) }
    : symptom;

/** The statement of a cluster about one property, with a key that those about other properties share. */
function ofProperty({ explanation: { kind, subject, conditions } }: Cluster) {
  const [named, ...others] = conditions.filter(({ property }) => property !== undefined);
  const about = subject ?? (others.length === 0 ? named : undefined);
  const property = about?.property;
  if (kind !== 'always' || about === undefined || property === undefined) return undefined;
  const reworded = (one: Condition, properties: readonly string[]) => {
    const other = ofOthers(one, property, properties);
    return fullText(other) === fullText(one) ? one : other;
  };
  const otherConditions = conditions.filter((one) => one !== about).map((one) => reworded(one, []));
  return {
    property,
    key: `${fullText(ofOthers(about, property, []))} ${textOfAll(otherConditions)}`,
    /** The explanation, reworded for several properties. */
    ofAll: (properties: readonly string[]): Partial<Explanation> => ({
      conditions: conditions.map((one) => reworded(one, properties)),
      ...(subject === undefined ? {} : { subject: ofOthers(about, property, properties) }),
    }),
  };
}
