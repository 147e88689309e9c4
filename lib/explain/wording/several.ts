import type { Wording } from './wording.ts';

const FORMS = ['clause', 'phrase', 'noun'] as const;
type Form = (typeof FORMS)[number];

const inEachForm = (words: Wording, change: (text: string, form: Form) => string): Wording => ({
  ...words,
  ...Object.fromEntries(
    FORMS.flatMap((form) => {
      const text = words[form];
      return text === undefined ? [] : [[form, change(text, form)]];
    }),
  ),
});

/** Words for some values of a class, with their number, if nothing narrower describes them. */
export const mostly = (words: Wording, shown: number, tried: number): Wording =>
  inEachForm(words, (text, form) => {
    const many =
      form === 'noun'
        ? text.replace(/^any body that is/, 'many bodies that are').replace(/^any /, 'many kinds of ')
        : text;
    return `${many} (${shown} of ${tried} tried)`;
  });

/** Words for a class without some of its values. */
export const except = (words: Wording, exceptions: readonly Wording[]): Wording =>
  inEachForm(words, (text, form) => {
    const list = listOf(exceptions.flatMap((one) => one[form] ?? []));
    if (form === 'clause') return `${text} (but not when ${list})`;
    if (form === 'phrase') return `${text} (but not ${list})`;
    // `any type as id except an array`, not `... except an array as id`
    const end = / as \S+$/.exec(text)?.[0] ?? '';
    const others = list.replaceAll(end, '').replaceAll(/\bany body\b/g, 'one');
    return `${text} except ${others}`;
  });

export const inWords = (text: string, change: (word: string) => string): string =>
  text.split(' ').map(change).join(' ');

/** What is said of one property, said of others. */
export const ofOthers = (words: Wording, property: string, others: string): Wording =>
  inEachForm(words, (text) =>
    // An exception is about the same property.
    inWords(text.replaceAll(`when ${property} `, 'when it '), (word) => (word === property ? others : word)),
  );

export const listOf = (texts: readonly string[]): string =>
  texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`;

/** Names joined into one. */
export const MAX_NAMES = 5;

/** Words for several values of which any will do. */
export function alternatives(all: readonly Wording[]): Wording {
  const [only, ...others] = all;
  if (only === undefined || others.length === 0) return only ?? {};
  const topics = [...new Set(all.flatMap((words) => words.topics ?? []))];
  const joined = inEachForm({ ...(Object.assign({}, ...all) as Wording), topics }, (_, form) =>
    either(formsOf(all, form)),
  );
  return formsOf(all, 'clause').length > MAX_NAMES ? { ...joined, isPartial: true } : joined;
}

const formsOf = (all: readonly Wording[], form: Form): readonly string[] => [
  ...new Set(all.flatMap((words) => words[form] ?? [])),
];

function either(texts: readonly string[]): string {
  const start =
    common(texts, /^(?:the )?\S+ (?:is |has |contains )/) || common(texts, /^\S+ (?=is |has |contains )/);
  const end = common(texts, / as \S+$/);
  const short = texts.map((text) => text.slice(start.length, text.length - end.length));
  const more = short.length - MAX_NAMES;
  const others = more === 1 ? 'one other value' : `${more} other values`;
  return `${start}${listOf(more > 0 ? [...short.slice(0, MAX_NAMES), others] : short)}${end}`;
}

/** What all texts have in common at one end, such as ` as id`. */
function common(texts: readonly string[], pattern: RegExp): string {
  const [found = ''] = pattern.exec(texts[0] ?? '') ?? [];
  return texts.every((text) => pattern.exec(text)?.[0] === found) ? found : '';
}
