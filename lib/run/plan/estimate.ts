import type { Contract } from '../../contract/contract.ts';
import { DOCUMENT_SHA256 } from '../../contract/prepared.ts';
import { requireOrdinary } from '../../payloads/check-satisfiable.ts';
import { expectedOutcomeOf } from '../../payloads/expected-outcome.ts';
import { sampleAfter } from '../../payloads/random.ts';
import type { RequestTemplate, TestCase } from '../../payloads/test-case.ts';
import { TOKEN_VARIABLE } from '../../token-variable.ts';
import type { Exchange, Request } from '../../wire/exchange.ts';
import { type Check, type CheckContext, type PlantFactory, type Test, Untestable } from '../check.ts';
import { DEFAULTS } from '../defaults.ts';
import { plantsFor, strengthOf } from '../plant-factory.ts';
import type { LoadedOptions } from '../run.ts';
import { fill } from '../send/fill-template.ts';
import { caseCountOf } from './plan.ts';
import { WHOLE } from './shard.ts';
import { type Estimate, type Estimates, typicalEstimates } from './typical-estimates.ts';

/** Maximum number of named cases of a random check to examine, and of its other cases. */
const SAMPLED_CASES = 16;
/** Placeholders: the estimate does not depend on them. */
const DEFAULTS_ONLY = { token: TOKEN_VARIABLE, host: '', prefix: '', headers: [] } as const;
const ID = 1_000_001n;

/**
 * Estimates how many requests a run sends and how many plants it creates, if no check fails.
 * @param stored the result of `storedEstimates`, unless the catalogue has other checks under the same ids
 */
export async function estimate(
  { contract, catalogue, ...options }: LoadedOptions,
  stored?: Estimates,
): Promise<Estimate> {
  requireOrdinary(contract);
  const { seed = 1, cases = DEFAULTS.cases, selected = () => true, thorough = false } = options;
  const { shard = WHOLE, maxRequests = Number.POSITIVE_INFINITY } = options;
  const known = cases === DEFAULTS.cases && !thorough ? stored : undefined;
  // The preflight sends one request.
  let [requests, plants] = [1, 1];
  for (const check of catalogue) {
    if (!selected(check.id)) continue;
    const ofCheck = known?.[check.id] ?? (await estimateCheck(check, contract, { seed, cases, thorough }));
    requests += ofCheck.requests;
    plants += ofCheck.plants;
  }
  const part = Math.min(1 / shard.of, maxRequests / requests);
  return { requests: Math.round(requests * part), plants: Math.round(plants * part) };
}

/**
 * Estimates what one check sends and creates.
 * @param sampled maximum number of named cases of a random check to examine, and of its other cases
 */
export async function estimateCheck(
  { id, test, notApplicable }: Check,
  contract: Contract,
  {
    seed,
    cases,
    thorough,
    sampled: maxSampled = SAMPLED_CASES,
  }: Readonly<{ seed: number; cases: number; thorough: boolean; sampled?: number }>,
): Promise<Estimate> {
  const count = new Count(contract);
  if (notApplicable?.(contract) !== undefined) return count;
  const factory = plantsFor(contract, seed, id, strengthOf(thorough));
  if (test.kind === 'cases') {
    const all = test.cases(factory);
    for (const { template } of all) count.add(template);
    count.addControl(all);
  }
  if (test.kind === 'property') {
    const arbitrary = test.cases(factory);
    const named = test.named?.(factory) ?? [];
    const sampled = (index: number) => sampleAfter(named, arbitrary, seed, id, index).value;
    const all = caseCountOf(test, cases, factory, named);
    const first = Math.min(named.length, all);
    for (const [from, below] of [
      [0, first],
      [first, all],
    ] as const) {
      const examined = Math.min(maxSampled, below - from);
      if (examined === 0) continue;
      const step = (below - from) / examined;
      for (let nth = 0; nth < examined; nth += 1)
        count.add(sampled(from + Math.floor(nth * step)).template, step);
    }
    count.addControl([sampled(0)]);
  }
  if (test.kind === 'scenario') await simulateScenario(test, factory, cases, count);
  return { requests: count.requests, plants: count.plants };
}

class Count implements Estimate {
  requests = 0;
  plants = 0;
  private readonly contract: Contract;

  constructor(contract: Contract) {
    this.contract = contract;
  }

  /** Counts a request, and its preceding one, `times` times. Returns whether the request is accepted. */
  add(template: RequestTemplate, times = 1): boolean {
    const isAccepted = this.isAccepted(template);
    this.requests += times;
    if (isAccepted) this.plants += times;
    if (template.preceding !== undefined) this.add(template.preceding.template, times);
    return isAccepted;
  }

  addControl(cases: readonly TestCase[]): void {
    const [control] = cases.flatMap((one) => one.control ?? []);
    if (control !== undefined) this.add(control);
  }

  /** Whether a store that follows the document, without a limit on the size of bodies, accepts a request. */
  private isAccepted({ outsideContract: _, ...template }: RequestTemplate): boolean {
    const { token } = DEFAULTS_ONLY;
    const { POSITIVE_INFINITY } = Number;
    return (
      expectedOutcomeOf(filled(template), template, this.contract, token, POSITIVE_INFINITY) === 'accept'
    );
  }
}

/** Returns stored estimates of the suite's checks: computing them takes longer than finding most faults. */
export const storedEstimates = ({ document }: Contract): Estimates | undefined =>
  document.sha256 === DOCUMENT_SHA256 ? typicalEstimates() : undefined;

const filled = (template: RequestTemplate): Request => fill(template, ID, DEFAULTS_ONLY);

/** The simulated store accepts plants, rejects everything else, and always answers with an empty body. */
async function simulateScenario(
  test: Test & { kind: 'scenario' },
  factory: PlantFactory,
  cases: number,
  count: Count,
): Promise<void> {
  const send = (template: RequestTemplate): Promise<Exchange> => {
    const response = {
      status: count.add(template) ? 200 : 400,
      statusText: '',
      headers: [],
      body: new Uint8Array(),
      truncated: false,
    };
    return Promise.resolve({
      kind: 'answered',
      // Lazy, because few scenarios look at it.
      get request() {
        return filled(template);
      },
      response,
      ms: 1,
      interim: [],
    });
  };
  const context: CheckContext = {
    plants: factory,
    cases,
    pause: async () => {},
    nextId: () => ID,
    freshId: (from) => from,
    send,
    sendAll: (templates) => Promise.all(templates.map(send)),
    judgeAll: async (requests) => void (await Promise.all(requests.map(({ template }) => send(template)))),
    find: () => undefined,
    recordFailure: () => {},
    control: async (template) => void (await send(template)),
    recordObservation: () => {},
    isDistant: false,
    withOwnIds: () => context,
    latency: undefined,
  };
  try {
    await test.run(context);
  } catch (error) {
    if (!(error instanceof Untestable)) throw error;
  }
}
