import type { Contract } from '../contract/contract.ts';
import { requiredOf } from '../payloads/parameters.ts';
import { ordinaryIds } from '../payloads/plants.ts';
import type { RequestTemplate } from '../payloads/test-case.ts';
import { endpointOf } from '../wire/endpoint.ts';
import type { HeaderPair } from '../wire/exchange.ts';
import { hasHeader } from '../wire/headers.ts';
import { HttpClient } from '../wire/http-client.ts';
import type { Check } from './check.ts';
import { CheckExecutor } from './execute/check-executor.ts';
import { CONFIRMATION_BUDGET_REQUESTS } from './execute/confirm.ts';
import { ExchangeMonitor } from './execute/exchange-monitor.ts';
import { Invariants } from './execute/invariants.ts';
import { type CheckIds, firstIdFor, Ids } from './plan/ids.ts';
import { assignIds, COLLISIONS } from './plan/plan.ts';
import { plantsFor } from './plant-factory.ts';
import type { Failure, Stop } from './result/result.ts';
import type { Listeners, RunSettings } from './run.ts';
import { RunState } from './run-state.ts';
import { Collisions } from './send/collisions.ts';
import { Recovery } from './send/recovery.ts';
import { Sender } from './send/sender.ts';

const BAILED: Stop = {
  kind: 'bailed',
  reason: 'nothing new was started after the first failure',
  remedy: 'run without --bail to see all failures',
};

export function assembleRun(
  settings: RunSettings,
  { onProgress = () => {}, onFailure = () => {} }: Listeners,
) {
  const { contract, catalogue, selected, token, seed, cases, concurrency, thorough, shard } = settings;
  const { firstId, ids, idsOf } = idsFor(settings);
  const judging = { contract, token };
  const ordinary = { body: { json: plantsFor(contract, seed, 'recovery').plain() } };
  // Probes a store that may not serve at the moment, so the invariants ignore it. It uses its own connection,
  // since what an earlier request did to a connection says nothing about the store.
  const probe: RequestTemplate = { ...ordinary, outsideContract: true, delivery: { freshConnection: true } };
  const state = new RunState(settings.describeStop);
  const recordFailure = (check: Check, failure: Failure) => {
    if (settings.bailsOn?.(check) === true) state.end(BAILED);
    if (check.level !== 'OBSERVE') onFailure(check, failure);
  };
  const invariants = new Invariants(
    catalogue.filter(({ id }) => selected(id)),
    recordFailure,
  );
  const collisions = collisionsFor(settings, idsOf(COLLISIONS));
  const client = new HttpClient(endpointOf(settings.baseUrl, settings), concurrency);
  state.signal.addEventListener('abort', () => void client.close(), { once: true });
  const recovery = new Recovery(judging, state, probe, settings.restart);
  const monitor: ExchangeMonitor = new ExchangeMonitor({
    judging,
    ids,
    firstId,
    shard,
    invariants,
    recovery,
    onExchange: (exchange, template, during) => {
      onProgress(sender.transport.requests);
      settings.onExchange?.(exchange, template, during);
    },
  });
  const sender = new Sender(client, {
    ...addedToRequests(contract, settings.headers),
    token,
    rate: settings.rate,
    maxConcurrency: settings.maxConcurrency,
    maxRequests: settings.maxRequests,
    collisions,
    monitor,
    recovery,
    state,
    probe,
  });
  const confirmationBudget = { left: CONFIRMATION_BUDGET_REQUESTS };
  const executor = new CheckExecutor(
    {
      judging,
      client,
      sender,
      monitor,
      recovery,
      state,
      seed,
      cases,
      concurrency,
      confirmationBudget,
      ordinary,
    },
    { catalogue, selected, thorough, shard, idsOf, invariants, onFailure: recordFailure },
  );
  return { firstId, idsOf, state, client, sender, collisions, recovery, monitor, executor, probe };
}

function idsFor({ contract, catalogue, firstId: given, cases, thorough, shard }: RunSettings) {
  const { shape } = contract.newPlant;
  const firstId = given ?? firstIdFor(contract);
  const ids = new Ids(ordinaryIds(shape, given), firstId);
  const idsOf = assignIds(catalogue, { cases, properties: shape.properties.size, thorough }, ids, shard);
  return { firstId, ids, idsOf };
}

const collisionsFor = ({ contract, seed, firstId }: RunSettings, ids: CheckIds): Collisions =>
  new Collisions(
    () => plantsFor(contract, seed, COLLISIONS).plain(),
    () => ids.retryId(),
    firstId === undefined ? undefined : { firstId, otherFirstId: () => firstIdFor(contract) },
  );

export type RunParts = ReturnType<typeof assembleRun>;

/** The user's headers override those that the document requires. */
function addedToRequests(contract: Contract, headers: readonly HeaderPair[]) {
  const required = requiredOf(contract);
  const isGiven = (name: string) => hasHeader(headers, name.toLowerCase());
  return {
    headers: [...required.headers.filter(([name]) => !isGiven(name)), ...headers],
    query: required.query,
  };
}
