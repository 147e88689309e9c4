import type { Topic } from '../explanation/condition.ts';
import type { CandidateClass } from './candidates.ts';

/** The class of bodies that no JSON parser accepts. */
export const NOT_JSON = 'not JSON';
export const NOT_UTF8 = 'not UTF-8';
/** Like `NOT_JSON`, except that the body has at least one byte. */
export const UNPARSABLE = 'unparsable';

export const IN_ARRAY = 'in an array';

/** Types of wrong values, worded for titles. */
const TYPES = [
  'null',
  'a boolean',
  'a number',
  'a fraction',
  'a numeric string',
  'a string',
  'an array',
  'an object',
] as const;
export type TypeName = (typeof TYPES)[number];

type DefectClass = readonly [id: string, noun: string, clause: string, topic: Topic, group?: string];

/** Classes of bodies regardless of the property, broadest first. */
const BROAD: readonly DefectClass[] = [
  ['any', 'any body that is not a NewPlant', 'the body is not a NewPlant', 'any body'],
  [NOT_JSON, 'any body that is not JSON', 'the body is not JSON', 'not JSON', 'text'],
  [UNPARSABLE, 'any text that is not JSON', 'the body cannot be parsed as JSON', 'not JSON', 'text'],
  ['object', 'any JSON object', 'the body is an object but not a NewPlant', 'any body'],
  ['wrong type', 'a value of any type for every property', 'a property has the wrong type', 'wrong type'],
  ['absent', 'a plant without its required properties', 'a required property is missing', 'missing'],
  [
    'not an object',
    'a JSON value that is not an object',
    'the body is JSON but not an object',
    'not an object',
  ],
];

/** Classes of defects of one property; `$` stands for its name. */
const OF_PROPERTY: readonly DefectClass[] = [
  ['wrong', 'a value of any type as $', '$ has the wrong type', 'wrong type'],
  ['without', 'a plant without $', '$ is missing', 'missing'],
  ['absent', 'a plant without $', '$ is missing', 'missing'],
];

/** The class of values of one kind, whose id is that kind. */
const valuesOf = (kind: string, topic: Topic = 'wrong type'): DefectClass => [
  kind,
  `${kind} as $`,
  `$ is ${kind}`,
  topic,
];

const NARROW_OF_PROPERTY: readonly DefectClass[] = [
  ['other than a number', 'any value that is not a number as $', '$ is not a number', 'wrong type'],
  ['any string', 'any string as $', '$ is a string', 'wrong type'],
  ['falsy', 'a falsy value as $', '$ is null, false, 0 or another falsy value', 'falsy'],
  valuesOf('a negative fraction'),
  valuesOf('a fraction with an exponent'),
  valuesOf('a fraction between -1 and 1'),
  valuesOf('a fraction beyond int32'),
  valuesOf('a fraction close to an integer'),
  ['beyond', 'a $ outside int64', '$ is outside int64', 'large id'],
  ['missing', 'a plant without $', '$ is missing', 'missing'],
  ['other-name', '$ in a different case', '$ is spelled in a different case', 'other name'],
  ['spaced', '$ with white space in the property name', '$ is spelled with white space', 'other name'],
  [
    'ended',
    '$ with a NUL at the end of the property name',
    '$ is spelled with a NUL at the end',
    'other name',
  ],
  ['nested', '$ nested one level down', '$ is nested one level down', 'missing'],
  ['listed', '$ nested in an array', '$ is nested in an array', 'missing'],
  ['inherited', '$ inherited through __proto__', '$ is inherited through __proto__', 'inherited'],
];

const OF_ANY: readonly DefectClass[] = [
  [
    'other-name',
    'property names in a different case',
    'a property name is in a different case',
    'other name',
  ],
  ['ended', 'property names that end with a NUL', 'a property name ends with a NUL', 'other name'],
  ['nested', 'properties nested one level down', 'the properties are nested one level down', 'missing'],
  ['listed', 'properties nested in an array', 'the properties are nested in an array', 'missing'],
  [
    'inherited',
    'properties inherited through __proto__',
    'properties are inherited through __proto__',
    'inherited',
    'nested',
  ],
  ['spaced', 'property names with white space', 'a property name has white space around it', 'other name'],
  ['missing', 'a plant without a required property', 'a required property is missing', 'missing', 'absent'],
  [
    IN_ARRAY,
    'an array of one value in place of the value',
    'a value is replaced by an array of one value',
    'wrong type',
    'wrong type',
  ],
];

const OF_BODY: readonly DefectClass[] = [
  ['body an array', 'an array as the body', 'the body is an array', 'not an object', 'not an object'],
  ['body a string', 'a string as the body', 'the body is a JSON string', 'not an object', 'not an object'],
  ['body null', 'null as the body', 'the body is null', 'not an object', 'not an object'],
  ['body a boolean', 'a boolean as the body', 'the body is a boolean', 'not an object', 'not an object'],
  ['body a number', 'a number as the body', 'the body is a number', 'not an object', 'not an object'],
  ['truncated', 'truncated JSON', 'the JSON text is truncated', 'not JSON', 'text'],
  [
    'more',
    'a JSON value followed by something else',
    'something follows the JSON value',
    'more JSON',
    'text',
  ],
  ['empty', 'an empty body', 'the body is empty or white space', 'not JSON', 'text'],
  ['none', 'requests without a body', 'there is no body', 'not JSON', 'text'],
  ['form', 'a form as the body', 'the body is a form', 'not JSON', 'text'],
  [NOT_UTF8, 'a body that is not valid UTF-8', 'the body is not valid UTF-8', 'not UTF-8', 'bytes'],
  [`${NOT_UTF8} string`, 'a string in invalid UTF-8', 'a string is not valid UTF-8', 'not UTF-8', 'bytes'],
];

/** Returns classes of bodies with defects of these properties; `known` are the ids of those with members. */
export function classesOf(
  properties: readonly string[],
  strings: readonly string[],
  known: ReadonlySet<string>,
): CandidateClass[] {
  // `a number as any property` would be an overstatement, since a number is not a wrong type for the id.
  const typesOfAll = TYPES.filter((type) => properties.every((name) => known.has(`${type} ${name}`)));
  return [
    ...BROAD.map(classOf),
    ...properties.flatMap((name) => OF_PROPERTY.map((row) => ofProperty(name, row))),
    ...properties.flatMap((name) => [
      ...NARROW_OF_PROPERTY.map((row) => ofProperty(name, row)),
      ...TYPES.map((type) => ofType(type, name)),
    ]),
    ...OF_ANY.map(classOf),
    ...typesOfAll.map((type) =>
      classOf([type, `${type} as any property`, `a property is ${type}`, topicOf(type), `type ${type}`]),
    ),
    ...OF_BODY.map(classOf),
    ...strings.map(notUtf8In),
  ];
}

const classOf = ([id, noun, clause, topic, group = id]: DefectClass): CandidateClass => ({
  id,
  condition: { noun, clause, topics: [topic] },
  group,
});

const notUtf8In = (property: string): CandidateClass => ({
  id: `${NOT_UTF8} in ${property}`,
  condition: {
    noun: `${property} in invalid UTF-8`,
    clause: `${property} is not valid UTF-8`,
    topics: ['not UTF-8'],
    statement: { property, is: 'described' },
  },
  group: 'bytes',
});

function ofProperty(property: string, [way, noun, clause, topic]: DefectClass): CandidateClass {
  const named = (text: string) => text.replace('$', () => property);
  const { condition, ...rest } = classOf([`${way} ${property}`, named(noun), named(clause), topic, property]);
  return { ...rest, condition: { ...condition, property } };
}

const ofType = (type: TypeName, property: string): CandidateClass => ({
  ...ofProperty(property, valuesOf(type, topicOf(type))),
  some: ({ condition: { noun = '' } }) => {
    // For example `an array such as one of one integer`.
    const example = noun.slice(0, noun.lastIndexOf(' as ')).replace(`${type} of `, 'one of ');
    return {
      noun: `${type} such as ${example} as ${property}`,
      clause: `${property} is ${type} such as ${example}`,
      topics: [topicOf(type)],
      property,
    };
  },
});

const topicOf = (type: TypeName): Topic => (type === 'null' ? 'null' : 'wrong type');
