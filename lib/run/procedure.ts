import type { Exchange } from '../wire/exchange.ts';
import { judged, mustBeTaken, type Tools } from './attempt.ts';
import { KEPT, type Tried } from './cases.ts';
import { type Bench, type Plants, type Test, Untestable } from './check.ts';
import { inPool } from './pool.ts';
import type { Failure } from './result.ts';

export type Noted = Record<string, string | number | boolean>;

/** Carries a procedure out. */
export async function tryProcedure(
  test: Test & { kind: 'procedure' },
  plants: Plants,
  tools: Tools,
): Promise<Tried & { readonly noted: Noted }> {
  const failures: Failure[] = [];
  const noted: Noted = {};
  let cases = 0;
  const book = (failure: Failure) => {
    failures.push(failure);
  };
  const send: Bench['send'] = async (draft) => {
    cases += 1;
    const exchange = await tools.sender.send(draft, tools.ids.next());
    tools.onProgress();
    return exchange;
  };
  const bench: Bench = {
    plants,
    send,
    async sendAll(drafts) {
      const exchanges: Exchange[] = [];
      const id = tools.ids.reserve(drafts.length);
      cases += drafts.length;
      await inPool(drafts.length, tools.concurrency, async (index) => {
        const draft = drafts[index];
        if (draft !== undefined) exchanges[index] = await tools.sender.send(draft, id(index));
        tools.onProgress();
      });
      return exchanges;
    },
    judge(exchange, draft, label, rules) {
      const finding = judged(exchange, draft, rules, tools);
      if (finding !== undefined)
        book({ label, population: 'other', finding, draft, exchange, when: 'always' });
      return finding === undefined;
    },
    book: (exchange, draft, label, finding) =>
      book({ label, population: 'other', finding, draft, exchange, when: 'always' }),
    control: (draft) => mustBeTaken(draft, tools.ids.next(), tools),
    note: (key, value) => {
      noted[key] = value;
    },
    latencies: tools.sender.latencies,
  };
  let blocked: Untestable | undefined;
  try {
    await test.run(bench);
  } catch (error) {
    if (!(error instanceof Untestable)) throw error;
    blocked = error;
  }
  return {
    cases,
    failed: failures.length,
    failures: failures.slice(0, KEPT),
    noted,
    ...(blocked === undefined ? {} : { blocked }),
  };
}
