import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundledContract } from '../lib/contract/bundled-contract.ts';
import { compile } from '../lib/contract/compile.ts';
import type { Contract } from '../lib/contract/contract.ts';
import { DocumentError } from '../lib/contract/document.ts';
import { loadContract } from '../lib/contract/load-contract.ts';
import { exactInteger, integerRange, sourceAt } from '../lib/contract/numeral.ts';
import { applyOverlay } from '../lib/contract/overlay.ts';
import { readDocument } from '../lib/contract/read-document.ts';
import { shapeOf } from '../lib/contract/shape.ts';
import type { Validator } from '../lib/contract/validator.ts';

const SHIPPED = fileURLToPath(new URL('../openapi.yaml', import.meta.url));
const SOURCE = readFileSync(SHIPPED, 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'plant-contract-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;

/** Writes a temporary file and returns its path. */
function file(text: string): string {
  files += 1;
  const path = join(folder, `file-${files}.yaml`);
  writeFileSync(path, text);
  return path;
}

/** An overlay with these actions, each a line of YAML flow mapping. */
const overlay = (...actions: string[]): string =>
  file(
    [
      'overlay: 1.0.0',
      'info: { title: t, version: 1.0.0 }',
      'actions:',
      ...actions.map((one) => `  - ${one}`),
    ].join('\n'),
  );

/** The shipped document with one passage replaced. Fails if the passage does not occur. */
function edited(passage: string | RegExp, by: string): string {
  const text = SOURCE.replace(passage, by);
  expect(text).not.toBe(SOURCE);
  return file(text);
}

const valid = (validate: Validator, text: string): boolean => validate(text, JSON.parse(text)).length === 0;

let shipped: Contract;
beforeAll(async () => {
  shipped = await loadContract(SHIPPED);
});

describe('the shipped document', () => {
  test('is prepared as it is loaded', async () => {
    const prepared = await bundledContract();
    expect(prepared.newPlant.shape).toEqual(shipped.newPlant.shape);
    expect(prepared.plant.shape).toEqual(shipped.plant.shape);
    expect({ ...prepared.document, file: SHIPPED }).toEqual(shipped.document);
    expect(prepared.basePaths).toEqual(shipped.basePaths);
    for (const text of [
      '{"error":1}',
      '{"error":2147483648,"message":7}',
      '{"error":1.0,"message":""}',
      '[]',
    ])
      expect(prepared.error.validate(text, JSON.parse(text))).toEqual(
        shipped.error.validate(text, JSON.parse(text)),
      );
  });

  test('loads', () => {
    expect(shipped.document).toMatchObject({ file: SHIPPED, version: '1.0.0' });
    expect(shipped.document.sha256).toMatch(/^[\da-f]{64}$/);
    expect(Object.isFrozen(shipped)).toBe(true);
  });

  test('declares a NewPlant as an object with an id, a name and an optional tag', () => {
    const { shape } = shipped.newPlant;
    expect(shape.types).toEqual(['object']);
    expect([...shape.properties.keys()].sort()).toEqual(['id', 'name', 'tag']);
    expect([...shape.required].sort()).toEqual(['id', 'name']);
    expect(shape.closed).toBe(false);
    expect(shape.properties.get('id')).toMatchObject({
      types: ['integer'],
      number: { min: -(2n ** 63n), max: 2n ** 63n - 1n, format: 'int64' },
    });
    expect(shape.properties.get('name')?.types).toEqual(['string']);
  });

  test('always has the same digest, and a different one with an overlay', async () => {
    const again = await loadContract(SHIPPED);
    const other = await loadContract(SHIPPED, [overlay('{ target: $.info, update: { version: 1.0.1 } }')]);
    expect(again.document.sha256).toBe(shipped.document.sha256);
    expect(other.document.sha256).not.toBe(shipped.document.sha256);
    expect(other.document.version).toBe('1.0.1');
  });

  test.each([
    ['{"id":1,"name":"Aloe"}', true],
    ['{"id":1,"name":"Aloe","tag":"x","more":[1]}', true],
    ['{"id":1,"name":""}', true],
    ['{"id":1}', false],
    ['{"name":"Aloe"}', false],
    ['{"id":1,"name":null}', false],
    ['{"id":1,"name":"Aloe","tag":null}', false],
    ['{"id":"1","name":"Aloe"}', false],
    ['[]', false],
    ['null', false],
    ['"{}"', false],
  ])('as a NewPlant, %s is valid: %s', (text, expected) => {
    expect(valid(shipped.newPlant.validate, text)).toBe(expected);
  });

  test.each([
    ['{"name":"Aloe"}', true],
    ['{"name":"Aloe","id":"of any type"}', true],
    ['{"name":7}', false],
    ['{"tag":"x"}', false],
  ])('as a Plant, %s is valid: %s', (text, expected) => {
    expect(valid(shipped.plant.validate, text)).toBe(expected);
  });

  test('a problem names the place of the invalid value', () => {
    const [problem] = shipped.newPlant.validate('{"id":1.5,"name":"x"}', { id: 1.5, name: 'x' });
    expect(problem?.at).toBe('/id');
    expect(problem?.message).toContain('integer');
  });
});

describe('numbers', () => {
  test.each([
    ['9223372036854775807', true],
    ['9223372036854775808', false],
    ['-9223372036854775808', true],
    ['-9223372036854775809', false],
    ['9223372036854775807.0', true],
    ['9223372036854775807.5', false],
    ['922337203685477580.7e1', true],
    ['922337203685477580.8e1', false],
    ['1.0', true],
    ['1e0', true],
    ['1E+2', true],
    ['100e-2', true],
    ['-0', true],
    ['0e9999999999', true],
    ['1.00000000000000000001', false],
    ['0.00000000000000000000000001', false],
    ['1e-400', false],
    ['1e400', false],
    ['-1e400', false],
    ['1e18', true],
    ['1e19', false],
  ])('an id of %s is an int64: %s', (numeral, expected) => {
    expect(valid(shipped.newPlant.validate, `{ "name" : "x", "id" : ${numeral} }`)).toBe(expected);
  });

  test.each([
    ['2147483647', true],
    ['2147483648', false],
    ['-2147483648', true],
    ['-2147483649', false],
    ['4.0', true],
    ['4.5', false],
    ['2147483647.00000000001', false],
    ['"4"', false],
  ])('an error of %s is an int32: %s', (numeral, expected) => {
    expect(valid(shipped.error.validate, `{"message":"m","error":${numeral}}`)).toBe(expected);
  });

  test('the last of two duplicate names is validated, as read by JSON.parse', () => {
    expect(valid(shipped.newPlant.validate, '{"id":9223372036854775808,"name":"x","id":1}')).toBe(true);
    expect(valid(shipped.newPlant.validate, '{"id":1,"name":"x","id":9223372036854775808}')).toBe(false);
  });

  test('numbers are exact in lists, and below names with slashes and tildes', () => {
    const integer = { type: 'integer', format: 'int64' };
    const validate = compile({
      type: 'object',
      properties: { list: { type: 'array', items: integer }, 'a/b~c': { properties: { n: integer } } },
    });
    expect(valid(validate, '{"list":[1,[],2]}')).toBe(false);
    expect(valid(validate, '{"list":[1, 9223372036854775807]}')).toBe(true);
    expect(valid(validate, '{"list":[1, 9223372036854775808]}')).toBe(false);
    expect(valid(validate, '{"a/b~c":{"n":9223372036854775807}}')).toBe(true);
    expect(valid(validate, '{"a/b~c":{"n":9223372036854775808}}')).toBe(false);
  });

  test('numbers are exact in alternatives', () => {
    const validate = compile({ anyOf: [{ type: 'integer', format: 'int32' }, { type: 'null' }] });
    expect(valid(validate, 'null')).toBe(true);
    expect(valid(validate, '2147483647')).toBe(true);
    expect(valid(validate, '2147483648')).toBe(false);
  });

  test('numbers are exact in properties named default, enum or example', () => {
    const validate = compile({ properties: { default: { type: 'integer', format: 'int64' } } });
    expect(valid(validate, '{"default":9223372036854775808}')).toBe(false);
  });

  test('numbers are exact with a list of types', () => {
    const validate = compile({ type: ['integer', 'null'] });
    expect(valid(validate, '1.00000000000000000001')).toBe(false);
  });

  test.each([
    ['0', 0n],
    ['-0', 0n],
    ['0.000', 0n],
    ['0e-5', 0n],
    ['7', 7n],
    ['-7', -7n],
    ['7.0', 7n],
    ['70e-1', 7n],
    ['0.7e1', 7n],
    ['7e2', 700n],
    ['7E+2', 700n],
    ['-12.340e3', -12_340n],
    ['9007199254740993', 9_007_199_254_740_993n],
    ['9007199254740993.0', 9_007_199_254_740_993n],
    ['7.5', undefined],
    ['7e-1', undefined],
    ['1e-999999999', undefined],
    ['1.00000000000000000001', undefined],
    ['', undefined],
    ['seven', undefined],
    ['"7"', undefined],
    ['NaN', undefined],
    ['+7', undefined],
  ])('the integer of %s is %s', (numeral, expected) => {
    expect(exactInteger(numeral)).toBe(expected);
  });

  test('the integer of a numeral with a huge exponent is computed quickly, and is huge', () => {
    const far = exactInteger('1e999999999999');
    expect(far).toBeGreaterThan(10n ** 300n);
    expect(exactInteger('-1e999999999999')).toBeLessThan(-(10n ** 300n));
  });

  test('only int32 and int64 have a range', () => {
    expect(integerRange('int32')).toEqual([-2_147_483_648n, 2_147_483_647n]);
    expect(integerRange('int64')).toEqual([-(2n ** 63n), 2n ** 63n - 1n]);
    expect(integerRange('double')).toBeUndefined();
    expect(integerRange(undefined)).toBeUndefined();
  });
});

describe('the source of a value', () => {
  test.each<[text: string, path: string[], expected: string | undefined]>([
    [' 12 ', [], '12'],
    ['{"a":1}', [], '{"a":1}'],
    ['{"a":1.50}', ['a'], '1.50'],
    ['{ "a" : \n 1e0 , "b" : 2 }', ['a'], '1e0'],
    ['{"b":[{"a":"}"},{"a":-0}],"c":1}', ['b', '1', 'a'], '-0'],
    ['[ 1 , [2,3] , 4 ]', ['1', '1'], '3'],
    ['[ 1 , [2,3] , 4 ]', ['2'], '4'],
    ['{"a":"x\\"}{,:","b":7}', ['b'], '7'],
    ['{"a":"\\\\","b":7}', ['b'], '7'],
    ['{"a":1,"a":2}', ['a'], '2'],
    ['{"\\u0061":1}', ['a'], '1'],
    ['{"":{"":9}}', ['', ''], '9'],
    ['{"__proto__":5}', ['__proto__'], '5'],
    ['{"a":{"b":[]}}', ['a', 'b'], '[]'],
    ['{}', ['a'], undefined],
    ['[]', ['0'], undefined],
    ['[1]', ['1'], undefined],
    ['{"a":1}', ['a', 'b'], undefined],
    ['{"a":"text"}', ['a', '0'], undefined],
    ['{"a":1}', ['toString'], undefined],
  ])('in %s, at %j, is %s', (text, path, expected) => {
    expect(sourceAt(text, path)).toBe(expected);
  });

  test('is found after values of any depth', () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    expect(sourceAt(`{"a":${deep},"b":8}`, ['b'])).toBe('8');
  });
});

describe('shapes', () => {
  test('allOf keeps the requirements of every part', () => {
    const shape = shapeOf({
      minLength: 2,
      pattern: '^a',
      allOf: [
        { type: ['string', 'integer'], maxLength: 9 },
        { type: ['string', 'null'], maxLength: 5, minLength: 1, pattern: 'z$', enum: ['az', 'b'] },
        { enum: ['b', 'c'] },
      ],
    });
    expect(shape.types).toEqual(['string']);
    expect(shape.text).toMatchObject({ min: 2, max: 5, patterns: ['^a', 'z$'] });
    expect(shape.values).toEqual(['b']);
  });

  test('the conjunction of number and integer is integer', () => {
    const { types, number } = shapeOf({
      allOf: [
        { type: 'number', minimum: 3, exclusiveMaximum: 10 },
        { type: 'integer', minimum: 1, maximum: 20, exclusiveMaximum: 15, format: 'int32' },
      ],
    });
    expect(types).toEqual(['integer']);
    expect(number).toMatchObject({ min: 3, max: 20, below: 10, format: 'int32' });
  });

  test('each alternative includes its sibling keywords', () => {
    const { alternatives } = shapeOf({ minLength: 3, anyOf: [{ type: 'string' }, { type: 'null' }] });
    expect(alternatives.map(({ types, text }) => [types, text.min])).toEqual([
      [['string'], 3],
      [['null'], 3],
    ]);
  });

  test.each([[true], [{}], [undefined]])('%j is the shape of anything', (schema) => {
    expect(shapeOf(schema).types).toHaveLength(7);
  });
});

describe('overlays', () => {
  const base = () => ({
    info: { title: 'old', contact: { name: 'n' } },
    tags: [
      { name: 'a', x: 1 },
      { name: 'b', x: 2 },
      { name: 'c', x: 3 },
    ],
    nested: { list: [1, 2] },
  });

  test.each<[what: string, actions: string[], expected: unknown]>([
    [
      'merge objects and keep other properties',
      ['{ target: $.info, update: { contact: { email: e }, version: 2 } }'],
      { ...base(), info: { title: 'old', contact: { name: 'n', email: 'e' }, version: 2 } },
    ],
    [
      'append to lists',
      ['{ target: $.nested, update: { list: [3, 4] } }'],
      { ...base(), nested: { list: [1, 2, 3, 4] } },
    ],
    [
      'append one entry to a list that is the target',
      ['{ target: $.nested.list, update: 3 }'],
      { ...base(), nested: { list: [1, 2, 3] } },
    ],
    [
      'replace scalars',
      ['{ target: $.info, update: { title: new } }'],
      { ...base(), info: { title: 'new', contact: { name: 'n' } } },
    ],
    [
      'replace a scalar that is the target',
      ['{ target: $.info.title, update: newer }'],
      { ...base(), info: { title: 'newer', contact: { name: 'n' } } },
    ],
    ['change the whole document', ['{ target: $, update: { extra: true } }'], { ...base(), extra: true }],
    [
      'change everything that a filter matches',
      ['{ target: "$.tags[?@.x > 1]", update: { big: true } }'],
      {
        ...base(),
        tags: [
          { name: 'a', x: 1 },
          { name: 'b', x: 2, big: true },
          { name: 'c', x: 3, big: true },
        ],
      },
    ],
    [
      'remove everything that a filter matches',
      ['{ target: "$.tags[?@.name == \'a\' || @.x == 3]", remove: true }'],
      { ...base(), tags: [{ name: 'b', x: 2 }] },
    ],
    [
      'remove a property',
      ['{ target: $.info.contact, remove: true }'],
      { ...base(), info: { title: 'old' } },
    ],
    [
      'apply actions in order',
      [
        '{ target: $.info.contact, remove: true }',
        '{ target: $.info, update: { contact: { name: m } } }',
        '{ target: $.info.contact.name, update: o }',
      ],
      { ...base(), info: { title: 'old', contact: { name: 'o' } } },
    ],
    [
      'remove even if there is an update as well',
      ['{ target: $.nested, update: { more: 1 }, remove: true }'],
      { info: base().info, tags: base().tags },
    ],
  ])('%s', (_what, actions, expected) => {
    const document = base();
    expect(applyOverlay(document, overlay(...actions))).toEqual(expected);
    expect(document).toEqual(base());
  });

  test.each([
    ['$.nested.list[1,0]', []],
    ['$.nested.list[0,0]', [2]],
    ['$.nested.list[::-1]', []],
  ])('removing %s removes exactly what it matches', (target, expected) => {
    const changed = applyOverlay(base(), overlay(`{ target: "${target}", remove: true }`));
    expect(changed).toEqual({ ...base(), nested: { list: expected } });
  });

  test('two places with the same update do not share its value', () => {
    const first = overlay('{ target: "$.tags[*]", update: { more: { list: [1] } } }');
    const second = overlay('{ target: "$.tags[?@.name == \'a\'].more", update: { list: [2] } }');
    const changed = applyOverlay(applyOverlay(base(), first), second) as { tags: { more: unknown }[] };
    expect(changed.tags.map(({ more }) => more)).toEqual([{ list: [1, 2] }, { list: [1] }, { list: [1] }]);
  });

  test('several overlays are applied one after the other', async () => {
    const contract = await loadContract(SHIPPED, [
      overlay('{ target: $.components.schemas.Plant, update: { required: [tag] } }'),
      overlay('{ target: $.components.schemas.Plant.properties.tag, update: { enum: [cactus, fern] } }'),
      overlay('{ target: $.components.schemas.Plant.properties.tag, update: { enum: [moss] } }'),
    ]);
    const validate = contract.newPlant.validate;
    expect(valid(validate, '{"id":1,"name":"x"}')).toBe(false);
    expect(valid(validate, '{"id":1,"name":"x","tag":"rose"}')).toBe(false);
    for (const tag of ['cactus', 'fern', 'moss'])
      expect(valid(validate, `{"id":1,"name":"x","tag":"${tag}"}`)).toBe(true);
    expect(valid(contract.plant.validate, '{"name":"x"}')).toBe(false);
  });

  test('a constraint of an overlay applies to both shape and validator', async () => {
    const contract = await loadContract(SHIPPED, [
      overlay(
        '{ target: $.components.schemas.Plant.properties.name, update: { maxLength: 64, minLength: 3 } }',
        '{ target: "$.components.schemas.NewPlant.allOf[?@.properties.id].properties.id",' +
          ' update: { minimum: 1 } }',
      ),
    ]);
    const { shape, validate } = contract.newPlant;
    expect(shape.properties.get('name')?.text).toMatchObject({ min: 3, max: 64 });
    expect(shape.properties.get('id')?.number.min).toBe(1);
    expect(valid(validate, '{"id":1,"name":"abc"}')).toBe(true);
    expect(valid(validate, '{"id":0,"name":"abc"}')).toBe(false);
    expect(valid(validate, '{"id":1,"name":"ab"}')).toBe(false);
    expect(valid(validate, JSON.stringify({ id: 1, name: '🌵'.repeat(64) }))).toBe(true);
    expect(valid(validate, JSON.stringify({ id: 1, name: '🌵'.repeat(65) }))).toBe(false);
  });

  test.each<[what: string, text: string, place: string, problem: RegExp]>([
    ['a file that is not an overlay', 'openapi: 3.1.0\n', '1:1', /not an OpenAPI overlay/],
    ['a list', '- a\n- b\n', '1:1', /not an OpenAPI overlay/],
    ['another version', 'overlay: 2.0.0\nactions: [{ target: $, update: {} }]\n', '1:10', /2\.0\.0.*1\.0\.0/],
    ['a version that is a number', 'overlay: 1.0\nactions: []\n', '1:1', /`overlay` version/],
    ['no actions', 'overlay: 1.0.0\n', '1:1', /no actions/],
    ['empty actions', 'overlay: 1.0.0\nactions: []\n', '2:10', /no actions/],
    ['no target', 'overlay: 1.0.0\nactions:\n  - update: {}\n', '3:5', /no `target`/],
    [
      'a target that is not a JSONPath',
      'overlay: 1.0.0\nactions:\n  - update: {}\n    target: "$.["\n',
      '4:13',
      /not a JSONPath/,
    ],
    [
      'a target that matches nothing',
      'overlay: 1.0.0\nactions:\n  - { target: $.info, update: {} }\n  - target: $.nowhere\n    update: {}\n',
      '4:13',
      /\$\.nowhere matches nothing/,
    ],
    [
      'a target that an earlier action removed',
      'overlay: 1.0.0\nactions:\n  - { target: $.info, remove: true }\n  - { target: $.info, update: {} }\n',
      '4:15',
      /matches nothing/,
    ],
    [
      'neither update nor remove',
      'overlay: 1.0.0\nactions:\n  - target: $.info\n    description: nothing\n',
      '3:5',
      /neither `update` nor `remove: true`/,
    ],
    [
      'a remove that is not true',
      'overlay: 1.0.0\nactions:\n  - target: $.info\n    remove: false\n',
      '3:5',
      /neither/,
    ],
    ['broken YAML', 'overlay: [1\nactions: x\n', '2:1', /not YAML/],
  ])('%s is rejected with its place', async (_what, text, place, problem) => {
    const path = file(text);
    const error = await failure(SHIPPED, [path]);
    expect(error.message.startsWith(`${path}:${place}: `), error.message).toBe(true);
    expect(error.message).toMatch(problem);
  });

  test('a missing overlay is named', async () => {
    const path = join(folder, 'nowhere.yaml');
    expect((await failure(SHIPPED, [path])).message).toBe(`${path}: no such file`);
  });
});

/** The error with which loading fails. */
async function failure(document: string, overlays: readonly string[] = []): Promise<DocumentError> {
  const outcome: unknown = await loadContract(document, overlays).catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(DocumentError);
  return outcome as DocumentError;
}

describe('a document of OpenAPI 3.0', () => {
  const NAME = '          description: The name of the plant.\n          type: string';

  test.each<[what: string, name: string, valid: unknown[], invalid: unknown[]]>([
    ['may be null', '          type: string\n          nullable: true', ['Aloe', null], [1]],
    ['is not null', '          type: string\n          nullable: false', ['Aloe'], [null]],
    [
      'lies above a limit',
      '          type: number\n          minimum: 2\n          exclusiveMinimum: true',
      [2.5],
      [2, 1],
    ],
    [
      'begins at a limit',
      '          type: number\n          minimum: 2\n          exclusiveMinimum: false',
      [2],
      [1],
    ],
    [
      'has properties that are called like keywords',
      '          type: object\n          required: [nullable]\n          properties: { nullable: { type: boolean }, example: { type: string } }',
      [{ nullable: true }],
      [{}, { nullable: true, example: 1 }],
    ],
  ])('is read like one of 3.1: a name that %s', async (_what, name, fitting, others) => {
    const path = edited(NAME, name);
    writeFileSync(path, readFileSync(path, 'utf8').replace('openapi: 3.1.0', 'openapi: 3.0.3'));
    const { document, newPlant } = await loadContract(path);
    expect(document).toMatchObject({ openapi: '3.0.3', warnings: [] });
    for (const [values, expected] of [[fitting, true] as const, [others, false] as const])
      for (const value of values)
        expect(valid(newPlant.validate, JSON.stringify({ id: 1, name: value })), JSON.stringify(value)).toBe(
          expected,
        );
  });

  test('is changed by overlays before it is converted', async () => {
    const path = edited('openapi: 3.1.0', 'openapi: 3.0.3');
    const changes = overlay('{ target: $..Plant.properties.tag, update: { nullable: true } }');
    const { document, newPlant } = await loadContract(path, [changes]);
    expect(document.overlays).toEqual([changes]);
    expect(valid(newPlant.validate, '{"id":1,"name":"Aloe","tag":null}')).toBe(true);
  });
});

describe('likely mistakes in a document', () => {
  test.each<[keyword: string, advice: RegExp]>([
    [
      'maxlength: 60',
      /:39:22: maxlength is not a schema keyword and has no effect; did you mean maxLength\?$/,
    ],
    ['minimun: 1', /minimun .* did you mean minimum\?$/],
    ['nullable: true', /nullable .* use a type such as \[string, 'null'\]/],
    ['colour: green', /colour .* prefix a custom keyword with x-$/],
  ])('%s causes a warning', async (line, advice) => {
    const path = edited('description: The name of the plant.', line);
    const { document } = await loadContract(path);
    expect(document.warnings).toHaveLength(1);
    expect(document.warnings[0]).toMatch(advice);
    expect(document.warnings[0]?.startsWith(path)).toBe(true);
  });

  test('known keywords, x- keywords and property names cause no warning', async () => {
    const path = edited(
      'description: The name of the plant.',
      'x-length: 1\n          examples: [{ maxlength: 1 }]\n          $comment: none',
    );
    const more = overlay('{ target: $..Plant.properties, update: { maxlength: { type: string } } }');
    const { document } = await loadContract(path, [more]);
    expect(document.warnings).toEqual([]);
  });

  test('a warning about a keyword added by an overlay names the overlay', async () => {
    const path = overlay('{ target: $..Plant.properties.name, update: { maxlength: 60 } }');
    const { document } = await loadContract(SHIPPED, [path]);
    expect(document.warnings[0]).toContain(`, with ${path} applied: maxlength`);
  });

  test('a longer path causes a warning with the right base URL', async () => {
    const { document } = await loadContract(edited('  /plants:', '  /api/v2/plants:'));
    expect(document.warnings).toEqual([
      expect.stringMatching(
        /:10:5: declares POST \/api\/v2\/plants, but requests go to \/plants below the base URL; use a base URL that ends in \/api\/v2$/,
      ),
    ]);
  });
});

describe('the parameters of a document', () => {
  const declared = async (...parameters: string[]) => {
    const list = `      parameters: [${parameters.join(', ')}]\n      requestBody:`;
    return (await loadContract(edited('      requestBody:', list))).parameters;
  };

  test('are the required ones, each with its example or default', async () => {
    const parameters = await declared(
      '{ name: X-Tenant, in: header, required: true, example: acme, schema: { type: string } }',
      '{ name: page, in: query, schema: { type: integer } }',
      '{ name: v, in: query, required: true, schema: { type: integer, default: 2 } }',
      '{ name: Accept, in: header, required: true, schema: { type: string } }',
      '{ name: session, in: cookie, required: true, schema: { type: string, enum: [a] } }',
    );
    expect(parameters.map(({ in: where, name, given }) => [where, name, given])).toEqual([
      ['header', 'X-Tenant', 'acme'],
      ['query', 'v', 2],
      ['cookie', 'session', undefined],
    ]);
  });

  test('of a longer path belong to the base URL', async () => {
    const path = edited(
      '  /plants:\n',
      '  /{tenant}/plants:\n    parameters: [{ name: tenant, in: path, required: true, schema: { type: string } }]\n',
    );
    const { parameters, document } = await loadContract(path);
    expect(parameters).toEqual([]);
    expect(document.warnings[0]).toContain('use a base URL that ends in /{tenant}');
  });
});

describe('an unusable document', () => {
  test.each<[what: string, make: () => string, place: RegExp, problem: RegExp]>([
    ['that does not exist', () => join(folder, 'none.yaml'), /^$/, /no such file/],
    [
      'that is a folder',
      () => {
        mkdirSync(join(folder, 'sub'), { recursive: true });
        return join(folder, 'sub');
      },
      /^$/,
      /cannot be read \(EISDIR\)/,
    ],
    ['that is not YAML', () => file('openapi: "3.1.0\ninfo: {'), /^:\d+:\d+$/, /is not YAML/],
    ['that is empty', () => file(''), /^/, /not an OpenAPI 3\.1 or 3\.0 document/],
    ['that is a list', () => file('- 1\n'), /^:1:1$/, /not an OpenAPI 3\.1 or 3\.0 document/],
    ['of OpenAPI 3.2', () => edited('openapi: 3.1.0', 'openapi: 3.2.0'), /^:1:10$/, /3\.2\.0/],
    [
      'whose version is a number',
      () => edited('openapi: 3.1.0', 'openapi: 3.1'),
      /^:1:10$/,
      /openapi: 3\.1\)/,
    ],
    ['without a path', () => edited('  /plants:', '  /trees:'), /^:9:3$/, /declares no paths > \/plants/],
    [
      'with two matching paths',
      () => edited(/ {2}\/plants:([\s\S]*?)(?=components:)/, '  /a/plants:$1  /b/plants:$1'),
      /^:9:3$/,
      /declares no paths > \/plants; \/a\/plants and \/b\/plants are ambiguous/,
    ],
    ['without POST', () => edited('    post:', '    put:'), /^:10:5$/, /declares no paths > \/plants > post/],
    [
      'with a dangling $ref',
      () => edited('"#/components/schemas/Error"', '"#/components/schemas/Nope"'),
      /^:\d+:\d+$/,
      /is not a valid OpenAPI document.*Nope/,
    ],
    [
      'with a $ref to a missing file',
      () => edited('"#/components/schemas/Error"', '"./none.yaml#/Error"'),
      /^:\d+:\d+$/,
      /refers to .*none\.yaml, which does not exist/,
    ],
    [
      'with a scheme other than bearer',
      () => edited('scheme: bearer', 'scheme: basic'),
      /^:7:3$/,
      /does not require an HTTP bearer token/,
    ],
    [
      'without security',
      () => edited('security:\n  - bearerAuth: []\n', ''),
      /^:1:1$/,
      /does not require an HTTP bearer token/,
    ],
    [
      'whose operation needs no token',
      () => edited('      operationId:', '      security: []\n      operationId:'),
      /^:7:3$/,
      /does not require an HTTP bearer token/,
    ],
    [
      'without security schemes',
      () => edited(/ {2}securitySchemes:[\s\S]*$/, ''),
      /^:\d+:\d+$/,
      /securitySchemes|bearerAuth/,
    ],
    [
      'with a body that is not an object',
      () =>
        edited(/schema:\n\s+\$ref: "#\/components\/schemas\/NewPlant"/, 'schema: { type: array, items: {} }'),
      /^:17:21$/,
      /request body must be an object/,
    ],
    [
      'without a request body',
      () => edited(/ {6}requestBody:[\s\S]*?(?= {6}responses:)/, ''),
      /^:11:7$/,
      /declares no paths > \/plants > post > requestBody/,
    ],
    [
      'with a 200 without JSON',
      () => edited(/(plant that was created\.\n {10}content:\n {12})application\/json/, '$1text/plain'),
      /^:23:13$/,
      /declares no paths > \/plants > post > responses > 200 > content > application\/json/,
    ],
    ['without a 400', () => edited('"400":', '"404":'), /^:20:9$/, /declares no .* > responses > 400/],
    [
      'with a pattern that is not a regular expression',
      () => edited('description: The name of the plant.', 'pattern: "["'),
      /^:\d+:\d+$/,
      /not a usable schema|is not a valid OpenAPI document/,
    ],
  ])('%s', async (_what, make, place, problem) => {
    const path = make();
    const error = await failure(path);
    expect(error.name).toBe('DocumentError');
    expect(error.message.startsWith(path), error.message).toBe(true);
    const [at = '', ...rest] = error.message.slice(path.length).split(/: (.*)/s);
    expect(at).toMatch(place);
    expect(rest.join('')).toMatch(problem);
  });

  test('a bearer scheme may be required only by the operation, and is case-insensitive', async () => {
    const path = file(
      SOURCE.replace('security:\n  - bearerAuth: []\n', '')
        .replace('      operationId:', '      security: [{ bearerAuth: [] }]\n      operationId:')
        .replace('scheme: bearer', 'scheme: Bearer'),
    );
    await expect(loadContract(path)).resolves.toMatchObject({ document: { file: path } });
  });

  test('references to other files are resolved relative to the document', async () => {
    writeFileSync(
      join(folder, 'shapes.yaml'),
      'Error: { type: object, required: [error], properties: { error: { type: integer, format: int32 } } }\n',
    );
    const contract = await loadContract(edited('"#/components/schemas/Error"', '"./shapes.yaml#/Error"'));
    expect(valid(contract.error.validate, '{"error":1}')).toBe(true);
    expect(valid(contract.error.validate, '{"error":2147483648}')).toBe(false);
  });

  test('references cannot leave the folder, or access the network', async () => {
    const inside = join(folder, 'inside');
    mkdirSync(inside);
    const shape = '{ type: object, required: [error], properties: { error: { type: integer } } }\n';
    for (const place of [folder, inside]) writeFileSync(join(place, 'error.yaml'), shape);
    writeFileSync(join(inside, 'beyond.yaml'), '$ref: ../error.yaml\n');
    symlinkSync('../error.yaml', join(inside, 'link.yaml'));
    const path = join(inside, 'api.yaml');
    const referring = (reference: string) => {
      writeFileSync(path, SOURCE.replace('"#/components/schemas/Error"', JSON.stringify(reference)));
      return path;
    };
    await expect(loadContract(referring('error.yaml'))).resolves.toBeDefined();
    const outside = join(folder, 'error.yaml');
    const url = 'http://127.0.0.1:1/error.yaml';
    for (const [reference, problem, place = ':31:23'] of [
      ['../error.yaml', `refers to ${outside}, which is not in its folder`],
      ['%2e%2e/error.yaml', `refers to ${outside}, which is not in its folder`],
      [outside, `refers to ${outside}, which is not in its folder`],
      [`file://${outside}`, `refers to ${outside}, which is not in its folder`],
      ['link.yaml', `refers to ${join(inside, 'link.yaml')}, which is not in its folder`],
      // No place: the reference is in another file.
      ['beyond.yaml', `refers to ${outside}, which is not in its folder`, ''],
      [url, `refers to ${url}; URLs are not supported: bundle the document`],
      ['//127.0.0.1/error.yaml', 'URLs are not supported'],
      ['nowhere.yaml', `refers to ${join(inside, 'nowhere.yaml')}, which does not exist`],
      ['/dev/zero', 'refers to /dev/zero, which is not in its folder'],
    ] as const) {
      const { message } = await failure(referring(reference));
      expect(message, reference).toContain(`${path}${place}: `);
      expect(message, reference).toContain(problem);
    }
    const extending = overlay(
      `{ target: $.components.schemas.Error, update: { properties: { more: { $ref: ${outside} } } } }`,
    );
    writeFileSync(extending, `extends: file:///etc/hostname\n${readFileSync(extending, 'utf8')}`);
    const { message } = await failure(referring('#/components/schemas/Error'), [extending]);
    expect(message).toContain(`refers to ${outside}, which is not in its folder`);
  });

  test('the same document as JSON gives the same contract', async () => {
    const json = file(JSON.stringify(readDocument(SHIPPED).value, undefined, 2));
    expect((await loadContract(json)).document.sha256).toBe(shipped.document.sha256);
  });
});

describe('places in a document', () => {
  const document = () => readDocument(file('a: 1\nb:\n  c: [x, {d: 2}]\n'));

  test.each<[pointer: (string | number)[], expected: string]>([
    [[], '1:1'],
    [['a'], '1:4'],
    [['b', 'c'], '3:6'],
    [['b', 'c', 1, 'd'], '3:14'],
    [['b', 'c', 9], '3:6'],
    [['b', 'nowhere', 'at', 'all'], '3:3'],
    [['nowhere'], '1:1'],
  ])('%j is at %s, or in the nearest value around it', (pointer, expected) => {
    expect(document().location(pointer)).toBe(expected);
  });
});
