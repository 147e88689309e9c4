import { areaOf, groupBy } from '../groups.ts';
import type { Case } from '../payloads/case.ts';
import type { Check, Plants, Test } from './check.ts';
import { ASIDE, type CheckIds, type Ids, type Room } from './ids.ts';
import type { Shard } from './shard.ts';

export const DEFAULTS = { cases: 120, concurrency: 24, timeout: 15_000 } as const;

/** What stands for a check where requests are sent for none. */
export const PREFLIGHT = 'preflight';
export const COMPARISON = 'comparison';
export const COLLISIONS = 'collisions';

/** Ids that are foreseen, for each property, for a check whose requests are not counted before it is carried out. */
const FOR_A_PROPERTY = 64;
/** Places for the requests of one check that were not foreseen, far from those of the others: among them all triples. */
const OVERFLOW = { pairs: 2 ** 16, triples: 2 ** 18 } as const;
/** Shards whose ids aside for no case lie apart. */
const SHARDS = 16;
/** Cases whose ids aside lie apart. Two that share theirs are rare, and only a store with unique ids could mind. */
const SLOTS = 61;

/** Cases of a check that draws at random. */
export const drawsOf = (share: number, cases: number): number => Math.max(1, Math.ceil(cases * share));

/** The same, given those of its cases that have a name: of triples, all are tried, however few cases are asked for. */
export const casesOf = (
  { share, covers }: Test & { kind: 'property' },
  cases: number,
  { strength }: Plants,
  named: readonly Case[],
): number => Math.max(drawsOf(share, cases), covers !== undefined && strength === 3 ? named.length : 0);

/**
 * Gives every check of the catalogue ids of its own, carried out or not: a run of some of them, or of a part, sends
 * the same requests as the run of all. What is sent before and after them has its own as well.
 * @returns the ids of a check; where a document allows too few, all take theirs in turn, in a part of their own
 */
export function layOut(
  catalogue: readonly Check[],
  {
    cases,
    properties,
    thorough = false,
  }: { readonly cases: number; readonly properties: number; readonly thorough?: boolean | undefined },
  ids: Ids,
  { index, of }: Shard,
): (checkId: string) => CheckIds {
  const uncounted = FOR_A_PROPERTY * (properties + 1);
  const beyond = OVERFLOW[thorough ? 'triples' : 'pairs'];
  const sizes: [id: string, size: number][] = [
    [PREFLIGHT, 16],
    [COLLISIONS, 0],
    ...catalogue.map(({ id, test }): [string, number] => {
      if (test.kind === 'standing') return [id, 0];
      return [id, test.kind === 'property' ? drawsOf(test.share, cases) + 1 : uncounted];
    }),
    [COMPARISON, uncounted],
  ];
  const foreseen = sizes.reduce((sum, [, size]) => sum + size, 0);
  const rooms = new Map<string, Room>();
  let up = 0;
  for (const [turn, [id, size]] of sizes.entries()) {
    rooms.set(id, {
      up,
      size,
      overflow: foreseen + turn * beyond,
      down: turn * (SLOTS + SHARDS) * ASIDE,
      slots: SLOTS,
      own: SLOTS + (index % SHARDS),
    });
    up += size;
  }
  const start = Math.floor(ids.count / of) * index;
  const shared = ids.in({ up: start, size: ids.count, overflow: 0, down: -start, slots: 1, own: 0 });
  if (foreseen + sizes.length * (beyond + (SLOTS + SHARDS) * ASIDE) > ids.count) return () => shared;
  return (checkId) => {
    const room = rooms.get(checkId);
    return room === undefined ? shared : ids.in(room);
  };
}

/** Cases of one turn of a check that draws at random. */
const TURN = 2000;

/** A check, and how many of its cases to try before it is the turn of another. */
export interface Turn {
  readonly check: Check;
  readonly most: number;
}

/**
 * The order in which checks are carried out: what costs a few requests before what costs hundreds, and last what the
 * exchanges of all others decide. Whoever asks for more random cases gets the rest of them after all that, in turns,
 * so that a run which is cut short has tried all of them about as often. Within that, as the catalogue has them.
 * @returns groups of turns; those of a group are taken side by side
 */
export function* plannedTurns(
  catalogue: readonly Check[],
  isEnded: (check: Check) => boolean,
): Generator<readonly Turn[]> {
  const once = (checks: readonly Check[]) => checks.map((check) => ({ check, most: 1 }));
  const of = (kind: Check['test']['kind']) => catalogue.filter(({ test }) => test.kind === kind);
  const [drawing, procedures] = [of('property'), of('procedure')];
  yield* byArea(of('cases')).map(once);
  for (const check of drawing) yield [{ check, most: usualPlaces(check) }];
  yield* byArea(procedures.filter((check) => !wantsToBeAlone(check))).map(once);
  for (const check of procedures.filter(wantsToBeAlone)) yield once([check]);
  for (let left = drawing; left.length > 0; left = left.filter((check) => !isEnded(check)))
    for (const check of left) if (!isEnded(check)) yield [{ check, most: TURN }];
  yield once(of('standing'));
}

/** What one area sends may matter to another: the ids that it uses up, the credentials that a store gets tired of. */
const byArea = (checks: readonly Check[]) => groupBy(checks, areaOf).map(([, members]) => members);

const wantsToBeAlone = ({ test }: Check): boolean => test.kind === 'procedure' && test.alone === true;

/** The cases that a check draws by default, and its control. */
const usualPlaces = ({ test }: Check): number =>
  test.kind === 'property' ? drawsOf(test.share, DEFAULTS.cases) + 1 : 1;
