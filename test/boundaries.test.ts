import { describe, expect, test } from 'vitest';
import { run } from '../index.ts';
import { boundaryStrings } from '../lib/payloads/boundaries.ts';
import { type NewPlant, Refusal, startStore } from '../reference/store.ts';
import { TOKEN } from './stores.ts';

const SEEDS = Array.from({ length: 20 }, (_, index) => index + 1);

/** Which of these checks fail, with each seed, on a store that creates plants in its own way. */
async function failing(only: readonly string[], create: (plant: NewPlant) => NewPlant): Promise<string[]> {
  const store = await startStore({
    token: TOKEN,
    steps: (right) => ({ create: (plant, request) => right.create(create(plant), request) }),
  });
  const sets = new Set<string>();
  for (const seed of SEEDS) {
    const { results } = await run({ baseUrl: store.url, token: TOKEN, seed, only, strict: true }).record;
    sets.add(results.flatMap(({ id, verdict }) => (verdict === 'fail' ? [id] : [])).join(' '));
  }
  await store.stop();
  return [...sets];
}

const NAME = 'whole-shape/takes-any-name';
const TAG = 'whole-shape/takes-any-tag';

describe('what fails does not depend on the seed, where a store rejects', () => {
  test.each<[what: string, rejects: (plant: NewPlant) => boolean, ids: readonly string[]]>([
    ['empty names', ({ name }) => name === '', [NAME]],
    ['names of white space alone', ({ name }) => /^\s+$/.test(name), [NAME]],
    ['names with a space at an end', ({ name }) => / $|^ /.test(name) && name.trim() !== '', [NAME]],
    ['names above 255 characters', ({ name }) => [...name].length > 255, [NAME]],
    ['names with emoji', ({ name }) => /\p{Extended_Pictographic}/u.test(name), [NAME]],
    ['names with combining characters', ({ name }) => /\p{M}/u.test(name), [NAME]],
    ['names with control characters', ({ name }) => /\p{Cc}/u.test(name), [NAME]],
    ['the last code point', ({ name, tag = '' }) => /\u{10ffff}/u.test(name + tag), [NAME, TAG]],
    ['tags with capitals', ({ tag = '' }) => /[A-Z]/.test(tag), [TAG]],
    ['negative ids', ({ id }) => id < 0n, ['whole-shape/takes-negative-ids']],
  ])('%s', async (_what, rejects, ids) => {
    const create = (plant: NewPlant) => {
      if (rejects(plant)) throw new Refusal(400, 7, 'such a plant is not created here');
      return plant;
    };
    expect(await failing(['whole-shape/takes-*'], create)).toEqual([ids.join(' ')]);
  });
});

describe('what fails does not depend on the seed, where a store changes a name', () => {
  test.each<[what: string, change: (name: string) => string, ids: readonly string[]]>([
    ['by trimming it', (name) => name.trim(), ['create/echoes-name', 'whole-shape/echoes-any-name']],
    [
      'by making two spaces one',
      (name) => name.replaceAll('  ', ' '),
      ['create/echoes-name', 'whole-shape/echoes-any-name'],
    ],
    ['by cutting it at 255', (name) => name.slice(0, 255), ['whole-shape/echoes-any-name']],
    ['by leaving NUL out', (name) => name.replaceAll('\0', ''), ['whole-shape/echoes-any-name']],
  ])('%s', async (_what, change, ids) => {
    const create = (plant: NewPlant) => ({ ...plant, name: change(plant.name) });
    expect(await failing(['*/echoes-*name'], create)).toEqual([ids.join(' ')]);
  });
});

describe('the strings that are tried in every run', () => {
  const strings = boundaryStrings.map((value) => (typeof value === 'string' ? value : value.of(1n)));

  test('are each another', () => {
    expect(new Set(strings).size).toBe(strings.length);
  });

  test('have every mark of ASCII in them', () => {
    const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(0x20 + index));
    const all = strings.join('');
    expect(printable.filter((mark) => /\W/.test(mark) && !all.includes(mark))).toEqual([]);
  });

  test('begin with the empty one, so that the least is shown of what fails for its length', () => {
    expect(strings[0]).toBe('');
  });
});
