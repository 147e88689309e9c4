import { freshLike, withWords } from '../../payloads/fresh.ts';
import { FreshText, type Json, Raw, write } from '../../payloads/json.ts';
import type { ModelRequest } from '../../payloads/model/model-request.ts';
import { type Condition, containedIn, type Topic, thereIs, thereIsNo } from '../explanation/condition.ts';
import type { Candidate, Scale, Sweep } from './candidates.ts';
import { scaleSweep } from './sizes.ts';

/** Tries values of a string property, and its absence; if `failing` is not ASCII, its bytes may count. */
export function textSweep(property: string, isRequired: boolean, failing?: Json): Sweep {
  const sent = stringIn(failing) ?? '';
  const letter = sent.length < MIN_BYTE_LIMIT_LENGTH ? undefined : NOT_ASCII.exec(sent)?.[0];
  const classes = CLASSES.map(([clause, has]) => ({
    id: clause,
    condition: {
      clause: `${property} ${clause}`,
      ...containedIn(clause),
      property,
      topics: topicsOfClass(has),
      ...(clause === INHERITED ? ({ isRepeated: true } as const) : {}),
    },
  }));
  const marked = MARKS.map(([mark, what, oddity]): Candidate => {
    const text = withWords((word) => word(6) + mark + word(6));
    return { ...stringCandidate(property, text, what, `contains ${what}`), skipUnlessFailing: oddity };
  });
  const formed = FORMS.map((form) => {
    const text = freshLike(form);
    return stringCandidate(property, text, `like ${quoted(form)}`, `looks like ${quoted(text.of(1n))}`);
  });
  const absent: Candidate = {
    value: `no ${property}`,
    condition: thereIsNo(property),
    apply: (request) => ({ ...request, plant: request.plant.without(property) }),
    classes: ['absent'],
  };
  return {
    part: property,
    candidates: [
      ...marked,
      ...formed,
      stringCandidate(property, '', 'empty', 'is empty'),
      stringCandidate(property, '0', '"0"', 'is "0"'),
      ...(isRequired ? [] : [absent]),
    ],
    classes: [
      {
        id: 'present',
        condition: {
          ...(isRequired ? { clause: `${property} is not empty`, property } : thereIs(property)),
          isLarger: true,
        },
        most: { phrase: `with most values of ${property}`, isLarger: true, property, isMost: true },
      },
      ...classes,
    ],
    scale: {
      ...lengths(property),
      instead: letter === undefined ? undefined : wideLengths(property, letter),
    },
    closer: ([only, ...others]) => {
      const form = only === undefined ? undefined : FORMS[formed.indexOf(only)];
      return form === undefined || others.length > 0 ? undefined : pairSweep(property, form);
    },
  };
}

/** Texts with two of the characters of a form, since a filter may look for both. */
function pairSweep(property: string, form: string): Sweep {
  const marks = MARKS.filter(([mark]) => form.includes(mark));
  const pairs = marks.flatMap((one) =>
    marks.filter((other) => other !== one).map((other) => [one, other] as const),
  );
  const both = ([, one]: Mark, [, other]: Mark) => `contains ${[one, other].sort().join(' and ')}`;
  return {
    part: property,
    candidates: pairs.map(([one, other]) => {
      const says = `contains ${one[1]} and, after it, ${other[1]}`;
      const candidate = stringCandidate(property, freshLike(`word${one[0]}word${other[0]}word`), says, says);
      return { ...candidate, classes: [both(one, other)] };
    }),
    classes: [...new Set(pairs.map(([one, other]) => both(one, other)))].map((clause) => ({
      id: clause,
      condition: { clause: `${property} ${clause}`, ...containedIn(clause), property },
    })),
  };
}

/** A candidate that sets the property to a text; `says` completes its clause. */
export function stringCandidate(
  property: string,
  text: string | FreshText,
  value: string,
  says: string,
): Candidate {
  const sample = typeof text === 'string' ? text : text.of(1n);
  const isRepeated = typeof text === 'string' || text.of(1n) === text.of(2n);
  return {
    value,
    condition: {
      ...(isRepeated ? { isRepeated } : {}),
      property,
      topics: topicsOfText(sample),
      clause: `${property} ${says}`,
      ...containedIn(says),
    },
    apply: withText(property, text),
    classes: [
      ...(sample === '' ? [] : ['present']),
      ...CLASSES.filter(([, has]) => has.test(sample)).map(([clause]) => clause),
    ],
    point: BigInt([...sample].length),
  };
}

/** Returns a function that sets a property of a plant to a text. */
export const withText =
  (property: string, text: string | FreshText) =>
  (request: ModelRequest): ModelRequest => ({ ...request, plant: request.plant.with(property, text) });

const quoted = (text: string) => JSON.stringify(text);

export const NOT_ASCII = /[^\0-\x7f]/u;

/** Topics for classes of texts that contain a given character. */
const TOPICS: readonly (readonly [topic: Topic, has: RegExp])[] = [
  ['quotes', /["'\\]/],
  ['template', /%|\{\{|\$[{&]/],
  ['beyond ASCII', NOT_ASCII],
  ['control character', /\p{Cc}/u],
];

const topicsOfText = (text: string): readonly Topic[] =>
  TOPICS.flatMap(([topic, has]) => (has.test(text) ? [topic] : []));

function topicsOfClass(has: RegExp): readonly Topic[] {
  const members = MARKS.map(([mark]) => mark).filter((mark) => has.test(mark));
  return TOPICS.flatMap(([topic, about]) =>
    members.length > 0 && members.every((mark) => about.test(mark)) ? [topic] : [],
  );
}

/** Texts with fewer characters than this cannot be new each time. */
const SCARCE = 4n;

/** Minimum length of the failing value for which a limit in bytes is considered. */
const MIN_BYTE_LIMIT_LENGTH = 30;

/** The text of a string value; for one that is new each time, an example. Undefined for other values. */
export const stringIn = (value: Json | undefined): string | undefined =>
  value instanceof FreshText ? value.of(1n) : typeof value === 'string' ? value : undefined;

/** Characters that mean something to software. */
type Mark = readonly [mark: string, words: string, oddity?: RegExp];
const MARKS: readonly Mark[] = [
  [' ', 'a space'],
  ['-', 'a hyphen'],
  ["'", 'an apostrophe'],
  ['7', 'a digit'],
  ['"', 'a quotation mark'],
  ['\\', 'a backslash'],
  ['/', 'a slash'],
  [',', 'a comma'],
  [':', 'a colon'],
  ['!', 'an exclamation mark'],
  ['?', 'a question mark'],
  ['=', 'an equals sign'],
  ['+', 'a plus sign'],
  ['*', 'an asterisk'],
  ...[...'<>&%#$@^`|~()[]{}'].map((mark): Mark => [mark, mark]),
  ['{{7*7}}', 'a template such as {{7*7}}'],
  ['$' + '{x}', 'a template such as $' + '{x}'],
  ['#{x}', 'an interpolation such as #{x}'],
  ['$&', 'a replacement pattern such as $&'],
  [';', 'a semicolon'],
  ['.', 'a full stop'],
  ['_', 'an underscore'],
  ['é', 'an accented letter'],
  ['²', 'a superscript digit'],
  ['e\u0301', 'a combining character'],
  ['木', 'a Chinese character'],
  ['ש', 'a right-to-left letter'],
  ['🌵', 'an astral character'],
  ['\u200b', 'an invisible character'],
  ['\u2028', 'a line separator'],
  ['\u0001', 'a control character'],
  ['\t', 'a tab'],
  ['\n', 'a line feed'],
  ['\u0000', 'a NUL', /\\u0000/],
  ['\ud800', 'a lone surrogate', /\\ud[89ab]/i],
  ['\udc00', 'a lone low surrogate', /\\ud[c-f]/i],
];

/** Returns the words for a character, or for several. */
export const markWords = (text: string): string =>
  MARKS.find(([mark]) => mark === text)?.[1] ?? (/^[!-~]$/.test(text) ? text : quoted(text));

/** Forms of texts; `word` stands for fresh letters, # for a fresh digit. */
const FORMS = [
  'word',
  'Wordword',
  'WORD',
  'word ',
  ' word',
  'word  word',
  'word-',
  'word--word',
  'word word word word word',
  'select word',
  'drop table word',
  'Word word',
  // Without a leading zero, it is a numeral of JSON as well.
  '7#######',
  '#word',
  'word#',
  'word²',
  'null word',
  "word's word-word 7",
  '20##-05-1#',
  '20##-05-1# word',
  '20##-05-1#T10:2#:30Z',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'true',
] as const;

const INHERITED = 'is an inherited property such as constructor';

/** Classes of texts that programs treat alike. */
const CLASSES: readonly (readonly [clause: string, has: RegExp])[] = [
  [INHERITED, /^(?:__proto__|constructor|toString)$/],
  ['is a word such as "null" or "true"', /^(?:null|true)$/],
  ['begins like an SQL statement', /^(?:select|drop) /],
  ['begins with a date', /^\d{4}-\d\d-\d\d/],
  ['is a date, perhaps with a time', /^\d{4}-\d\d-\d\d(?:T|$)/],
  ['is a date with a time', /^\d{4}-\d\d-\d\dT/],
  ['contains anything but letters', /[^A-Za-z]/],
  ['is not ASCII', NOT_ASCII],
  ['contains a multi-byte character', /[^\0-\x7f\ud800-\udfff]/u],
  ['contains a lower-case letter', /[a-z]/],
  ['begins with a lower-case letter', /^[a-z]/],
  ['contains a capital letter', /[A-Z]/],
  ['begins with a capital letter', /^[A-Z]/],
  ['is in capital letters', /^[A-Z]+$/],
  ['contains white space', /\s/],
  ['contains a space', / /],
  ['contains a digit', /\d/],
  ['is a numeral', /^\d+$/],
  ['begins with a digit', /^\d/],
  ['ends with a digit', /\d$/],
  ['contains a superscript digit', /²/],
  ['ends with a superscript digit', /²$/],
  ['begins with a letter', /^[A-Za-z]/],
  ['begins or ends with a space', /^ | $/],
  ['ends with a space', / $/],
  ['begins with a space', /^ /],
  ['has five words or more', /\S+(?: \S+){4}/],
  ['has white space between two words', /\S\s+\S/],
  ['is a single word', /^\s*\S+\s*$/],
  ['contains two spaces in a row', / {2}/],
  ['contains punctuation', /[!-/:-@[-`{-~]/],
  ['contains a hyphen', /-/],
  ['ends with a hyphen', /-$/],
  ['contains two hyphens in a row', /--/],
  ['contains an apostrophe', /'/],
  ['contains a digit, hyphen or apostrophe', /[-'\d]/],
  ['contains a quotation mark or apostrophe', /["']/],
  ['contains a quotation mark or backslash', /["\\]/],
  ['contains a character with a meaning in regular expressions', /[.*+?^${}()|[\]\\]/],
  ['contains (, ), [ or ]', /[()[\]]/],
  ['contains { or [', /[[{]/],
  ['contains = or &', /[=&]/],
  ['contains $', /\$/],
  ['contains an asterisk', /\*/],
  ['contains a comma or semicolon', /[,;]/],
  ['contains a full stop', /\./],
  ['contains <, > or &', /[<>&]/],
  ['contains < or >', /[<>]/],
  ['contains a template placeholder', /\{\{|\$\{/],
  ['contains { or }', /[{}]/],
  ['contains {', /\{/],
  ['contains }', /\}/],
  ['contains a control character', /\p{Cc}/u],
  ['contains a control character other than a tab or line break', /(?![\t\n\r])\p{Cc}/u],
  ['contains a line feed', /\n/],
  ['ends with a line feed', /\n$/],
  ['contains a Latin-1 character', /[\xa0-\xff]/],
  ['contains an accent', /é|\u0301/],
  ['contains a combining character', /\p{M}/u],
  ['contains a lone surrogate', /\p{Cs}/u],
  ['contains a right-to-left letter', /\p{Script=Hebrew}/u],
  ['contains an astral character', /[\u{10000}-\u{10ffff}]/u],
  ['contains a character beyond Latin-1', /[^\0-\xff]/],
];

const POINTS = [
  1, 2, 3, 4, 6, 8, 10, 12, 15, 16, 20, 24, 30, 32, 36, 40, 50, 64, 100, 128, 200, 255, 256, 500, 1000, 2000,
  4000, 8000, 16000,
];

/** Number of fresh letters at the start of a text of a given length, which make it new. */
const FRESH_LETTERS = 12;

/** Lengths in characters, of texts that consist of one letter; `note` says which characters these are. */
export function lengths(property: string, letter = 'a', note = ''): Scale {
  // There are so few short texts that the store may know them already.
  const upTo = (longest: bigint, says: string): Condition => ({
    clause: `${property} ${says} characters${note}`,
    property,
    statement: { property, is: 'of another length' },
    ...(longest <= SCARCE ? { isRepeated: true } : {}),
  });
  return {
    points: POINTS.map(BigInt),
    valueAt: (point) => `${point} ${point === 1n ? 'letter' : 'letters'}`,
    apply: (request, point) => {
      const fresh = Math.min(Number(point), FRESH_LETTERS);
      const text = withWords((word) => word(fresh) + letter.repeat(Number(point) - fresh));
      return withText(property, text)(request);
    },
    above: (point) => ({
      clause: `${property} is longer than ${point} characters`,
      isLarger: true,
      property,
      topics: ['size'],
      statement: { property, is: 'longer than', characters: Number(point) },
    }),
    below: (point) => upTo(point, `is shorter than ${point}`),
    between: (first, last) => ({
      ...upTo(last, `has ${first === last ? first : `${first} to ${last}`}`),
      statement: { property, is: 'longer than', characters: Number(first) - 1, upTo: Number(last) },
    }),
    pointOf: ({ plant }) => {
      const text = stringIn(plant.get(property));
      return text === undefined ? undefined : BigInt([...text].length);
    },
  };
}

/** Lengths of texts that consist of a letter that is not ASCII, since their bytes may count. */
const wideLengths = (property: string, letter: string): Scale => ({
  ...lengths(property, letter, ', most of them not ASCII'),
  above: (point) => {
    const bytes = FRESH_LETTERS + (Number(point) - FRESH_LETTERS) * Buffer.byteLength(letter);
    return {
      clause: `${property} is longer than about ${bytes} bytes in UTF-8, most of its characters not ASCII`,
      isLarger: true,
      property,
      statement: { property, is: 'of another length' },
      topics: ['size', 'beyond ASCII'],
    };
  },
});

/** Characters with which the name of a property may begin in order to mean something to a program. */
const SIGILS = '$@_.#-';

const inPropertyName = (clause: string): Condition => ({
  clause: `the name of an undeclared property ${clause}`,
  ...containedIn(clause),
  topics: ['undeclared property'],
});

/** If an undeclared name or text is longer than this, its length may be what matters. */
const MAX_USUAL_LENGTH = 40;

/** Tries lengths of an undeclared property's name, or of the text that is its value, if that is long. */
export function undeclaredLengthSweep(name: string, value: Json): Sweep | undefined {
  const isName = name.length > MAX_USUAL_LENGTH;
  if (!isName && (stringIn(value)?.length ?? 0) <= MAX_USUAL_LENGTH) return undefined;
  const subject = isName ? 'the name of an undeclared property' : 'an undeclared text';
  const words = (says: string): Condition => ({
    clause: `${subject} ${says} characters`,
    topics: ['undeclared property'],
  });
  return scaleSweep(`length of ${subject}`, {
    points: POINTS.map(BigInt),
    valueAt: (point) => `${point} letters`,
    apply: (request, point) => {
      const letters = 'k'.repeat(Number(point));
      const { plant } = request;
      return {
        ...request,
        plant: isName ? plant.without(name).with(letters, value) : plant.with(name, letters),
      };
    },
    above: (point) => ({ ...words(`is longer than ${point}`), isLarger: true }),
    below: (point) => words(`is shorter than ${point}`),
    between: (first, last) => words(`has ${first} to ${last}`),
  });
}

/** Tries the numbers of an undeclared list by themselves: a library may not be able to represent one of them. */
export function undeclaredNumberSweep(name: string, value: Json): Sweep | undefined {
  if (!Array.isArray(value)) return undefined;
  const numbers = value.filter((one) => one instanceof Raw || typeof one === 'bigint');
  if (numbers.length < 2 || numbers.length < value.length) return undefined;
  const candidates = numbers.map((number): Candidate => {
    const text = write(number, 0n);
    return {
      value: text,
      condition: { clause: `an undeclared property is ${text}`, topics: ['undeclared property'] },
      apply: (request) => ({ ...request, plant: request.plant.with(name, number) }),
      classes: [],
    };
  });
  return { part: 'undeclared properties', candidates, classes: [] };
}

const INHERITED_NAME: Condition = {
  phrase: 'with a property named like a member of every object, such as constructor',
  topics: ['undeclared property'],
};

/** Names that every JavaScript object inherits. */
export const inheritedNameSweep: Sweep = {
  part: 'name of an undeclared property',
  candidates: ['constructor', 'toString', 'valueOf', 'hasOwnProperty'].map(
    (name): Candidate => ({
      value: name,
      condition: { phrase: `with a property named ${name}`, topics: ['undeclared property'] },
      apply: (request) => ({ ...request, plant: request.plant.with(name, 1n) }),
      classes: ['inherited'],
    }),
  ),
  classes: [{ id: 'inherited', condition: INHERITED_NAME, some: () => INHERITED_NAME }],
};

/** Names of an undeclared property. */
export const propertyNameSweep: Sweep = {
  part: 'name of an undeclared property',
  candidates: [
    ...MARKS.map(([mark, what]) => ({ name: `col${mark}our`, says: `contains ${what}` })),
    ...[...SIGILS].map((mark) => ({ name: `${mark}colour`, says: `begins with ${markWords(mark)}` })),
  ].map(
    ({ name, says }): Candidate => ({
      value: says,
      condition: inPropertyName(says),
      apply: (request) => ({ ...request, plant: request.plant.with(name, 1n) }),
      classes: CLASSES.filter(([, has]) => has.test(name)).map(([clause]) => clause),
    }),
  ),
  classes: CLASSES.map(([clause]) => ({ id: clause, condition: inPropertyName(clause) })),
};
