import { onOwnConnections, type RequestTemplate } from '../../payloads/test-case.ts';
import type { CheckContext, JudgedCase, Test } from '../../run/check.ts';
import type { Repeat } from '../../run/result/cause.ts';
import type { Counterexample, RunRecord } from '../record/record.ts';
import { type ReplacedIds, templateFromRecord } from './replay.ts';
import { freshIdLike, sentIdIn } from './similar-ids.ts';

type Rules = JudgedCase['rules'];

/** The request that shows a fault, and those to send before it. */
interface Requests {
  readonly before: readonly RequestTemplate[];
  readonly main: RequestTemplate;
}

/**
 * Turns what shows a cause into a scenario that passes if it no longer does: the same requests, as often and
 * as many at a time, with new ids that are like the recorded ones. Undefined if the record lacks a request.
 *
 * @param rulesFor returns rules that fail if a response to the request shows the cause; undefined if the
 *   recorded response does not
 */
export function replayOfCause(
  counterexample: Counterexample,
  record: RunRecord,
  rulesFor: (template: RequestTemplate) => Rules | undefined,
): Extract<Test, { kind: 'scenario' }> | undefined {
  const { repeat = { times: 1, inFlight: 1 }, modulus = 1 } = counterexample;
  const recorded = requestsOf(counterexample, record, new Map());
  const rules = recorded && rulesFor(recorded.main);
  if (recorded === undefined || rules === undefined) return undefined;
  const withNewIds = (context: CheckContext): Requests => {
    const ids = new Map(
      idsIn(counterexample).map((id) => [id, freshIdLike(id, modulus, context.nextId())] as const),
    );
    return requestsOf(counterexample, record, ids) ?? recorded;
  };
  return {
    kind: 'scenario',
    sends: 'The requests that show the cause.',
    exclusive: 'always',
    run: (context) => replay(repeat, context, rules, () => withNewIds(context)),
  };
}

const LABEL = 'the request of the cause';

async function replay(
  { times, inFlight, onConnection, sameId, pauseMs }: Repeat,
  context: CheckContext,
  rules: Rules,
  next: () => Requests,
): Promise<void> {
  const first = next();
  // The first round is the whole sequence, in which requests may share an id.
  const rounds = Array.from({ length: times }, (_, index) => (index === 0 || sameId ? first : next()));
  const judged = (template: RequestTemplate) => ({ label: LABEL, template, rules });
  if (inFlight > 1) {
    await context.sendAll(rounds.flatMap(({ before }) => before));
    return context.judgeAll(rounds.map(({ main }) => judged(main)));
  }
  const hasBefore = first.before.length > 0;
  const mains = (hasBefore && onConnection ? [first] : rounds).map(({ main }) => main);
  const all = [...rounds.flatMap(({ before }) => before), ...mains];
  const [opening] = all;
  for (const template of all) {
    const isMain = mains.includes(template);
    if (isMain && pauseMs !== undefined) await context.pause(pauseMs);
    const isLater = onConnection === true && template !== opening;
    const sent = isLater ? onSameConnection(template) : onOwnConnections(template);
    if (isMain) await context.judgeAll([judged(sent)]);
    else await context.send(sent);
  }
}

/** With a delivery, even an empty one, the request uses the same kind of connection as one on a new connection. */
function onSameConnection(template: RequestTemplate): RequestTemplate {
  const { freshConnection: _, ...delivery } = template.delivery ?? {};
  return { ...template, delivery };
}

/** The ids that the requests contain. If the id of the last one must be kept, only those of the others. */
function idsIn({ before = [], request, keepsId }: Counterexample): readonly bigint[] {
  const all = [...before.map((one) => one.request), ...(keepsId === true ? [] : [request])];
  const kept = keepsId === true ? sentIdIn(request) : undefined;
  return [...new Set(all.flatMap((one) => sentIdIn(one) ?? []))].filter((id) => id !== kept);
}

/** The requests with other ids; undefined if the record lacks a part of one. */
function requestsOf(
  { before = [], request }: Counterexample,
  record: RunRecord,
  ids: ReplacedIds,
): Requests | undefined {
  const { after: connection, ...alone } = request;
  const main = templateFromRecord(alone, record, ids);
  const earlier = before.flatMap((one) => templateFromRecord(one.request, record, ids) ?? []);
  if (main === undefined || earlier.length < before.length) return undefined;
  if (connection === undefined) return { before: earlier, main };
  const template = earlier.pop();
  return template && { before: earlier, main: { ...main, preceding: { template, connection } } };
}
