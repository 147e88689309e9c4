import fc, { type Arbitrary } from 'fast-check';
import { groupBy } from '../lib/collections.ts';
import { stringsOf } from '../lib/contract/shape.ts';
import {
  errorBody,
  errorMediaType,
  noServerError,
  notSuccess,
  rejectedRules,
  rejectsWith,
  respondsCompletely,
} from '../lib/judge/rules.ts';
import { pickByKind } from '../lib/payloads/choose-cases.ts';
import { type Defect, type DefectKind, defectsOf, mustBeRejected } from '../lib/payloads/defects.ts';
import { freshId } from '../lib/payloads/fresh.ts';
import { COMPACT, FRESH, FreshText, JsonObject, object, padded, Raw } from '../lib/payloads/json.ts';
import {
  compressedText,
  type Edit,
  malformedText,
  notJsonBeyondBuffers,
  notJsonNamed,
  notUtf8,
  otherFormats,
} from '../lib/payloads/malformed.ts';
import { ID, plantOf, reordered, styles, undeclared } from '../lib/payloads/plants.ts';
import { mostly, RoundRobin } from '../lib/payloads/random.ts';
import type { RequestTemplate, TestCase } from '../lib/payloads/test-case.ts';
import { isInvalid, isValid, onlyValid } from '../lib/payloads/validity.ts';
import type { About, Check, PlantFactory } from '../lib/run/check.ts';
import type { Basis } from './clauses.ts';
import { caseWithControl, must, namedCases, requestWith, requestWithText, should } from './define.ts';

const validResponse = [respondsCompletely, noServerError, errorMediaType, errorBody];

const REJECT_HINT = 'Reject the request, preferably with 400 and an Error; never answer 2xx.';

const defects = (plants: PlantFactory, kinds: readonly DefectKind[]): readonly Defect[] =>
  defectsOf(plants.contract.newPlant.shape).filter(({ kind }) => kinds.includes(kind));

/** Ids of many sizes, fresh because a store that accepts the defect might still reject a duplicate. */
const anyIds = fc.constantFrom(
  freshId(1n, 1000n),
  freshId(2n ** 31n - 2n ** 27n, 2n ** 31n),
  freshId(1n, 2n ** 31n),
);

const withId = (plant: JsonObject, id: Raw | undefined): JsonObject =>
  id === undefined || plant.get(ID) !== FRESH ? plant : plant.with(ID, id);

/**
 * Invalid plants with and without the optional properties; only a selection if the document declares many.
 */
const invalidPlants =
  (...kinds: DefectKind[]) =>
  (plants: PlantFactory): readonly TestCase[] => {
    const cases = defects(plants, kinds).flatMap((defect) => {
      const casesWith = (properties: 'all' | 'required') => {
        const control = plants.plain(properties);
        return defect
          .typical(control)
          .map(
            (_, index) =>
              defect.typical(withId(control, index % 2 === 0 ? undefined : plants.sample(anyIds)))[index],
          )
          .filter((json) => json !== undefined && isInvalid(plants.contract, json))
          .map((json) => caseWithControl(defect.name, requestWith(json ?? null), control));
      };
      return interleave(casesWith('all'), casesWith('required'));
    });
    return pickByKind(cases, ({ label }) => label);
  };

/** Enough for the properties of a plant; other documents may declare many more. */
const MAX_PROPERTIES_IN_PAIRS = 3;

/** Plants in which two properties, or all, have a wrong type: one defect must not cancel another. */
function severalWrong(plants: PlantFactory): readonly TestCase[] {
  const firsts = groupBy(defects(plants, ['wrong-type']), ({ property = '' }) => property).flatMap(
    ([property, [defect]]) => (property === '' ? [] : [{ property, defect }]),
  );
  const firstFew = firsts.slice(0, MAX_PROPERTIES_IN_PAIRS);
  const pairs = firstFew.flatMap((one, index) => firstFew.slice(index + 1).map((other) => [one, other]));
  return [...pairs, ...(firsts.length > 2 ? [firsts] : [])].map((several) => {
    const control = plants.plain('all');
    const invalid = several.reduce<JsonObject>((plant, { property, defect }) => {
      const [json] = defect.typical(control);
      const value = json instanceof JsonObject ? json.get(property) : undefined;
      return value === undefined ? plant : plant.with(property, value);
    }, control);
    const names = several.map(({ property }) => property).join(' and ');
    return caseWithControl(`${names} of other types`, requestWith(invalid), control);
  });
}

const interleave = <T>(first: readonly T[], second: readonly T[]): T[] =>
  Array.from({ length: Math.max(first.length, second.length) }, (_, index) => [
    ...first.slice(index, index + 1),
    ...second.slice(index, index + 1),
  ]).flat();

const ordinaryPlants = ({ contract }: PlantFactory): Arbitrary<JsonObject> =>
  onlyValid(contract, plantOf(contract.newPlant.shape, 'ordinary', 'some'));

const shortened = (plants: PlantFactory, plant: JsonObject, length: number): JsonObject => {
  const beginning = (text: string) => [...text].slice(0, length).join('');
  const cut = plant.withValues((_, value) =>
    value instanceof FreshText ? value.map(beginning) : typeof value === 'string' ? beginning(value) : value,
  );
  return isValid(plants.contract, cut) ? cut : plant;
};

/** Varies the valid properties next to a defect. They need not be fresh: the plant must not be stored. */
const variations = (plants: PlantFactory): Arbitrary<(plant: JsonObject) => JsonObject> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant((plant: JsonObject) => plant) },
    {
      weight: 1,
      arbitrary: fc
        .integer({ min: 1, max: 5 })
        .map((length) => (plant: JsonObject) => shortened(plants, plant, length)),
    },
    {
      weight: 1,
      arbitrary: plantOf(plants.contract.newPlant.shape, 'any', 'all').map(
        (any) => (plant: JsonObject) =>
          plant.withValues((name, value) => (name === ID ? value : (any.get(name) ?? value))),
      ),
    },
  );

/** Each defect in turn, with other properties of any length, order and style, in a small or large body. */
const anyInvalidPlant =
  (isTried: (defect: Defect) => boolean) =>
  (plants: PlantFactory): Arbitrary<TestCase> =>
    new RoundRobin(
      defectsOf(plants.contract.newPlant.shape)
        .filter(isTried)
        .filter((defect) => defect.typical(plants.plain()).some((json) => isInvalid(plants.contract, json)))
        .map((defect) =>
          fc
            // The least important comes first, since the first element is shrunk first.
            .tuple(
              mostly(11, {}, fc.constant({ edit: padded(20_000) })),
              mostly(3, undefined, undeclared),
              mostly(2, COMPACT, styles),
              variations(plants),
              fc.option(anyIds, { nil: undefined, freq: 2 }),
              reordered(ordinaryPlants(plants)),
            )
            .chain(([larger, extra, style, varied, id, control]) => {
              const plain = withId(varied(control), id);
              // An undeclared __proto__ would be a second defect.
              const more =
                extra === undefined || extra[0] === '__proto__' ? plain : plain.with(extra[0], extra[1]);
              const whole = isValid(plants.contract, more) ? more : plain;
              // A sampled value that happens to be valid is replaced with a typical one of the defect, or
              // with null.
              const typical = defect.typical(whole).find((json) => isInvalid(plants.contract, json)) ?? null;
              return defect
                .sampled(whole)
                .map((json) => (isInvalid(plants.contract, json) ? json : typical))
                .map((json) => caseWithControl(defect.name, { body: { json, style, ...larger } }, control));
            }),
        ),
    );

const edited = (plants: PlantFactory, edits: readonly Edit[], more: RequestTemplate = {}): TestCase[] =>
  edits.map(({ name, apply }) => {
    const control = plants.plain();
    return caseWithControl(name, { ...more, body: { json: control, edit: apply } }, control);
  });

const bodies = (plants: PlantFactory, texts: Readonly<Record<string, string>>): TestCase[] =>
  Object.entries(texts).map(([label, text]) =>
    caseWithControl(label, { ...requestWithText(text), contentType: 'application/json' }, plants.plain()),
  );

type CheckText = Pick<About, 'statement' | 'hint'> & { readonly basis: readonly Basis[] };

const aboutText = ({ statement, basis, hint }: CheckText) => ({
  statement,
  basis: ['section 4, request body' as const, ...basis],
  hint: `${hint} ${REJECT_HINT}`,
});

interface BodyCheck extends CheckText {
  readonly cases: (plants: PlantFactory) => readonly TestCase[];
}

const rejectsBodies = (id: string, { cases, ...text }: BodyCheck): Check =>
  must(id, { ...aboutText(text), test: namedCases(rejectedRules, cases) });

interface RandomBodyCheck extends CheckText {
  /** The number of cases as a multiple of that of the run. */
  readonly weight: number;
  readonly cases: (plants: PlantFactory) => Arbitrary<TestCase>;
}

const rejectsAnyBody = (id: string, { cases, weight, ...text }: RandomBodyCheck): Check =>
  must(id, { ...aboutText(text), test: { kind: 'property', cases, rules: rejectedRules, weight } });

interface DefectCheck extends Pick<CheckText, 'statement' | 'hint'> {
  readonly kind: DefectKind;
}

const rejectsDefects = (id: string, { kind, ...text }: DefectCheck): Check =>
  rejectsBodies(id, { ...text, basis: ['section 2, NewPlant'], cases: invalidPlants(kind) });

const withoutDefect =
  (kind: DefectKind, reason: string): Check['notApplicable'] =>
  ({ newPlant }) =>
    defectsOf(newPlant.shape).some((defect) => defect.kind === kind) ? undefined : reason;

const nested = (open: string, depth: number, close: string, inside = '') =>
  `${open.repeat(depth)}${inside}${close.repeat(depth)}`;

/** Plants with one deeply nested property: a store may fail to write it into its error message. */
function nestedValues(plants: PlantFactory): readonly TestCase[] {
  const plant = plants.plain();
  const { properties } = plants.contract.newPlant.shape;
  return [...properties]
    .filter(([, { types }]) => !types.includes('array'))
    .map(([property]) => {
      const json = plant.with(property, '…');
      const edit = (text: string) => text.replace('"…"', nested('[', 20_000, ']'));
      const label = `${property} is an array nested 20000 levels deep`;
      return caseWithControl(label, { body: { json, edit } }, plant);
    });
}

/** A plant wrapped in `data`, as JSON:API wraps resources, with the media type of that format. */
const wrappedAsDocument = (plants: PlantFactory): readonly TestCase[] => {
  const plant = plants.plain();
  const json = new JsonObject([['data', plant]]);
  if (!isInvalid(plants.contract, json)) return [];
  const template = requestWith(json, { contentType: 'application/vnd.api+json' });
  return [caseWithControl('everything nested one level down', template, plant)];
};

export const invalidChecks: readonly Check[] = [
  rejectsDefects('invalid/rejects-non-objects', {
    statement: 'A JSON body that is not an object is rejected: null, true, a number, a string, an array.',
    hint: 'First check that the body is a JSON object: an array of one plant, or a string that contains one, is not an object.',
    kind: 'not-an-object',
  }),
  rejectsDefects('invalid/rejects-missing-property', {
    statement: 'An object without a required property is rejected.',
    hint: 'Require every property that the document requires; do not substitute a default.',
    kind: 'missing',
  }),
  rejectsDefects('invalid/rejects-misnamed-property', {
    statement: 'A required property whose name differs in case or has extra white space counts as missing.',
    hint: 'Compare property names character by character; switch off case-insensitive binding.',
    kind: 'other-name',
  }),
  rejectsBodies('invalid/rejects-nested-property', {
    statement: 'A required property nested one level down counts as missing.',
    basis: ['section 2, NewPlant'],
    hint: 'Read the properties from the top-level object only; do not unwrap nested objects.',
    cases: (plants) => [...invalidPlants('nested')(plants), ...wrappedAsDocument(plants)],
  }),
  rejectsDefects('invalid/rejects-inherited-property', {
    statement: 'A required property inherited through __proto__ counts as missing.',
    hint: 'Check for own properties (Object.hasOwn), and use a parser that treats __proto__ as an ordinary property.',
    kind: 'inherited',
  }),
  rejectsDefects('invalid/rejects-null', {
    statement: 'A property with the value null is rejected.',
    hint: 'Do not treat null as a string, as an integer, or as an absent property.',
    kind: 'null',
  }),
  rejectsDefects('invalid/rejects-fractional-id', {
    statement: 'An id with a fractional part is rejected.',
    hint: 'Check that the number is an integer; do not round or truncate it.',
    kind: 'fraction',
  }),
  rejectsDefects('invalid/rejects-numeric-string-id', {
    statement: 'An id sent as a numeric string is rejected.',
    hint: 'Check the JSON type of the value before converting it; switch off type coercion.',
    kind: 'numeral',
  }),
  rejectsBodies('invalid/rejects-wrong-type', {
    statement: 'A property of the wrong JSON type is rejected.',
    basis: ['section 2, NewPlant'],
    hint: 'Check the JSON type of each property, including optional ones; switch off type coercion, and do not rely on truthiness.',
    cases: (plants) => [...invalidPlants('wrong-type')(plants), ...severalWrong(plants)],
  }),
  must('invalid/rejects-constraint-violation', {
    statement: 'A property that violates a limit declared in the document is rejected.',
    basis: ['section 4, request body', 'section 2, NewPlant'],
    hint: `Enforce every limit that the document declares. ${REJECT_HINT}`,
    notApplicable: withoutDefect('constraint', 'the document declares no limits'),
    test: namedCases(rejectedRules, invalidPlants('constraint')),
  }),
  rejectsAnyBody('invalid/rejects-any-defect', {
    statement: 'A body with one defect is rejected, whatever its other properties and however it is written.',
    basis: ['section 2, NewPlant'],
    hint: 'Validate every property of every plant, regardless of its position and of the other properties.',
    weight: 1,
    cases: anyInvalidPlant(mustBeRejected),
  }),
  rejectsAnyBody('invalid/rejects-any-wrong-type', {
    statement: 'A value of the wrong type is rejected, regardless of the other properties.',
    basis: ['section 2, NewPlant'],
    hint: 'Always check the JSON type of each property, independently of the other properties.',
    weight: 0.5,
    cases: anyInvalidPlant(({ kind }) => ['null', 'fraction', 'numeral', 'wrong-type'].includes(kind)),
  }),
  rejectsBodies('invalid/rejects-missing-body', {
    statement: 'A request without a body is rejected.',
    basis: ['RFC 8259 section 2'],
    hint: 'Require a body, and do not treat a missing one as an empty object.',
    cases: (plants) => [
      caseWithControl('no body', { contentType: 'application/json' }, plants.plain()),
      caseWithControl('no body and no content type', { contentType: undefined }, plants.plain()),
      // As curl -X POST sends it.
      caseWithControl(
        'no body and no Content-Length',
        { contentType: 'application/json', delivery: { noLength: true } },
        plants.plain(),
      ),
      ...edited(plants, notJsonNamed('empty')),
      ...edited(plants, notJsonNamed('empty'), { framing: 'chunked' }),
    ],
  }),
  rejectsBodies('invalid/rejects-white-space-only', {
    statement: 'A body of white space only is rejected.',
    basis: ['RFC 8259 section 2'],
    hint: 'Treat white space neither as a JSON value nor as an empty object.',
    cases: (plants) => [
      ...edited(plants, notJsonNamed('white space')),
      ...bodies(plants, { 'a space': ' ', 'a line feed': '\n' }),
    ],
  }),
  rejectsBodies('invalid/rejects-truncated-json', {
    statement: 'A truncated JSON text is rejected.',
    basis: ['RFC 8259 section 2'],
    hint: 'Use a JSON parser that fails on an incomplete text, and do not repair the text.',
    cases: (plants) => edited(plants, notJsonNamed('truncated', 'without')),
  }),
  rejectsBodies('invalid/rejects-non-json', {
    statement: 'A body that is not JSON is rejected.',
    basis: ['RFC 8259 section 2'],
    hint: 'Use a JSON parser, and do not continue when it fails.',
    cases: (plants) => [
      ...edited(
        plants,
        notJsonNamed(
          ...['without separators', 'closed with', 'with a comma', 'plain text', 'XML', 'YAML'],
          ...['random bytes', 'preceded by text'],
        ),
      ),
      ...edited(plants, [compressedText], { headers: [['content-encoding', 'gzip']] }),
      ...bodies(plants, {
        'a brace': '{',
        'a bracket': ']',
        'a quote': '"',
        'a NUL': '\u0000',
        undefined: 'undefined',
        'a word': 'nope',
      }),
    ],
  }),
  rejectsBodies('invalid/rejects-several-values', {
    statement: 'A body with several JSON values, or with anything after the first, is rejected.',
    basis: ['RFC 8259 section 2'],
    hint: 'Make sure that only white space follows the value: a streaming decoder stops after the first value.',
    cases: (plants) =>
      edited(plants, [...notJsonNamed('twice', 'two values', 'followed'), ...notJsonBeyondBuffers]),
  }),
  rejectsBodies('invalid/rejects-forms', {
    statement: 'A form, XML or YAML is rejected, under its own content type as well.',
    basis: ['openapi.yaml#/paths/~1plants/post/requestBody'],
    hint: 'Accept application/json only; do not let the framework bind other formats to a plant.',
    cases: (plants) => [
      ...edited(plants, notJsonNamed('a URL-encoded form')),
      ...otherFormats.flatMap(({ contentType, edits }) => edited(plants, edits, { contentType })),
    ],
  }),
  rejectsBodies('invalid/rejects-properties-in-query', {
    statement: 'Query parameters do not replace properties missing from the body.',
    basis: ['section 4, parameters'],
    hint: 'Read the properties from the body only; no query parameters are declared.',
    cases: (plants) =>
      (
        [
          ['an empty object', object({})],
          ['no name', object({ id: FRESH })],
          ['no id', object({ name: 'Aloe' })],
        ] as const
      )
        .filter(([, json]) => !isValid(plants.contract, json))
        .map(([label, json]) => {
          const template = requestWith(json, { path: '/plants?id={id}&name=Aloe&tag=fern' });
          return caseWithControl(label, template, plants.plain());
        }),
  }),
  rejectsAnyBody('invalid/rejects-any-malformed-json', {
    statement: 'A NewPlant that is truncated or followed by other text is rejected.',
    basis: ['RFC 8259 section 2'],
    hint: 'Parse the whole body with a JSON parser.',
    weight: 0.5,
    cases: (plants) =>
      fc
        .tuple(ordinaryPlants(plants), malformedText)
        .map(([control, { name, apply }]) =>
          caseWithControl(name, { body: { json: control, edit: apply } }, control),
        ),
  }),
  rejectsBodies('invalid/rejects-deep-nesting', {
    statement: 'Deeply nested invalid values are rejected like any others.',
    basis: ['section 8'],
    hint: 'Parse without recursion, or limit the depth, so that nesting cannot crash the store.',
    cases: (plants) => [
      ...bodies(plants, {
        'arrays 500 deep': nested('[', 500, ']'),
        'arrays 900 deep': nested('[', 900, ']'),
        'arrays 5000 deep': nested('[', 5000, ']'),
        'arrays 30000 deep': nested('[', 30_000, ']'),
        'unclosed arrays 60000 deep': nested('[', 60_000, ''),
        'objects 600 deep': nested('{"name":', 600, '}', '1'),
        'objects 1000 deep': nested('{"name":', 1000, '}', '1'),
        'objects 6000 deep': nested('{"name":', 6000, '}', '1'),
        'unclosed objects 10000 deep': nested('{"a":', 10_000, ''),
      }),
      ...nestedValues(plants),
    ],
  }),
  must('invalid/answers-huge-numbers', {
    statement: 'A request with an extremely large or precise number gets a valid response.',
    basis: ['section 2, NewPlant', 'section 4, rule 3', 'RFC 8259 section 6'],
    hint: 'Handle numerals of any size without a crash or a 5xx.',
    test: namedCases(validResponse, (plants) =>
      [
        ...[30, 400, 20_000].map((count) => [`a number of ${count} digits`, '9'.repeat(count)] as const),
        ...['1e400', '-1e400', '1e999999999', '1e-999999999'].map((numeral) => [numeral, numeral] as const),
        ['0.0…01', `0.${'0'.repeat(400)}1`] as const,
        ['1E+2147483648', '1E+2147483648'] as const,
      ].flatMap(([label, numeral]) =>
        [ID, 'name', 'extra'].map((property) => {
          const control = plants.plain();
          const plant = control.with(property, new Raw(numeral));
          return caseWithControl(`${property} is ${label}`, requestWith(plant), control);
        }),
      ),
    ),
  }),
  should('invalid/answers-400', {
    statement: 'An invalid body is rejected with 400, the only error that the document declares.',
    basis: ['section 7', 'section 4, error response'],
    hint: 'Answer 400 with an Error; 422 and other statuses are not in the document.',
    test: {
      ...namedCases([rejectsWith(400)], (plants) => [
        ...(['not-an-object', 'missing', 'wrong-type', 'null', 'numeral', 'fraction'] as const).flatMap(
          (kind) => invalidPlants(kind)(plants).slice(0, 2),
        ),
        ...edited(plants, notJsonNamed('truncated in the middle', 'plain text', 'twice')),
        caseWithControl('no body', { contentType: 'application/json' }, plants.plain()),
      ]),
      untestableBecauseOf: 'combinations/rejects-invalid-bodies',
    },
  }),
  should('invalid/rejects-other-media-types', {
    statement: 'JSON sent with a media type that the document does not declare is rejected.',
    basis: ['section 4, request body', 'RFC 9110 section 15.5.16'],
    hint: 'Check the Content-Type before the body, and answer 415 or 400 unless it is application/json.',
    test: namedCases([notSuccess], (plants) =>
      [
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/xml',
        'text/html',
        'multipart/form-data; boundary=b',
      ].map((contentType) => {
        const control = plants.plain();
        return caseWithControl(contentType, requestWith(plants.plain(), { contentType }), control);
      }),
    ),
  }),
  should('invalid/rejects-id-beyond-int64', {
    statement: 'An id outside int64 is rejected.',
    basis: ['section 2, NewPlant', 'openapi.yaml#/components/schemas/NewPlant'],
    hint: 'Use a parser that keeps integers exact, and compare the id with -2^63 and 2^63-1.',
    notApplicable: withoutDefect('beyond-format', 'the document declares no integer format'),
    test: namedCases([notSuccess], invalidPlants('beyond-format')),
  }),
  should('invalid/rejects-invalid-utf-8', {
    statement: 'A body that is not valid UTF-8 is rejected.',
    basis: ['RFC 8259 section 8.1'],
    hint: 'Decode strictly: replacement characters would change the name of the plant.',
    test: namedCases([notSuccess], (plants) =>
      edited(plants, notUtf8(stringsOf(plants.contract.newPlant.shape))),
    ),
  }),
];
