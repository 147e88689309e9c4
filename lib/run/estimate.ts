import type { Contract } from '../contract/contract.ts';
import { bearer, type Case, type Draft } from '../payloads/case.ts';
import { drawAfter } from '../payloads/random.ts';
import { requireOrdinary } from '../payloads/satisfiable.ts';
import type { Exchange, Request } from '../wire/exchange.ts';
import { type Bench, type Plants, type Test, Untestable } from './check.ts';
import { fill } from './fill.ts';
import { casesOf, DEFAULTS } from './plan.ts';
import { plantsFor, strengthOf } from './plants.ts';
import type { RunOptions } from './run.ts';
import { WHOLE } from './shard.ts';

/** How much a run is going to ask of a store that does as the document says. */
export interface Estimate {
  readonly requests: number;
  /** Plants that the store is going to create. */
  readonly plants: number;
}

/** Cases of a generated check that are looked at: of those that have a name, and of the others. */
const SAMPLE = 48;
/** What a draft looks like does not depend on these. */
const SURROUNDINGS = { token: 'PLANT_STORE_TOKEN', host: '', prefix: '', headers: [] } as const;
const ID = 1_000_001n;

/** Counts what a plan sends without sending it. A store that fails checks is sent more, to look into the failures. */
export async function estimate({ contract, catalogue, ...options }: RunOptions): Promise<Estimate> {
  requireOrdinary(contract);
  const { seed = 1, cases = DEFAULTS.cases, selected = () => true } = options;
  const { shard = WHOLE, maxRequests = Number.POSITIVE_INFINITY } = options;
  const isTaken = takenBy(contract);
  const creates = ({ population, draft }: Case): boolean =>
    population === 'ordinary' || (population !== 'malformed' && isTaken(draft));
  // The first is sent to find out whether the store can be judged.
  let [requests, plants] = [1, 1];
  const count = (cases: readonly Case[], each = 1) => {
    const before = cases.flatMap(({ draft }) => draft.after?.draft ?? []);
    requests += (cases.length + before.length) * each;
    plants += (cases.filter(creates).length + before.filter(isTaken).length) * each;
  };
  const control = (cases: readonly Case[]) => {
    if (cases.every(({ twin }) => twin === undefined)) return;
    requests += 1;
    plants += 1;
  };
  for (const { id, test, silent } of catalogue) {
    if (!selected(id) || silent?.(contract) !== undefined) continue;
    const own = plantsFor(contract, seed, id, strengthOf(options.thorough));
    if (test.kind === 'cases') {
      const all = test.cases(own);
      count(all);
      control(all);
    }
    if (test.kind === 'property') {
      const arbitrary = test.cases(own);
      const named = test.named?.(own) ?? [];
      const drawn = (index: number) => drawAfter(named, arbitrary, seed, id, index).value;
      const all = casesOf(test, cases, own, named);
      const first = Math.min(named.length, all);
      for (const [from, below] of [
        [0, first],
        [first, all],
      ] as const) {
        const looked = Math.min(SAMPLE, below - from);
        if (looked === 0) continue;
        const step = (below - from) / looked;
        const sample = Array.from({ length: looked }, (_, nth) => drawn(from + Math.floor(nth * step)));
        count(sample, step);
      }
      control([drawn(0)]);
    }
    if (test.kind === 'procedure') {
      const sent = await sentBy(test, own, cases, isTaken);
      requests += sent.requests;
      plants += sent.plants;
    }
  }
  const part = Math.min(1 / shard.of, maxRequests / requests);
  return { requests: Math.round(requests * part), plants: Math.round(plants * part) };
}

const filled = (draft: Draft): Request => fill(draft, ID, SURROUNDINGS);

/** Bytes of a body beyond which nothing is promised: a store may well not take it. */
const LONGEST = 64 * 1024;

type IsTaken = (draft: Draft) => boolean;

/** Whether a store that does as the document says creates a plant for a request. */
const takenBy =
  ({ newPlant }: Contract): IsTaken =>
  (draft) => {
    const { credential = bearer, tokenIn, verbatim, abort, delivery } = draft;
    if (credential !== bearer || tokenIn !== undefined || verbatim !== undefined) return false;
    if (abort !== undefined || delivery?.abortAfter !== undefined) return false;
    const { method, path, headers, body } = filled(draft);
    const type = headers.find(([name]) => name === 'content-type')?.[1] ?? '';
    if (method !== 'POST' || !/^\/plants(?:$|\?)/.test(path) || !/^application\/json\b/i.test(type))
      return false;
    if (body === undefined || body.length > LONGEST) return false;
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
      return newPlant.validate(text, JSON.parse(text)).length === 0;
    } catch {
      return false;
    }
  };

/** What a procedure sends to a store that takes plants and refuses everything else, without a word. */
async function sentBy(
  test: Test & { kind: 'procedure' },
  own: Plants,
  cases: number,
  isTaken: IsTaken,
): Promise<Estimate> {
  let [requests, plants] = [0, 0];
  const send = (draft: Draft): Promise<Exchange> => {
    const taken = isTaken(draft);
    const both = [draft, ...(draft.after === undefined ? [] : [draft.after.draft])];
    requests += both.length;
    plants += both.filter(isTaken).length;
    const response = {
      status: taken ? 200 : 400,
      statusText: '',
      headers: [],
      body: new Uint8Array(),
      truncated: false,
    };
    return Promise.resolve({ kind: 'answered', request: filled(draft), response, ms: 1, interim: [] });
  };
  const bench: Bench = {
    plants: own,
    cases,
    nextId: () => ID,
    freshId: (from) => from,
    send,
    sendAll: (drafts) => Promise.all(drafts.map(send)),
    judge: () => true,
    find: () => undefined,
    book: () => {},
    control: async (draft) => void (await send(draft)),
    note: () => {},
    latencies: [1],
  };
  try {
    await test.run(bench);
  } catch (error) {
    if (!(error instanceof Untestable)) throw error;
  }
  return { requests, plants };
}
