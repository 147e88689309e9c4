import { hash } from 'node:crypto';
import { packageText } from '../../package.ts';
import type { Row } from '../covering.ts';
import type { Dimension } from './dimension.ts';

/** Computing the pairs takes half a second, too long before the first request. `npm run docs` writes them. */
const FILE = 'lib/payloads/model/pairs.json';

interface Dimensioned {
  readonly dimensions: readonly Dimension[];
}

/** Rows by the key of their model. `0` stands for the value with index 0, the next code point for index 1. */
type StoredPairs = Readonly<Record<string, readonly string[]>>;

let stored: StoredPairs | undefined;

/** Returns the stored rows of a model; undefined if another document has changed its dimensions. */
export function storedPairs(model: Dimensioned): readonly Row[] | undefined {
  stored ??= JSON.parse(packageText(FILE)) as StoredPairs;
  return stored[keyOf(model)]?.map((digits) => Array.from(digits, (digit) => digit.charCodeAt(0) - FIRST));
}

const FIRST = '0'.charCodeAt(0);

export const toStored = (model: Dimensioned, rows: readonly Row[]): StoredPairs => ({
  [keyOf(model)]: rows.map((row) => String.fromCharCode(...row.map((value) => FIRST + value))),
});

/** All that a covering array depends on: the values of its dimensions, and which are kept apart. */
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
