import { packageFile } from '../../lib/package.ts';
import { Rejection } from '../../reference/store.ts';
import { type BrokenStore, broken, type Change, enforcing } from '../fleet.ts';

const overlays = [packageFile('mutants/overlays/limits.yaml')];

const ignoring = (name: string, breaks: string, change: Change): BrokenStore => ({
  ...broken(name, breaks, ['invalid/rejects-constraint-violation'], change),
  overlays,
});

/** Stores whose document declares limits that they do not enforce, or enforce too tightly. */
export const limits: readonly BrokenStore[] = [
  ignoring('limits-none', 'enforces none of the declared limits', () => ({})),
  ignoring('limits-no-longest-name', 'does not enforce maxLength of name', enforcing({ longest: Infinity })),
  ignoring(
    'limits-bytes-of-name',
    'accepts names of 65 characters although maxLength is 64',
    enforcing({ longest: 65 }),
  ),
  ignoring('limits-empty-name', 'accepts an empty name although minLength is 1', enforcing({ shortest: 0 })),
  ignoring('limits-any-tag', 'does not enforce the enum of tag', enforcing({ tags: undefined })),
  ignoring('limits-tag-case', 'compares the enum of tag case-insensitively', enforcing({ anyCase: true })),
  ignoring('limits-id-zero', 'accepts id 0 although minimum is 1', enforcing({ least: 0n })),
  {
    ...broken(
      'limits-too-tight',
      'rejects names longer than 30 characters although maxLength is 64',
      ['ordinary/accepts-any-plant', 'ordinary/accepts-names-of-every-length'],
      (right) => ({
        validate: (value, request) => {
          const plant = enforcing({})(right).validate?.(value, request) ?? right.validate(value, request);
          if (plant.name.length > 30) throw new Rejection(400, 30, 'the name is too long');
          return plant;
        },
      }),
    ),
    overlays,
  },
];
