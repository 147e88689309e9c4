import { mediaTypes } from '../../judge/reading.ts';
import { joined } from '../../text.ts';
import type { Exchange } from '../../wire/exchange.ts';
import { headerValues } from '../../wire/headers.ts';
import { type Cluster, withExplanation } from '../explanation/cluster.ts';
import { alternatives, type Condition, fullText, headerWithArticle } from '../explanation/condition.ts';
import { PIECES } from '../explanation/request-parts.ts';
import { keyOf } from '../symptom/symptom.ts';
import { isWrong400 } from '../symptom/target-symptom.ts';
import { textOfAll } from './cluster-facts.ts';
import type { SameFault } from './merge-rule.ts';

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
export const acrossPieces = acrossParts(PIECES, (either, all) => {
  const areSeveral = (part: string, words: RegExp) =>
    all.some((one) => one.part === part && words.test(one.phrase ?? ''));
  return areSeveral('segments', /several segments/) &&
    areSeveral('framing', /several chunks|not in one chunk/)
    ? { ...either, phrase: 'whose body arrives in several pieces (chunks or segments)' }
    : either;
});

/** Failures that differ only in the header that they need: the same code looks at several headers. */
export const acrossHeaders: SameFault = {
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
      one.header === undefined
        ? one
        : { ...one, phrase: `with ${headerWithArticle(joined(headers, 'or'))} header` },
    );
    return withExplanation(first, { conditions });
  },
};

/** Failures with various spellings of the same JSON text: the store does not use a JSON parser. */
export const acrossSpellings = acrossParts(['white space', 'escapes']);

/** The store copies the media type of the response from the Accept header. */
export const acrossMediaTypes: SameFault = {
  key: ({ symptom: { kind, status }, explanation: { conditions, exchange } }) => {
    const isAboutAccept = conditions.length > 0 && conditions.every(({ part }) => part === 'Accept');
    return kind === 'media-type' && isAboutAccept && hasTypeOfAccept(exchange) ? String(status) : undefined;
  },
  join: (first) => ({
    ...withExplanation(first, {
      conditions: [{ phrase: 'with another media type in Accept', part: 'Accept' }],
    }),
    ofSeveral: {
      ...first.symptom,
      words: `answers ${first.symptom.status} with a Content-Type from Accept`,
    },
  }),
};

function hasTypeOfAccept({ request, response }: Exchange): boolean {
  const accepted = headerValues(request.headers, 'accept').join();
  return response !== undefined && mediaTypes(response).some((type) => accepted.toLowerCase().includes(type));
}

/**
 * Malformed 400 responses to the same invalid body that differ with Accept: one function, such as a framework's
 * own handler, negotiates the form of all of them.
 */
export const acrossAccepts: SameFault = {
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
