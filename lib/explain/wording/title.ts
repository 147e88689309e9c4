import type { Words } from '../condition/candidates.ts';
import { NO_ANSWER, type Symptom } from '../symptom/symptom.ts';
import { isVague } from './words.ts';

/** How what was found is said in one sentence. */
export interface Sentence {
  readonly title: string;
  /** The condition without the symptom; null if there is none. */
  readonly condition: string | null;
}

const capitalised = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/**
 * A title from a symptom and the conditions under which it shows.
 * @param subject what was wrong with the request, if it had to be rejected
 */
export function sentenceOf(
  symptom: Symptom,
  subject: Words | undefined,
  conditions: readonly Words[],
): Sentence {
  const clear = conditions.filter((one) => !isVague(one));
  const known = clear.length > 0 ? clear : conditions;
  const phrases = [...new Set(known.flatMap(({ phrase }) => phrase ?? []))];
  const notes = conditions.flatMap(({ note }) => note ?? []);
  const clauses = withoutImplied(
    known.flatMap(({ clause, phrase }) => (phrase === undefined ? (clause ?? []) : [])),
    subject?.clause,
  );
  const accepts = symptom.aspect === 'success';
  const whom = !accepts ? requests(symptom) : subject?.noun?.startsWith('requests') ? '' : ' in requests';
  const about = phrases.length === 0 ? '' : `${whom} ${phrases.join(', ')}`;
  const what = accepts ? ` ${subject?.noun ?? subject?.clause ?? 'what it has to reject'}` : '';
  const all = [...(accepts || subject?.clause === undefined ? [] : [subject.clause]), ...clauses];
  const when = all.length === 0 ? '' : ` when ${all.join(' and ')}`;
  const whole = `${verb(symptom)}${what}${about}${when}${notes.map((note) => ` ${note}`).join('')}`;
  const condition = `${subject === undefined ? '' : (subject.clause ?? subject.noun ?? '')} ${[...phrases, ...clauses, ...notes].join(' and ')}`;
  return { title: capitalised(whole), condition: condition.trim() === '' ? null : condition.trim() };
}

/** What is said of a property implies that it is there. */
function withoutImplied(clauses: readonly string[], subject = ''): readonly string[] {
  const all = [subject, ...clauses];
  return [...new Set(clauses)].filter((clause) => {
    const [, property] = /^there is an? (\w+)$/.exec(clause) ?? [];
    return property === undefined || !all.some((one) => one.startsWith(`${property} `));
  });
}

const verb = ({ words, isRejection }: Symptom): string =>
  isRejection === true ? words.replace(/^rejects/, 'rejects a valid plant') : words;

const requests = ({ words, isRejection }: Symptom): string => {
  if (isRejection === true) return ' in requests';
  if (/^(?:returns|leaves)/.test(words)) return ' in answers to requests';
  if (words === NO_ANSWER) return ' requests';
  return words.startsWith('accepts requests') ? ':' : ' to requests';
};
