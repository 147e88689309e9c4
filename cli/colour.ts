import { coloured, type Paint, plain } from '../lib/report/wording/format-text.ts';

/** Whether standard output is a terminal and NO_COLOR is not set. */
export const wantsColour = (): boolean => process.stdout.isTTY === true && !process.env.NO_COLOR;

export const paint = (): Paint => (wantsColour() ? coloured : plain);
