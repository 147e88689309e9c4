import { describe, expect, test } from 'vitest';
import { run } from '../index.ts';
import { boundaryStrings } from '../lib/payloads/boundaries.ts';
import { type NewPlant, Refusal, startStore } from '../reference/store.ts';
import { TOKEN } from './stores.ts';

const SEEDS = Array.from({ length: 20 }, (_, index) => index + 1);

/** The checks of the whole shape that fail, with one seed, on a store that rejects some plants. */
async function failingWith(seed: number, rejects: (plant: NewPlant) => boolean): Promise<string> {
  const store = await startStore({
    token: TOKEN,
    steps: (right) => ({
      create(plant, request) {
        if (rejects(plant)) throw new Refusal(400, 7, 'such a plant is not created here');
        return right.create(plant, request);
      },
    }),
  });
  const only = ['whole-shape/*', 'create/echoes-*'];
  const { results } = await run({ baseUrl: store.url, token: TOKEN, seed, only, strict: true }).record;
  await store.stop();
  return results.flatMap(({ id, verdict }) => (verdict === 'fail' ? [id] : [])).join(' ');
}

const NAME = 'whole-shape/takes-any-name';
const TAG = 'whole-shape/takes-any-tag';

describe('what fails does not depend on the seed, where a store rejects', () => {
  test.each<[what: string, rejects: (plant: NewPlant) => boolean, failing: readonly string[]]>([
    ['empty names', ({ name }) => name === '', [NAME]],
    ['empty tags', ({ tag }) => tag === '', [TAG]],
    ['names of white space alone', ({ name }) => /^\s+$/.test(name), [NAME]],
    ['names of one letter', ({ name }) => /^\p{L}$/u.test(name), [NAME]],
    ['names with a space at an end', ({ name }) => / $|^ /.test(name) && name.trim() !== '', [NAME]],
    ['names above 255 characters', ({ name }) => [...name].length > 255, [NAME]],
    ['names above 255 bytes', ({ name }) => Buffer.byteLength(name) > 255, [NAME]],
    ['names above 1000 characters', ({ name }) => name.length > 1000, [NAME]],
    ['names with emoji', ({ name }) => /\p{Extended_Pictographic}/u.test(name), [NAME]],
    ['names with combining characters', ({ name }) => /\p{M}/u.test(name), [NAME]],
    ['names with control characters', ({ name }) => /\p{Cc}/u.test(name), [NAME]],
    ['names with a pipe', ({ name }) => name.includes('|'), [NAME]],
    ['the last code point', ({ name, tag = '' }) => /\u{10ffff}/u.test(name + tag), [NAME, TAG]],
    ['tags with capitals', ({ tag = '' }) => /[A-Z]/.test(tag), [TAG]],
    ['negative ids', ({ id }) => id < 0n, ['whole-shape/takes-negative-ids']],
  ])('%s', async (_what, rejects, failing) => {
    const sets = new Set<string>();
    for (const seed of SEEDS) sets.add(await failingWith(seed, rejects));
    expect([...sets]).toEqual([failing.join(' ')]);
  });
});

describe('the strings that are tried in every run', () => {
  const strings = boundaryStrings(() => 'abcdef');

  test('are each another', () => {
    expect(new Set(strings).size).toBe(strings.length);
  });

  test('have every printable character of ASCII in them', () => {
    const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(0x20 + index));
    const all = strings.join('');
    expect(printable.filter((character) => !all.includes(character))).toEqual([]);
  });

  test('begin with the empty one, so that the least is shown of what fails for its length', () => {
    expect(strings[0]).toBe('');
  });
});
