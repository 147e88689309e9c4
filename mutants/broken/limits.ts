import { packageFile } from '../../lib/package.ts';
import { Refusal } from '../../reference/store.ts';
import { type BrokenStore, broken, type Change, enforcing } from '../fleet.ts';

const overlays = [packageFile('mutants/overlays/limits.yaml')];

const ignoring = (name: string, breaks: string, change: Change): BrokenStore => ({
  ...broken(name, breaks, ['refuse/any-defect', 'refuse/constraint'], change),
  overlays,
});

/** Stores whose document declares limits, and which overlook one of them. */
export const limits: readonly BrokenStore[] = [
  ignoring('limits-none', 'declared limits are enforced: none is', () => ({})),
  ignoring(
    'limits-no-longest-name',
    'maxLength of name is enforced: it is not',
    enforcing({ longest: Infinity }),
  ),
  ignoring(
    'limits-bytes-of-name',
    'maxLength counts characters: the store stops at 65 of them',
    enforcing({ longest: 65 }),
  ),
  ignoring(
    'limits-empty-name',
    'minLength of name is enforced: an empty name is taken',
    enforcing({ shortest: 0 }),
  ),
  ignoring(
    'limits-any-tag',
    'the enum of tags is enforced: any tag is taken',
    enforcing({ tags: undefined }),
  ),
  ignoring(
    'limits-tag-case',
    'the enum of tags is enforced: capitals are taken',
    enforcing({ anyCase: true }),
  ),
  ignoring('limits-id-zero', 'minimum of id is enforced: 0 is taken', enforcing({ least: 0n })),
  {
    ...broken(
      'limits-too-tight',
      'a plant within the limits is taken: not with a name of more than 30',
      ['create/takes-any-ordinary-plant', 'create/takes-names-of-every-length'],
      (right) => ({
        validate: (value, request) => {
          const plant = enforcing({})(right).validate?.(value, request) ?? right.validate(value, request);
          if (plant.name.length > 30) throw new Refusal(400, 30, 'the name is too long');
          return plant;
        },
      }),
    ),
    overlays,
  },
];
