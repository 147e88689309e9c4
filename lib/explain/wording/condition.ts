import { joined } from '../../text.ts';

/** A condition under which a fault shows, or what is wrong with a request: how a title words it, and what is known of it. */
export interface Condition {
  /** After `when`: `name contains an apostrophe`. */
  readonly clause?: string;
  /** After `requests`: `with a query`. */
  readonly phrase?: string;
  /** After `accepts`, for what has to be rejected: `null as id`. */
  readonly noun?: string;
  /** Header name, if the phrase states only its presence. */
  readonly header?: string;
  /** At the end: `to about one request in 25`. */
  readonly note?: string;
  /** The part of the request that it is about, if that is known. */
  readonly part?: string;
  /** The property of the plant that it names. */
  readonly property?: string;
  readonly topics?: readonly Topic[];
  /** Only examples of requests that meet the condition are known. */
  readonly isVague?: true;
  /** The clause lists some of the matching values, not all. */
  readonly isPartial?: true;
  /** The value that meets it is the same in each request, so that the store knows it from earlier ones. */
  readonly isRepeated?: true;
  /** Requests that meet it are larger than others, which may be what matters. */
  readonly isLarger?: true;
  /** It is about requests in flight with which a store does something else. */
  readonly isOfOthers?: true;
  /** Another request with the same id is in flight. */
  readonly isOfSameId?: true;
  /** Bodies with more bytes than this meet it. */
  readonly bytesAbove?: number;
  /** What the clause states, unless it was reworded to state more or less. */
  readonly statement?: Statement;
}

/** What a clause states about a property, as far as it matters to how several are joined. */
export type Statement = { readonly property: string } & (
  | { readonly is: 'there' }
  /** What it states implies that the property is there. */
  | { readonly is: 'described' }
  | { readonly is: 'longer than'; readonly characters: number }
);

export const areVague = (conditions: readonly Condition[]): boolean =>
  conditions.some(({ isVague }) => isVague === true);

/** Everything that a title may say of a condition. */
export const fullText = ({ clause = '', phrase = '', noun = '', note = '' }: Condition): string =>
  [clause, phrase, noun, note].join(' ');

/** `a name`, `an id`. */
export const withArticle = (noun: string): string => `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;

/** What a condition, or what is wrong with a request, is about: advice depends on it. */
export type Topic =
  // Requests as a whole.
  | 'credential'
  | 'scheme'
  | 'any credential'
  | 'media type'
  | 'Accept'
  | 'Expect'
  | 'pieces'
  | 'size'
  | 'depth'
  | 'first request'
  | 'known value'
  // What JSON text looks like.
  | 'spelling'
  | 'undeclared property'
  | 'not JSON'
  | 'more JSON'
  | 'not UTF-8'
  // What is wrong with a plant.
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
  escapes: 'spelling',
};

/** Everything that a condition is about. */
export const topicsOf = ({ topics = [], part = '', property }: Condition): readonly Topic[] => [
  ...topics,
  ...(TOPICS_OF_PARTS[part] === undefined ? [] : [TOPICS_OF_PARTS[part]]),
  ...(property === undefined ? [] : (['value'] as const)),
];

const FORMS = ['clause', 'phrase', 'noun'] as const;
type Form = (typeof FORMS)[number];

const inEachForm = (
  { statement: _, ...condition }: Condition,
  change: (text: string, form: Form) => string,
): Condition => ({
  ...condition,
  ...Object.fromEntries(
    FORMS.flatMap((form) => {
      const text = condition[form];
      return text === undefined ? [] : [[form, change(text, form)]];
    }),
  ),
});

/** Words for some values of a class, with their number, if nothing narrower describes them. */
export const mostly = (condition: Condition, shown: number, tried: number): Condition =>
  inEachForm(condition, (text, form) => {
    const many =
      form === 'noun'
        ? text.replace(/^any body that is/, 'many bodies that are').replace(/^any /, 'many kinds of ')
        : text;
    return `${many} (${shown} of ${tried} tried)`;
  });

/** Words for a class without some of its values. */
export const except = (condition: Condition, exceptions: readonly Condition[]): Condition =>
  inEachForm(condition, (text, form) => {
    const list = joined(
      exceptions.flatMap((one) => one[form] ?? []),
      'or',
    );
    if (form === 'clause') return `${text} (but not when ${list})`;
    if (form === 'phrase') return `${text} (but not ${list})`;
    // `any type as id except an array`, not `... except an array as id`
    const end = / as \S+$/.exec(text)?.[0] ?? '';
    const others = list.replaceAll(end, '').replaceAll(/\bany body\b/g, 'one');
    return `${text} except ${others}`;
  });

export const mapWords = (text: string, change: (word: string) => string): string =>
  text.split(' ').map(change).join(' ');

/** Rewrites a statement about one property for other properties. */
export const ofOthers = (condition: Condition, property: string, others: string): Condition =>
  inEachForm(condition, (text) =>
    // An exception is about the same property.
    mapWords(text.replaceAll(`when ${property} `, 'when it '), (word) => (word === property ? others : word)),
  );

/** Names joined into one. */
export const MAX_NAMES = 5;

/** Words for several values of which any will do. */
export function alternatives(all: readonly Condition[]): Condition {
  const [only, ...others] = all;
  if (only === undefined || others.length === 0) return only ?? {};
  const topics = [...new Set(all.flatMap((condition) => condition.topics ?? []))];
  const joined = inEachForm({ ...(Object.assign({}, ...all) as Condition), topics }, (_, form) =>
    either(formsOf(all, form)),
  );
  return formsOf(all, 'clause').length > MAX_NAMES ? { ...joined, isPartial: true } : joined;
}

const SIDE = /\b(?:below|above)\b/;

/** Joins the two sides of a range, and drops clauses that another clause already lists. */
function formsOf(all: readonly Condition[], form: Form): readonly string[] {
  const own = all.flatMap((condition) => condition[form] ?? []);
  const isBothSides = (text: string) =>
    own.includes(text.replace(SIDE, 'below')) && own.includes(text.replace(SIDE, 'above'));
  const texts = [...new Set(own.map((text) => (isBothSides(text) ? text.replace(SIDE, 'outside') : text)))];
  return texts.filter((text) => !texts.some((one) => one !== text && one.split(/, | or /).includes(text)));
}

function either(texts: readonly string[]): string {
  const start =
    common(texts, /^(?:the )?\S+(?: or \S+)? (?:is |has |contains |ends with )/) ||
    common(texts, /^\S+(?: or \S+)? (?=is |has |contains |ends with )/);
  const end = common(texts, / as \S+$/);
  const short = texts
    .map((text) => text.slice(start.length, text.length - end.length))
    .map((text, index, all) =>
      all[index - 1]?.startsWith(CONTENT_TYPE) === true ? text.replace(CONTENT_TYPE, '') : text,
    );
  const more = short.length - MAX_NAMES;
  const others = more === 1 ? 'one other value' : `${more} other values`;
  return `${start}${joined(more > 0 ? [...short.slice(0, MAX_NAMES), others] : short, 'or')}${end}`;
}

/** Said once of several in a row. */
const CONTENT_TYPE = 'with Content-Type ';

/** What all texts have in common at one end, such as ` as id`. */
function common(texts: readonly string[], pattern: RegExp): string {
  const [found = ''] = pattern.exec(texts[0] ?? '') ?? [];
  return texts.every((text) => pattern.exec(text)?.[0] === found) ? found : '';
}
