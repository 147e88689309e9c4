import { coloured, type Paint, plain } from '../lib/report/explain.ts';

/** Whether standard output is a terminal whose user has nothing against colour. */
export const wantsColour = (): boolean => process.stdout.isTTY === true && !process.env.NO_COLOR;

export const paint = (): Paint => (wantsColour() ? coloured : plain);
