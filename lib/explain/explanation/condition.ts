import { compact } from '../../collections.ts';
import { joined } from '../../text.ts';

/** When a fault shows, or what is wrong with a request: the wording, and what is known about it. */
export interface Condition {
  /** Follows `when`: `name contains an apostrophe`. */
  readonly clause?: string;
  /** Follows `requests`: `with a query`. */
  readonly phrase?: string;
  /** Follows `accepts`, for something that must be rejected: `null as id`. */
  readonly noun?: string;
  /** The name of the header, if the phrase states only its presence. */
  readonly header?: string;
  /** Ends the title: `to about one request in 25`. */
  readonly note?: string;
  /** What a text contains, if the clause states nothing else: `an apostrophe`. */
  readonly contained?: string;
  /** The part of the request that the condition is about, if known. */
  readonly part?: string;
  /** The property of the plant that the condition is about. */
  readonly property?: string;
  /** Further properties that the words name. */
  readonly otherProperties?: readonly string[];
  readonly topics?: readonly Topic[];
  /** The value is the only one that is known to meet the condition. */
  readonly isExample?: true;
  /** Only examples of requests that meet the condition are known. */
  readonly isVague?: true;
  /** The clause lists only some of the values that meet the condition. */
  readonly isPartial?: true;
  /** Most values that were tried meet the condition, so it hardly matters. */
  readonly isMost?: true;
  /** The value that meets the condition is the same in each request, so the store has seen it before. */
  readonly isRepeated?: true;
  /** Requests that meet the condition are larger than others, and that may be what matters. */
  readonly isLarger?: true;
  /** Requests that meet the condition are smaller than others, whatever their properties. */
  readonly isSmaller?: true;
  /** The condition is about concurrent requests that the store handles in a different way. */
  readonly needsOthersInFlight?: true;
  /** The condition requires a concurrent request with the same id. */
  readonly needsSameIdInFlight?: true;
  /** The note is about requests of any content. */
  readonly isAboutAnyContent?: true;
  /** The store counts such requests, whatever else is in them, and fails after a number of them. */
  readonly counted?: 'rejections on a connection' | 'requests without a valid token';
  /** A divisor: ids that leave the same remainder also meet the condition. */
  readonly modulus?: number;
  /** Bodies with more bytes than this meet the condition. */
  readonly bytesAbove?: number;
  /** Bodies that are nested more deeply than this meet the condition. */
  readonly levelsAbove?: number;
  /** Whether properties in this order meet the condition, if it is about their order. */
  readonly hasOrder?: (names: readonly string[]) => boolean;
  /** Above which total length of these properties the symptom shows. */
  readonly together?: { readonly properties: readonly string[]; readonly characters: number };
  /** What the clause states in machine-readable form; absent if the clause has been reworded since. */
  readonly statement?: Statement;
  /** The condition without its exceptions. */
  readonly unqualified?: Condition;
}

/** What a clause states about a property, as far as it matters for joining clauses. */
type Statement = { readonly property: string } & (
  | { readonly is: 'there' | 'absent' }
  /** The clause implies that the property is present. */
  | { readonly is: 'described' }
  | { readonly is: 'longer than'; readonly characters: number; readonly upTo?: number }
  | { readonly is: 'of another length' }
);

export const modulusIn = (conditions: readonly Condition[]): number | undefined =>
  conditions.find(({ modulus }) => modulus !== undefined)?.modulus;

export const areVague = (conditions: readonly Condition[]): boolean =>
  conditions.some(({ isVague }) => isVague === true);

export const fullText = ({ clause = '', phrase = '', noun = '', note = '' }: Condition): string =>
  [clause, phrase, noun, note].join(' ');

export const propertiesIn = ({ property, statement, otherProperties = [] }: Condition): readonly string[] =>
  compact(property, statement?.property, ...otherProperties);

/** A note about how often requests show the symptom, of any content. */
export const ofAnything = (rate: string): Condition => ({
  note: `${rate}, whatever it contains`,
  isAboutAnyContent: true,
});

/** Says that the condition is unknown, though experiments were made. */
export const IN_SOME_CASES: Condition = { note: 'in some cases' };

/** The condition of a request that gets the response to an earlier one. */
export const OTHERWISE_THE_SAME = 'after a valid request that is otherwise the same';

/** A header value in a sentence: quoted if its punctuation could be taken for that of the sentence. */
export function valueWords(value: string): string {
  const isPlain = /^[\w*].*[\w*]$/.test(value) && !/["']|;.*;|, /.test(value);
  const quote = value.includes('"') ? "'" : '"';
  return isPlain ? value : `${quote}${value}${quote}`;
}

/** Puts an article before the name of a header: `a Cookie`, `an X-Forwarded-For`. */
export const headerWithArticle = (name: string): string =>
  `${/^(?:[aeio]|x-|up|http)/i.test(name) ? 'an' : 'a'} ${name}`;

/** Puts an article before a noun: `a name`, `an id`. */
export const withArticle = (noun: string): string => `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;

export const thereIs = (property: string): Condition => ({
  clause: `there is ${withArticle(property)}`,
  property,
  statement: { property, is: 'there' },
});

export const thereIsNo = (property: string): Condition => ({
  clause: `there is no ${property}`,
  property,
  statement: { property, is: 'absent' },
});

/** What the words about a text, such as `contains an apostrophe`, say that it contains. */
export function containedIn(words: string): Pick<Condition, 'contained'> {
  const [, contained] = /^contains (.*)$/.exec(words) ?? [];
  return contained === undefined ? {} : { contained };
}

/** What a condition, or a defect, is about. Determines the advice. */
export type Topic =
  // The request as a whole.
  | 'credential'
  | 'scheme'
  | 'any credential'
  | 'media type'
  | 'Accept'
  | 'Expect'
  | 'pieces'
  | 'connections'
  | 'size'
  | 'body size'
  | 'depth'
  | 'first request'
  | 'known value'
  // The JSON text.
  | 'spelling'
  | 'escapes'
  | 'undeclared property'
  | 'not JSON'
  | 'more JSON'
  | 'not UTF-8'
  // Defects of a plant.
  | 'any body'
  | 'not an object'
  | 'missing'
  | 'other name'
  | 'inherited'
  | 'null'
  | 'falsy'
  | 'wrong type'
  // Valid values of properties.
  | 'value'
  | 'large id'
  | 'quotes'
  | 'template'
  | 'beyond ASCII'
  | 'control character';

const TOPICS_OF_PARTS: Readonly<Record<string, Topic>> = {
  Authorization: 'credential',
  'Content-Type': 'media type',
  Accept: 'Accept',
  Expect: 'Expect',
  framing: 'pieces',
  segments: 'pieces',
  'property order': 'spelling',
  'white space': 'spelling',
  escapes: 'escapes',
};

export const topicsOf = ({ topics = [], part = '', property }: Condition): readonly Topic[] => [
  ...topics,
  ...(TOPICS_OF_PARTS[part] === undefined ? [] : [TOPICS_OF_PARTS[part]]),
  ...(property === undefined ? [] : (['value'] as const)),
];

const FORMS = ['clause', 'phrase', 'noun', 'contained'] as const;
type Form = (typeof FORMS)[number];

const inEachForm = (
  { statement, unqualified: _, ...condition }: Condition,
  change: (text: string, form: Form) => string,
): Condition => ({
  ...condition,
  ...(statement && { otherProperties: propertiesIn({ ...condition, statement }) }),
  ...Object.fromEntries(
    FORMS.flatMap((form) => {
      const text = condition[form];
      return text === undefined ? [] : [[form, change(text, form)]];
    }),
  ),
});

/** Words the condition for part of a class, with the number of its members, if no narrower class fits. */
export const mostly = (condition: Condition, shown: number, tried: number): Condition => ({
  ...inEachForm(condition, (text, form) => {
    const many =
      form === 'noun'
        ? text
            .replace(/^any body that is not a NewPlant/, 'many invalid bodies')
            .replace(/^any body that is/, 'many bodies that are')
            .replace(/^a value of any type/, 'values of many wrong types')
            .replace(/^any /, 'many kinds of ')
        : text;
    return `${many} (${shown} of ${tried} tried)`;
  }),
  unqualified: withoutExceptions(condition),
});

/** Returns the condition without its exceptions. */
export const withoutExceptions = (condition: Condition): Condition => condition.unqualified ?? condition;

export const except = (condition: Condition, exceptions: readonly Condition[]): Condition => {
  const otherProperties = [condition, ...exceptions].flatMap(propertiesIn);
  const reworded = inEachForm({ ...condition, otherProperties }, (text, form) => {
    const list = joined([...new Set(exceptions.flatMap((one) => one[form] ?? []))], 'or');
    const subject = condition.property ?? '';
    if (form === 'contained') return `${text}, but not ${list}`;
    if (form === 'clause')
      return `${text} (but not when ${list.startsWith(`${subject} `) ? list.replace(subject, 'it') : list})`;
    if (form === 'phrase') return `${text} (but not ${list})`;
    // For example `any type as id except an array`, not `... except an array as id`.
    const end = / as \S+$/.exec(text)?.[0] ?? '';
    const others = list
      .replaceAll(end, '')
      .replaceAll(' as the body', '')
      .replaceAll(/\bany body\b/g, 'one');
    return `${text} except ${others}`.replace(/^(any )body (.*) except one that is not JSON$/, '$1JSON $2');
  });
  return { ...reworded, unqualified: withoutExceptions(condition) };
};

/** Replaces the name of a property in a text by other names. */
export const withOthers = (text: string, property: string, others: readonly string[]): string =>
  text
    .split(' ')
    .map((word) => (word === property ? joined(others, 'or') : word))
    .join(' ');

/** Rewords a statement about one property for others. */
export const ofOthers = (condition: Condition, property: string, others: readonly string[]): Condition => ({
  ...inEachForm(condition, (text) =>
    // An exception refers to the same property.
    withOthers(text.replaceAll(`when ${property} `, 'when it '), property, others),
  ),
  otherProperties: others,
});

export const MAX_NAMES = 5;

export function alternatives(all: readonly Condition[]): Condition {
  const [only, ...others] = all;
  if (only === undefined || others.length === 0) return only ?? {};
  const topics = [...new Set(all.flatMap((condition) => condition.topics ?? []))];
  const otherProperties = [...new Set(all.flatMap(propertiesIn))];
  const { contained, isRepeated, ...merged } = Object.assign({}, ...all) as Condition;
  const areRepeated = isRepeated === true && all.every((one) => one.isRepeated === true);
  const isOfContent = contained !== undefined && all.every((one) => one.contained !== undefined);
  const whole = inEachForm(
    {
      ...merged,
      ...(isOfContent ? { contained } : {}),
      ...(areRepeated ? { isRepeated } : {}),
      topics,
      otherProperties,
    },
    (_, form) => either(formsOf(all, form), form),
  );
  return formsOf(all, 'clause').length > MAX_NAMES ? { ...whole, isPartial: true } : whole;
}

const SIDE = /\b(?:below|above)\b/;

/** Merges `below` and `above` one limit into `outside`, and drops texts that another text already lists. */
function formsOf(all: readonly Condition[], form: Form): readonly string[] {
  const given = all.flatMap((condition) => condition[form] ?? []);
  const isBothSides = (text: string) =>
    given.includes(text.replace(SIDE, 'below')) && given.includes(text.replace(SIDE, 'above'));
  const texts = [...new Set(given.map((text) => (isBothSides(text) ? text.replace(SIDE, 'outside') : text)))];
  const distinct = texts.filter(
    (text) => !texts.some((one) => one !== text && one.split(/, | or /).includes(text)),
  );
  return PAIRS.reduce(withPairJoined, distinct);
}

/** Two texts that sound odd when `or` joins them, and the words for both. */
type Pair = readonly [one: RegExp, other: RegExp, both: (one: string, other: string) => string];
const PAIRS: readonly Pair[] = [
  [/^any Authorization header$/, /^an empty Authorization header$/, (any) => `${any}, even an empty one`],
  [
    /^requests without an Authorization header$/,
    /^an empty Authorization header$/,
    () => 'a missing or empty Authorization header',
  ],
  [/^a string as/, /^a numeric string such as/, (_, numeric) => `any string, even ${numeric}`],
];

function withPairJoined(texts: readonly string[], [one, other, both]: Pair): readonly string[] {
  const [first, second] = [one, other].map((pattern) => texts.find((text) => pattern.test(text)));
  if (first === undefined || second === undefined) return texts;
  return texts.flatMap((text) => (text === first ? both(first, second) : text === second ? [] : text));
}

const SUBJECT_AND_VERB =
  /^(?:the )?\S+(?: or \S+| of an undeclared property)? (?:is |has |contains |looks like |begins with |ends with )/;
const SUBJECT =
  /^(?:\S+(?: or \S+)?|the name of an undeclared property) (?=is |has |contains |looks like |begins with |ends with )/;

/** The words that end a list, for texts that are not listed. */
const OTHERS: Readonly<Record<Form, readonly [one: string, several: string]>> = {
  clause: ['in one other case', 'in # other cases'],
  phrase: ['in one other way', 'in # other ways'],
  noun: ['one other value', '# other values'],
  contained: ['one other value', '# other values'],
};

function either(texts: readonly string[], form: Form): string {
  const start = common(texts, SUBJECT_AND_VERB) || common(texts, SUBJECT) || common(texts, /^after /);
  const named = texts.length > MAX_NAMES ? texts.slice(0, MAX_NAMES) : texts;
  const end = common(named, / as (?:the )?\S+$| on the same connection$/);
  const short = texts
    .map((text) => text.slice(start.length, text.length - end.length))
    .map((text, index, all) => withoutHeaderOf(all[index - 1], text));
  const more = short.length - MAX_NAMES;
  // What follows a common start or end is a value.
  const [one, several] = OTHERS[start === '' && end === '' ? form : 'noun'];
  const others = more === 1 ? one : several.replace('#', String(more));
  return `${start}${joined(more > 0 ? [...short.slice(0, MAX_NAMES), others] : short, 'or')}${end}`;
}

const HEADER = /^with (?:Content-Type |[\w-]+: )/;

/** Names a header only once for consecutive values, unless they look like lists. */
function withoutHeaderOf(before: string | undefined, text: string): string {
  const [name = ''] = HEADER.exec(text) ?? [];
  const isSaid = name !== '' && before?.startsWith(name) === true && !`${before}${text}`.includes(',');
  return isSaid ? text.slice(name.length) : text;
}

/** What all texts have in common at one end, such as ` as id`. */
function common(texts: readonly string[], pattern: RegExp): string {
  const [found = ''] = pattern.exec(texts[0] ?? '') ?? [];
  return texts.every((text) => pattern.exec(text)?.[0] === found) ? found : '';
}
