import { hash } from 'node:crypto';
import { packageText } from '../../package.ts';
import type { Row } from '../covering.ts';
import type { Dimension } from './dimension.ts';

/**
 * The file with the pairwise covering arrays of the suite's own document. Computing them takes half a second,
 * which is too long before the first request. A test recomputes them, and `npm run docs` writes them.
 */
const FILE = 'lib/payloads/model/pairs.json';

interface Dimensioned {
  readonly dimensions: readonly Dimension[];
}

/**
 * Rows by the key of their model. Each value is a character whose code point is the index of the value,
 * counted from `0`.
 */
type StoredPairs = Readonly<Record<string, readonly string[]>>;

let stored: StoredPairs | undefined;

/** The stored rows of a model; undefined if another document has changed its dimensions. */
export function storedPairs(model: Dimensioned): readonly Row[] | undefined {
  stored ??= JSON.parse(packageText(FILE)) as StoredPairs;
  return stored[keyOf(model)]?.map((digits) => Array.from(digits, (digit) => digit.charCodeAt(0) - FIRST));
}

const FIRST = '0'.charCodeAt(0);

/** The form in which rows are stored. */
export const toStored = (model: Dimensioned, rows: readonly Row[]): StoredPairs => ({
  [keyOf(model)]: rows.map((row) => String.fromCharCode(...row.map((value) => FIRST + value))),
});

/**
 * A key of everything that a covering array depends on: the values of its dimensions, and which of them are
 * kept apart.
 */
const keyOf = ({ dimensions }: Dimensioned): string =>
  hash(
    'sha256',
    JSON.stringify(
      dimensions.map(({ name, masksOthers: masks, values }) => [
        name,
        masks,
        values.map(({ incompatibleWith: apart }) => apart),
      ]),
    ),
  );
