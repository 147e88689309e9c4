import { setTimeout as sleep } from 'node:timers/promises';
import { compact } from '../../collections.ts';
import { freshId } from '../../payloads/fresh.ts';
import type { Exchange } from '../../wire/exchange.ts';
import {
  type CheckContext,
  type JudgedCase,
  NotApplicable,
  type PlantFactory,
  type Test,
  Untestable,
} from '../check.ts';
import type { CheckIds } from '../plan/ids.ts';
import { truncate } from '../result/truncate.ts';
import { mapInPool } from '../send/pool.ts';
import { untestableReason } from './cases.ts';
import type { Execution, RunServices, TestRun } from './execution.ts';
import { requireAccepted } from './run-test-case.ts';

const MAX_HELD_BYTES = 32 * 1024 * 1024;

export const runScenario = (
  test: Test & { kind: 'scenario' },
  plants: PlantFactory,
  execution: Execution,
): TestRun => ({
  ended: true,
  async run() {
    const blocked = await untestableReason(() => test.run(contextOf(plants, execution)));
    const isSequential = test.concurrent === true && execution.concurrencyLimit < 2;
    execution.tally.blocked = blocked ?? (isSequential ? notConcurrent(execution.services) : undefined);
  },
});

type IdSource = Pick<CheckIds, 'next' | 'reserve'>;

function blockOf(source: IdSource, count: number): IdSource {
  const id = source.reserve(count);
  let used = 0;
  const reserve = (more: number) => {
    const from = used;
    used += more;
    // Beyond the reserved block, ids are those of unplanned requests.
    return (index: number) => (from + index < count ? id(from + index) : source.next());
  };
  return { reserve, next: () => reserve(1)(0) };
}

/** Returns its argument, as long as all response bodies together fit into a fixed amount of memory. */
function holder(): (exchange: Exchange) => Exchange {
  let held = 0;
  return (exchange) => {
    held += exchange.response?.body.length ?? 0;
    if (held <= MAX_HELD_BYTES) return exchange;
    throw new Untestable(
      'invariants/answers',
      `the responses are too long to be held at once (${held} bytes so far)`,
    );
  };
}

function contextOf(plants: PlantFactory, execution: Execution, ids: IdSource = execution.ids): CheckContext {
  const { tally, services } = execution;
  const send: CheckContext['send'] = (template) => {
    tally.cases += 1;
    return execution.send(template, ids.next());
  };
  const sendEach = <C extends Pick<JudgedCase, 'template'>, T>(
    cases: readonly C[],
    read: (exchange: Exchange, one: C) => T,
  ): Promise<T[]> => {
    const id = ids.reserve(cases.length);
    tally.cases += cases.length;
    return mapInPool(cases, services.concurrency, async (one, index) =>
      read(await execution.send(one.template, id(index)), one),
    );
  };
  return {
    plants,
    cases: services.cases,
    nextId: () => ids.next(),
    freshId: (from, below) => BigInt(freshId(from, below).written(ids.next())),
    send,
    sendAll: (templates) =>
      sendEach(
        templates.map((template) => ({ template })),
        holder(),
      ),
    async judgeAll(cases) {
      const hold = holder();
      // A response that passes is not held: it may have thousands of headers.
      const failures = await sendEach(cases, (exchange, { label, template, rules }) => {
        const finding = execution.judge(exchange, template, rules);
        return finding && { label, template, finding, exchange: hold(exchange) };
      });
      // In the order of the cases, whatever the order of the responses.
      for (const failure of compact(...failures)) tally.recordFailure(failure);
    },
    find: (exchange, template, rules) => execution.judge(exchange, template, rules),
    recordFailure: (exchange, template, label, finding, more) =>
      tally.recordFailure({ label, finding, template, exchange, ...more }),
    control: (template) => requireAccepted(template, ids.next(), execution),
    recordObservation: (key, value) => {
      tally.observations[key] = typeof value === 'string' ? truncate(value) : value;
    },
    pause: (ms) => sleep(ms),
    get isDistant() {
      return execution.concurrencyLimit > services.concurrency;
    },
    withOwnIds: (count) => contextOf(plants, execution, blockOf(ids, count)),
    get latency() {
      return services.sender.transport.latency.summary;
    },
  };
}

const notConcurrent = ({ concurrency }: RunServices): NotApplicable =>
  new NotApplicable(
    'concurrency',
    concurrency < 2
      ? '--concurrency 1 sends one request at a time'
      : 'the store rejects concurrent requests with 429 or 503',
  );
