import { compact, groupBy } from '../../collections.ts';
import type { Shape } from '../../contract/shape.ts';
import { type InvalidCredential, invalidCredentials } from '../credentials.ts';
import { type Defect, defectsOf, mustBeRejected } from '../defects.ts';
import type { Json } from '../json.ts';
import { type Edit, multipart, notJsonNamed } from '../malformed.ts';
import { isInvalid } from '../validity.ts';
import { anyOfList, type Dimension, type DimensionName, dimension, type Value } from './dimension.ts';

const PLANT = ['name', 'tag', 'id', 'undeclared names', 'undeclared values', 'property order'] as const;

const replacesPlant = ({ kind, name }: Defect): boolean =>
  kind === 'not-an-object' || name === 'an empty object';

/** Whether the name of a defect is a clause, such as `name is null`. */
const isClause = ({ name, property, kind }: Defect): boolean =>
  property !== undefined &&
  name.startsWith(`${property} `) &&
  !['other-name', 'nested', 'inherited'].includes(kind);

const withDefect = (defect: Defect): Value => ({
  ...(replacesPlant(defect)
    ? { name: `${defect.name} as the body`, standalone: true }
    : { name: `${isClause(defect) ? 'where' : 'with'} ${defect.name}` }),
  stableLabel: defect.name,
  apply: (request, { contract, sample }) => {
    const candidates: readonly Json[] = [
      sample(defect.sampled(request.plant)),
      ...defect.typical(request.plant),
    ];
    const invalid = candidates.find((json) => isInvalid(contract, json));
    return { ...request, defect: { json: invalid ?? null } };
  },
  // These dimensions have no effect if the whole plant is replaced.
  incompatibleWith: defect.kind === 'not-an-object' ? [...PLANT, 'size'] : [],
});

/** A text that is not JSON. This edit is applied last. */
const malformedBody = ({ name, apply }: Edit): Value => {
  const replaces = apply('{"id":1,"name":"a"}') === apply('{"id":2,"name":"b"}');
  // Twice a large body would exceed 64 KiB.
  const twice = apply(`{"name":"${'a'.repeat(100)}"}`).length > 200;
  return {
    name: `a body that is ${name}`,
    standalone: true,
    stableLabel: name,
    apply: (request) => ({ ...request, defect: { corrupt: apply } }),
    incompatibleWith: compact<DimensionName>(
      ...(replaces ? PLANT : []),
      (replaces || twice) && 'size',
      'white space',
      replaces && 'escapes',
      // A request without content has no segments, and no body to wait for (RFC 9110 section 10.1.1).
      ...(replaces && apply('').length === 0 ? (['segments', 'expectation'] as const) : []),
    ),
  };
};

const noBody: Value = {
  name: 'no body',
  standalone: true,
  stableLabel: 'no body',
  apply: (request) => ({ ...request, defect: { noBody: true } }),
  incompatibleWith: [...PLANT, 'size', 'white space', 'escapes', 'segments', 'framing', 'expectation'],
};

/** Malformed texts that some parsers accept. All others are tried only by their own checks. */
const TYPICAL: readonly (readonly Edit[])[] = [
  // Texts without any of the plant, which few other dimensions affect.
  notJsonNamed('white space only', 'plain text'),
  notJsonNamed('empty', 'truncated after the first character'),
  notJsonNamed('XML', 'YAML'),
  notJsonNamed('truncated in the middle', 'without the closing brace'),
  notJsonNamed('two values on separate lines', 'followed by another value'),
  notJsonNamed('followed by a NUL', 'followed by text'),
  notJsonNamed('a URL-encoded form'),
  [multipart],
];

const perGroup = <T>(list: readonly T[], keyOf: (one: T) => string, toValue: (one: T) => Value): Value[] =>
  groupBy(list, keyOf).flatMap(([, group]) => anyOfList(group.map(toValue)));

/** Groups defects: a validator probably accepts all defects of a group, or none. */
function kindOf({ kind, property, name }: Defect): string {
  if (kind === 'wrong-type') return name;
  // A plant in a list, as in a batch, or in a string, as if encoded twice.
  if (name.endsWith('NewPlant')) return name;
  if (kind === 'not-an-object') return /array|null/.exec(name)?.[0] ?? 'scalar';
  // In all of these, the property is missing where it belongs, wherever its value is.
  return ['other-name', 'nested', 'inherited'].includes(kind) ? kind : `${kind} ${property}`;
}

export function defectDimension(shape: Shape): Dimension {
  const defects = perGroup(defectsOf(shape).filter(mustBeRejected), kindOf, withDefect);
  const malformed = TYPICAL.flatMap((edits) => anyOfList(edits.map(malformedBody)));
  return dimension('defect', [...defects, ...malformed, noBody]);
}

/**
 * Makes a dimension of only a few defects, for requests that are invalid in another way, too: each masks the
 * other.
 */
export function fewDefects(shape: Shape): Dimension {
  const defects = ['missing', 'wrong-type', 'not-an-object'].flatMap(
    (kind) => defectsOf(shape).find((one) => one.kind === kind) ?? [],
  );
  const malformed = notJsonNamed('truncated in the middle').map(malformedBody);
  return { ...dimension('defect', [...defects.map(withDefect), ...malformed, noBody]), masksOthers: true };
}

const withCredential = ({ name, credential }: InvalidCredential): Value => ({
  name,
  standalone: true,
  stableLabel: name,
  apply: (request) => ({ ...request, credential }),
});

export const credentialDimension: Dimension = dimension(
  'credential',
  perGroup(invalidCredentials, ({ kind }) => kind, withCredential),
);
