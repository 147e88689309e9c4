import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { catalogue, type RunRecord, run, terminalReport } from '../index.ts';
import { loadContract } from '../lib/contract/load-contract.ts';
import { answers200 } from '../lib/judge/rules.ts';
import { packageFile } from '../lib/package.ts';
import type { TestCase } from '../lib/payloads/test-case.ts';
import type { Check } from '../lib/run/check.ts';
import type { CheckResult } from '../lib/run/result/result.ts';
import { openRun } from '../lib/run/run.ts';
import { Rejection } from '../reference/store.ts';
import { startWith, TOKEN, withStore } from './helpers/stores.ts';

const against = (baseUrl: string, more: Partial<Parameters<typeof run>[0]> = {}): Promise<RunRecord> =>
  run({ baseUrl, token: TOKEN, seed: 5, cases: 5, timeout: 3000, explain: 0, ...more }).record;

const verdictOf = (record: RunRecord, id: string) => record.results.find((result) => result.id === id);

/** The requests of a run that sends them one at a time, as the store receives them. */
async function requestsOneByOne(): Promise<string[]> {
  const seen: string[] = [];
  const store = await startWith(() => ({
    route(request) {
      seen.push(
        // In absolute form the path contains the port.
        `${request.method} ${request.path.replace(/:\d+/, '')} ${request.headers.authorization} ${request.body.toString('latin1')}`,
      );
    },
  }));
  // Some checks of each kind; test/determinism.test.ts compares whole runs at other concurrencies.
  const only = ['ordinary/*', 'invalid/rejects-n*', 'auth/rejects-*', 'combinations/*', 'state/answers-*'];
  await against(store.url, { concurrency: 1, firstId: 1_000_000n, cases: 2, only });
  await store.stop();
  return seen;
}

describe('a run', () => {
  test('passes every MUST and SHOULD of the reference store', async () => {
    await withStore('reference', async ({ url }) => {
      const record = await against(url, { strict: true });
      expect(record.results.filter(({ verdict }) => verdict === 'fail' || verdict === 'untestable')).toEqual(
        [],
      );
      expect(record.outcome).toBe('conformant');
      expect(record.results.map(({ id }) => id)).toEqual(catalogue.map(({ id }) => id));
    });
  });

  test('sends the same requests in the same order for the same seed and first id, one at a time', async () => {
    const requests = await requestsOneByOne();
    expect(requests.length).toBeGreaterThan(100);
    expect((await requestsOneByOne()).join('\n')).toBe(requests.join('\n'));
  });

  test('gives every plant an id of its own', async () => {
    const ids: string[] = [];
    const store = await startWith((right) => ({
      create(plant, request) {
        ids.push(String(plant.id));
        return right.create(plant, request);
      },
    }));
    // These repeat earlier requests on purpose.
    const resembling = ['combinations/*', 'state/answers-any-sequence'];
    await against(store.url, { skip: ['observe/*', 'unconstrained/*', ...resembling] });
    await store.stop();
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('shrinks a failing payload, and records its path', async () => {
    const record = await withStore('again-always', ({ url }) =>
      against(url, { cases: 120, only: ['ordinary/*'] }),
    );
    const { counterexample } = verdictOf(record, 'ordinary/accepts-any-plant') ?? {};
    const payload =
      counterexample !== undefined && 'text' in counterexample.payload ? counterexample.payload.text : '';
    const { name, tag } = JSON.parse(payload) as { name: string; tag?: string };
    expect(tag).toBeUndefined();
    expect(name).toMatch(/^[A-F]*-[A-F]*$/);
    expect(counterexample?.shrinks).toBeGreaterThan(0);
    expect(counterexample?.path).toMatch(/^\d+(:\d+)+$/);
  });

  test('stops after --max-seconds, and the remaining checks are untestable', async () => {
    await withStore('slow', async ({ url }) => {
      const record = await against(url, { maxSeconds: 1 });
      expect(record.outcome).toBe('undetermined');
      expect(record.stop?.kind).toBe('limit');
      expect(record.summary.MUST.untestable).toBeGreaterThan(10);
    });
  });

  test('that stops late enough has a verdict: a random check passes with its default number of cases', async () => {
    await withStore('reference', async ({ url }) => {
      const only = ['ordinary/answers-200', 'ordinary/accepts-any-plant', 'invariants/answers'];
      // One at a time, so that no request is under way when the limit is reached.
      const some = { only, cases: 100_000, concurrency: 1 };
      const record = await against(url, { ...some, maxRequests: 300 });
      expect(record.stop?.kind).toBe('limit');
      expect(record.requests).toBe(300);
      expect(record.outcome).toBe('partial');
      expect(verdictOf(record, 'ordinary/accepts-any-plant')).toMatchObject({
        verdict: 'pass',
        cases: 297,
      });

      const early = await against(url, { ...some, maxRequests: 100 });
      expect(early.outcome).toBe('undetermined');
      expect(verdictOf(early, 'ordinary/accepts-any-plant')?.verdict).toBe('untestable');
      expect(verdictOf(early, 'invariants/answers')?.verdict).toBe('untestable');
    });
  });

  test('never exceeds --max-requests, at any concurrency', async () => {
    await withStore('slow', async ({ url }) => {
      expect((await against(url, { maxRequests: 77 })).requests).toBe(77);
    });
  });

  test('alternates between random checks, so that a limit affects them equally', async () => {
    await withStore('reference', async ({ url }) => {
      const record = await against(url, {
        only: ['ordinary/accepts-any-plant', 'invalid/rejects-any-defect'],
        cases: 1_000_000,
        maxRequests: 5_000,
      });
      const [first = 0, second = 0] = record.results.map(({ cases }) => cases).filter((cases) => cases > 0);
      expect(first + second).toBeGreaterThan(4_900);
      expect(Math.abs(first - second)).toBeLessThanOrEqual(2_100);
    });
  });

  test('with --bail ends at the first MUST that fails, shrunk', async () => {
    await withStore('id-numeral-string', async ({ url }) => {
      const record = await against(url, { bail: true });
      expect(record.outcome).toBe('nonconformant');
      expect(record.stop?.kind).toBe('bailed');
      expect(record.summary.MUST.fail).toBe(1);
      expect(record.summary.MUST.skipped).toBeGreaterThan(20);
      expect(record.summary.MUST.untestable).toBe(0);
      expect(record.ciResult.exitCode).toBe(1);
    });
  });

  test('with --bail says how it ended, however many failures were in flight', async () => {
    await withStore('always-400', async ({ url }) => {
      const record = await against(url, { bail: true });
      expect(record.stop?.reason).toBe('nothing new was started after the first failure');
    });
  });

  test('observes the longest name of a store that answers 201', async () => {
    const store = await startWith((right) => ({
      create: (plant, request) =>
        plant.name.length > 300
          ? right.reject(new Rejection(400, 3, 'too long'), request)
          : { ...right.create(plant, request), status: 201 },
    }));
    const { observations } = await against(store.url, { only: ['observe/l*'] });
    await store.stop();
    expect(observations['name/longest-accepted']).toBe(256);
    expect(observations['name/beyond-longest/status']).toBe(400);
    expect(observations['body/largest-accepted']).toBe('less than 128 KiB');
  });

  test('with --bail completes if no MUST fails, and with --strict ends at the first SHOULD', async () => {
    await withStore('scheme-case', async ({ url }) => {
      const only = ['auth/*'];
      const lenient = await against(url, { bail: true, only });
      expect([lenient.outcome, lenient.stop]).toEqual(['partial', null]);
      const strict = await against(url, { bail: true, strict: true, only });
      expect([strict.outcome, strict.stop?.kind]).toEqual(['nonconformant', 'bailed']);
    });
  });

  test('with --bail ends at a failure in an exchange of another check', async () => {
    await withStore('always-500', async ({ url }) => {
      const record = await against(url, {
        bail: true,
        only: ['observe/*', 'invariants/no-server-error'],
        concurrency: 1,
      });
      expect(verdictOf(record, 'invariants/no-server-error')?.verdict).toBe('fail');
      expect(record.requests).toBeLessThan(100);
    });
  });

  test('emits the first failure of each cause as it is found', async () => {
    await withStore('id-numeral-string', async ({ url }) => {
      const emitted: string[] = [];
      let results = 0;
      for await (const event of run({ baseUrl: url, token: TOKEN, cases: 5, only: ['invalid/*'] })) {
        if (event.type === 'result' && event.result.verdict === 'fail') results += 1;
        if (event.type === 'failure')
          emitted.push(`${event.id} ${event.failure.finding.problem} ${event.failure.label}`);
      }
      expect(emitted.length).toBeGreaterThanOrEqual(results);
      expect(new Set(emitted).size).toBe(emitted.length);
    });
  });

  test('ends when the caller aborts it', async () => {
    await withStore('slow', async ({ url }) => {
      const abort = new AbortController();
      const running = run({ baseUrl: url, token: TOKEN }, abort.signal);
      let results = 0;
      for await (const event of running) {
        if (event.type === 'result') results += 1;
        if (results === 3) abort.abort();
      }
      expect((await running.record).stop?.kind).toBe('cut-off');
    });
  });

  test('does not blame the store for responses that its own end prevents', async () => {
    for (const fatal of [30, 60, 90, 120, 150]) {
      const abort = new AbortController();
      let received = 0;
      const store = await startWith(({ send }) => ({
        async send(answer, response, request) {
          received += 1;
          if (received === fatal) setImmediate(() => abort.abort());
          await sleep(15);
          send(answer, response, request);
        },
      }));
      // Most of them send requests in pairs.
      const only = ['combinations/*', 'invariants/*'];
      const { results, stop } = await run({ baseUrl: store.url, token: TOKEN, only }, abort.signal).record;
      await store.stop();
      expect(stop?.kind).toBe('cut-off');
      expect(results.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
    }
  });

  test('yields all its events, even to a late listener', async () => {
    await withStore('reference', async ({ url }) => {
      const running = run({ baseUrl: url, token: TOKEN, cases: 5, only: ['ordinary/*'] });
      const { results } = await running.record;
      const types: string[] = [];
      for await (const event of running) if (event.type !== 'progress') types.push(event.type);
      expect(types.at(0)).toBe('start');
      expect(types.at(-1)).toBe('end');
      expect(types.filter((type) => type === 'result')).toHaveLength(results.length);
    });
  });
});

describe('what prevents a verdict', () => {
  const stopOf = async (baseUrl: string, more = {}) => (await against(baseUrl, more)).stop?.kind;

  test('nothing listens', async () => {
    expect(await stopOf('http://127.0.0.1:1')).toBe('unreachable');
  });

  test('the token is rejected on every request', async () => {
    await withStore('reference', async ({ url }) => {
      const record = await against(url, { token: 'not-the-one-it-takes' });
      expect(record.stop?.kind).toBe('token-rejected');
      expect(record.outcome).toBe('undetermined');
    });
  });

  test('a request whose connection closes is sent again with a fresh id, and the record counts it', async () => {
    const [ids, requests] = [new Set<bigint>(), new Map<Socket, number>()];
    const store = await startWith((right) => ({
      create(plant, request) {
        if (ids.has(plant.id)) throw new Rejection(409, 9, 'this plant exists already');
        ids.add(plant.id);
        return right.create(plant, request);
      },
      send(answer, response, request) {
        const { socket } = request.message;
        requests.set(socket, (requests.get(socket) ?? 0) + 1);
        if (requests.get(socket) === 8) socket.destroy();
        else right.send(answer, response, request);
      },
    }));
    const only = ['ordinary/*', 'invalid/*', 'state/*', 'invariants/*'];
    // A case with an id of its own is sent again with the same id.
    const record = await against(store.url, { only, skip: ['ordinary/accepts-ids-of-every-magnitude'] });
    await store.stop();
    expect(record.results.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
    const dropped = [...requests.values()].filter((count) => count === 8).length;
    expect(dropped).toBeGreaterThan(3);
    expect(record.closedMidRequest).toBe(dropped);
    expect(terminalReport(record, false).replace(/\s+/g, ' ')).toContain(
      `${dropped} requests resent after the connection closed`,
    );
  });

  test('429 is waited out and never judged', async () => {
    let sent = 0;
    const store = await startWith((right) => ({
      send(answer, response, request) {
        sent += 1;
        const limited = sent % 50 === 0;
        const headers = { 'retry-after': '0' };
        right.send(limited ? { status: 429, headers } : answer, response, request);
      },
    }));
    expect((await against(store.url, { only: ['ordinary/*', 'invalid/*'] })).outcome).toBe('partial');
    await store.stop();
  });

  test('concurrency is lowered for a store that limits it', async () => {
    let [active, served, rejected] = [0, 0, 0];
    const store = await startWith((right) => ({
      async send(answer, response, request) {
        if (active >= 3) {
          rejected += 1;
          right.send({ status: 429, headers: { 'retry-after': '0' } }, response, request);
          return;
        }
        active += 1;
        served += 1;
        await sleep(10);
        active -= 1;
        right.send(answer, response, request);
      },
    }));
    expect((await against(store.url, { only: ['ordinary/*', 'invalid/*'] })).outcome).toBe('partial');
    await store.stop();
    // Without lower concurrency, the store would reject most requests.
    expect(rejected).toBeGreaterThan(0);
    expect(rejected).toBeLessThan(served);
  });

  test('a store that dies during the run fails, and the remaining checks are untestable', async () => {
    let dead = false;
    const store = await startWith((right) => ({
      parse(body, request) {
        if (body.toString('latin1').startsWith('[[[[')) dead = true;
        return right.parse(body, request);
      },
      send(answer, response, request) {
        if (dead) response.destroy();
        else right.send(answer, response, request);
      },
    }));
    const record = await against(store.url);
    await store.stop();
    expect(record.outcome).toBe('nonconformant');
    expect(record.stop?.kind).toBe('gone');
    expect(verdictOf(record, 'invariants/answers')?.verdict).toBe('fail');
    expect(verdictOf(record, 'state/accepts-among-many-rejections')?.verdict).toBe('untestable');
  });
});

test('a store that dies during a large number of cases is not sent all of them', async () => {
  let answers = 0;
  const store = await startWith((right) => ({
    send(answer, response, request) {
      answers += 1;
      if (answers > 300) response.destroy();
      else right.send(answer, response, request);
    },
  }));
  const record = await against(store.url, { only: ['ordinary/accepts-any-plant'], cases: 1_000_000 });
  await store.stop();
  expect(record.stop?.kind).toBe('gone');
  expect(record.requests).toBeLessThan(5000);
});

describe('a request that the suite itself aborts', () => {
  const broken = (path: string): TestCase => ({
    label: path,
    template: { path, body: { bytes: Buffer.from('{"id":1,"name":"x"}') }, delivery: { abortAfter: 5 } },
  });
  const check: Check = {
    id: 'history/aborted',
    level: 'MUST',
    statement: 'x',
    basis: ['x'],
    hint: 'x',
    test: { kind: 'cases', rules: [answers200], cases: () => range(40).map((n) => broken(`/plants?${n}`)) },
  };
  const range = (count: number) => Array.from({ length: count }, (_, index) => index);

  test('is not a failure, and does not end the run', async () => {
    await withStore('reference', async ({ url }) => {
      const open = await openRun({
        contract: await loadContract(packageFile('openapi.yaml')),
        catalogue: [...catalogue.filter(({ test: { kind } }) => kind === 'invariant'), check],
        baseUrl: url,
        token: TOKEN,
        timeout: 3000,
      });
      const results: CheckResult[] = [];
      for await (const result of open.runAll()) results.push(result);
      const { stop } = open;
      await open.close();
      expect(stop).toBeUndefined();
      expect(results.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
      const [aborted] = results.filter(({ check: { id } }) => id === check.id);
      expect(aborted?.verdict).toBe('untestable');
    });
  });
});
