import { wrongToken } from '../../payloads/credentials.ts';
import { type ModelRequest, templateOf } from '../../payloads/model/model-request.ts';
import type { RequestTemplate } from '../../payloads/test-case.ts';
import type { Exchange } from '../../wire/exchange.ts';
import type { Experiments } from '../experiment/experiments.ts';
import { ordinaryRequests } from '../experiment/ordinary-requests.ts';
import { everyTime } from '../experiment/search.ts';
import type { CheckFailure, Cluster } from '../explanation/cluster.ts';
import { shownAfterOthers } from '../explanation/explanation.ts';
import { symptomsOf } from '../symptom/detect-symptoms.ts';
import { aspectOf, type Symptom } from '../symptom/symptom.ts';
import { TRUNCATED } from '../values/defects.ts';
import type { RunWideCauseFinder } from './run-wide-cause.ts';
import {
  COMPARISONS,
  PRECEDING_KINDS,
  type PrecedingKind,
  precededBy,
  shownOnlyBy,
} from './sequence-probe.ts';

/** Finds whether bytes of an earlier request on the connection are taken for those of the next one. */
export const findLeftover: RunWideCauseFinder = async (failures, experiments) => {
  const members = failures.filter(mayBeOfConnection);
  // If the store dies of a request, the next one fails as well.
  if (members.length === 0 || experiments.restarts > 0) return undefined;
  const found = (await findStaleBody(experiments)) ?? (await findUnreadPart(experiments));
  return found && { ...found, members };
};

/** A fault of the connection. */
type Leftover = Omit<Cluster, 'members'> | undefined;

/** Explains `symptom` if an ordinary plant always fails in the first of two requests, and never in the second. */
async function failsOnlyIn(
  failing: ModelRequest,
  passing: ModelRequest,
  symptom: Symptom,
  experiments: Experiments,
): Promise<Leftover> {
  const exchange = await shownOnlyBy(failing, passing, (request) => failingExchange(request, experiments));
  return exchange && { symptom, explanation: shownAfterOthers(failing, exchange, [], COMPARISONS) };
}

/** White space that makes a body longer than that of any ordinary plant. */
const PADDING = ' '.repeat(300);

/**
 * Finds whether the store leaves a longer body in a buffer of the connection, and parses its end as part of
 * the next body. The resulting failures depend on the lengths of both, and look random.
 */
async function findStaleBody(experiments: Experiments): Promise<Leftover> {
  const [ordinary, , earlier = ordinary] = ordinaryRequests(experiments.contract);
  const padded = (request: ModelRequest): ModelRequest => ({ ...request, edits: [(text) => PADDING + text] });
  const afterLonger = precededBy(ordinary, templateOf(padded(earlier)), 'same');
  const afterShorter = precededBy(padded(ordinary), templateOf(earlier), 'same');
  const words = 'parses the end of an earlier, longer body on the connection as part of the body';
  const found = await failsOnlyIn(afterLonger, afterShorter, { kind: 'stale-body', words }, experiments);
  if (found === undefined) return undefined;
  // Otherwise, what the store remembers is not of the connection.
  const onAnother = precededBy(ordinary, templateOf(padded(earlier)), 'other');
  return (await failingExchange(onAnother, experiments)) === undefined ? found : undefined;
}

interface RejectedEarly extends Pick<PrecedingKind, 'singular' | 'from'> {
  /** Makes the control request, which leaves no unread bytes; by default the same without a body. */
  readonly control?: PrecedingKind['from'];
}

/** Requests that a store may reject before it has read or parsed the whole body. */
const REJECTED_EARLY: readonly RejectedEarly[] = [
  PRECEDING_KINDS.unauthenticated,
  {
    ...PRECEDING_KINDS.wrong,
    from: (ordinary) => ({ ...ordinary, credential: wrongToken('a random token of the same length') }),
  },
  {
    singular: 'a request with another media type',
    from: (ordinary) => ({ ...ordinary, template: { contentType: 'text/plain' } }),
  },
  {
    singular: 'a request with malformed JSON',
    from: (ordinary) => ({ ...ordinary, defect: TRUNCATED }),
    control: PRECEDING_KINDS.rejected.from,
  },
];

/** A request of which a store may leave a part unread, and a control request of which it cannot. */
interface LeavingPart {
  readonly part: string;
  readonly request: RequestTemplate;
  readonly control: RequestTemplate;
}

function unreadPartsOf(earlier: ModelRequest): readonly LeavingPart[] {
  const chunked = (template: RequestTemplate): RequestTemplate => ({ ...template, framing: 'chunked' });
  const rejected = REJECTED_EARLY.map(({ singular, from, control }): LeavingPart => {
    const request = templateOf(from(earlier));
    return {
      part: `the body of ${singular}`,
      request,
      control: control === undefined ? { ...request, body: undefined } : templateOf(control(earlier)),
    };
  });
  const plant = chunked(templateOf(earlier));
  return [
    ...rejected,
    ...rejected.map(({ part, request, control }) => ({
      part: part.replace('body', 'chunked body'),
      request: chunked(request),
      control: chunked(control),
    })),
    {
      part: 'the trailer after a chunked body',
      request: { ...plant, delivery: { chunks: 'trailer' } },
      control: { ...plant, delivery: { chunks: 'many' } },
    },
  ];
}

/**
 * Finds whether the store leaves a part of a request unread, such as the body of one that it rejects, and parses it
 * as the next request. The resulting failures depend on the bytes of the body and look random.
 */
async function findUnreadPart(experiments: Experiments): Promise<Leftover> {
  // Two plants that share no values, since a store may remember what it rejected.
  const [ordinary, , earlier = ordinary] = ordinaryRequests(experiments.contract);
  for (const { part, request, control } of unreadPartsOf(earlier)) {
    const found = await failsOnlyIn(
      precededBy(ordinary, request, 'same'),
      precededBy(ordinary, control, 'same'),
      { kind: 'unread-body', words: `parses ${part} as the next request on the connection` },
      experiments,
    );
    // Otherwise, chance, or what the store remembers, decides.
    const onAnother = precededBy(ordinary, request, 'other');
    const passes = async () => (await failingExchange(onAnother, experiments)) === undefined;
    if (found !== undefined && (await everyTime(COMPARISONS, passes))) return found;
  }
  // Flushes bytes that rejected requests left behind, so that they do not affect later experiments.
  for (const request of ordinaryRequests(experiments.contract)) await experiments.send(request);
  return undefined;
}

/** Sends an ordinary plant, and returns the exchange if its outcome is wrong, whatever the body. */
async function failingExchange(
  request: ModelRequest,
  experiments: Experiments,
): Promise<Exchange | undefined> {
  const exchange = await experiments.send(request);
  const symptoms = symptomsOf(exchange, 'accept', experiments.contract);
  return symptoms.some((one) => aspectOf(one) === 'outcome') ? exchange : undefined;
}

/** Whether the failure may be due to bytes that an earlier request left on the connection. */
const mayBeOfConnection = ({
  failure: { when, template, before = [] },
  symptom: { kind },
}: CheckFailure): boolean => {
  // A store that accepted the request again, by itself, accepts it whatever came before.
  if (kind === 'accepts' || kind === 'should-reject') return when === 'once' || when === 'under-concurrency';
  return when !== 'always' || template.preceding !== undefined || before.length > 0;
};
