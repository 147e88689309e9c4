import { requireAcceptance } from '../../judge/rules.ts';
import { membersOf } from '../../members.ts';
import { templateOf } from '../../payloads/model/model-request.ts';
import { ID } from '../../payloads/plants.ts';
import type { ExpectedOutcome } from '../../payloads/test-case.ts';
import type { Check } from '../../run/check.ts';
import type { Cause, ShownIn } from '../../run/result/cause.ts';
import { capitalised, joined } from '../../text.ts';
import { bodyText } from '../../utf8.ts';
import type { Experiments } from '../experiment/experiments.ts';
import { type CheckFailure, type Cluster, levelOf } from '../explanation/cluster.ts';
import { type Condition, modulusIn, propertiesIn } from '../explanation/condition.ts';
import type { Explanation } from '../explanation/explanation.ts';
import { BODY } from '../explanation/request-parts.ts';
import { aspectOf, rejectsValid, type Symptom, type SymptomKind } from '../symptom/symptom.ts';
import { adviceFor } from './advice.ts';

export function causeOf(cluster: Cluster, catalogue: readonly Check[], experiments: Experiments): Cause {
  const { symptom, ofSeveral = symptom, explanation, members, also = [] } = cluster;
  const { title, condition } = sentenceOf(ofSeveral, explanation.subject, explanation.conditions);
  const ids = new Set(members.map(({ check }) => check.id));
  const checks = catalogue.filter(({ id }) => ids.has(id)).toSorted((a, b) => a.level.localeCompare(b.level));
  const example = exampleOf(explanation);
  const expected = experiments.expectedOutcomeOfSent(example);
  return {
    title: [title, ...also].join('; also '),
    level: levelOf(cluster),
    symptom: symptom.words,
    condition,
    kind: explanation.kind,
    confirmed: { inside: explanation.inside, outside: explanation.outside },
    until: explanation.until,
    notExamined: explanation.notExamined,
    checks: checks.map(({ id }) => id),
    expected: expectedOf(symptom, expected, example, members),
    advice: adviceFor(symptom, explanation, members, expected),
    example,
    matters: mattersIn(explanation),
    keepsId: explanation.parts.some(({ name }) => name === ID),
    ladders: explanation.ladders,
    repeat: repeatOf(explanation),
    modulus: modulusIn(explanation.conditions),
    shownIn: whereShown(symptom),
  };
}

function whereShown(symptom: Symptom): ShownIn {
  if (symptom.kind === 'media-type') return 'media type';
  return ['representation', 'echo'].includes(aspectOf(symptom)) ? 'body' : 'status';
}

/** The parts of the request that matter: if a property has the defect, the property, not the whole body. */
function mattersIn({ parts, subject }: Explanation): readonly string[] {
  const properties = subject === undefined ? [] : propertiesIn(subject);
  const names = parts.flatMap(({ name }) =>
    name === BODY.name && properties.length > 0 ? properties : name,
  );
  return [...new Set(names)];
}

const RESPONSES: Readonly<Record<ExpectedOutcome, string>> = {
  accept: '200 with a Plant as application/json',
  'accept-or-reject': '200 with a Plant, or a rejection, preferably 400 with an Error',
  'reject-body': 'a rejection, preferably 400 with an Error',
  'reject-credential': 'a rejection, preferably 401',
};

/** Symptoms that say more about what is expected than the outcome does. */
const DETAILS: readonly SymptomKind[] = ['echo', 'detail', 'should-reject'];

/** Escapes characters that look like others, or are invisible. */
const inAscii = (text: string): string =>
  text.replace(/[^ -~\p{L}\p{N}]/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );

/** Says what the store should have answered instead. */
function expectedOf(
  symptom: Symptom,
  outcome: ExpectedOutcome,
  { exchange }: Cause['example'],
  members: readonly CheckFailure[],
): string {
  const { kind, status, property } = symptom;
  const [first] = members;
  if (kind === 'echo' && property !== undefined) {
    const sent = membersOf(bodyText(exchange.request.body))[property];
    return sent === undefined
      ? `no ${property}`
      : `${property} exactly as it was sent: ${inAscii(JSON.stringify(sent))}`;
  }
  if (first !== undefined && DETAILS.includes(kind)) return first.failure.finding.expected;
  if (status === 400 && aspectOf(symptom) === 'representation')
    return 'an Error as application/json whenever the status is 400';
  return RESPONSES[outcome === 'accept' && !mustAccept(symptom, members) ? 'accept-or-reject' : outcome];
}

/** Whether a check requires that the request be accepted: a store may reject unconstrained plants. */
function mustAccept({ kind }: Symptom, members: readonly CheckFailure[]): boolean {
  const byRules = members.flatMap(({ check }) =>
    'rules' in check.test ? [{ ...check, ...check.test }] : [],
  );
  const isRequired = byRules.some(({ level, rules }) => level === 'MUST' && requireAcceptance(rules));
  return kind === 'rejects' || byRules.length === 0 || isRequired;
}

function exampleOf({ request, template = templateOf(request), exchange, before = [] }: Explanation) {
  const { preceding } = template;
  const sentBefore = exchange.preceding;
  if (preceding === undefined || sentBefore === undefined) return { template, exchange, before };
  return { template, exchange, before: [...before, { ...preceding, exchange: sentBefore }] };
}

/** Composes a title from a symptom, what was wrong with a rejected request, and when the symptom shows. */
export function sentenceOf(
  symptom: Symptom,
  subject: Condition | undefined,
  conditions: readonly Condition[],
): Pick<Cause, 'title' | 'condition'> {
  const clear = conditions.filter(({ isVague }) => isVague !== true);
  const decisive = clear.filter(({ isMost }) => isMost !== true);
  const isEnough = decisive.length > 0 || (subject !== undefined && clear.length > 0);
  const known = isEnough ? decisive : clear.length > 0 ? clear : conditions;
  const phrases = phrasesOf(known);
  const notes = conditions.flatMap(({ note }) => note ?? []);
  const clauses = clausesOf(known, subject);
  const accepts = symptom.kind === 'accepts';
  const noun = subject?.noun ?? subject?.clause ?? 'invalid requests';
  const whom = requests(symptom, noun, phrases);
  const about = phrases.length === 0 ? '' : `${whom} ${joinedPhrases(phrases)}`;
  const counted = accepts ? notes.flatMap((note) => withOrdinal(noun, note) ?? [])[0] : undefined;
  const what = accepts ? ` ${counted ?? noun}` : '';
  const allClauses = [...(accepts || subject?.clause === undefined ? [] : [subject.clause]), ...clauses];
  const when = allClauses.length === 0 ? '' : ` when ${joinedClauses(allClauses)}`;
  const isBare = about === '' && when === '';
  const names = notes.some((note) => note.startsWith('to '));
  const shown = counted === undefined ? notes : [];
  // `to about one request in 5 when name is missing`
  const [rates, others] =
    about === '' ? [shown.filter(saysRate), shown.filter((note) => !saysRate(note))] : [[], shown];
  const [rate, end] = [rates, others].map((some) => some.map((note) => ` ${note}`).join(''));
  const missing = accepts && counted === undefined ? missingCheckOf(noun, isBare) : undefined;
  const does =
    missing === undefined
      ? `${verb(symptom, isBare, names)}${what}${rate}${about}`
      : `does not ${missing.verb}${rate}${phrases.length === 0 ? '' : ` ${missing.preposition} requests ${joinedPhrases(phrases)}`}`;
  const isAboutBody = does.endsWith(' the body');
  const whole = `${does}${isAboutBody ? when.replace(/^ when the body /, ' when it ') : when}${end}`;
  const condition = `${subject === undefined ? '' : (subject.clause ?? subject.noun ?? '')} ${[...phrases, ...clauses, ...notes].join(' and ')}`;
  return { title: capitalised(whole), condition: condition.trim() === '' ? null : condition.trim() };
}

/** Words for a check that is missing, if everything that it would reject is accepted. */
function missingCheckOf(
  noun: string,
  isBare: boolean,
): { readonly verb: string; readonly preposition: 'of' | 'in' } | undefined {
  if (noun === 'any body that is not a NewPlant') return { verb: 'validate the body', preposition: 'of' };
  if (noun === 'a value of any type for every property')
    return { verb: 'check the types of properties', preposition: 'in' };
  const [, property] = /^a value of any type as (\S+)$/.exec(noun) ?? [];
  if (property !== undefined) return { verb: `check the type of ${property}`, preposition: 'in' };
  return noun === 'requests without a valid token' && !isBare
    ? { verb: 'check the token', preposition: 'of' }
    : undefined;
}

/** Whether a note says how many requests fail. */
const saysRate = (note: string): boolean => /^(?:in |to |in answers to )?(?:about one |every )/.test(note);

const hasVerb = (phrase: string): boolean => /^(?:that|whose|(?:in )?which) /.test(phrase);

const WITH_ONE_THING = /^with (?!.* (?:and|or|in which) |.*,)/;

/** Joins phrases; those with a verb come last, lest they seem to be about a noun in another phrase. */
function joinedPhrases(phrases: readonly string[]): string {
  const inOrder = [...phrases.filter((one) => !hasVerb(one)), ...phrases.filter(hasVerb)];
  const short = inOrder.map((phrase, index) =>
    WITH_ONE_THING.test(phrase) && WITH_ONE_THING.test(inOrder[index - 1] ?? '')
      ? phrase.replace(/^with /, '')
      : phrase,
  );
  return joined(short, 'and');
}

/** Joins what is accepted with how often: `every 20th request without a valid token`. */
function withOrdinal(noun: string, note: string): string | undefined {
  const [, every] = /^in (every (?:other|\d+\w+)) request$/.exec(note) ?? [];
  const [, one, rest] = /^(?:any (\w+)|requests) (.*)$/.exec(noun) ?? [];
  return every === undefined || rest === undefined ? undefined : `${every} ${one ?? 'request'} ${rest}`;
}

const SUBJECT = /^(?:the body|\w+) (?=(?:is|has|contains) )/;

/** Puts clauses with an exception in brackets last, and does not repeat the subject of the clause before. */
function joinedClauses(clauses: readonly string[]): string {
  const inOrder = clauses.toSorted((a, b) => Number(a.endsWith(')')) - Number(b.endsWith(')')));
  const subjects = inOrder.map((clause) => SUBJECT.exec(clause)?.[0] ?? '');
  return inOrder
    .map((clause, index) => {
      const subject = subjects[index] ?? '';
      return subjects[index - 1] === subject ? clause.slice(subject.length) : clause;
    })
    .join(' and ');
}

/** Number of repetitions if two requests must coincide in the store, which those of a shell seldom do. */
const TIMES_BESIDE = 16;

const repeatOf = ({ repeat, template, request }: Explanation): Explanation['repeat'] =>
  repeat.times === 1 && (template ?? request.template).preceding?.connection === 'concurrent'
    ? { times: TIMES_BESIDE, inFlight: 1 }
    : repeat;

const MAX_NAMED_HEADERS = 3;

/** The phrases without duplicates. Headers of which only the presence matters share one phrase. */
function phrasesOf(known: readonly Condition[]): readonly string[] {
  const headers = [...new Set(known.flatMap(({ header }) => header ?? []))];
  const phraseFor = (one: Condition) =>
    headers.length > 1 && one.header !== undefined ? undefined : one.phrase;
  const phrases = [...new Set(known.flatMap((one) => phraseFor(one) ?? []))];
  if (headers.length < 2) return phrases;
  const all = `with the headers ${joined(headers, 'and')}`;
  const some = `with ${headers.length} more headers, such as ${joined(headers.slice(0, MAX_NAMED_HEADERS), 'and')}`;
  return [...phrases, headers.length > MAX_NAMED_HEADERS ? some : all];
}

/** The clauses without duplicates. Omits `there is a tag` if another clause describes the tag. */
function clausesOf(known: readonly Condition[], subject: Condition = {}): readonly string[] {
  const stating = known.filter(({ phrase }) => phrase === undefined);
  const described = [subject, ...stating].flatMap(({ clause, property, statement }) =>
    clause === undefined || statement?.is === 'there' ? [] : (property ?? statement?.property ?? []),
  );
  const clauses = stating.flatMap(({ clause, statement }) =>
    statement?.is === 'there' && described.includes(statement.property) ? [] : (clause ?? []),
  );
  return [...new Set(clauses)].filter((clause) => clause !== subject.clause);
}

const verb = ({ kind, words, status }: Symptom, isBare: boolean, names: boolean): string => {
  if (kind === 'rejects') return names ? `answers ${status}` : rejectsValid(status);
  return kind === 'should-reject' && !isBare ? 'accepts requests' : words;
};

/** The words between the symptom and the phrases. */
const requests = (
  { kind, status, property, words }: Symptom,
  noun: string,
  phrases: readonly string[],
): string => {
  const isAboutOthers = phrases.every((phrase) => /^(?:after|at the same time as) /.test(phrase));
  if (kind === 'accepts') {
    // `requests without a token but with a query`
    const first = phrases.find((phrase) => !hasVerb(phrase));
    const isContrast = /^requests without/.test(noun) && first?.startsWith('with ') === true;
    if (isContrast) return ' but';
    return isAboutOthers || /^(?:invalid )?requests/.test(noun) ? '' : ' in requests';
  }
  if (kind === 'rejects') return '';
  const isOfAnswer = status === 200 && property !== undefined && !words.endsWith('response');
  if (isOfAnswer) return ' in answers to requests';
  if (kind === 'no-answer') return ' requests';
  if (kind === 'stops-answering') return ' after requests';
  return kind === 'should-reject' ? '' : ' to requests';
};
