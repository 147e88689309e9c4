import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { namesIn } from '../json-pointer.ts';
import { exactInteger, integerRange, sourceAt } from './numeral.ts';

interface Violation {
  /** JSON Pointer to the invalid value; empty for the whole text. */
  readonly at: string;
  readonly message: string;
}

type NumeralAt = (path: readonly string[]) => string | undefined;

/** Returns the violations; none if valid. Checks integers by their numerals or, without one, as doubles. */
export type Validator = (numerals: string | NumeralAt, value: unknown) => readonly Violation[];

/** What the code of a compiled schema calls as `this`. */
interface ValidationContext {
  /** @param integral whether only integers are allowed, and not any number */
  isExact(value: unknown, integral: boolean, format: string | null, pointer: string): boolean;
}

export const validatorOf =
  (validate: ValidateFunction): Validator =>
  (numerals, value) => {
    const numeralAt =
      typeof numerals === 'string' ? (path: readonly string[]) => sourceAt(numerals, path) : numerals;
    const context: ValidationContext = {
      isExact(number, integral, format, pointer) {
        if (typeof number !== 'number') return true;
        const integer = exactInteger(numeralAt(namesIn(pointer)) ?? String(number));
        if (integer === undefined) return !integral;
        const range = integerRange(format ?? undefined);
        return range === undefined || (integer >= range[0] && integer <= range[1]);
      },
    };
    return validate.call(context, value) ? [] : (validate.errors ?? []).map(violation);
  };

function violation({ instancePath, message, keyword, params }: ErrorObject): Violation {
  const detail = keyword === 'enum' ? `: ${JSON.stringify(params.allowedValues)}` : '';
  return { at: instancePath, message: `${message ?? keyword}${detail}` };
}
