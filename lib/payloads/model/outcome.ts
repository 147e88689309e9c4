import type { Shape } from '../../contract/schema.ts';
import { groupBy } from '../../groups.ts';
import { isMalformed } from '../admits.ts';
import { everyImpostor, type Impostor } from '../credentials.ts';
import { type Defect, defectsOf, type Family } from '../defects.ts';
import type { Json } from '../json.ts';
import { multipart, notJson } from '../texts.ts';
import { anyOf, type Dimension, dimension, type Value } from './dimension.ts';

/** What is wrong with a request. */

/** Families that a store has to reject. An id beyond int64 is rejected by a SHOULD alone. */
const isDefective = ({ family }: Defect): boolean => family !== 'beyond-format';

const PLANT = ['name', 'tag', 'id', 'undeclared names', 'undeclared values', 'property order'];

/** Dimensions of the plant that are lost with the whole of it, or with all of its properties. */
const LOST: Partial<Readonly<Record<Family, readonly string[]>>> = {
  'not-an-object': [...PLANT, 'size'],
};

const withDefect = (defect: Defect): Value => ({
  name: `where ${defect.name}`.replace(/^where (?!name|id|tag)/, 'with '),
  fault: defect.name,
  apply: (making, { contract, pick }) => {
    const candidates: readonly Json[] = [pick(defect.drawn(making.plant)), ...defect.typical(making.plant)];
    const malformed = candidates.find((json) => isMalformed(contract, json));
    return { ...making, defect: { json: malformed ?? null } };
  },
  apart: LOST[defect.family] ?? [],
});

/** What is no JSON, whatever becomes of the text around it: it is the last that is done to it. */
const spoiling = ({ name, apply }: (typeof notJson)[number]): Value => {
  const whole = apply('{"id":1,"name":"a"}') === apply('{"id":2,"name":"b"}');
  // A large one twice is more than a store has to read.
  const twice = apply(`{"name":"${'a'.repeat(100)}"}`).length > 200;
  return {
    name: `with a body that is ${name}`,
    fault: name,
    apply: (making) => ({ ...making, defect: { spoil: apply } }),
    apart: whole ? [...PLANT, 'size', 'white space', 'escapes'] : [...(twice ? ['size'] : []), 'white space'],
  };
};

const noBody: Value = {
  name: 'without a body',
  fault: 'no body',
  apply: (making) => ({ ...making, defect: { noBody: true } }),
  apart: [...PLANT, 'size', 'white space', 'escapes', 'segments', 'framing', 'expectation'],
};

/** Of the texts that are not JSON, those that different readers take: the others have checks of their own. */
const TYPICAL: readonly (readonly string[])[] = [
  ['white space only'],
  ['words', 'markup'],
  ['cut off in the middle', 'without its last brace', 'cut off after its first character'],
  ['two values, one on each line', 'followed by another value'],
  ['followed by a NUL', 'followed by words'],
  ['a form'],
];

/**
 * Every second is combined with what came before: such a row takes a request more, and what a store remembers is hardly
 * about one defect alone.
 */
const everySecondWithHistory = (value: Value, index: number): Value =>
  index % 2 === 0 ? value : { ...value, apart: [...(value.apart ?? []), 'history'] };

/** One value that stands for several, if there are any. */
const alike = ([first, ...others]: readonly Value[]): Value[] =>
  first === undefined ? [] : [anyOf([first, ...others])];

/** One value for each of the groups that a key makes. */
const perGroup = <T>(list: readonly T[], keyOf: (one: T) => string, toValue: (one: T) => Value): Value[] =>
  groupBy(list, keyOf).flatMap(([, group]) => alike(group.map(toValue)));

/** Defects of one kind, which a validator lets through together if it lets one through. */
function kindOf({ family, property, name }: Defect): string {
  if (family === 'wrong-type') return name;
  // The plant within a list or a string is what batches and double encoding have.
  if (name.endsWith('NewPlant')) return name;
  if (family === 'not-an-object') return /array|null/.exec(name)?.[0] ?? 'scalar';
  // Whose name is lost, wherever the value is then.
  return ['other-name', 'nested', 'inherited'].includes(family) ? family : `${family} ${property}`;
}

/** Everything that may be wrong with a body, one thing at a time. */
export function defectDimension(shape: Shape): Dimension {
  const defects = perGroup(defectsOf(shape).filter(isDefective), kindOf, withDefect);
  const texts = [...TYPICAL.map((names) => notJson.filter(({ name }) => names.includes(name))), [multipart]];
  const spoilt = texts.flatMap((edits) => alike(edits.map(spoiling)));
  return dimension('defect', [...defects, ...spoilt, noBody].map(everySecondWithHistory));
}

/** Where something else is wrong as well, one defect of each kind. */
export function fewDefects(shape: Shape): Dimension {
  const defects = ['missing', 'wrong-type', 'not-an-object'].flatMap((family) =>
    defectsOf(shape)
      .filter((one) => one.family === family)
      .slice(0, 1),
  );
  return dimension('defect', [...defects.map(withDefect), ...notJson.slice(2, 3).map(spoiling), noBody]);
}

const letIn = ({ name, credential }: Impostor): Value => ({
  name: `with ${name}`,
  fault: name,
  apply: (making) => ({ ...making, credential }),
});

/** Every credential that a store must not let in. */
export const credentialDimension: Dimension = dimension(
  'credential',
  perGroup(everyImpostor, ({ family }) => family, letIn).map(everySecondWithHistory),
);
