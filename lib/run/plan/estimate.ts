import type { Contract } from '../../contract/contract.ts';
import { DOCUMENT_SHA256 } from '../../contract/prepared.ts';
import { packageText } from '../../package.ts';
import { requireOrdinary } from '../../payloads/check-satisfiable.ts';
import { expectedOutcomeOf } from '../../payloads/expected-outcome.ts';
import { sampleAfter } from '../../payloads/random.ts';
import type { RequestTemplate, TestCase } from '../../payloads/test-case.ts';
import type { Exchange, Request } from '../../wire/exchange.ts';
import { type Check, type CheckContext, type PlantFactory, type Test, Untestable } from '../check.ts';
import { plantsFor, strengthOf } from '../plant-factory.ts';
import type { RunPlan } from '../run.ts';
import { fill } from '../send/fill-template.ts';
import { caseCountOf, DEFAULTS } from './plan.ts';
import { WHOLE } from './shard.ts';

/** How much a run sends to a store that does what the document says. */
export interface Estimate {
  readonly requests: number;
  readonly plants: number;
}

/** Maximum number of cases of a random check that are examined: of the named ones, and of the others. */
const SAMPLED_CASES = 16;
/** Placeholders: the estimate does not depend on them. */
const DEFAULTS_ONLY = { token: 'PLANT_STORE_TOKEN', host: '', prefix: '', headers: [] } as const;
const ID = 1_000_001n;

/**
 * Without what confirming and shrinking failures takes.
 * @param stored the result of `storedEstimates`, unless the catalogue has other checks under the same ids
 */
export async function estimate(
  { contract, catalogue, ...options }: RunPlan,
  stored?: StoredEstimates,
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

/** @param sampled maximum number of cases of a random check that are examined, of each kind */
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
  let [requests, plants] = [0, 0];
  if (notApplicable?.(contract) !== undefined) return { requests, plants };
  const isAccepted = acceptedBy(contract);
  const count = (cases: readonly TestCase[], each = 1) => {
    const templates = cases.flatMap(({ template }) => [
      template,
      ...(template.preceding === undefined ? [] : [template.preceding.template]),
    ]);
    requests += templates.length * each;
    plants += templates.filter(isAccepted).length * each;
  };
  const control = (cases: readonly TestCase[]) => {
    if (cases.every(({ control }) => control === undefined)) return;
    requests += 1;
    plants += 1;
  };
  const factory = plantsFor(contract, seed, id, strengthOf(thorough));
  if (test.kind === 'cases') {
    const all = test.cases(factory);
    count(all);
    control(all);
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
      const sample = Array.from({ length: examined }, (_, nth) => sampled(from + Math.floor(nth * step)));
      count(sample, step);
    }
    control([sampled(0)]);
  }
  return test.kind === 'scenario' ? simulateScenario(test, factory, cases, isAccepted) : { requests, plants };
}

/** For the suite's own document and the default number of cases. A test regenerates the file. */
const STORED = 'lib/run/plan/estimates.json';

type StoredEstimates = Readonly<Record<string, Estimate>>;

/** Stored estimates for the suite's own checks: computing them would take longer than finding most faults. */
export function storedEstimates({ document }: Contract): StoredEstimates | undefined {
  if (document.sha256 !== DOCUMENT_SHA256) return undefined;
  return JSON.parse(packageText(STORED)) as StoredEstimates;
}

const filled = (template: RequestTemplate): Request => fill(template, ID, DEFAULTS_ONLY);

type IsAccepted = (template: RequestTemplate) => boolean;

/** Accepted by a store that does what the document says, and does not limit the size of bodies. */
const acceptedBy =
  (contract: Contract): IsAccepted =>
  ({ outsideContract: _, ...template }) =>
    expectedOutcomeOf(filled(template), template, contract, DEFAULTS_ONLY.token, Number.POSITIVE_INFINITY) ===
    'accept';

/** The simulated store accepts plants, rejects everything else, and always answers with an empty body. */
async function simulateScenario(
  test: Test & { kind: 'scenario' },
  factory: PlantFactory,
  cases: number,
  isAccepted: IsAccepted,
): Promise<Estimate> {
  let [requests, plants] = [0, 0];
  const send = (template: RequestTemplate): Promise<Exchange> => {
    const isOwnAccepted = isAccepted(template);
    const before = template.preceding?.template;
    requests += before === undefined ? 1 : 2;
    plants += Number(isOwnAccepted) + Number(before !== undefined && isAccepted(before));
    const response = {
      status: isOwnAccepted ? 200 : 400,
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
    nextId: () => ID,
    freshId: (from) => from,
    send,
    sendAll: (templates) => Promise.all(templates.map(send)),
    judge: () => true,
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
  return { requests, plants };
}
