import { compact, groupBy, leastBy } from '../../collections.ts';
import { mediaTypes } from '../../judge/reading.ts';
import { membersOf } from '../../members.ts';
import { joined } from '../../text.ts';
import { bodyText } from '../../utf8.ts';
import type { Exchange } from '../../wire/exchange.ts';
import { headerValues } from '../../wire/headers.ts';
import { type Cluster, inFixOrder, levelOf, withExplanation } from '../cluster.ts';
import { PIECES } from '../condition/request-parts.ts';
import type { Explanation } from '../explanation.ts';
import { keyOf, rejectsValid } from '../symptom/symptom.ts';
import { isWrong400, type TargetSymptom } from '../symptom/target-symptom.ts';
import { sentenceOf } from '../wording/cause-of.ts';
import {
  alternatives,
  areVague,
  type Condition,
  fullText,
  ofOthers,
  propertiesIn,
  withOthers,
  withoutExceptions,
} from '../wording/condition.ts';
import { isRate, textOfAll } from './consequences.ts';

/** A merge rule: which clusters are one fault, and how the merged cluster is worded. */
export interface SameFault {
  /** Equal for clusters that are one fault; undefined for a cluster that the rule does not merge. */
  readonly key: (cluster: Cluster, all: readonly Cluster[]) => string | undefined;
  readonly join: (first: Cluster, all: readonly Cluster[]) => Cluster;
}

/** Sorted, so that the wording does not depend on the order of the failures. */
const sortedNames = (properties: readonly string[]): readonly string[] => [...new Set(properties)].sort();

/** Merges clusters that differ only in one condition, which must be about one of the given request parts. */
const acrossParts = (
  parts: readonly string[],
  worded: (either: Condition, all: readonly Condition[]) => Condition = (either) => either,
): SameFault => {
  const isAbout = ({ part = '' }: Condition) => parts.includes(part);
  const otherConditions = ({ explanation }: Cluster) => explanation.conditions.filter((one) => !isAbout(one));
  return {
    key: (cluster) => {
      const { kind, subject, conditions } = cluster.explanation;
      return kind === 'always' && conditions.filter(isAbout).length === 1
        ? JSON.stringify([keyOf(cluster.symptom), subject, textOfAll(otherConditions(cluster))])
        : undefined;
    },
    join: (first, all) => {
      const conditions = all.flatMap(({ explanation }) => explanation.conditions.filter(isAbout));
      const either = worded(alternatives(conditions), conditions);
      return withExplanation(first, { conditions: [either, ...otherConditions(first)] });
    },
  };
};

/** Bodies in segments and bodies in chunks: the same code reads both. */
const acrossPieces = acrossParts(PIECES, (either, all) => {
  const areSeveral = (part: string, words: RegExp) =>
    all.some((one) => one.part === part && words.test(one.phrase ?? ''));
  return areSeveral('segments', /several segments/) &&
    areSeveral('framing', /several chunks|not in one chunk/)
    ? { ...either, phrase: 'whose body arrives in several pieces (chunks or segments)' }
    : either;
});

/** Failures that differ only in the header that they need: the same code looks at several headers. */
const acrossHeaders: SameFault = {
  key: ({ symptom, explanation: { kind, subject, conditions } }) => {
    const others = conditions.filter(({ header }) => header === undefined);
    return kind === 'always' && conditions.length - others.length === 1
      ? JSON.stringify([keyOf(symptom), subject, textOfAll(others)])
      : undefined;
  },
  join: (first, all) => {
    const headers = all.flatMap(({ explanation }) =>
      explanation.conditions.flatMap(({ header }) => header ?? []),
    );
    const conditions = first.explanation.conditions.map((one) =>
      one.header === undefined ? one : { ...one, phrase: `with the header ${joined(headers, 'or')}` },
    );
    return withExplanation(first, { conditions });
  },
};

/** The character that a cluster is about, and where it is, if the cluster is about nothing else. */
function characterIn({ explanation: { kind, subject, conditions } }: Cluster) {
  const [only, ...others] = compact(subject, ...conditions).filter(({ clause }) => clause !== undefined);
  const character = only?.contained;
  return kind === 'always' && others.length === 0 && character !== undefined
    ? { place: only?.property ?? 'the name of an undeclared property', character }
    : undefined;
}

/** The same character in different places of the body, not only in texts, which `acrossTexts` merges. */
const acrossPlaces: SameFault = {
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

/** Failures with various spellings of the same JSON text: the store does not use a JSON parser. */
const acrossSpellings = acrossParts(['white space', 'escapes']);

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
const acrossConversions: SameFault = {
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
const acrossExamples: SameFault = {
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

/** The store copies the media type of the response from the Accept header. */
const acrossMediaTypes: SameFault = {
  key: ({ symptom: { kind, status }, explanation: { conditions, exchange } }) => {
    const isAboutAccept = conditions.length > 0 && conditions.every(({ part }) => part === 'Accept');
    return kind === 'media-type' && isAboutAccept && hasTypeOfAccept(exchange) ? String(status) : undefined;
  },
  join: (first) => ({
    ...withExplanation(first, {
      conditions: [{ phrase: 'whose Accept names another media type', part: 'Accept' }],
    }),
    ofSeveral: {
      ...first.symptom,
      words: `answers ${first.symptom.status} with a Content-Type from Accept`,
    },
  }),
};

/**
 * Malformed 400 responses to the same invalid body that differ with Accept: one function, such as a framework's
 * own handler, negotiates the form of all of them.
 */
const acrossAccepts: SameFault = {
  key: (cluster, clusters) => {
    const { subject, conditions } = cluster.explanation;
    const isOfAccept = conditions.every(({ part }) => part === 'Accept');
    if (subject === undefined || !isOfAccept || !isWrong400(cluster.symptom)) return undefined;
    const unconditional = [cluster, ...clusters].find(
      ({ symptom, explanation }) =>
        isWrong400(symptom) &&
        explanation.conditions.length === 0 &&
        explanation.subject !== undefined &&
        fullText(explanation.subject) === fullText(subject),
    );
    return unconditional && `${keyOf(unconditional.symptom)} ${fullText(subject)}`;
  },
  join: (first, all) => all.find(({ explanation }) => explanation.conditions.length === 0) ?? first,
};

function hasTypeOfAccept({ request, response }: Exchange): boolean {
  const accepted = headerValues(request.headers, 'accept').join();
  return response !== undefined && mediaTypes(response).some((type) => accepted.toLowerCase().includes(type));
}

/** Clusters that state the same about two properties: the same code usually checks both. */
const acrossProperties: SameFault = {
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
const acrossTypes: SameFault = {
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

/**
 * Clusters that differ only in the body or credential that they are about. Either they have the same
 * condition, and one branch of the code lacks a check for all of them, or they are about a 400, and one
 * function writes all of them. If the condition is about values, missing checks of two properties are two
 * faults.
 */
const acrossSubjects: SameFault = {
  key: (cluster) => {
    const { kind, subject, conditions } = cluster.explanation;
    const isOfAnswer = isWrong400(cluster.symptom);
    const isOfOnePlace = conditions.length > 0 || isOfAnswer;
    const isOfValues = !isOfAnswer && conditions.some(({ clause }) => clause !== undefined);
    const property = isOfValues ? subject?.property : undefined;
    return subject === undefined || !isOfOnePlace || hasVague(cluster)
      ? undefined
      : JSON.stringify([keyOf(cluster.symptom), kind, textOfAll(conditions), property]);
  },
  join: (first, all) => {
    const subjects = all.flatMap(({ explanation }) => explanation.subject ?? []);
    const any = subjects.find(({ topics = [] }) => topics.includes('any credential'));
    return withExplanation(first, { subject: any ?? alternatives(subjects) });
  },
};

const isReproducible = ({ explanation: { kind } }: Cluster): boolean => kind === 'always';

/** Malformed 400 responses of one kind: one function writes all of them, whatever requests come before. */
const acrossRejections: SameFault = {
  key: (cluster, clusters) => {
    const key = keyOf(cluster.symptom);
    const isSome = clusters.some((one) => keyOf(one.symptom) === key && isReproducible(one));
    return isWrong400(cluster.symptom) && isSome ? key : undefined;
  },
  join: (first, all) => leastBy(all.filter(isReproducible), ({ members }) => -members.length) ?? first,
};

/** Strings that make the response malformed: one function escapes all of them wrongly. */
const acrossEscaping: SameFault = {
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
const acrossCharacters: SameFault = {
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
const acrossSizes: SameFault = {
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

/** Whether only examples of a condition are known. With a subject, this must be true of every condition. */
const hasVague = ({ explanation: { subject, conditions } }: Cluster): boolean =>
  areVague(conditions) && (subject === undefined || conditions.every(({ isVague }) => isVague === true));

/** One cluster for each symptom and condition. A specific condition is kept rather than a vague one. */
const withoutRepetition: SameFault = {
  key: (cluster, clusters) => {
    const isRequired = levelOf(cluster) === 'MUST';
    const clear = clusters.find(
      (one) =>
        keyOf(one.symptom) === keyOf(cluster.symptom) &&
        !hasVague(one) &&
        !(isRequired && levelOf(one) === 'SHOULD'),
    );
    const { symptom, explanation } = hasVague(cluster) ? (clear ?? cluster) : cluster;
    if (hasVague(cluster) && clear === undefined) return keyOf(symptom);
    const { subject, conditions } = explanation;
    return sentenceOf(symptom, subject && withoutExceptions(subject), conditions.map(withoutExceptions))
      .title;
  },
  join: (first, all) => {
    const clear = all.filter((one) => !hasVague(one));
    // The shortest wins: a longer one may have exceptions that mean nothing.
    return leastBy(clear, ({ explanation }) => textOfAll(explanation.conditions).length) ?? first;
  },
};

/**
 * One cluster for everything that goes wrong on one code path: an unusual branch tends to miss more than one
 * thing. Faults that depend on values may well be different ones.
 */
export const byCodePath: SameFault = {
  key: (cluster) => {
    const { kind, conditions } = cluster.explanation;
    const isCodePath = kind === 'under-concurrency' || conditions.some(({ phrase }) => phrase !== undefined);
    if (!isCodePath || hasVague(cluster)) return undefined;
    // Requests that interfere with one another are one fault, whichever of them fails.
    const interferes = conditions.some(({ isOfOthers }) => isOfOthers === true);
    if (interferes || (kind === 'under-concurrency' && cluster.symptom.kind === 'echo')) return 'mixed up';
    const isAboutPieces = conditions.length > 0 && conditions.every(({ part = '' }) => PIECES.includes(part));
    return JSON.stringify([kind, isAboutPieces ? PIECES : textOfAll(conditions)]);
  },
  join: (first, all) => {
    const [gravest = first, ...others] = inFixOrder(all);
    const also = others.flatMap(({ symptom: { kind, words, status } }) => {
      if (kind === 'should-reject' && gravest.symptom.kind === 'accepts') return [];
      if (kind === 'accepts') return `${words} invalid requests`;
      return kind === 'rejects' ? rejectsValid(status) : words;
    });
    return { ...gravest, also: [...new Set(also)].filter((words) => words !== gravest.symptom.words) };
  },
};

/** Two estimates of how often any request fails: it is the same fault, measured at two times. */
const acrossRates: SameFault = {
  key: ({ symptom, explanation: { kind, conditions } }) =>
    kind === 'intermittent' &&
    conditions.length > 0 &&
    conditions.every((one) => isRate(one) && one.isOfAnything === true)
      ? keyOf(symptom)
      : undefined,
  join: (first) => first,
};

/** The merge rules, in the order in which they are applied. */
export const SAME_FAULTS: readonly SameFault[] = [
  acrossRates,
  acrossTypes,
  acrossProperties,
  acrossConversions,
  acrossExamples,
  acrossEscaping,
  acrossCharacters,
  acrossSizes,
  acrossPlaces,
  acrossSubjects,
  acrossRejections,
  acrossHeaders,
  acrossPieces,
  acrossSpellings,
  acrossMediaTypes,
  acrossAccepts,
  withoutRepetition,
];
