import type { Shape } from '../../contract/schema.ts';
import { groupBy } from '../../groups.ts';
import { isMalformed } from '../admits.ts';
import { everyImpostor, type Impostor } from '../credentials.ts';
import { type Defect, defectsOf, type Family } from '../defects.ts';
import type { Json } from '../json.ts';
import { multipart, notJson } from '../texts.ts';
import { type Dimension, dimension, type Value } from './dimension.ts';

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
    apply: (making) => ({ ...making, defect: { spoil: apply } }),
    apart: whole ? [...PLANT, 'size', 'white space', 'escapes'] : [...(twice ? ['size'] : []), 'white space'],
  };
};

const noBody: Value = {
  name: 'without a body',
  apply: (making) => ({ ...making, defect: { noBody: true } }),
  apart: [...PLANT, 'size', 'white space', 'escapes', 'segments', 'framing', 'expectation'],
};

/** Of the texts that are not JSON, those that different readers take: the others have checks of their own. */
const TYPICAL = [
  'white space only',
  'cut off in the middle',
  'without its last brace',
  'words',
  'two values, one on each line',
  'followed by another value',
  'followed by a NUL',
  'followed by words',
  'a form',
];

/**
 * One defect of each kind, and some credentials, are combined with what came before: each such row takes a request
 * more, and what a store remembers is hardly about one defect alone.
 */
const withOrWithoutHistory = (value: Value, meetsHistory: boolean): Value =>
  meetsHistory ? value : { ...value, apart: [...(value.apart ?? []), 'history'] };

/** Everything that may be wrong with a body, one thing at a time. */
export function defectDimension(shape: Shape): Dimension {
  const defects = defectsOf(shape).filter(isDefective);
  const texts = [...notJson.filter(({ name }) => TYPICAL.includes(name)), multipart];
  const families = groupBy(defects, ({ family }) => family);
  const first = new Set(families.flatMap(([, members]) => members.slice(0, 1)));
  return dimension('defect', [
    ...defects.map((one) => withOrWithoutHistory(withDefect(one), first.has(one))),
    ...texts.map((one, index) => withOrWithoutHistory(spoiling(one), index % 4 === 1)),
    noBody,
  ]);
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
  apply: (making) => ({ ...making, credential }),
});

/** Every credential that a store must not let in. */
export const credentialDimension: Dimension = dimension(
  'credential',
  everyImpostor.map((one, index) => withOrWithoutHistory(letIn(one), index % 5 === 0)),
);
