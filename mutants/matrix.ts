import { sum } from '../lib/collections.ts';
import type { Check } from '../lib/run/check.ts';
import type { Trial } from './trial.ts';

/**
 * Whether another check that fails does not count as a second catch. An invariant fails together with almost
 * every other check.
 */
const isSibling = (other: string, id: string) =>
  other.startsWith('invariants/') && !id.startsWith('invariants/');

interface MatrixOptions {
  readonly quick: boolean;
  /**
   * Whether stores that need three conditions were tried with all triples; if not, chance decides whether
   * they are caught.
   */
  readonly thorough: boolean;
  /** Whether the whole fleet was tried, so that each check must have failed at least once. */
  readonly isWhole: boolean;
}

/** The kill matrix as text, and whether it proves that the suite finds faults without false positives. */
export function matrix(
  trials: readonly Trial[],
  catalogue: readonly Check[],
  { quick, thorough, isWhole }: MatrixOptions,
): { readonly text: string; readonly proven: boolean } {
  const broken = trials.filter(({ kind }) => kind === 'broken');
  const needsTriples = ({ strength = 0 }: Trial) => strength > 2;
  const conditional = trials.filter((one) => one.kind === 'conditional' && !needsTriples(one));
  const triples = trials.filter(needsTriples);
  const right = trials.filter(({ kind }) => kind === 'right');
  const levels = new Map(catalogue.map(({ id, level }) => [id, level]));
  const caught = broken.filter(({ failed, missed }) => failed.length > 0 && missed.length === 0);
  const isMissed = (one: Trial) => one.missed.length > 0 || one.failed.length === 0;
  const missed = [...broken, ...conditional, ...(thorough ? triples : [])].filter(isMissed);
  const accused = trials.filter((one) => one.accused.length > 0);
  const judged = catalogue.filter(({ level }) => level !== 'OBSERVE');
  // A quick proof runs few checks on a broken store, so checks of combinations fail only on conditional
  // stores.
  const failing = quick ? [...broken, ...conditional] : broken;
  const blind = isWhole ? judged.filter(({ id }) => !failing.some(({ failed }) => failed.includes(id))) : [];
  const rows = judged.map(({ id, level }) => {
    const by = broken.filter(({ failed }) => failed.includes(id));
    const sole = by.filter(({ failed }) =>
      failed.every((other) => other === id || levels.get(other) !== level || isSibling(other, id)),
    );
    const names = sole.slice(0, 3).map(({ name }) => name);
    return `  ${level.padEnd(6)} ${id.padEnd(44)} ${String(by.length).padStart(4)}  ${String(sole.length).padStart(4)}  ${names.join(', ')}${sole.length > 3 ? ', …' : ''}`;
  });
  const seconds = sum(trials, (one) => one.seconds);
  const text = [
    ...(quick
      ? []
      : ['  level  check                                        catches  sole  stores', ...rows, '']),
    ...missed.map(
      ({ name, missed: ids, failed }) =>
        `missed    ${name}: ${ids.length > 0 ? `${ids.join(', ')} did not fail` : 'nothing failed'}${failed.length > 0 ? ` (${failed.slice(0, 4).join(', ')} did)` : ''}`,
    ),
    ...accused.map(({ name, accused: why }) => `accused   ${name}: ${why.slice(0, 3).join('; ')}`),
    ...blind.map(({ id }) => `no store  ${id}: nothing in the fleet makes it fail`),
    `broken stores: ${caught.length} of ${broken.length} caught; conditional ones: ${conditional.filter((one) => !isMissed(one)).length} of ${conditional.length}${triples.length === 0 ? '' : `, with three conditions ${triples.filter((one) => !isMissed(one)).length} of ${triples.length}`}; right stores: ${right.length}; wrongly accused: ${accused.length}; ${Math.round(seconds)} s of runs`,
    '',
  ].join('\n');
  return { text, proven: missed.length === 0 && accused.length === 0 && blind.length === 0 };
}
