import { InvalidArgumentError } from 'commander';

/** Reads an option that is a number, with what it may be said where it is not. */
const number =
  (what: string, fits: (value: number) => boolean) =>
  (text: string): number => {
    const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    if (!fits(value)) throw new InvalidArgumentError(`It takes ${what}.`);
    return value;
  };

export const count = number('a whole number from 1 on', (value) => Number.isSafeInteger(value) && value >= 1);
export const seed = number(
  'a whole number below 2^32',
  (value) => Number.isInteger(value) && value >= 0 && value < 2 ** 32,
);
export const port = number(
  'a port from 0 to 65535',
  (value) => Number.isInteger(value) && value >= 0 && value < 65_536,
);
export const positive = number('a number above 0', (value) => value > 0);

/** `100/s`, `100`. */
export const rate = (text: string): number => positive(text.replace(/\/s$/, ''));

export const id = (text: string): bigint => {
  if (!/^\d{1,19}$/.test(text)) throw new InvalidArgumentError('It takes a whole number.');
  return BigInt(text);
};

/** `2/3`: the second of three parts. */
export const shard = (text: string): { index: number; of: number } => {
  const [number = 0, of = 0] = /^\d{1,4}\/\d{1,4}$/.test(text) ? text.split('/').map(Number) : [];
  if (number < 1 || number > of) throw new InvalidArgumentError('It takes I/N, from 1/N to N/N.');
  return { index: number - 1, of };
};

/** `Name: value`. */
export const header = (
  text: string,
  others: readonly (readonly [string, string])[] = [],
): (readonly [string, string])[] => {
  const parts = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/.exec(text);
  if (parts === null) throw new InvalidArgumentError("It takes 'Name: value'.");
  return [...others, [parts[1] ?? '', parts[2] ?? '']];
};

export const each = (text: string, others: readonly string[] = []): string[] => [...others, text];
