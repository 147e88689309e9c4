import { Numeral, type Value } from '../../../reference/json.ts';
import { depthOf } from '../../helpers.ts';
import { about } from '../conditional.ts';
import type { Met } from '../recorder.ts';

const PROPERTIES = ['id', 'name', 'tag'];
const undeclared = ({ fields }: Met) => [...fields].filter(([key]) => !PROPERTIES.includes(key));

// --- Size -----------------------------------------------------------------------------------------------

const size = about('size');
const over = (bytes: number) =>
  size(({ request }) => request.body.length > bytes, bytes < 1024 ? undefined : 'payload');

export const over512 = over(512);
export const over1024 = over(1024);
export const over4096 = over(4096);
export const over8192 = over(8192);
export const over16384 = over(16_384);
export const over32768 = over(32_768);
export const tiny = size(({ request }) => request.body.length < 30);
/** Fills the last block of 64 bytes exactly. */
export const fullBlock = size(({ request }) => request.body.length > 0 && request.body.length % 64 === 0);
const longer = (text: (met: Met) => string, length: number) =>
  size((met) => text(met).length > length, 'payload');
export const nameOver255 = longer(({ name }) => name, 255);
export const nameOver4096 = longer(({ name }) => name, 4096);
export const tagOver1024 = longer(({ tag }) => tag, 1024);
export const manyProperties = size((met) => undeclared(met).length > 20, 'payload');
export const longKey = size((met) => undeclared(met).some(([key]) => key.length > 255), 'payload');
export const longUndeclared = size(
  (met) => undeclared(met).some(([, value]) => typeof value === 'string' && value.length > 1000),
  'payload',
);
export const spacesBefore = size(({ text }) => /^\s{256}/.test(text));
export const spacesAfter = size(({ text }) => /\s{256}$/.test(text));
export const spacesWithin = size(({ text }) => /\S\s{256,}\S/.test(text));

// --- Text ----------------------------------------------------------------------------------------------

const texts = about('text');
const text = (pattern: RegExp) => texts(({ text: is }) => pattern.test(is));
const keys = (met: Met) => [...met.fields.keys()];

export const pretty = text(/^\{\r?\n\s/);
export const lineEndsOfWindows = text(/\r\n/);
export const indentedByTabs = text(/\n\t/);
export const spacedColons = text(/"\s+:/);
export const colonsAndSpace = text(/":\s/);
export const spaceBefore = text(/^\s/);
export const newlineAfter = text(/\n$/);
export const nameFirst = texts((met) => keys(met)[0] === 'name');
export const tagFirst = texts((met) => keys(met)[0] === 'tag');
export const idLast = texts((met) => keys(met).length > 1 && keys(met).at(-1) === 'id');
const escaped = (pattern: RegExp) => text(new RegExp(String.raw`:\s*"(?:[^"\\]|\\.)*?${pattern.source}`));
export const escapedLetter = escaped(/\\u00[2-7]/);
export const escapedInCapitals = escaped(/\\u[\dA-F]*[A-F]/);
export const escapedSlash = texts(({ text: is }) => is.includes('\\/'), 'payload');
export const escapedQuote = texts(({ text: is }) => is.includes('\\"'), 'payload');
export const escapedControl = texts(({ text: is }) => /\\[bfnrt]/.test(is), 'payload');
export const escapedPair = texts(({ text: is }) => /\\ud[89ab]/i.test(is), 'payload');
export const escapedKey = text(/[{,]\s*"(?:[^"\\]*\\u[\da-f]{4})+[^"\\]*"\s*:/i);
const OBJECT_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'length',
];
export const objectMethodName = texts(
  (met) => keys(met).some((key) => OBJECT_NAMES.includes(key)),
  'payload',
);
export const undeclaredProperty = texts((met) => undeclared(met).length > 0, 'payload');
export const undeclaredObject = texts(
  (met) => undeclared(met).some(([, value]) => value instanceof Map),
  'payload',
);
export const undeclaredList = texts(
  (met) => undeclared(met).some(([, value]) => Array.isArray(value)),
  'payload',
);
export const undeclaredNull = texts((met) => undeclared(met).some(([, value]) => value === null), 'payload');
export const declaredAfter20 = texts(
  (met) => keys(met).findIndex((key) => PROPERTIES.includes(key)) >= 20,
  'payload',
);
export const secondTag = texts(({ text: is }) => /"tag"\s*:.*"tag"\s*:/s.test(is), 'payload');
export const statusText = texts(({ fields }) => typeof fields.get('status') === 'string', 'payload');
/** Two names that differ only in how they are written. */
export const escapedTwin = texts(({ text: is }) => {
  const written = [...is.matchAll(KEY)].map(([, key = '']) => key);
  const read = written.map((key) => JSON.parse(`"${key}"`));
  return new Set(read).size < new Set(written).size;
}, 'payload');
export const lengthKey = texts(({ fields }) => fields.has('length'), 'payload');
export const messageKey = texts(({ fields }) => fields.has('message'), 'payload');
export const halfCharacterInKey = texts(
  (met) => keys(met).some((key) => /\p{Surrogate}/u.test(key)),
  'payload',
);
export const emptyKey = texts(({ fields }) => fields.has(''), 'payload');
export const deep = texts(({ text: is }) => depthOf(is) > 20, 'payload');
const KEY = /"((?:[^"\\]|\\.)*)"\s*:/g;
export const repeatedKey = texts(({ text: is }) => {
  const all = [...is.matchAll(KEY)].map(([, key]) => key);
  return new Set(all).size < all.length;
}, 'payload');
const numeral = (value: Value | undefined) => (value instanceof Numeral ? value.text : '');
export const exponentId = texts(({ fields }) => /e/i.test(numeral(fields.get('id'))), 'payload');

// --- Values --------------------------------------------------------------------------------------------

const values = about('values');
const names = (pattern: RegExp) => values(({ name }) => pattern.test(name));
const wildNames = (pattern: RegExp) => values(({ name }) => pattern.test(name), 'payload');
const ids = (holds: (id: bigint) => boolean, open?: 'payload') =>
  values(({ id }) => id !== undefined && holds(id), open);

export const hasTag = values(({ fields }) => fields.has('tag'));
export const noTag = values(({ fields }) => !fields.has('tag'));
export const apostrophe = names(/'/);
export const hyphen = names(/-/);
export const digitAtEnd = names(/\d$/);
export const latin1Name = wildNames(/[\u0080-\u00ff]/);
export const longName = names(/^.{33,}$/);
export const lowerCaseName = names(/^[a-z][^A-Z]*$/);
export const longTag = values(({ tag }) => tag.length > 15);
export const emptyName = values(({ fields }) => fields.get('name') === '', 'payload');
export const emptyTag = values(({ fields }) => fields.get('tag') === '', 'payload');
export const beyondAscii = wildNames(/[^\0-\x7f]/);
export const accented = wildNames(/[\u00c0-\u00ff]/);
export const chineseName = wildNames(/\p{Script=Han}/u);
export const rightToLeft = wildNames(/[\p{Script=Hebrew}\p{Script=Arabic}]/u);
export const decomposed = values(({ name }) => name.normalize('NFC') !== name, 'payload');
export const astral = wildNames(/[\u{10000}-\u{10ffff}]/u);
export const zeroCharacter = wildNames(/\0/);
export const lineSeparator = wildNames(/[\u2028\u2029]/);
export const halfCharacter = wildNames(/\p{Surrogate}/u);
export const markup = wildNames(/[<>]/);
export const templated = wildNames(/\$\{|\{\{/);
export const wordName = wildNames(/^(?:null|undefined|true|false|NaN)$/i);
export const negativeId = ids((id) => id < 0n, 'payload');
export const zeroId = ids((id) => id === 0n, 'payload');
export const over31Bits = ids((id) => id >= 2n ** 31n, 'payload');
export const over32Bits = ids((id) => id >= 2n ** 32n, 'payload');
export const over53Bits = ids((id) => id > 2n ** 53n || id < -(2n ** 53n), 'payload');
export const tenfold = ids((id) => id > 0n && id % 10n === 0n);
