import { describe, expect, test } from 'vitest';
import { run } from '../index.ts';
import { boundaryStrings } from '../lib/payloads/boundaries.ts';
import { type NewPlant, Rejection } from '../reference/store.ts';
import { startWith, TOKEN } from './helpers/stores.ts';

const SEEDS = Array.from({ length: 5 }, (_, index) => index + 1);

const RUN = { token: TOKEN, strict: true, explain: 0 } as const;

/** The sets of checks that fail, over all seeds, on a store with a different `create` step. */
async function failing(only: readonly string[], create: (plant: NewPlant) => NewPlant): Promise<string[]> {
  const store = await startWith((right) => ({
    create: (plant, request) => right.create(create(plant), request),
  }));
  const sets = new Set<string>();
  for (const seed of SEEDS) {
    const { results } = await run({ ...RUN, baseUrl: store.url, seed, only }).record;
    sets.add(results.flatMap(({ id, verdict }) => (verdict === 'fail' ? [id] : [])).join(' '));
  }
  await store.stop();
  return [...sets];
}

const NAME = 'unconstrained/accepts-any-name';
const TAG = 'unconstrained/accepts-any-tag';

describe('the failing checks do not depend on the seed if a store rejects', () => {
  test.each<[what: string, rejects: (plant: NewPlant) => boolean, ids: readonly string[]]>([
    ['empty names', ({ name }) => name === '', [NAME]],
    ['names of white space only', ({ name }) => /^\s+$/.test(name), [NAME]],
    [
      'names with a leading or trailing space',
      ({ name }) => / $|^ /.test(name) && name.trim() !== '',
      [NAME],
    ],
    ['names above 255 characters', ({ name }) => [...name].length > 255, [NAME]],
    ['names with emoji', ({ name }) => /\p{Extended_Pictographic}/u.test(name), [NAME]],
    ['names with combining characters', ({ name }) => /\p{M}/u.test(name), [NAME]],
    ['names with control characters', ({ name }) => /\p{Cc}/u.test(name), [NAME]],
    ['the last code point', ({ name, tag = '' }) => /\u{10ffff}/u.test(name + tag), [NAME, TAG]],
    ['tags with capitals', ({ tag = '' }) => /[A-Z]/.test(tag), [TAG]],
    ['negative ids', ({ id }) => id < 0n, ['unconstrained/accepts-negative-ids']],
  ])('%s', async (_what, rejects, ids) => {
    const create = (plant: NewPlant) => {
      if (rejects(plant)) throw new Rejection(400, 7, 'this store does not create such plants');
      return plant;
    };
    expect(await failing(['unconstrained/accepts-*'], create)).toEqual([ids.join(' ')]);
  });
});

describe('the failing checks do not depend on the seed if a store changes a name', () => {
  test.each<[what: string, change: (name: string) => string, ids: readonly string[]]>([
    ['by trimming it', (name) => name.trim(), ['ordinary/echoes-name', 'unconstrained/echoes-any-name']],
    [
      'by collapsing two spaces',
      (name) => name.replaceAll('  ', ' '),
      ['ordinary/echoes-name', 'unconstrained/echoes-any-name'],
    ],
    ['by truncating it to 255 characters', (name) => name.slice(0, 255), ['unconstrained/echoes-any-name']],
    ['by removing NUL', (name) => name.replaceAll('\0', ''), ['unconstrained/echoes-any-name']],
  ])('%s', async (_what, change, ids) => {
    const create = (plant: NewPlant) => ({ ...plant, name: change(plant.name) });
    expect(await failing(['*/echoes-*name'], create)).toEqual([ids.join(' ')]);
  });
});

describe('the boundary strings', () => {
  const strings = boundaryStrings.map((value) => (typeof value === 'string' ? value : value.of(1n)));

  test('are distinct', () => {
    expect(new Set(strings).size).toBe(strings.length);
  });

  test('contain all ASCII punctuation', () => {
    const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(0x20 + index));
    const all = strings.join('');
    expect(printable.filter((mark) => /\W/.test(mark) && !all.includes(mark))).toEqual([]);
  });

  test('start with the empty string, so that a failure caused by length shows the shortest one', () => {
    expect(strings[0]).toBe('');
  });
});
