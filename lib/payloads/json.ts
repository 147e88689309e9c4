import { sourceAt } from '../contract/numeral.ts';

/**
 * JSON as it is written, including what JavaScript values cannot express: integers of any size, exact
 * numerals, duplicate names, the order of names.
 */

/** Placeholder for an id that has never been sent before. */
export const FRESH: unique symbol = Symbol('a fresh id');

/**
 * Text that is written exactly as given, for what values cannot express: notations of numerals, very deep
 * nesting, a fresh id within a text.
 */
export class Raw {
  /** Number of possible values: the more, the less likely is a collision with an earlier request. */
  readonly choices: number;
  private readonly text: string | ((id: bigint) => string);
  private known: { readonly value: unknown } | undefined;
  constructor(text: string | ((id: bigint) => string), choices = 1) {
    this.text = text;
    this.choices = choices;
  }

  written(id: bigint): string {
    return typeof this.text === 'string' ? this.text : this.text(id);
  }

  /** Returns what JSON.parse returns; the same object each time if the text does not depend on the id. */
  asParsed(id: bigint): unknown {
    if (typeof this.text !== 'string') return JSON.parse(this.text(id));
    this.known ??= { value: JSON.parse(this.text) };
    return this.known.value;
  }
}

export const nestedArrays = (depth: number): Raw => new Raw('['.repeat(depth) + ']'.repeat(depth));

export const nestedObjects = (depth: number): Raw => new Raw(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);

/** A string that differs for each fresh id. */
export class FreshText {
  readonly choices: number;
  readonly of: (id: bigint) => string;
  constructor(of: (id: bigint) => string, choices: number) {
    this.of = of;
    this.choices = choices;
  }

  map(change: (text: string) => string): FreshText {
    return new FreshText((id) => change(this.of(id)), this.choices);
  }
}

export type Member = readonly [name: string, value: Json];

export class JsonObject {
  readonly members: readonly Member[];
  constructor(members: readonly Member[]) {
    this.members = members;
  }

  get(name: string): Json | undefined {
    return this.members.find(([own]) => own === name)?.[1];
  }

  /** Replaces the value of a property, or appends the property. */
  with(name: string, value: Json): JsonObject {
    if (this.get(name) === undefined) return new JsonObject([...this.members, [name, value]]);
    return this.withValues((own, kept) => (own === name ? value : kept));
  }

  withValues(change: (name: string, value: Json) => Json): JsonObject {
    return new JsonObject(this.members.map(([name, value]) => [name, change(name, value)]));
  }

  without(name: string): JsonObject {
    return new JsonObject(this.members.filter(([own]) => own !== name));
  }

  /** Returns the same members: first those with the given names, in this order, then all others. */
  inOrder(names: readonly string[]): JsonObject {
    const place = ([name]: Member) => (names.includes(name) ? names.indexOf(name) : names.length);
    return new JsonObject(this.members.toSorted((a, b) => place(a) - place(b)));
  }

  renamed(name: string, other: string): JsonObject {
    return new JsonObject(this.members.map((member) => (member[0] === name ? [other, member[1]] : member)));
  }
}

export type Json =
  | null
  | boolean
  | string
  | bigint
  | Raw
  | FreshText
  | typeof FRESH
  | readonly Json[]
  | JsonObject;

export const object = (members: Readonly<Record<string, Json>>): JsonObject =>
  new JsonObject(Object.entries(members));

/** How a JSON value is written. Every style denotes the same value (RFC 8259 sections 2 and 7). */
export interface Style {
  /** White space between tokens, used cyclically; empty for none. */
  readonly gaps: readonly string[];
  readonly escapes: 'none' | 'values' | 'names' | 'both';
  /** 1 escapes every character; 2 only every second one, and those that must be escaped. */
  readonly every: 1 | 2;
  readonly digits: 'lower' | 'upper';
}

export const COMPACT: Style = { gaps: [], escapes: 'none', every: 1, digits: 'lower' };

/**
 * Writes a value as JSON text.
 * @param id replaces FRESH and determines fresh texts
 */
export function write(value: Json, id: bigint, style: Style = COMPACT): string {
  let gaps = 0;
  const gap = () => {
    if (style.gaps.length === 0) return '';
    gaps += 1;
    return style.gaps[gaps % style.gaps.length] ?? '';
  };
  const string = (text: string, inEscapes: boolean) =>
    inEscapes ? escaped(text, style) : JSON.stringify(text);
  const inValues = style.escapes === 'values' || style.escapes === 'both';
  const inNames = style.escapes === 'names' || style.escapes === 'both';
  const text = (one: Json): string => {
    if (one === FRESH) return id.toString();
    if (one instanceof Raw) return one.written(id);
    if (one instanceof FreshText) return string(one.of(id), inValues);
    if (typeof one === 'string') return string(one, inValues);
    if (one instanceof JsonObject) {
      const members = one.members.map(
        ([name, member]) => `${gap()}${string(name, inNames)}${gap()}:${gap()}${text(member)}${gap()}`,
      );
      return `{${members.join(',')}${members.length === 0 ? gap() : ''}}`;
    }
    if (isList(one)) return `[${one.map((element) => `${gap()}${text(element)}${gap()}`).join(',')}]`;
    return String(one);
  };
  return `${gap()}${text(value)}${gap()}`;
}

/** Adds white space before the end of an object: some software inspects only the first part of a body. */
export const padded =
  (spaces: number) =>
  (text: string): string =>
    text.replace(/}(?=\s*$)/, `${' '.repeat(spaces)}}`);

/** Returns what JSON.parse returns for the written text, without writing it. */
export function asParsed(json: Json, id: bigint): unknown {
  if (json === FRESH) return Number(id);
  if (typeof json === 'bigint') return Number(json);
  if (json instanceof Raw) return json.asParsed(id);
  if (json instanceof FreshText) return json.of(id);
  if (json instanceof JsonObject) {
    const object: Record<string, unknown> = {};
    for (const [name, member] of json.members) {
      const value = asParsed(member, id);
      if (name !== '__proto__') object[name] = value;
      else
        Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
    }
    return object;
  }
  return isList(json) ? json.map((element) => asParsed(element, id)) : json;
}

/** Does the same as `sourceAt` for the written text, but writes only the part that is asked for. */
export function textAt(json: Json | undefined, id: bigint, path: readonly string[]): string | undefined {
  if (json instanceof Raw) return sourceAt(json.written(id), path);
  const [segment, ...rest] = path;
  if (segment === undefined || json === undefined) return json === undefined ? undefined : write(json, id);
  if (json instanceof JsonObject)
    return textAt(json.members.findLast(([name]) => name === segment)?.[1], id, rest);
  return textAt(isList(json) ? json[Number(segment)] : undefined, id, rest);
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

const hex = (unit: number, digits: Style['digits']) => {
  const written = unit.toString(16).padStart(4, '0');
  return `\\u${digits === 'upper' ? written.toUpperCase() : written}`;
};

const asciiIn = (digits: Style['digits']) => Array.from({ length: 0x80 }, (_, unit) => hex(unit, digits));
/** Precomputed, since a body may contain many thousands of escapes. */
const ASCII = { lower: asciiIn('lower'), upper: asciiIn('upper') } as const;

function escaped(text: string, { every, digits }: Style): string {
  let written = '';
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    const plain = unit >= 0x20 && unit < 0x7f && unit !== 0x22 && unit !== 0x5c;
    written += plain && index % every !== 0 ? text.charAt(index) : (ASCII[digits][unit] ?? hex(unit, digits));
  }
  return `"${written}"`;
}

export function fromValue(value: unknown): Json {
  if (value === null || typeof value === 'boolean' || typeof value === 'string' || typeof value === 'bigint')
    return value;
  if (typeof value === 'number') return new Raw(JSON.stringify(value));
  if (Array.isArray(value)) return value.map(fromValue);
  if (typeof value === 'object') {
    return new JsonObject(Object.entries(value).map(([name, member]) => [name, fromValue(member)]));
  }
  return null;
}
