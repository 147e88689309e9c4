import type { Topic } from '../../wording/topics.ts';
import type { CandidateClass } from '../candidates.ts';

/** The class of the bodies that no JSON parser accepts. */
export const NOT_JSON = 'not JSON';
export const NOT_UTF8 = 'not UTF-8';

/** Names of types as the titles of defects have them. */
export const TYPES: Readonly<Record<string, string>> = {
  null: 'null',
  'a boolean': 'a boolean',
  'a number': 'a number',
  'a number with a fraction': 'a fraction',
  'a numeric string': 'a numeric string',
  'a string': 'a string',
  'an array': 'an array',
  'an object': 'an object',
};

/**
 * Classes of bodies that are not a NewPlant.
 * @param properties those that can be missing or wrong
 * @param strings those that are strings
 */
export function classesOf(properties: readonly string[], strings: readonly string[]): CandidateClass[] {
  const types = [...new Set(Object.values(TYPES))];
  return [
    bodies('any', 'any body that is not a NewPlant', 'the body is not a NewPlant', 'any body'),
    bodies(NOT_JSON, 'any body that is not JSON', 'the body is not JSON', 'not JSON', 'text'),
    bodies('object', 'any JSON object', 'the body is an object but not a NewPlant', 'any body'),
    bodies('wrong type', 'any type for every property', 'a property has the wrong type', 'wrong type'),
    bodies('absent', 'a plant without its required properties', 'a required property is missing', 'missing'),
    bodies(
      'not an object',
      'a JSON value that is not an object',
      'the body is JSON but not an object',
      'not an object',
    ),
    ...properties.flatMap((name) => [
      ofProperty(name, `wrong ${name}`, 'any type as', 'has the wrong type', 'wrong type'),
      ofProperty(name, `lacking ${name}`, 'a plant without', 'is missing', 'missing'),
      ofProperty(name, `absent ${name}`, 'a plant without', 'is missing', 'missing'),
    ]),
    ...properties.flatMap((name) => [
      ofProperty(
        name,
        `other than a number ${name}`,
        'anything but a number as',
        'is not a number',
        'wrong type',
      ),
      ofProperty(name, `any string ${name}`, 'any string as', 'is a string', 'wrong type'),
      ofProperty(
        name,
        `falsy ${name}`,
        'a falsy value as',
        'is null, false, 0 or another falsy value',
        'falsy',
      ),
      ofProperty(name, `missing ${name}`, 'a plant without', 'is missing', 'missing'),
      spelled(name, 'other-name', 'in another case', 'is spelled in another case', 'other name'),
      spelled(
        name,
        'spaced',
        'with white space in the property name',
        'is spelled with white space',
        'other name',
      ),
      spelled(
        name,
        'ended',
        'with a NUL at the end of the property name',
        'is spelled with a NUL at the end',
        'other name',
      ),
      spelled(name, 'nested', 'nested one level down', 'is nested one level down', 'missing'),
      spelled(
        name,
        'inherited',
        'inherited through __proto__',
        'is inherited through __proto__',
        'inherited',
      ),
      ...types.map((type) => ofType(type, name)),
    ]),
    bodies(
      'other-name',
      'property names in another case',
      'a property name is in another case',
      'other name',
    ),
    bodies('ended', 'property names that end with a NUL', 'a property name ends with a NUL', 'other name'),
    bodies(
      'nested',
      'properties nested one level down',
      'the properties are nested one level down',
      'missing',
    ),
    bodies(
      'inherited',
      'properties inherited through __proto__',
      'properties are inherited through __proto__',
      'inherited',
      'nested',
    ),
    bodies(
      'spaced',
      'property names with white space',
      'a property name has white space around it',
      'other name',
    ),
    bodies(
      'missing',
      'a plant without a required property',
      'a required property is missing',
      'missing',
      'absent',
    ),
    ...types.map((type) =>
      bodies(type, `${type} as any property`, `a property is ${type}`, topicOf(type), `type ${type}`),
    ),
    ofJsonType('array', 'an array as the body', 'the body is an array'),
    ofJsonType('string', 'a string as the body', 'the body is a JSON string'),
    ofJsonType('null', 'null as the body', 'the body is null'),
    ofJsonType('a boolean', 'a boolean as the body', 'the body is a boolean'),
    ofJsonType('a number', 'a number as the body', 'the body is a number'),
    bodies('truncated', 'truncated JSON', 'the JSON text is truncated', 'not JSON', 'text'),
    bodies(
      'more',
      'a JSON value followed by something else',
      'something follows the JSON value',
      'more JSON',
      'text',
    ),
    bodies('empty', 'an empty body', 'the body is empty or white space', 'not JSON', 'text'),
    bodies('none', 'requests without a body', 'there is no body', 'not JSON', 'text'),
    bodies('form', 'a form as the body', 'the body is a form', 'not JSON', 'text'),
    bodies(NOT_UTF8, 'a body that is not valid UTF-8', 'the body is not valid UTF-8', 'not UTF-8', 'bytes'),
    bodies(
      `${NOT_UTF8} string`,
      'a string in invalid UTF-8',
      'a string is not valid UTF-8',
      'not UTF-8',
      'bytes',
    ),
    ...strings.map((name) =>
      bodies(
        `${NOT_UTF8} in ${name}`,
        `${name} in invalid UTF-8`,
        `${name} is not valid UTF-8`,
        'not UTF-8',
        'bytes',
      ),
    ),
  ];
}

const bodies = (id: string, noun: string, clause: string, topic: Topic, group = id): CandidateClass => ({
  id,
  words: { noun, clause, topics: [topic] },
  group,
});

/** Bodies in which a property is wrong: `null as id`, `id is null`. */
const ofProperty = (
  property: string,
  id: string,
  nounBefore: string,
  clauseAfter: string,
  topic: Topic,
): CandidateClass => naming(property, id, `${nounBefore} ${property}`, clauseAfter, topic);

/** Bodies that have a property under another name, or in another place: `id nested one level down`. */
const spelled = (
  property: string,
  way: string,
  nounAfter: string,
  clauseAfter: string,
  topic: Topic,
): CandidateClass => naming(property, `${way} ${property}`, `${property} ${nounAfter}`, clauseAfter, topic);

function naming(
  property: string,
  id: string,
  noun: string,
  clauseAfter: string,
  topic: Topic,
): CandidateClass {
  const { words, ...rest } = bodies(id, noun, `${property} ${clauseAfter}`, topic, property);
  return { ...rest, words: { ...words, property } };
}

const ofType = (type: string, property: string): CandidateClass => ({
  ...ofProperty(property, `${type} ${property}`, `${type} as`, `is ${type}`, topicOf(type)),
  some: ({ words: { noun = '' } }) => {
    const example = noun.slice(0, noun.lastIndexOf(' as '));
    return {
      noun: `${type} such as ${example} as ${property}`,
      clause: `${property} is ${type} such as ${example}`,
      topics: [topicOf(type)],
      property,
    };
  },
});

const topicOf = (type: string): Topic => (type === 'null' ? 'null' : 'wrong type');

const ofJsonType = (type: string, noun: string, clause: string): CandidateClass =>
  bodies(`body ${type}`, noun, clause, 'not an object', 'not an object');
