import { runInNewContext } from 'node:vm';
import { compact } from '../collections.ts';
import type { Contract } from '../contract/contract.ts';
import { DocumentError } from '../contract/document.ts';
import { type Shape, type TextLimits, typesOf } from '../contract/shape.ts';
import { write } from './json.ts';
import { memoised } from './memoised.ts';
import { patternOf } from './pattern.ts';
import { ordinaryIds } from './plants.ts';
import { sample } from './random.ts';
import { isPatterned, patterned } from './string-samples.ts';
import { plainPlants } from './validity.ts';

/**
 * Makes sure that ordinary plants can be made, on which every verdict depends.
 * @throws DocumentError that says why not
 */
export const requireOrdinary = memoised((contract: Contract): void => {
  const { shape, validate } = contract.newPlant;
  const fail = (problem: string): never => {
    throw new DocumentError(contract.document.file, undefined, problem);
  };
  const failToMake = (problem: string) =>
    fail(`cannot make an ordinary NewPlant from its schema: ${problem}`);
  for (const pattern of new Set(patternsIn(shape)))
    if (!isQuick(pattern))
      fail(
        `the pattern ${pattern} takes more than ${MAX_MATCH_MS} ms for some texts; rewrite it without nested repetition`,
      );
  for (const problem of impossible(shape, '')) failToMake(problem);
  for (let index = 0; index < 8; index += 1) {
    const plants = plainPlants(contract, index % 2 === 0 ? 'all' : 'required');
    const text = write(sample(plants, 0, 'document', index).value, ordinaryIds(shape).first);
    const [problem] = validate(text, JSON.parse(text));
    if (problem !== undefined)
      failToMake(`${text} is not valid (${problem.at === '' ? 'it' : problem.at} ${problem.message})`);
  }
});

/** Time limit for matching a pattern, which normally takes microseconds. */
const MAX_MATCH_MS = 1000;

/** A pattern that backtracks catastrophically, on long texts or near matches, would hang the run. */
function isQuick(source: string): boolean {
  const { minLength, maxLength, write: text } = patternOf(source);
  const words = [0, 1, 2].map((choice) =>
    text(Math.min(maxLength, minLength + 40), (bound) => choice % bound, false),
  );
  const texts = [
    ...words.flatMap((word) => [word, `${word}\0`, `${word.slice(0, -1)}\0`, `\0${word}`]),
    ...['a', 'A', '0', ' ', 'é'].map((letter) => letter.repeat(4000)),
  ];
  try {
    runInNewContext(
      'texts.map((text) => new RegExp(source, "u").test(text))',
      { texts, source },
      { timeout: MAX_MATCH_MS },
    );
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false;
    throw error;
  }
}

function* patternsIn({ text, properties, items, alternatives, others }: Shape): Generator<string> {
  yield* text.patterns;
  for (const { pattern, shape } of others) {
    if (pattern !== undefined) yield pattern;
    yield* patternsIn(shape);
  }
  for (const shape of compact(...properties.values(), ...alternatives, items)) yield* patternsIn(shape);
}

/** With a larger minimum length, in characters or in items, no plant fits into 64 KiB. */
const [MAX_LENGTH, MAX_ITEMS] = [32 * 1024, 1024];

const TOO_LARGE = 'but the suite sends at most 64 KiB';

/** Describes the properties for which no value exists. */
function* impossible(shape: Shape, place: string): Generator<string> {
  const { text, minItems, properties, items, values } = shape;
  const types = typesOf(shape);
  if (types.includes('string') && text.min > MAX_LENGTH)
    yield `${place} must have at least ${text.min} characters, ${TOO_LARGE}`;
  if (types.includes('array') && minItems > MAX_ITEMS)
    yield `${place} must have at least ${minItems} items, ${TOO_LARGE}`;
  // If several types are allowed, a value of another type may exist.
  if (types.join() === 'string' && values === undefined && isPatterned(text) && patterned(text) === undefined)
    yield `${place}: found no string that ${requirementsOf(text)}`;
  for (const [name, property] of properties)
    yield* impossible(property, place === '' ? name : `${place} > ${name}`);
  if (items !== undefined && minItems > 0) yield* impossible(items, `${place} > items`);
}

const requirementsOf = ({ patterns, format, min, max }: TextLimits): string => {
  const [first = '', ...others] = compact(
    ...patterns.map((pattern) => `pattern ${pattern}`),
    format !== undefined && `format ${format}`,
    min !== 0 && `minLength ${min}`,
    max !== undefined && `maxLength ${max}`,
  );
  return `satisfies ${first}${others.length === 0 ? '' : ` with ${others.join(' and ')}`}`;
};
