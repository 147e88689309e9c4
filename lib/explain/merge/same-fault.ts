import { leastBy } from '../../collections.ts';
import { inFixOrder, levelOf, withExplanation } from '../explanation/cluster.ts';
import {
  alternatives,
  type Condition,
  fullText,
  IN_SOME_CASES,
  withoutExceptions,
} from '../explanation/condition.ts';
import { PIECES } from '../explanation/request-parts.ts';
import { keyOf, rejectsValid } from '../symptom/symptom.ts';
import { isWrong400 } from '../symptom/target-symptom.ts';
import { sentenceOf } from '../wording/cause-of.ts';
import { hasVague, isRate, isReproducible, textOfAll } from './cluster-facts.ts';
import type { SameFault } from './merge-rule.ts';
import {
  acrossAccepts,
  acrossHeaders,
  acrossMediaTypes,
  acrossPieces,
  acrossSpellings,
} from './same-request-part.ts';
import {
  acrossCharacters,
  acrossConversions,
  acrossEscaping,
  acrossExamples,
  acrossPlaces,
  acrossProperties,
  acrossSizes,
  acrossTypes,
} from './same-values.ts';

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
    const isKnown = (one: Condition) => one !== IN_SOME_CASES && fullText(one).trim() !== '';
    const isOfOnePlace = conditions.some(isKnown) || isOfAnswer;
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

/** Malformed 400 responses of one kind: one function writes all of them, whatever requests come before. */
const acrossRejections: SameFault = {
  key: (cluster, clusters) => {
    const key = keyOf(cluster.symptom);
    const isSome = clusters.some((one) => keyOf(one.symptom) === key && isReproducible(one));
    return isWrong400(cluster.symptom) && isSome ? key : undefined;
  },
  join: (first, all) => leastBy(all.filter(isReproducible), ({ members }) => -members.length) ?? first,
};

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
    const interferes = conditions.some(({ needsOthersInFlight }) => needsOthersInFlight === true);
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
    conditions.every((one) => isRate(one) && one.isAboutAnyContent === true)
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
