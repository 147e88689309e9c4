import { runInNewContext } from 'node:vm';
import type { Contract } from '../contract/contract.ts';
import { DocumentError } from '../contract/document.ts';
import { type Shape, type TextLimits, typesOf } from '../contract/schema.ts';
import { plainPlants } from './admits.ts';
import { write } from './json.ts';
import { patternOf } from './pattern.ts';
import { ordinaryIds } from './plants.ts';
import { draw } from './random.ts';
import { remembered } from './remembered.ts';
import { isPatterned, patterned } from './strings.ts';

/**
 * Every verdict rests on plants that any store takes: makes sure that there are some.
 * @throws DocumentError when the schema says more than plants can be made from
 */
export const requireOrdinary = remembered((contract: Contract): void => {
  const { shape, validate } = contract.newPlant;
  for (const pattern of new Set(patternsIn(shape)))
    if (!isQuick(pattern))
      throw new DocumentError(
        contract.document.file,
        undefined,
        `the pattern ${pattern} takes more than ${PATIENCE} ms for some texts; write it without a repetition within a repetition`,
      );
  for (const problem of impossible(shape, ''))
    throw new DocumentError(
      contract.document.file,
      undefined,
      `no ordinary NewPlant could be made from its schema: ${problem}`,
    );
  for (let index = 0; index < 8; index += 1) {
    const plants = plainPlants(contract, index % 2 === 0 ? 'all' : 'required');
    const text = write(draw(plants, 0, 'document', index).value, ordinaryIds(shape).first);
    const [problem] = validate(text, JSON.parse(text));
    if (problem === undefined) continue;
    throw new DocumentError(
      contract.document.file,
      undefined,
      `no ordinary NewPlant could be made from its schema: ${text} is none (${problem.at === '' ? 'it' : problem.at} ${problem.message})`,
    );
  }
});

/** Milliseconds that a pattern may take for some texts, where one takes microseconds. */
const PATIENCE = 1000;

/**
 * Whether a pattern is done with texts that it nearly matches, and with long ones. Of nothing else in a document is it
 * that hard to see that a run would hang on it.
 */
function isQuick(source: string): boolean {
  const { least, most, write: text } = patternOf(source);
  const words = [0, 1, 2].map((choice) => text(Math.min(most, least + 40), (bound) => choice % bound, false));
  const texts = [
    ...words.flatMap((word) => [word, `${word}\0`, `${word.slice(0, -1)}\0`, `\0${word}`]),
    ...['a', 'A', '0', ' ', 'é'].map((letter) => letter.repeat(4000)),
  ];
  try {
    runInNewContext(
      'texts.map((text) => new RegExp(source, "u").test(text))',
      { texts, source },
      { timeout: PATIENCE },
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
  for (const shape of [...properties.values(), ...alternatives, ...(items === undefined ? [] : [items])])
    yield* patternsIn(shape);
}

/** Characters of a string, and items of a list, beyond which the smallest plant is larger than a store has to take. */
const [LONGEST, MOST] = [32 * 1024, 1024];

const TOO_LARGE = 'and requests of the suite have 64 KiB at most';

/** What is asked of a property that none can be made for. */
function* impossible(shape: Shape, place: string): Generator<string> {
  const { text, minItems, properties, items, values } = shape;
  const types = typesOf(shape);
  if (types.includes('string') && text.min > LONGEST)
    yield `${place} has at least ${text.min} characters, ${TOO_LARGE}`;
  if (types.includes('array') && minItems > MOST)
    yield `${place} has at least ${minItems} items, ${TOO_LARGE}`;
  // Of several types, another may do.
  if (types.join() === 'string' && values === undefined && isPatterned(text) && patterned(text) === undefined)
    yield `${place}: no string was found that ${wishesOf(text)}`;
  for (const [name, property] of properties)
    yield* impossible(property, place === '' ? name : `${place} > ${name}`);
  if (items !== undefined && minItems > 0) yield* impossible(items, `${place} > items`);
}

const wishesOf = ({ patterns, format, min, max }: TextLimits): string => {
  const demands = [
    ...patterns.map((pattern) => `pattern ${pattern}`),
    ...(format === undefined ? [] : [`format ${format}`]),
    ...(min === 0 ? [] : [`minLength ${min}`]),
    ...(max === undefined ? [] : [`maxLength ${max}`]),
  ];
  const [first = '', ...others] = demands;
  return `satisfies ${first}${others.length === 0 ? '' : ` with ${others.join(' and ')}`}`;
};
