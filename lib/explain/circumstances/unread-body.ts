import { wrongToken } from '../../payloads/credentials.ts';
import { type RequestState, templateOf } from '../../payloads/model/dimension.ts';
import type { RequestTemplate } from '../../payloads/test-case.ts';
import type { Exchange } from '../../wire/exchange.ts';
import type { CheckFailure, Cluster } from '../cluster.ts';
import type { Experiments } from '../experiments.ts';
import { bareExplanation } from '../explanation.ts';
import { ordinaryStates } from '../ordinary-requests.ts';
import { REPEATS } from '../search.ts';
import { aspectOf } from '../symptom/symptom.ts';
import { symptomsOf } from '../symptom/symptoms-of.ts';
import { type ChangeOf, KINDS, shownOnlyBy } from './preceding.ts';

/** Requests that a store may reject by their heads alone. */
const REJECTED_EARLY: readonly { readonly one: string; readonly change: ChangeOf }[] = [
  KINDS.unauthenticated,
  { ...KINDS.wrong, change: () => ({ credential: wrongToken('a random token of the same length') }) },
  { one: 'a request with another media type', change: () => ({ template: { contentType: 'text/plain' } }) },
];

/**
 * Whether a store leaves the body of a request that it rejects on the connection, and takes it for the next request.
 * What becomes of that one depends on the bytes of the body, so that failures differ and seem to come at random.
 */
export async function unreadBody(
  failures: readonly CheckFailure[],
  experiments: Experiments,
): Promise<Cluster | undefined> {
  const members = failures.filter(mayBeOfConnection);
  if (members.length === 0) return undefined;
  // Two plants that have nothing in common, as a store may remember what it rejected.
  const [ordinary, , earlier = ordinary] = ordinaryStates(experiments.contract);
  for (const { one, change } of REJECTED_EARLY) {
    const rejected = templateOf({ ...earlier, ...change(earlier) });
    const next = afterOnConnection(ordinary, rejected);
    const control = afterOnConnection(ordinary, { ...rejected, body: undefined });
    const exchange = await shownOnlyBy(next, control, (state) => failing(state, experiments));
    if (exchange === undefined) continue;
    return {
      sought: {
        kind: 'unread-body',
        words: `takes the body of ${one} for the next request on the connection`,
      },
      found: {
        ...bareExplanation(next, exchange),
        kind: 'sequence',
        inside: [REPEATS, REPEATS],
        outside: [0, REPEATS],
      },
      members,
    };
  }
  return undefined;
}

/** The exchange of an ordinary plant if its outcome is not the right one. */
async function failing(state: RequestState, experiments: Experiments): Promise<Exchange | undefined> {
  const exchange = await experiments.send(state);
  const symptoms = symptomsOf(exchange, 'accept', experiments.contract);
  return symptoms.some((symptom) => aspectOf(symptom) === 'outcome') ? exchange : undefined;
}

const afterOnConnection = (state: RequestState, template: RequestTemplate): RequestState => ({
  ...state,
  template: { ...state.template, preceding: { template, connection: 'same' } },
});

/** Whether a failure may be due to what an earlier request left on the connection. */
const mayBeOfConnection = ({
  failure: { when, template, before = [] },
  sought: { kind },
}: CheckFailure): boolean =>
  kind !== 'accepts' &&
  kind !== 'lenient' &&
  (when !== 'always' || template.preceding !== undefined || before.length > 0);
