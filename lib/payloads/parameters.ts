import type { Contract } from '../contract/contract.ts';
import { DocumentError } from '../contract/document.ts';
import type { HeaderPair } from '../wire/exchange.ts';
import { fromValue, JsonObject, write } from './json.ts';
import { oneOfShape } from './plants.ts';
import { sample } from './random.ts';

interface Required {
  readonly headers: readonly HeaderPair[];
  readonly query: readonly HeaderPair[];
}

const MAX_GENERATED = 100;
const SENDABLE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Finds values of the required parameters.
 * @throws DocumentError if the document gives none for a parameter, and none can be found
 */
export function requiredOf(contract: Contract): Required {
  const headers: HeaderPair[] = [];
  const query: HeaderPair[] = [];
  const cookies: string[] = [];
  for (const parameter of contract.parameters) {
    const values = sampleParameters(contract, parameter);
    if (parameter.in === 'query') query.push(...values.map((value): HeaderPair => [parameter.name, value]));
    else if (parameter.in === 'cookie') cookies.push(`${parameter.name}=${values.join(',')}`);
    else headers.push([parameter.name, values.join(',')]);
  }
  return { headers: cookies.length === 0 ? headers : [...headers, ['cookie', cookies.join('; ')]], query };
}

function sampleParameters(contract: Contract, parameter: Contract['parameters'][number]): readonly string[] {
  const { location, shape, validate, given, json, explode } = parameter;
  const fail = (problem: string): never => {
    throw new DocumentError(
      contract.document.file,
      location,
      `the ${parameter.in} parameter ${parameter.name} is required, and ${problem}; give it an example`,
    );
  };
  for (let index = 0; index < MAX_GENERATED; index += 1) {
    const value =
      given === undefined
        ? sample(oneOfShape(shape, 'plain', true), 0, `parameter/${parameter.name}`, index).value
        : fromValue(given);
    const text = write(value, 1n);
    if (given === undefined && validate(text, JSON.parse(text)).length > 0) continue;
    if (value instanceof JsonObject && !json)
      return fail('its value is an object, which is supported only as JSON content');
    const parsed: unknown = JSON.parse(text);
    const plain = (one: unknown) => (typeof one === 'string' ? one : JSON.stringify(one));
    const parts = json ? [text] : [parsed].flat().map(plain);
    const texts = explode ? parts : [parts.join(',')];
    if (parameter.in === 'query' || texts.every((one) => SENDABLE.test(one))) return texts;
    if (given !== undefined) return fail('its value contains characters that a header cannot carry');
  }
  return fail('no value was found for its schema');
}
