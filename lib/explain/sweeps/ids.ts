import { freshId } from '../../payloads/fresh.ts';
import { type Json, Raw } from '../../payloads/json.ts';
import { ID } from '../../payloads/plants.ts';
import type { Cell, CellClass, Scale, Sweep } from '../cells.ts';

const POWERS = [
  10n,
  15n,
  16n,
  17n,
  20n,
  23n,
  24n,
  26n,
  28n,
  29n,
  30n,
  31n,
  32n,
  33n,
  40n,
  48n,
  52n,
  53n,
  54n,
  60n,
  62n,
];

/** Values of an integer id. Small ones may be used up, so most are above 2^20. */
export const idSweep: Sweep = {
  part: ID,
  cells: [
    cellOf('odd', 'is odd', freshId(2n ** 21n + 1n, 2n ** 24n, 2n), ['odd']),
    cellOf('even', 'is even', freshId(2n ** 21n, 2n ** 24n, 2n), ['even']),
    cellOf('odd, over 2^24', 'is odd and above 2^24', freshId(2n ** 24n + 1n, 2n ** 30n, 2n), [
      'odd',
      'odd over 2^24',
      'no float',
    ]),
    cellOf('even, over 2^24', 'is even and above 2^24', freshId(2n ** 24n, 2n ** 30n, 4n), ['even']),
    cellOf('near 2^31', 'is near 2^31', freshId(2n ** 31n - 2n ** 21n, 2n ** 31n, 2n), ['even']),
    cellOf('negative', 'is negative', freshId(-(2n ** 31n), -(2n ** 20n)), ['negative', 'not positive']),
    cellOf('far below 0', 'is below -2^53', freshId(-(2n ** 62n), -(2n ** 53n)), ['negative']),
    cellOf('0', 'is 0', 0n, ['not positive']),
    cellOf('with an exponent', 'is written with an exponent', new Raw((id) => `${id}e0`, 2 ** 20), []),
  ],
  classes: classes(),
  scale: magnitudes(),
};

function cellOf(value: string, clause: string, json: Json, kinds: readonly string[]): Cell {
  return {
    value,
    words: { clause: `${ID} ${clause}` },
    apply: (state) => ({ ...state, plant: state.plant.with(ID, json) }),
    classes: kinds,
  };
}

function classes(): CellClass[] {
  const one = (id: string, clause: string): CellClass => ({
    id,
    words: { clause: `${ID} ${clause}` },
    topic: ID,
  });
  return [
    one('odd', 'is odd'),
    one('even', 'is even'),
    one('no float', 'cannot be represented by a 32-bit float'),
    one('not positive', 'is 0 or negative'),
    one('negative', 'is negative'),
  ];
}


/** Magnitudes: a fresh id at or a little above each point. */
function magnitudes(): Scale {
  return {
    points: POWERS.map((power) => 2n ** power),
    cellAt: (point) => ({
      value: `${point} and a little more`,
      words: { clause: `${ID} is about ${point}` },
      // A multiple of 4 and not, so that what depends on the last bits shows as such.
      apply: (state) => ({
        ...state,
        plant: state.plant.with(ID, freshId(point, point + (point >> 6n) + 1n)),
      }),
      classes: [],
    }),
    above: (point) => ({ clause: `${ID} is above ${bound(point)}` }),
    below: (point) => ({ clause: `${ID} is below ${bound(point)}` }),
    between: (first, last) => ({ clause: `${ID} is between ${bound(first)} and ${bound(last)}` }),
  };
}

/** A number, as a power of two if it is near one. */
function bound(point: bigint): string {
  for (const power of POWERS)
    for (const [offset, words] of [
      [0n, `2^${power}`],
      [-1n, `2^${power}-1`],
    ] as const)
      if (point === 2n ** power + offset) return words;
  const near = POWERS.find((power) => point > 2n ** power && point - 2n ** power <= 2n ** (power - 5n));
  return near === undefined ? String(point) : `about 2^${near}`;
}
