import { freshId } from '../payloads/fresh.ts';
import type { Exchange } from '../wire/exchange.ts';
import { judged, mustBeTaken, type Tools } from './attempt.ts';
import { type Bench, NotApplicable, type Plants, type Test, Untestable } from './check.ts';
import { shortly } from './keep.ts';
import { inPool } from './pool.ts';
import type { Failure } from './result.ts';
import type { Tally } from './tally.ts';

/** Bytes of answers that a procedure can hold at a time. */
const HELD = 64 * 1024 * 1024;

/** Carries a procedure out. */
export async function tryProcedure(
  test: Test & { kind: 'procedure' },
  plants: Plants,
  tools: Tools,
  tally: Tally,
): Promise<void> {
  const book = (failure: Omit<Failure, 'population'>) => tally.book({ ...failure, population: 'other' });
  const send: Bench['send'] = (draft) => {
    tally.cases += 1;
    return tools.send(draft, tools.ids.next());
  };
  const bench: Bench = {
    plants,
    cases: tools.cases,
    nextId: () => tools.ids.next(),
    freshId: (from, below) => BigInt(freshId(from, below).written(tools.ids.next())),
    send,
    async sendAll(drafts) {
      const exchanges: Exchange[] = [];
      let held = 0;
      const id = tools.ids.reserve(drafts.length);
      tally.cases += drafts.length;
      await inPool(drafts.length, tools.concurrency, async (index) => {
        const draft = drafts[index];
        if (draft === undefined) return;
        const exchange = await tools.send(draft, id(index));
        exchanges[index] = exchange;
        held += exchange.response?.body.length ?? 0;
        if (held > HELD)
          throw new Untestable(
            'always/answers',
            `the answers are too long to be held side by side (${held} bytes so far)`,
          );
      });
      return exchanges;
    },
    judge(exchange, draft, label, rules) {
      const finding = judged(exchange, draft, rules, tools);
      if (finding !== undefined) book({ label, finding, draft, exchange });
      return finding === undefined;
    },
    find: (exchange, draft, rules) => judged(exchange, draft, rules, tools),
    book: (exchange, draft, label, finding, more) => book({ label, finding, draft, exchange, ...more }),
    control: (draft) => mustBeTaken(draft, tools.ids.next(), tools),
    note: (key, value) => {
      tally.noted[key] = typeof value === 'string' ? shortly(value) : value;
    },
    latencies: tools.latencies,
  };
  try {
    await test.run(bench);
    if (test.atOnce === true && tools.atOnce() < 2) tally.blocked = oneAtATime(tools);
  } catch (error) {
    if (!(error instanceof Untestable)) throw error;
    tally.blocked = error;
  }
}

const oneAtATime = ({ concurrency }: Tools): NotApplicable =>
  new NotApplicable(
    'concurrency',
    concurrency < 2
      ? 'requests go one at a time with --concurrency 1'
      : 'the store turns requests away until they go one at a time',
  );
