import { pick } from '../collections.ts';
import { isObject } from '../contract/document.ts';
import { FORMATS, type Format } from '../report/formats/formats.ts';
import { shownText } from '../report/wording/format-text.ts';
import type { Shard } from '../run/plan/shard.ts';

/**
 * The type of an option, whatever the source of its value: code passes a value, a file contains what YAML can
 * express, and flags and the environment contain text.
 */
export interface OptionType<Value = unknown, Given = Value> {
  /** The allowed values, worded so that they can follow "must be". */
  readonly accepts: string;
  /** JSON Schema for a value in a file. Must accept everything that `read` accepts. */
  readonly schema: Readonly<Record<string, unknown>>;
  /**
   * The valid value in the form in which it is used; undefined for an invalid one.
   * @throws InvalidValueError for an invalid value with a more specific reason
   */
  readonly read: (given: unknown) => Value | undefined;
  /** Converts text to a value for `read`, if `read` does not take text. */
  readonly ofText?: (text: string) => unknown;
  /** The name of a value in the help; absent for a switch. */
  readonly placeholder?: string;
  /** Whether a flag may be repeated, with each occurrence adding to a list. */
  readonly many?: boolean;
  /** Whether the value is a path. In a configuration file, it is relative to that file. */
  readonly isPath?: boolean;
  /** Whether messages must not show the value. */
  readonly secret?: boolean;
  /** The type of the values that code may pass. Only for types. */
  readonly given?: Given;
}

/** A value that is not allowed. The message continues a sentence that begins with the name of the option. */
export class InvalidValueError extends Error {
  /** What the value must be, for a place that shows the value itself. */
  readonly rule: string;

  /** `value` is how the message shows it, if it may. */
  constructor(rule: string, value?: string) {
    super(value === undefined ? rule : `${rule}, not ${value}`);
    this.rule = rule;
  }
}

/** Reads a value; `written` is how the user wrote it. @throws InvalidValueError */
export function readAs<V>(
  { read, accepts, secret }: OptionType<V, unknown>,
  given: unknown,
  written = given,
): V {
  const value = read(given);
  if (value !== undefined) return value;
  const isHidden = secret && typeof written === 'string' && written !== '';
  throw new InvalidValueError(`must be ${accepts}`, isHidden ? undefined : shown(written));
}

/** Reads a value from the text of a flag or a variable. @throws InvalidValueError */
export const readTextAs = <V>(type: OptionType<V, unknown>, text: string): V =>
  readAs(type, type.ofText?.(text) ?? text, text);

export function shown(value: unknown): string {
  if (value === '') return 'an empty string';
  if (typeof value === 'string') return shownText(JSON.stringify(value), 80);
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`;
  if (typeof value !== 'object' || value === null) return String(value);
  return Array.isArray(value) ? 'a list' : 'an object';
}

/** An option whose valid values are used as they are. */
const checked = <V>(
  accepts: string,
  schema: OptionType['schema'],
  isValid: (given: unknown) => given is V,
): OptionType<V> => ({ accepts, schema, read: (given) => (isValid(given) ? given : undefined) });

const numeral = (text: string): unknown => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : text);

type More = Partial<OptionType<number>>;

const number = (minimum: number, maximum: number, more?: More): OptionType<number> => ({
  accepts: `a number from ${minimum} to ${maximum}`,
  schema: { type: 'number', minimum, maximum },
  read: (given) => (typeof given === 'number' && given >= minimum && given <= maximum ? given : undefined),
  placeholder: 'n',
  ofText: numeral,
  ...more,
});

export const whole = (minimum: number, maximum: number, more?: More): OptionType<number> => {
  const { read, ...type } = number(minimum, maximum, more);
  return {
    ...type,
    accepts: `a whole number from ${minimum} to ${maximum}`,
    schema: { type: 'integer', minimum, maximum },
    read: (given) => (Number.isInteger(given) ? read(given) : undefined),
  };
};

/** A timer with a longer delay would overflow and fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** At least 100, so that a number of seconds is not taken for milliseconds. */
export const milliseconds = whole(100, MAX_TIMER_MS, { placeholder: 'ms' });
export const seconds = number(0.001, Math.floor(MAX_TIMER_MS / 1000));

/** `100/s`, `100`. */
export const rate = number(0.001, 1_000_000, {
  placeholder: 'n/s',
  ofText: (text) => numeral(text.replace(/\/s$/, '')),
});

export const flag: OptionType<boolean> = {
  ...checked('true or false', { type: 'boolean' }, (given) => typeof given === 'boolean'),
  ofText: (text) => ({ 1: true, true: true, 0: false, false: false })[text] ?? text,
};

const LAST_ID = 2n ** 63n - 1n;

/** A bigint. Rejects numbers that are too large to be exact. */
export const id: OptionType<bigint, bigint | number | string> = {
  accepts: `a whole number from 0 to ${LAST_ID}, given as text or bigint if above ${Number.MAX_SAFE_INTEGER}`,
  schema: {
    type: ['integer', 'string'],
    pattern: '^[0-9]{1,19}$',
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
  },
  read: (given) => {
    const isWhole =
      typeof given === 'string'
        ? /^\d{1,19}$/.test(given)
        : typeof given === 'bigint' || Number.isSafeInteger(given);
    const value = isWhole ? BigInt(given as bigint | number | string) : -1n;
    return value >= 0n && value <= LAST_ID ? value : undefined;
  },
  placeholder: 'n',
};

const textLike = (
  accepts: string,
  pattern: RegExp,
  more: Pick<OptionType, 'isPath' | 'secret' | 'placeholder'> = {},
): OptionType<string> => ({
  accepts,
  schema: { type: 'string', pattern: pattern.source },
  read: (given) => (typeof given === 'string' && pattern.test(given) ? given : undefined),
  ...more,
});

// Neither a path nor a command may contain NUL.
const SOMETHING = /^[^\0]+$/;
export const text = textLike('a non-empty string', SOMETHING);
export const path = textLike('a path', SOMETHING, { isPath: true, placeholder: 'file' });
export const targetName = textLike('a name of letters, digits, dots, hyphens and underscores', /^[\w.-]+$/);
export const variable = textLike('the name of an environment variable', /^[A-Za-z_][A-Za-z0-9_]*$/);

/** RFC 6750 section 2.1: a bearer token consists of visible ASCII characters. */
export const token = textLike('a string of visible ASCII characters', /^[\x21-\x7e]+$/, {
  secret: true,
  placeholder: 'token',
});

const listOf = <V, G>(one: OptionType<V, G>): OptionType<readonly V[], readonly G[]> => ({
  ...pick(one, 'accepts', 'isPath', 'placeholder'),
  schema: { anyOf: [one.schema, { type: 'array', items: one.schema }] },
  read: (given) => Array.from(Array.isArray(given) ? given : [given], (item) => readAs(one, item)),
  ofText: (given) => [one.ofText?.(given) ?? given],
  many: true,
});

export const texts = listOf(text);
export const paths = listOf(path);

const names = Object.keys(FORMATS);
const isFormat = (given: unknown): given is Format => names.some((name) => name === given);
const format = checked(`one of ${names.join(', ')}`, { enum: names }, isFormat);
export const formats = {
  ...listOf(format),
  placeholder: 'list',
  ofText: (given: string) => given.split(','),
};

const CONTROLLED: readonly string[] = [
  ...['accept', 'authorization', 'connection', 'content-length', 'content-type', 'expect', 'host'],
  ...['keep-alive', 'transfer-encoding', 'upgrade'],
];

/** RFC 9110 sections 5.6.2 and 5.5. */
const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const FIELD_VALUE = /^(?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?$/;

type Header = readonly [name: string, value: string];

const header: OptionType<Header> = {
  accepts: "'Name: value', or a pair [name, value]",
  schema: {
    anyOf: [
      { type: 'string', pattern: '^[^\\s:]+:' },
      { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 2 },
    ],
  },
  read: (given) => {
    const pair: unknown = typeof given === 'string' ? /^([^:]*):\s*(.*?)\s*$/s.exec(given)?.slice(1) : given;
    if (!Array.isArray(pair) || pair.length !== 2) return undefined;
    const [name, value]: unknown[] = pair;
    if (typeof name !== 'string' || typeof value !== 'string' || !FIELD_NAME.test(name)) return undefined;
    if (CONTROLLED.includes(name.toLowerCase()))
      throw new InvalidValueError(`must not set ${name}, which the checks control`);
    if (!FIELD_VALUE.test(value))
      throw new InvalidValueError(`has a value for ${name} that no header can carry`);
    return [name, value];
  },
  secret: true,
  placeholder: 'header',
};
export const headers = listOf(header);

/** The URL to which /plants is appended, without a slash at its end. */
export const baseUrl: OptionType<string> = {
  accepts: 'a base URL such as http://127.0.0.1:8080 or https://host/api',
  schema: { type: 'string', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' },
  read: (given) => {
    if (typeof given !== 'string' || given === '') return undefined;
    if (!/^https?:\/\//i.test(given))
      throw new InvalidValueError(
        'must begin with http:// or https://, as in http://127.0.0.1:8080',
        shown(given),
      );
    if (!URL.canParse(given)) return undefined;
    const { username, password, search, hash, href } = new URL(given);
    if (username !== '' || password !== '' || search !== '' || hash !== '')
      throw new InvalidValueError(
        'must be a base URL of scheme, host, port and path, without a user, a query or a fragment',
      );
    return href.replace(/[?#]*$/, '').replace(/\/+$/, '');
  },
};

const MAX_SHARDS = 9999;

/** In text, `2/3` is the second of three shards. In code, shards are counted from 0. */
export const shard: OptionType<Shard> = {
  placeholder: 'i/n',
  accepts: 'I/N from 1/N to N/N, or { index, of } with index below of',
  schema: {},
  read: (given) => {
    if (!isObject(given) || Object.keys(given).some((key) => key !== 'index' && key !== 'of'))
      return undefined;
    const of = whole(1, MAX_SHARDS).read(given.of);
    const index = of && whole(0, of - 1).read(given.index);
    return of === undefined || index === undefined ? undefined : { index, of };
  },
  ofText: (given) => {
    const [, part, of] = /^(\d{1,4})\/(\d{1,4})$/.exec(given) ?? [];
    return of === undefined ? given : { index: Number(part) - 1, of: Number(of) };
  },
};

export const stores = checked('a list of stores', { type: 'array' }, (given) => Array.isArray(given));

export const callback = checked(
  'a function',
  {},
  (given): given is (...given: never[]) => unknown => typeof given === 'function',
);
