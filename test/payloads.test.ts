import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import fc, { type Arbitrary } from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Contract } from '../lib/contract/contract.ts';
import { DocumentError } from '../lib/contract/document.ts';
import { loadContract } from '../lib/contract/load-contract.ts';
import { sourceAt } from '../lib/contract/numeral.ts';
import type { TextLimits } from '../lib/contract/shape.ts';
import { requireOrdinary } from '../lib/payloads/check-satisfiable.ts';
import { ordersOf, pickByKind } from '../lib/payloads/choose-cases.ts';
import {
  credentialOf,
  noToken,
  otherSchemes,
  rightAndWrong,
  wrongTokens,
} from '../lib/payloads/credentials.ts';
import { type Defect, type DefectKind, defectsOf } from '../lib/payloads/defects.ts';
import { freshId, freshText, mayBeUsedUp, withWords } from '../lib/payloads/fresh.ts';
import {
  asParsed,
  COMPACT,
  FRESH,
  FreshText,
  fromValue,
  type Json,
  JsonObject,
  object,
  padded,
  Raw,
  type Style,
  textAt,
  write,
} from '../lib/payloads/json.ts';
import { extensions, gzipped, malformedText, notJson, notUtf8 } from '../lib/payloads/malformed.ts';
import { ordinaryIds, plantOf, reordered, styles, undeclared } from '../lib/payloads/plants.ts';
import { sample } from '../lib/payloads/random.ts';
import {
  anyString,
  HOSTILE,
  ordinaryName,
  ordinaryTag,
  patterned,
  plainName,
} from '../lib/payloads/string-samples.ts';
import { bytesOf, noCredential, validCredential } from '../lib/payloads/test-case.ts';
import { isValid, onlyValid } from '../lib/payloads/validity.ts';
import { requestCommand } from '../lib/report/reproduce/steps.ts';
import { anyFirstId, Ids } from '../lib/run/plan/ids.ts';
import { plantsFor } from '../lib/run/plant-factory.ts';
import { catalogue } from '../suites/index.ts';

const SHIPPED = fileURLToPath(new URL('../openapi.yaml', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'plant-payloads-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let overlays = 0;

/** The shipped document with overlay actions, each a line of YAML flow mapping. */
function withOverlay(...actions: string[]): Promise<Contract> {
  overlays += 1;
  const path = join(folder, `overlay-${overlays}.yaml`);
  writeFileSync(path, `overlay: 1.0.0\nactions:\n${actions.map((action) => `  - ${action}\n`).join('')}`);
  return loadContract(SHIPPED, [path]);
}

const PLANT = '$.components.schemas.Plant';
const NEW_PLANT = '$.components.schemas.NewPlant';
const on = (property: 'name' | 'tag' | 'id', update: string) => {
  const owner = property === 'id' ? `${NEW_PLANT}.allOf[1]` : PLANT;
  return `{ target: "${owner}.properties.${property}", update: ${update} }`;
};

/** An action that adds a required property. */
const added = (schema: string) =>
  `{ target: ${PLANT}, update: { required: [more], properties: { more: ${schema} } } }`;

/** The first `count` values of an arbitrary. */
const sampled = <T>(arbitrary: Arbitrary<T>, count: number, seed = 7): T[] =>
  Array.from({ length: count }, (_, index) => sample(arbitrary, seed, 'test', index).value);

const parsed = (text: string): unknown => JSON.parse(text);
const validity = ({ newPlant }: Contract, json: Json, id: bigint) => {
  const text = write(json, id);
  return newPlant.validate(text, parsed(text)).map(({ at, message }) => `${text}: ${at} ${message}`);
};

/** The value of a text, or that `JSON.parse` rejects it. */
function reading(text: string): { value: unknown } | 'rejected' {
  try {
    return { value: parsed(text) };
  } catch {
    return 'rejected';
  }
}

const bytesIn = (value: string | Uint8Array): Uint8Array =>
  typeof value === 'string' ? new TextEncoder().encode(value) : value;

let contract: Contract;
beforeAll(async () => {
  contract = await loadContract(SHIPPED);
});

const VARIETIES = ['plain', 'ordinary', 'any'] as const;
const PROPERTIES = ['all', 'required', 'some'] as const;
const PAYLOAD_CLASSES = VARIETIES.flatMap((variety) => PROPERTIES.map((which) => [variety, which] as const));

/** The ids of a run with one check. */
const ALL = { up: 0, size: 2 ** 31, overflow: 0, down: 0, slots: 1, own: 0 };

/** A value with its fresh text for an id. */
const written = (value: Json | undefined, id = 1n): Json | undefined =>
  value instanceof FreshText ? value.of(id) : value;

describe('plants', () => {
  test.each(PAYLOAD_CLASSES)('a %s plant with %s properties is a NewPlant', (variety, which) => {
    const ids = ordinaryIds(contract.newPlant.shape);
    for (const plant of sampled(plantOf(contract.newPlant.shape, variety, which), 300)) {
      expect(isValid(contract, plant)).toBe(true);
      for (const id of [ids.first, ids.last]) expect(validity(contract, plant, id)).toEqual([]);
      expect(plant.get('id')).toBe(FRESH);
      if (which === 'all') expect(plant.get('tag')).toBeDefined();
      if (which === 'required') expect(plant.get('tag')).toBeUndefined();
    }
  });

  test('an ordinary plant has a name and a tag that any store accepts', () => {
    for (const plant of sampled(plantOf(contract.newPlant.shape, 'ordinary', 'all'), 500)) {
      expect(written(plant.get('name'))).toMatch(/^[A-Za-z][A-Za-z0-9 '-]{0,38}[A-Za-z0-9'-]$/);
      expect(plant.get('tag')).toMatch(/^[a-z]{1,20}$/);
    }
  });

  test('ordinary names do not repeat themselves within a run', () => {
    const names = sampled(plantOf(contract.newPlant.shape, 'ordinary', 'required'), 2000).map(
      (plant, index) => written(plant.get('name'), BigInt(index)),
    );
    expect(new Set(names).size).toBe(names.length);
  });

  test('some plants have a tag and some have none', () => {
    const tagged = sampled(plantOf(contract.newPlant.shape, 'ordinary', 'some'), 200).filter(
      (plant) => plant.get('tag') !== undefined,
    );
    expect(tagged.length).toBeGreaterThan(50);
    expect(tagged.length).toBeLessThan(150);
  });

  test('unconstrained names include hostile strings, other planes and great lengths', () => {
    const names = sampled(plantOf(contract.newPlant.shape, 'any', 'all'), 500).map((plant) =>
      String(written(plant.get('name'))),
    );
    expect(names.filter((name) => HOSTILE.includes(name)).length).toBeGreaterThan(50);
    expect(names.some((name) => /[\u{10000}-\u{10ffff}]/u.test(name))).toBe(true);
    expect(names.some((name) => [...name].length >= 1000)).toBe(true);
    expect(names).toContain('');
  });

  test('no string contains a lone surrogate, so that it survives UTF-8', () => {
    const texts = [
      ...HOSTILE,
      ...sampled(anyString({ min: 0, max: undefined, patterns: [], format: undefined }), 800).map((text) =>
        String(written(text)),
      ),
    ];
    for (const text of texts)
      expect(new TextDecoder().decode(new TextEncoder().encode(`_${text}`))).toBe(`_${text}`);
  });

  test.each<[name: string, min: number, max: number | undefined]>([
    ['no limits', 0, undefined],
    ['a maximum', 0, 4],
    ['a minimum below the usual lengths', 3, undefined],
    ['an exact length', 7, 7],
    ['a length of zero', 0, 0],
    ['a length of one', 1, 1],
    ['a wide range', 3, 64],
    ['a range beyond the usual lengths', 100, 200],
  ])('strings with %s stay within it', (_name, min, max) => {
    const limits = { min, max, patterns: [], format: undefined };
    for (const arbitrary of [anyString, ordinaryName, plainName, ordinaryTag]) {
      if (max === 0 && arbitrary === ordinaryName) continue;
      for (const text of sampled<string | FreshText>(arbitrary(limits), 200)) {
        const length = [...String(written(text))].length;
        expect(length).toBeGreaterThanOrEqual(min);
        expect(length).toBeLessThanOrEqual(max ?? Infinity);
      }
    }
  });

  test('strings without limits have the usual lengths, inclusive', () => {
    const limits = { min: 0, max: undefined, patterns: [], format: undefined };
    const spans = [ordinaryName, plainName, ordinaryTag].map((arbitrary) => {
      const lengths = sampled(arbitrary(limits), 600).map((text) => text.length);
      return [Math.min(...lengths), Math.max(...lengths)];
    });
    expect(spans).toEqual([
      [6, 40],
      [10, 14],
      [1, 20],
    ]);
    for (const name of sampled(plainName(limits), 50)) expect(name).toMatch(/^[A-Z][a-z]+$/);
  });

  test('any string is a hostile string, a long one or a mixture, up to thousands of letters long', () => {
    const texts = sampled(anyString({ min: 0, max: undefined, patterns: [], format: undefined }), 1500).map(
      (text) => String(written(text)),
    );
    const long = texts.filter((text) => [...text].length > 60 && !HOSTILE.includes(text));
    expect(new Set(long.map((text) => [...text].length))).toEqual(
      new Set([63, 64, 100, 128, 255, 256, 257, 511, 1000, 4000]),
    );
    expect(new Set(long.flatMap((text) => [...new Set(text)]))).toEqual(
      new Set([...'abcdef', 'é', '木', '🌵']),
    );
    expect(HOSTILE.filter((text) => !texts.includes(text))).toEqual([]);
    const mixed = texts.filter((text) => !HOSTILE.includes(text) && !long.includes(text));
    expect(Math.max(...mixed.map((text) => [...text].length))).toBe(40);
    expect(mixed.length).toBeGreaterThan(500);
    expect(new Set(mixed.flatMap((text) => [...text])).size).toBeGreaterThan(500);
  });

  const limited = (limits: Partial<TextLimits>): TextLimits => ({
    min: 0,
    max: undefined,
    patterns: [],
    format: undefined,
    ...limits,
  });

  test('strings of patterns match them all, within the limits', () => {
    const both = patterned(limited({ patterns: ['^[a-f]+$', '^.*a'], min: 2, max: 3 }));
    expect(both).toBeDefined();
    if (both === undefined) return;
    const texts = sampled(both, 200);
    for (const text of texts) expect(text).toMatch(/^(?=.*a)[a-f]{2,3}$/);
    expect(new Set(texts.map((text) => text.length))).toEqual(new Set([2, 3]));
  });

  test('the length of a string is counted in code points', () => {
    const cactus = patterned(limited({ patterns: ['^🌵{1,3}$'], min: 2, max: 2 }));
    expect(cactus === undefined ? [] : [...new Set(sampled(cactus, 20))]).toEqual(['🌵🌵']);
    const two = patterned(limited({ patterns: ['^🌵{1,3}$', '^.{2}$'] }));
    expect(two === undefined ? [] : [...new Set(sampled(two, 20))]).toEqual(['🌵🌵']);
  });

  test('hostile and long strings are sampled up to the limits, inclusive', () => {
    const nine = sampled(anyString(limited({ min: 9, max: 9 })), 200);
    for (const word of ['undefined', '__proto__']) expect(nine).toContain(word);
    const long = sampled(anyString(limited({ min: 64, max: 64 })), 100).map((text) => written(text));
    expect(long).toContain(freshText('a'.repeat(64)).of(1n));
  });

  test('no strings are made without a pattern or format, or if none can be made', () => {
    expect(patterned(limited({}))).toBeUndefined();
    expect(patterned(limited({ format: 'binary' }))).toBeUndefined();
    expect(patterned(limited({ patterns: ['^(?=a)b'] }))).toBeUndefined();
    expect(patterned(limited({ patterns: ['^a+$', '^b+$'] }))).toBeUndefined();
    expect(patterned(limited({ patterns: ['^[a-z]{3}$'], min: 15 }))).toBeUndefined();
    expect(patterned(limited({ format: 'uuid', max: 30 }))).toBeUndefined();
  });

  test('strings with a minimum beyond the usual lengths, and no maximum, reach it', () => {
    const limits = { min: 50, max: undefined, patterns: [], format: undefined };
    for (const arbitrary of [ordinaryName, plainName, ordinaryTag])
      for (const text of sampled(arbitrary(limits), 50)) expect(text.length).toBeGreaterThanOrEqual(50);
  });

  test('ids between two bounds include the first and exclude the second', () => {
    const ids = Array.from({ length: 100 }, (_, id) => freshId(5n, 8n).written(BigInt(id)));
    expect(new Set(ids)).toEqual(new Set(['5', '6', '7']));
  });

  test('fresh texts keep their length and the kinds of their characters, and differ for each id', () => {
    const shape = (text: string) =>
      text
        .replace(/[a-f]/g, 'a')
        .replace(/[g-z]/g, 'g')
        .replace(/[A-F]/g, 'A')
        .replace(/[G-Z]/g, 'G')
        .replace(/\d/g, '0');
    const texts = fc.sample(fc.string({ unit: 'grapheme', maxLength: 60 }), 200);
    for (const text of [...texts, "O'Hara-2 of 𝔓lants"])
      for (const id of [1n, 2n, 2n ** 40n, -3n]) expect(shape(freshText(text).of(id))).toBe(shape(text));
    const name = freshText('Monstera');
    expect(name.of(7n)).toBe(name.of(7n));
    const many = Array.from({ length: 5000 }, (_, index) => name.of(2n ** 30n + BigInt(index)));
    expect(new Set(many).size).toBe(5000);
  });

  test('values that may be used up are distinguished from those that are almost certainly new', () => {
    const fresh: Json[] = [FRESH, freshId(2n ** 20n, 2n ** 21n), freshId(2n ** 40n, 2n ** 41n)];
    expect(fresh.map(mayBeUsedUp.id)).toEqual([false, false, false]);
    const scarce: Json[] = [7n, 2n ** 63n - 1n, freshId(2n ** 10n, 2n ** 20n)];
    expect(scarce.map(mayBeUsedUp.id)).toEqual([true, true, true]);
    const words = [1, 5, 6].map((length) => withWords((word) => word(length)));
    expect(words.map(mayBeUsedUp.name)).toEqual([true, true, false]);
    expect(['', 'null', freshText('木木木木木木')].map(mayBeUsedUp.name)).toEqual([true, true, true]);
  });

  test('a plant that the document does not allow is replaced', () => {
    const otherwise = object({ id: FRESH, name: 'Aloe' });
    const either = fc.constantFrom(object({ id: FRESH, name: 7n }), object({ id: FRESH, name: 'Fern' }));
    const never = fc.constant(object({ id: FRESH, name: 7n }));
    const texts = (plants: fc.Arbitrary<JsonObject>) => [
      ...new Set(sampled(onlyValid(contract, plants, otherwise), 40).map((plant) => write(plant, 3n))),
    ];
    expect(texts(either)).toEqual(['{"id":3,"name":"Fern"}']);
    expect(texts(never)).toEqual(['{"id":3,"name":"Aloe"}']);
  });

  test('a plant with an undeclared property stays valid', () => {
    for (const [name, value] of sampled(undeclared, 300)) {
      const plant = object({ id: FRESH, name: 'Aloe' }).with(name, value);
      expect(isValid(contract, plant), write(plant, 1n)).toBe(true);
    }
  });
});

describe('defects', () => {
  /** The typical payloads of each defect, line by line. */
  const summaryOf = (defects: readonly Defect[], control: JsonObject) =>
    defects
      .map(({ name, kind, property = 'the whole', typical }) =>
        [`${name} (${kind}, ${property})`, ...typical(control).map((json) => write(json, 34n))].join('\n'),
      )
      .join('\n\n');

  test('each defect does what its name says', () => {
    const control = object({ id: FRESH, name: 'Aloe', tag: 'x' });
    expect(summaryOf(defectsOf(contract.newPlant.shape), control)).toMatchSnapshot();
  });

  test('each limit of a document is violated by a little and by much', async () => {
    const narrowed = await withOverlay(
      on('name', '{ minLength: 3, maxLength: 5, pattern: "^[a-z]+$", format: hostname }'),
      on('tag', '{ enum: [fern, FERN, 7] }'),
      on('id', '{ minimum: 10, exclusiveMaximum: 2000000000, multipleOf: 10 }'),
      `{ target: ${PLANT}, update: { required: [more], properties: {` +
        ' small: { type: integer, format: int32, exclusiveMinimum: -7 },' +
        ' share: { type: number, maximum: 1.5, multipleOf: 0.5 },' +
        ' list: { type: array, minItems: 1, maxItems: 2, uniqueItems: true },' +
        ' more: { type: [object, "null"], required: [size], properties: { size: { type: string } } } } } }',
      `{ target: ${NEW_PLANT}, update: { unevaluatedProperties: false } }`,
    );
    const defects = defectsOf(narrowed.newPlant.shape);
    const control = object({ id: FRESH, name: 'aloe', more: object({ size: 'XL' }) });
    const ofLimits: DefectKind[] = ['constraint', 'beyond-format'];
    expect(
      summaryOf(
        defects.filter(({ kind }) => ofLimits.includes(kind)),
        control,
      ),
    ).toMatchSnapshot();
    const titles = defects.map(({ name }) => name).filter((name) => /^(?:share|list|more)\b/.test(name));
    expect(titles).toMatchSnapshot();
    // If the object is missing, one with the defect is made.
    const bare = object({ id: FRESH, name: 'aloe', more: null });
    const inner = defects.find(({ name }) => name === 'more: size is null');
    expect(inner?.typical(bare).map((json) => write(json, 1n))).toEqual([
      '{"id":1,"name":"aloe","more":{"size":null}}',
    ]);
  });

  test('a name that is much too long still fits into a request', async () => {
    const narrowed = await withOverlay(on('name', '{ maxLength: 6000 }'));
    const [long] = defectsOf(narrowed.newPlant.shape).filter(({ name }) => name === 'name is too long');
    const lengths = long?.typical(object({ name: 'x' })).map((json) => write(json, 1n).length - 11);
    expect(lengths).toEqual([6001, 6001, 12_002, 20_000]);
  });

  test('there is every kind of defect that the shipped document allows', () => {
    const kinds = new Set(defectsOf(contract.newPlant.shape).map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual([
      'beyond-format',
      'fraction',
      'inherited',
      'missing',
      'nested',
      'not-an-object',
      'null',
      'numeral',
      'other-name',
      'wrong-type',
    ] satisfies DefectKind[]);
  });

  test('names of defects are unique', () => {
    const names = defectsOf(contract.newPlant.shape).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  test.each([
    [
      'id',
      [
        'null',
        'fraction',
        'numeral',
        'wrong-type',
        'beyond-format',
        'missing',
        'other-name',
        'nested',
        'inherited',
      ],
    ],
    ['name', ['null', 'wrong-type', 'missing', 'other-name', 'nested', 'inherited']],
    ['tag', ['null', 'wrong-type']],
  ])('%s is broken by %j', (property, kinds) => {
    const own = defectsOf(contract.newPlant.shape).filter((defect) => defect.property === property);
    expect([...new Set(own.map(({ kind }) => kind))].sort()).toEqual([...kinds].sort());
  });

  test.each(PROPERTIES)(
    'no typical candidate is a valid NewPlant, for plants with %s properties',
    (which) => {
      let tried = 0;
      for (const control of sampled(plantOf(contract.newPlant.shape, 'ordinary', which), 40)) {
        for (const defect of defectsOf(contract.newPlant.shape)) {
          const candidates = defect.typical(control);
          expect(candidates.length).toBeGreaterThan(0);
          for (const candidate of candidates) {
            tried += 1;
            expect(isValid(contract, candidate), `${defect.name}: ${write(candidate, 1n)}`).toBe(false);
            expect(validity(contract, candidate, 2n ** 31n - 1n)).not.toEqual([]);
          }
        }
      }
      expect(tried).toBeGreaterThan(1000);
    },
  );

  test('no sampled candidate is a valid NewPlant', () => {
    const survivors: string[] = [];
    for (const [index, control] of sampled(
      plantOf(contract.newPlant.shape, 'ordinary', 'some'),
      30,
    ).entries()) {
      for (const defect of defectsOf(contract.newPlant.shape)) {
        for (const json of sampled(defect.sampled(control), 5, index)) {
          if (isValid(contract, json)) survivors.push(`${defect.name}: ${write(json, 1n)}`);
          else expect(validity(contract, json, 1n)).not.toEqual([]);
        }
      }
    }
    expect(survivors).toEqual([]);
  });

  test('a defect of one property leaves the others unchanged', () => {
    const control = object({ id: FRESH, name: 'Aloe', tag: 'succulent' });
    for (const defect of defectsOf(contract.newPlant.shape)) {
      if (defect.property === undefined) continue;
      for (const json of defect.typical(control)) {
        expect(json).toBeInstanceOf(JsonObject);
        if (!(json instanceof JsonObject)) continue;
        for (const [name, value] of control.members)
          if (name !== defect.property) expect(json.get(name), defect.name).toBe(value);
      }
    }
  });

  test('__proto__ is written like any other name', () => {
    const inherited = defectsOf(contract.newPlant.shape).filter(({ kind }) => kind === 'inherited');
    expect(inherited.length).toBe(3);
    for (const defect of inherited) {
      for (const json of defect.typical(object({ id: FRESH, name: 'Aloe' })))
        expect(write(json, 3n)).toContain('"__proto__":{');
    }
  });
});

describe('texts', () => {
  const plants = () => sampled(plantOf(contract.newPlant.shape, 'ordinary', 'some'), 40);
  const rejectedOrNotAnObject = (text: string) => {
    const read = reading(text);
    return read === 'rejected' || typeof read.value !== 'object' || read.value === null;
  };

  test.each(notJson.map(({ name, apply }) => [name, apply] as const))('%s is not JSON', (_name, apply) => {
    for (const plant of plants()) {
      const edited = apply(write(plant, 12n));
      if (typeof edited === 'string') expect(reading(edited), edited).toBe('rejected');
      else expect(() => new TextDecoder('utf-8', { fatal: true }).decode(edited)).toThrow();
    }
  });

  test.each(notJson)('even an empty object is no longer JSON if it is edited: $name', ({ apply }) => {
    expect(() => JSON.parse(Buffer.from(apply('{}')).toString('latin1'))).toThrow(SyntaxError);
  });

  test('each edit does what its name says', () => {
    const text = '{"id":34,"name":"Aloe"}';
    const strings = [...notJson, ...extensions].flatMap(({ name, apply }) => {
      const edited = apply(text);
      return typeof edited === 'string' ? [[name, edited] as const] : [];
    });
    expect(Object.fromEntries(strings)).toEqual({
      empty: '',
      'white space only': ' \r\n\t ',
      'truncated after the first character': '{',
      'truncated in the middle': '{"id":34,"n',
      'truncated before the last quarter': '{"id":34,"name":"',
      'without the closing brace': '{"id":34,"name":"Aloe"',
      'without the closing quote of a string': '{"id":34,"name":"Aloe","colour":"green}',
      'closed with a square bracket': '{"id":34,"name":"Aloe"]',
      'with a comma after the opening brace': '{,"id":34,"name":"Aloe"}',
      'without the opening brace': '"id":34,"name":"Aloe"}',
      'without separators': '{"id":34 "name":"Aloe"}',
      'plain text': 'a plant called Aloe',
      XML: '<plant><id>34</id><name>Aloe</name></plant>',
      YAML: 'id: 34\nname: Aloe\n',
      'twice in a row': text + text,
      'two values on separate lines': `${text}\n${text}`,
      'followed by another value': `${text} null`,
      'followed by text': `${text} and more`,
      'followed by a NUL': `${text}\0`,
      'followed by a brace': `${text}}`,
      'preceded by text': `plant: ${text}`,
      'two values separated by a comma': `${text},${text}`,
      'a URL-encoded form': 'id=34&name=Aloe&tag=succulent',
      'trailing-comma': '{"id":34,"name":"Aloe",}',
      comment: '{/* a comment */"id":34,"name":"Aloe"}',
      'single-quotes': "{'id':34,'name':'Aloe'}",
      'unquoted-names': '{id:34,name:"Aloe"}',
      nan: '{"id":34,"name":"Aloe","height":NaN}',
      'leading-zero': '{"id":34,"name":"Aloe","height":01}',
      'raw-newline-in-string': '{"id":34,"name":"A\nloe"}',
    });
  });

  test('a padded text is longer and has the same value', () => {
    for (const text of ['{"id":1,"name":"}"}', ' {"a":{"b":[{}]}}\n ', '[]', 'null']) {
      const longer = padded(50)(text);
      expect(JSON.parse(longer)).toEqual(JSON.parse(text));
      expect(longer.length - text.length).toBe(text.includes('{') ? 50 : 0);
    }
  });

  test('an edit finds the end and the id regardless of white space', () => {
    const text = ' { "id" : 77 , "name" : "x}" }\n ';
    const edited = (name: string) =>
      [...notJson, ...extensions].find((one) => one.name === name)?.apply(text);
    expect(edited('a URL-encoded form')).toBe('id=77&name=Aloe&tag=succulent');
    expect(edited('without the opening brace')).toBe(text.slice(2));
    for (const name of ['trailing-comma', 'nan', 'leading-zero'])
      expect(edited(name), name).toMatch(/,[^}]*}$/);
    expect(notJson.find(({ name }) => name === 'a URL-encoded form')?.apply('{}')).toMatch(/^id=12&/);
  });

  test('invalid UTF-8 is inserted at the beginning of each string or in a name, and nothing else changes', () => {
    const edited = notUtf8(['name', 'tag']).map(({ apply }) =>
      Buffer.from(bytesIn(apply('{"id":1,"name":"Aloe","tag" : "x"}'))).toString('latin1'),
    );
    for (const text of edited)
      expect(text.replace(/[\x80-\xff]{1,3}/, '|'), text).toMatch(
        /^{"(?:id":1,"name":"\|Aloe","tag" : "x|id":1,"name":"Aloe","tag" : "\|x|i\|d":1,"name":"Aloe","tag" : "x)"}$/,
      );
    expect(new Set(edited).size).toBe(18);
  });

  test('a coded text decodes to the text', () => {
    expect(gunzipSync(bytesIn(gzipped.apply('{"id":1}'))).toString()).toBe('{"id":1}');
  });

  test('texts are made malformed in four distinct ways', () => {
    const text = ' {"id":1,"name":"Aloe"} ';
    const ways = new Map<string, string[]>();
    for (const { name, apply } of sampled(malformedText, 800))
      ways.set(name, [...(ways.get(name) ?? []), String(apply(text))]);
    expect([...ways.keys()].sort()).toEqual(['followed by more text', 'garbage', 'truncated', 'twice']);
    const of = (name: string) => [...new Set(ways.get(name))];
    // Anywhere inside the object.
    for (const cut of of('truncated'))
      expect(text.startsWith(cut) && /^ {.*[^}]$|^ {$/.test(cut), cut).toBe(true);
    expect(of('truncated').length).toBe(20);
    for (const longer of of('followed by more text')) expect(longer.startsWith(text)).toBe(true);
    expect(of('followed by more text').length).toBeGreaterThan(100);
    expect(of('twice').sort()).toEqual(
      ['', '\n', '\u001e', ' ', ', '].map((gap) => text + gap + text).sort(),
    );
    for (const garbage of of('garbage')) expect(garbage).toMatch(/^[a-z{[(<&=:;@!]{2,12}$/);
  });

  test('names of edits are unique', () => {
    const names = [...notJson, ...notUtf8(['name', 'tag']), ...extensions].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  test('no malformed text is an object, in 2000 samples', () => {
    const text = fc.tuple(
      plantOf(contract.newPlant.shape, 'ordinary', 'some'),
      malformedText,
      fc.option(styles, { nil: COMPACT }),
    );
    for (const [plant, { name, apply }, style] of sampled(text, 2000)) {
      const edited = apply(write(plant, 12n, style));
      expect(typeof edited).toBe('string');
      expect(rejectedOrNotAnObject(String(edited)), `${name}: ${String(edited)}`).toBe(true);
      expect(reading(String(edited)), `${name}: ${String(edited)}`).toBe('rejected');
    }
  });

  test.each(notUtf8(['name', 'tag']).map(({ name, apply }) => [name, apply] as const))(
    '%s is not UTF-8, in an otherwise valid text',
    (_name, apply) => {
      for (const plant of plants()) {
        const text = write(plant, 12n);
        const edited = bytesIn(apply(text));
        expect(() => new TextDecoder('utf-8', { fatal: true }).decode(edited)).toThrow();
        expect(String.fromCharCode(...edited.filter((byte) => byte < 0x80))).toBe(text);
        expect(reading(Buffer.from(edited).toString('utf8'))).not.toBe('rejected');
      }
    },
  );

  test.each(extensions.map(({ name, apply }) => [name, apply] as const))(
    'the extension %s makes a text that is not JSON',
    (_name, apply) => {
      const text = write(object({ id: FRESH, name: 'Aloe', tag: 'x' }), 12n);
      expect(apply(text)).not.toBe(text);
      expect(reading(String(apply(text)))).toBe('rejected');
    },
  );
});

describe('writing JSON', () => {
  const values = () => plantOf(contract.newPlant.shape, 'any', 'some');

  test('each style parses to the same value', () => {
    for (const [plant, style] of sampled(fc.tuple(values(), styles), 500)) {
      const compact = write(plant, 99n);
      expect(parsed(write(plant, 99n, style))).toEqual(parsed(compact));
    }
  });

  test('styles differ in white space and in escapes', () => {
    const plant = object({ id: FRESH, name: 'Aloe', tag: 'x' });
    const texts = sampled(styles, 200).map((style) => write(plant, 1n, style));
    expect(new Set(texts).size).toBeGreaterThan(100);
    expect(texts.some((text) => text.includes('\\u0069'))).toBe(true);
    expect(texts.some((text) => /^\s/.test(text) && /\s$/.test(text))).toBe(true);
  });

  test('reordered properties are the same value', () => {
    const orders = new Set<string>();
    for (const plant of sampled(reordered(fc.constant(object({ a: 1n, b: 'x', c: null }))), 100)) {
      expect(parsed(write(plant, 1n))).toEqual({ a: 1, b: 'x', c: null });
      orders.add(plant.members.map(([name]) => name).join(''));
    }
    expect(orders.size).toBe(6);
  });

  test.each<[style: Partial<Style>, text: string]>([
    [{}, '{"id":5,"name":"Al\\n"}'],
    [{ gaps: [' '] }, ' { "id" : 5 , "name" : "Al\\n" } '],
    [{ escapes: 'names' }, '{"\\u0069\\u0064":5,"\\u006e\\u0061\\u006d\\u0065":"Al\\n"}'],
    [{ escapes: 'values' }, '{"id":5,"name":"\\u0041\\u006c\\u000a"}'],
    [{ escapes: 'both', every: 2 }, '{"\\u0069d":5,"\\u006ea\\u006de":"\\u0041l\\u000a"}'],
    [{ escapes: 'values', digits: 'upper' }, '{"id":5,"name":"\\u0041\\u006C\\u000A"}'],
    [{ gaps: ['\t', ' '] }, ' {\t"id" :\t5 ,\t"name" :\t"Al\\n" }\t'],
  ])('the style %j writes %s', (style, text) => {
    expect(write(object({ id: FRESH, name: 'Al\n' }), 5n, { ...COMPACT, ...style })).toBe(text);
  });

  test.each<[json: Json, text: string]>([
    [null, 'null'],
    [true, 'true'],
    [2n ** 63n, '9223372036854775808'],
    [new Raw('1E-7'), '1E-7'],
    [[], '[]'],
    [[1n, [FRESH]], '[1,[4]]'],
    [new JsonObject([]), '{}'],
    [
      new JsonObject([
        ['a', 1n],
        ['a', 2n],
      ]),
      '{"a":1,"a":2}',
    ],
    ['🌵\u2028', '"🌵\u2028"'],
  ])('JSON is written exactly (%#)', (json, text) => {
    expect(write(json, 4n)).toBe(text);
  });

  test('JavaScript values are converted to JSON', () => {
    for (const value of [null, true, 'x', 2n ** 64n]) expect(fromValue(value)).toBe(value);
    expect(fromValue(undefined)).toBeNull();
    const value = { a: [1.5, null, { b: 'x' }], c: 1e21, __proto__: null };
    expect(write(fromValue(value), 1n)).toBe('{"a":[1.5,null,{"b":"x"}],"c":1e+21}');
  });

  test('white space is written inside and around an empty object', () => {
    expect(write(new JsonObject([]), 1n, { ...COMPACT, gaps: [' '] })).toBe(' { } ');
  });

  test('every other character is escaped, and those that must be', () => {
    const style: Style = { ...COMPACT, escapes: 'values', every: 2 };
    expect(write('a b~c\u007f', 1n, style)).toBe('"\\u0061 \\u0062~\\u0063\\u007f"');
    expect(write('a"b\\c\u001fd\u00e9', 1n, style)).toBe(
      '"\\u0061\\u0022\\u0062\\u005c\\u0063\\u001f\\u0064\\u00e9"',
    );
  });

  test('an escaped astral letter is the same letter', () => {
    for (const every of [1, 2] as const)
      expect(parsed(write('a🌵"\\é', 1n, { ...COMPACT, escapes: 'values', every }))).toBe('a🌵"\\é');
  });

  test('the bytes of a body are its text in UTF-8, its edited text, its raw bytes, or derived from the token', () => {
    const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8');
    const json = object({ id: FRESH, name: 'é' });
    expect(text(bytesOf({ json }, 3n, 't'))).toBe('{"id":3,"name":"é"}');
    expect(text(bytesOf({ json, style: { ...COMPACT, gaps: [' '] } }, 3n, 't'))).toContain(' { "id" : 3');
    expect(text(bytesOf({ json, edit: (all) => `${all}${all.length}` }, 3n, 't'))).toBe(
      '{"id":3,"name":"é"}19',
    );
    expect(text(bytesOf({ json, edit: () => '' }, 3n, 't'))).toBe('');
    expect(bytesOf({ json, edit: () => Uint8Array.of(0xff) }, 3n, 't')).toEqual(Uint8Array.of(0xff));
    expect(bytesOf({ json, edit: () => 'é' }, 3n, 't')).toEqual(Buffer.of(0xc3, 0xa9));
    expect(bytesOf({ bytes: Uint8Array.of(1, 2) }, 3n, 't')).toEqual(Uint8Array.of(1, 2));
    expect(text(bytesOf({ secret: (token) => `token=${token}` }, 3n, 't'))).toBe('token=t');
  });

  test('a replaced value stays in its place', () => {
    const plant = object({ id: 1n, name: 'a' });
    expect(write(plant.with('id', 'x'), 1n)).toBe('{"id":"x","name":"a"}');
    expect(write(plant.with('tag', 'x'), 1n)).toBe('{"id":1,"name":"a","tag":"x"}');
    expect(write(plant.renamed('id', 'ID'), 1n)).toBe('{"ID":1,"name":"a"}');
    expect(write(plant.without('id'), 1n)).toBe('{"name":"a"}');
    expect(write(plant.with('id', null).with('id', 2n), 1n)).toBe('{"id":2,"name":"a"}');
    expect(write(plant, 1n)).toBe('{"id":1,"name":"a"}');
  });
});

describe('the selection of cases for a large document', () => {
  const letters = (count: number) => [...'abcdefghijkl'].slice(0, count);

  test.each([1, 2, 3, 4])('tries every order of %i properties', (count) => {
    const orders = ordersOf(letters(count)).map((order) => order.join(''));
    const all = Array.from({ length: count }, (_, index) => index + 1).reduce((a, b) => a * b, 1);
    expect([orders.length, new Set(orders).size]).toEqual([all, all]);
  });

  test.each([5, 9, 12])(
    'of %i properties each is once first and once last, and every two occur in both orders',
    (count) => {
      const orders = ordersOf(letters(count)).map((order) => order.join(''));
      expect(orders.length).toBe(2 * count);
      for (const order of orders) expect([...order].sort()).toEqual(letters(count));
      for (const a of letters(count)) {
        expect(orders.some((order) => order.startsWith(a)) && orders.some((order) => order.endsWith(a))).toBe(
          true,
        );
        for (const b of letters(count))
          if (a !== b)
            expect(
              orders.some((order) => order.indexOf(a) < order.indexOf(b)),
              a + b,
            ).toBe(true);
      }
    },
  );

  test('picks the first case of each kind before the second of any', () => {
    const cases = ['a', 'b', 'c'].flatMap((kind) =>
      Array.from({ length: 10 }, (_, index) => `${kind}${index}`),
    );
    const kindOf = (one: string) => one.charAt(0);
    expect(pickByKind(cases, kindOf, 30)).toEqual(cases);
    expect(pickByKind(cases, kindOf, 6)).toEqual(['a0', 'a1', 'b0', 'b1', 'c0', 'c1']);
    expect(pickByKind(cases, kindOf, 5)).toHaveLength(5);
    expect(pickByKind(cases, (one) => one, 6)).toEqual(['a0', 'a5', 'b0', 'b5', 'c0', 'c5']);
  });

  test('no check sends hundreds of requests for a document with twenty nested properties', async () => {
    const inner = Array.from(
      { length: 20 },
      (_, index) =>
        `p${index}: { type: object, required: [a], properties: { a: { type: string, maxLength: 3 }, b: { type: integer, minimum: 1 } } }`,
    );
    const large = await withOverlay(
      `{ target: ${NEW_PLANT}, update: { properties: { ${inner.join(', ')} } } }`,
    );
    for (const { id, test: one } of catalogue) {
      if (one.kind !== 'cases') continue;
      expect(one.cases(plantsFor(large, 1, id)).length, id).toBeLessThanOrEqual(220);
    }
  });
});

describe('sampling', () => {
  const bytes = (seed: number, stream: string, index: number) =>
    write(sample(plantOf(contract.newPlant.shape, 'any', 'some'), seed, stream, index).value, 1n);

  test('the same coordinates give the same bytes, regardless of earlier samples', () => {
    const forwards = Array.from({ length: 50 }, (_, index) => bytes(3, 's', index));
    const backwards = Array.from({ length: 50 }, (_, index) => bytes(3, 's', 49 - index)).reverse();
    expect(backwards).toEqual(forwards);
  });

  test('a different seed, stream or index gives different bytes', () => {
    const name = (seed: number, stream: string, index: number) =>
      write(sample(plantOf(contract.newPlant.shape, 'ordinary', 'all'), seed, stream, index).value, 1n);
    const all = [
      ...Array.from({ length: 100 }, (_, index) => name(3, 's', index)),
      ...Array.from({ length: 100 }, (_, index) => name(4, 's', index)),
      ...Array.from({ length: 100 }, (_, index) => name(3, 't', index)),
    ];
    expect(new Set(all).size).toBe(300);
  });

  test('a sampled value can be shrunk', () => {
    const arbitrary = ordinaryTag({ min: 0, max: undefined, patterns: [], format: undefined });
    const values = Array.from({ length: 9 }, (_, index) => sample(arbitrary, 1, 's', index));
    const shorter = values.flatMap(({ value, context }) => {
      const [first] = arbitrary.shrink(value, context);
      return first !== undefined && first.value.length < value.length ? [first] : [];
    });
    expect(shorter.length).toBeGreaterThan(1);
  });
});

describe('credentials', () => {
  const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJwbGFudHMifQ.1KTvqkQpJNiYnH9WAMbRyTMTJ5d6RBbQxBzZqZl2mSY';
  const TOKENS = [
    'a',
    'x',
    'y',
    'AAAA',
    '1234',
    'é',
    'level',
    'xx',
    'f3a91c07d2',
    'null',
    'undefined',
    '*',
    JWT,
  ];
  const invalidCredentials = [...wrongTokens, ...otherSchemes, ...noToken];

  test.each(TOKENS)('no invalid credential is Bearer %s', (token) => {
    for (const { name, credential } of invalidCredentials) {
      const values = credential.values(token);
      expect(values, name).not.toContain(`Bearer ${token}`);
      expect(values.length, name).toBeLessThanOrEqual(1);
      for (const value of values) {
        expect(/^bearer\s+(.*)$/i.exec(value)?.[1], name).not.toBe(token);
        expect(value, name).not.toMatch(/^Bearer\s+$/);
        expect(value, name).not.toMatch(/[\r\n]/);
      }
    }
  });

  test.each(['4', '4d'])('no wrong token is Bearer %s, which is a prefix of the unknown token', (token) => {
    for (const { name, credential } of wrongTokens)
      expect(credential.values(token), name).not.toContain(`Bearer ${token}`);
  });

  test.each(TOKENS)(
    'wrong tokens for %s are not empty, and never differ only in the last characters',
    (token) => {
      for (const { name, credential } of wrongTokens) {
        const [value = ''] = credential.values(token);
        expect(value, name).toMatch(/^Bearer ./);
        const sent = value.slice('Bearer '.length);
        if (sent.length !== token.length || token.length < 8) continue;
        expect(sent.slice(0, -2), name).not.toBe(token.slice(0, -2));
      }
    },
  );

  test.each([
    ['a random token of the same length', '4d', 'xd'],
    ['the token with a different first character', 'Aloe', 'xloe'],
    ['the token with a different first character', 'xylem', 'yylem'],
    ['the token with a different character in the middle', 'Aloes', 'Alxes'],
    ['the token with a different character in the middle', 'maxim', 'mayim'],
  ])('%s, of %s, is %s', (name, token, sent) => {
    const invalid = wrongTokens.find((one) => one.name === name);
    expect(invalid?.credential.values(token)).toEqual([`Bearer ${sent}`]);
  });

  test('the unknown token is as long as the token', () => {
    const [unknownToken] = wrongTokens;
    for (const length of [1, 64, 127, 128, 129, 1000]) {
      const [value = ''] = unknownToken?.credential.values('T'.repeat(length)) ?? [];
      expect(value).toHaveLength('Bearer '.length + length);
    }
  });

  test('the recorded form never contains the token', () => {
    for (const { name, credential } of invalidCredentials)
      expect(credential.shell.join('\n'), name).not.toContain('secret-token');
    for (const credential of [validCredential, noCredential, rightAndWrong('other', 'first')])
      expect(credential.shell).toHaveLength(credential.values('secret-token').length);
  });

  test('the recorded form in a command sends the same header in a shell', () => {
    const token = 'Sesame-42-oPen';
    // A generated token and a missing header have no shell form.
    const [{ credential: generatedToken } = { credential: noCredential }, ...others] = invalidCredentials;
    const written = [validCredential, ...others.map(({ credential }) => credential)].flatMap(
      ({ shell, values }) => shell.map((value, index) => ({ value, sent: values(token)[index] ?? '' })),
    );
    const commands = written.map(({ value }) =>
      requestCommand({
        method: 'POST',
        url: 'http://127.0.0.1/plants',
        headers: [
          ['host', '127.0.0.1'],
          ['authorization', value],
        ],
        body: { bytes: 0, text: '' },
      }),
    );
    // The argument of curl's first -H, or of -u; a header without a value is written as `name;`.
    const curl = `curl() {
  if [ "$4" = -u ]; then printf 'Authorization: Basic %s\\n' "$(printf %s "$5" | base64)"; else printf '%s\\n' "$5"; fi
}`;
    const script = [curl, ...commands].join('\n');
    const env = { ...process.env, PLANT_STORE_TOKEN: token };
    const printed = execFileSync('bash', ['-c', script], { env, encoding: 'latin1' }).trimEnd().split('\n');
    expect(printed).toEqual(
      written.map(({ sent }) => (sent === '' ? 'Authorization;' : `Authorization: ${sent}`)),
    );
    expect(generatedToken.shell).toEqual(['Bearer <another token of the same length>']);
  });

  test('the recorded form can be read again', () => {
    const token = 'Sesame-42-oPen';
    for (const credential of [
      validCredential,
      noCredential,
      ...invalidCredentials.map((one) => one.credential),
    ])
      expect(credentialOf(credential.shell).values(token)).toEqual(credential.values(token));
    const other = credentialOf(['Bearer $PLANT_STORE_TOKEN', 'Bearer other']);
    expect(other.values(token)).toEqual([`Bearer ${token}`, 'Bearer other']);
    expect(other.shell).toEqual(['Bearer $PLANT_STORE_TOKEN', 'Bearer other']);
  });

  test('names of invalid credentials are unique', () => {
    expect(new Set(invalidCredentials.map(({ name }) => name)).size).toBe(invalidCredentials.length);
  });

  test('Basic carries the token as user or password', () => {
    const sent = otherSchemes
      .flatMap(({ credential }) => credential.values('tok'))
      .filter((value) => value.startsWith('Basic '))
      .map((value) => Buffer.from(value.slice(6), 'base64').toString());
    expect(sent).toEqual(expect.arrayContaining(['tok:', 'user:tok']));
  });

  test('two headers are sent in the given order', () => {
    expect(rightAndWrong('other', 'first').values('t')).toEqual(['Bearer t', 'Bearer other']);
    expect(rightAndWrong('other', 'last').values('t')).toEqual(['Bearer other', 'Bearer t']);
    expect(rightAndWrong('other', 'last').values('t')).toEqual(['Bearer other', 'Bearer t']);
    expect(rightAndWrong('other', 'last').shell).toEqual(['Bearer other', 'Bearer $PLANT_STORE_TOKEN']);
  });
});

describe('ids', () => {
  test.each<[first: bigint, last: bigint, step: bigint, from: bigint]>([
    [1n, 100n, 1n, 1n],
    [1n, 100n, 1n, 97n],
    [1n, 100n, 1n, 100n],
    [10n, 500n, 10n, 490n],
    [10n, 505n, 10n, 30n],
    [-50n, 49n, 1n, 48n],
    [2n ** 62n, 2n ** 62n + 99n, 1n, 2n ** 62n + 98n],
  ])('from %d to %d by %d, starting at %d, are unique and within the range', (first, last, step, from) => {
    const ids = new Ids({ first, last, step }, from).in(ALL);
    const places = Number((last - first) / step + 1n);
    const seen = new Set<bigint>();
    const add = (id: bigint) => {
      expect(seen.has(id)).toBe(false);
      expect(id >= first && id <= last && (id - first) % step === 0n).toBe(true);
      seen.add(id);
    };
    const start = ids.next();
    expect(start).toBe(from);
    add(start);
    while (seen.size + 6 <= places) {
      const reserved = ids.reserve(3);
      add(ids.retryId());
      for (const index of [2, 0, 1]) add(reserved(index));
      add(ids.next());
      add(ids.retryId());
    }
    expect(seen.size).toBeGreaterThan(places - 6);
  });

  test('extra requests do not change the ids of the cases', () => {
    const range = { first: 1n, last: 1000n, step: 1n };
    const [without, withExtra] = [new Ids(range, 500n).in(ALL), new Ids(range, 500n).in(ALL)];
    for (let index = 0; index < 20; index += 1) withExtra.retryId();
    expect(withExtra.next()).toBe(without.next());
    expect(withExtra.reserve(5)(4)).toBe(without.reserve(5)(4));
  });

  test('a run starts anywhere in the range', () => {
    const range = { first: 10n, last: 12n, step: 1n };
    const starts = new Set(Array.from({ length: 200 }, () => anyFirstId(range)));
    expect([...starts].sort()).toEqual([10n, 11n, 12n]);
    const wide = anyFirstId({ first: -(2n ** 63n), last: 2n ** 63n - 1n, step: 1n });
    expect(wide >= -(2n ** 63n) && wide < 2n ** 63n).toBe(true);
  });

  test('the shipped document does not narrow the ordinary range', () => {
    const range = { first: 2n ** 20n, last: 2n ** 31n - 1n, step: 1n };
    expect(ordinaryIds(contract.newPlant.shape)).toEqual(range);
    expect(ordinaryIds(contract.newPlant.shape, 1000n)).toEqual({ ...range, first: 1n });
  });
});

/** What an overlay adds, and the names of the defects that result. */
const CONSTRAINTS: readonly (readonly [what: string, actions: string[], defects: string[]])[] = [
  ['a maximum length of names', [on('name', '{ maxLength: 64 }')], ['name is too long']],
  ['a minimum length of names', [on('name', '{ minLength: 3 }')], ['name is too short']],
  [
    'short names only',
    [on('name', '{ minLength: 2, maxLength: 4 }')],
    ['name is too long', 'name is too short'],
  ],
  [
    'a pattern for names',
    [on('name', '{ pattern: "^[A-Z][a-z]{2,9}$" }')],
    ['name does not match its pattern'],
  ],
  [
    'a pattern and lengths',
    [on('name', '{ pattern: "^[a-z]+$", minLength: 3, maxLength: 8 }')],
    ['name does not match its pattern', 'name is too long', 'name is too short'],
  ],
  ['a minimum id', [on('id', '{ minimum: 1 }')], ['id is below its limit']],
  ['a maximum id', [on('id', '{ maximum: 2000000000 }')], ['id is above its limit']],
  ['an id above zero', [on('id', '{ exclusiveMinimum: 0 }')], ['id is at its exclusive limit']],
  ['a list of tags', [on('tag', '{ enum: [cactus, fern] }')], ['tag is not an allowed value']],
  ['a constant tag', [on('tag', '{ const: fern }')], ['tag is not an allowed value']],
  [
    'no further properties',
    [`{ target: ${NEW_PLANT}, update: { unevaluatedProperties: false } }`],
    ['an undeclared property'],
  ],
  [
    'a closed object without allOf',
    [
      `{ target: ${NEW_PLANT}.allOf, remove: true }`,
      `{ target: ${NEW_PLANT}, update: { type: object, required: [id, name], additionalProperties: false,` +
        ' properties: { id: { type: integer }, name: { type: string, maxLength: 9 },' +
        ' tag: { type: string } } } }',
    ],
    ['an undeclared property', 'name is too long'],
  ],
  [
    'a new required string',
    [
      `{ target: ${PLANT}, update: { required: [family],` +
        ' properties: { family: { type: string, maxLength: 5 } } } }',
    ],
    ['family is too long', 'no family', 'family is null'],
  ],
  [
    'a new required integer',
    [
      `{ target: ${PLANT}, update: { required: [height],` +
        ' properties: { height: { type: integer, minimum: 5, maximum: 90, format: int32 } } } }',
    ],
    [
      'height is below its limit',
      'height is above its limit',
      'no height',
      'height is a number with a fraction',
    ],
  ],
  [
    'a new required boolean',
    [`{ target: ${PLANT}, update: { required: [edible], properties: { edible: { type: boolean } } } }`],
    ['no edible', 'edible is a string', 'edible is null'],
  ],
  [
    'a new required array',
    [
      `{ target: ${PLANT}, update: { required: [colours], properties: { colours: ` +
        '{ type: array, minItems: 1, maxItems: 2, items: { type: string } } } } }',
    ],
    ['colours has too few items', 'colours has too many items', 'no colours', 'colours is a string'],
  ],
  [
    'a new required object',
    [
      `{ target: ${PLANT}, update: { required: [pot], properties: { pot: ` +
        '{ type: object, required: [size], properties: { size: { type: integer, minimum: 1 } } } } } }',
    ],
    ['pot: no size', 'pot: size is below its limit', 'no pot'],
  ],
];

describe.each(CONSTRAINTS)('an overlay that adds %s', (_what, actions, names) => {
  let narrowed: Contract;
  beforeAll(async () => {
    narrowed = await withOverlay(...actions);
  });

  test('still allows valid plants', () => {
    const ids = ordinaryIds(narrowed.newPlant.shape);
    for (const [variety, which] of PAYLOAD_CLASSES) {
      for (const plant of sampled(plantOf(narrowed.newPlant.shape, variety, which), 80))
        for (const id of [ids.first, ids.last]) expect(validity(narrowed, plant, id)).toEqual([]);
    }
  });

  test('adds the new defects', () => {
    const defects = defectsOf(narrowed.newPlant.shape);
    const own = defects.filter(({ name }) => names.includes(name));
    expect(own.map(({ name }) => name).sort()).toEqual([...names].sort());
    const limits = own.filter(({ name }) => /limit|too|pattern|allowed|undeclared/.test(name));
    for (const { kind } of limits) expect(kind).toBe('constraint');
    for (const { name, typical } of own) {
      for (const plant of sampled(plantOf(narrowed.newPlant.shape, 'ordinary', 'some'), 20)) {
        const broken = typical(plant).filter((json) => !isValid(narrowed, json));
        expect(broken.length, name).toBeGreaterThan(0);
        for (const json of broken) expect(validity(narrowed, json, 1_000_000n)).not.toEqual([]);
      }
    }
  });

  test('keeps the existing defects', () => {
    const kinds = new Set(defectsOf(narrowed.newPlant.shape).map(({ kind }) => kind));
    for (const kind of ['not-an-object', 'missing', 'null', 'numeral', 'fraction', 'wrong-type'] as const)
      expect(kinds).toContain(kind);
  });
});

describe.each([
  ['a name of at least 15', on('name', '{ minLength: 15 }')],
  ['an integer by tens, from 5 to 25', added('{ type: integer, minimum: 5, maximum: 25, multipleOf: 10 }')],
  ['a number up to 100', added('{ type: number, minimum: 0, maximum: 100 }')],
  ['a list without doubles', added('{ type: array, uniqueItems: true, items: { enum: [a, b] } }')],
  ['a list of anything', added('{ type: array, minItems: 1 }')],
])('an overlay that adds %s', (_what, action) => {
  test('still allows valid plants', async () => {
    const narrowed = await withOverlay(action);
    for (const [variety, which] of PAYLOAD_CLASSES) {
      for (const plant of sampled(plantOf(narrowed.newPlant.shape, variety, which), 80))
        expect(validity(narrowed, plant, 1n)).toEqual([]);
    }
  });
});

describe('a document', () => {
  test('that allows ordinary plants is accepted', () => {
    expect(() => requireOrdinary(contract)).not.toThrow();
  });

  test.each([
    ['names with a lookahead', on('name', '{ pattern: "^(?=.*[a-z])[A-Za-z]{1,9}$" }')],
    ['no tag', `{ target: ${NEW_PLANT}, update: { not: { required: [tag] } } }`],
    [
      'a tag where there is a name',
      `{ target: ${NEW_PLANT}, update: { dependentRequired: { name: [tag] } } }`,
    ],
    ['a long name of letters', on('name', '{ pattern: "^[a-z]+$", minLength: 15 }')],
  ])('that allows only %s is accepted', async (_what, action) => {
    const narrowed = await withOverlay(action);
    expect(() => requireOrdinary(narrowed)).not.toThrow();
    const { plain } = plantsFor(narrowed, 1, 'document');
    for (const properties of ['all', 'required'] as const)
      expect(isValid(narrowed, plain(properties))).toBe(true);
  });

  test.each([
    [
      'a pattern that is too short for its limit',
      on('name', '{ pattern: "^[a-z]{3}$", minLength: 15 }'),
      /schema: name: found no string that satisfies pattern \^\[a-z\]\{3\}\$ with minLength 15$/,
    ],
    [
      'a pattern with catastrophic backtracking',
      on('name', '{ pattern: "^(a+)+$" }'),
      /the pattern \^\(a\+\)\+\$ takes more than 1000 ms .* without nested repetition$/,
    ],
    [
      'a list with more items than there are values',
      added('{ type: array, minItems: 3, uniqueItems: true, items: { type: boolean } }'),
      /is not valid \(\/more must NOT have fewer than 3 items\)$/,
    ],
    [
      'no name',
      `{ target: ${NEW_PLANT}, update: { not: { required: [name] } } }`,
      /schema: {"name":"[A-Za-z]+",.*"id":1.*} is not valid \(it must NOT be valid\)$/,
    ],
  ])('that requires %s is rejected', async (_what, action, problem) => {
    const narrowed = await withOverlay(action);
    expect(() => requireOrdinary(narrowed)).toThrow(DocumentError);
    expect(() => requireOrdinary(narrowed)).toThrow(problem);
  });
});

describe.each(['date', 'date-time', 'email', 'hostname', 'ipv4', 'ipv6', 'uri', 'uuid'])(
  'names in the format %s',
  (format) => {
    test('are plants', async () => {
      const narrowed = await withOverlay(on('name', `{ format: ${format}, maxLength: 60 }`));
      const plants = sampled(plantOf(narrowed.newPlant.shape, 'ordinary', 'required'), 60);
      for (const plant of plants) expect(validity(narrowed, plant, 1n)).toEqual([]);
      expect(new Set(plants.map((plant) => plant.get('name'))).size).toBeGreaterThan(50);
    });
  },
);

describe('ids under an overlay', () => {
  test.each<[update: string, first: bigint, last: bigint, step: bigint]>([
    ['{ minimum: 1000 }', 2n ** 20n, 2n ** 31n - 1n, 1n],
    ['{ maximum: 5000 }', 1n, 5000n, 1n],
    ['{ exclusiveMinimum: 7, exclusiveMaximum: 90 }', 8n, 89n, 1n],
    ['{ minimum: 1.5, maximum: 9.5 }', 2n, 9n, 1n],
    ['{ multipleOf: 10 }', 1_048_580n, 2_147_483_640n, 10n],
    ['{ multipleOf: 10, minimum: 15 }', 1_048_580n, 2_147_483_640n, 10n],
    ['{ minimum: 3000000000, maximum: 4000000000 }', 3_000_000_000n, 4_000_000_000n, 1n],
  ])('with %s ordinary ids are within the limits', async (update, first, last, step) => {
    const narrowed = await withOverlay(on('id', update));
    expect(ordinaryIds(narrowed.newPlant.shape)).toEqual({ first, last, step });
    const ids = new Ids({ first, last, step }, first).in(ALL);
    for (const id of [first, ids.next(), ids.next(), ids.retryId(), ids.retryId()])
      expect(validity(narrowed, object({ id, name: 'Aloe' }), 1n)).toEqual([]);
  });

  test.each(['{ maximum: 1000000 }', '{ minimum: 2000000 }', '{ multipleOf: 10 }'])(
    'with %s a plant with a fresh id is still valid',
    async (update) => {
      const narrowed = await withOverlay(on('id', update));
      expect(isValid(narrowed, object({ id: FRESH, name: 'Aloe' }))).toBe(true);
    },
  );
});

describe('the value of a JSON text', () => {
  const name = fc.constantFrom('a', 'b', '__proto__', '');
  const { json } = fc.letrec<{ json: Json }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<Json>(null, true, FRESH, 2n ** 63n, -7n),
      fc.constantFrom<Json>(new Raw('1.00000000000000000001'), new Raw(' [1e400, {"a": -0}] ')),
      fc.constant<Json>(new Raw((id) => `{"id":${id}}`)),
      fc.string({ unit: 'binary' }),
      fc.string().map(freshText),
      fc.array(tie('json'), { maxLength: 3 }),
      fc.array(fc.tuple(name, tie('json')), { maxLength: 4 }).map((members) => new JsonObject(members)),
    ),
  }));

  test('is found without the text, duplicate names and __proto__ included', () => {
    fc.assert(
      fc.property(json, (one) => {
        expect(asParsed(one, 5n)).toEqual(JSON.parse(write(one, 5n)));
      }),
    );
  });

  test('and so is the text of each part', () => {
    fc.assert(
      fc.property(
        json,
        fc.array(fc.oneof(name, fc.constantFrom('0', '1', 'id')), { maxLength: 3 }),
        (one, path) => {
          expect(textAt(one, 5n, path)).toBe(sourceAt(write(one, 5n), path));
        },
      ),
    );
  });
});
