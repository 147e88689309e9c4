import { startStoreProcess } from './store.ts';
import { type Findings, figure, median, megabytes, spread } from './table.ts';
import { GENERATED, generated } from './throughput.ts';

const SIZES = [1e3, 1e4, 1e5, 1e6];

/** Sizes above this are measured only once. */
const MAX_REPEATED_SIZE = 1e5;

const CONNECTIONS = 16;

/** Measures how time, memory and the record grow with the number of cases. */
export async function growth(rounds: number): Promise<Findings> {
  const store = await startStoreProcess();
  try {
    await generated(store.url, 1e4, CONNECTIONS);
    const measurements = [];
    for (const size of SIZES) {
      const runs = [];
      for (let round = 0; round < (size > MAX_REPEATED_SIZE ? 1 : rounds); round += 1)
        runs.push(await generated(store.url, size, CONNECTIONS));
      measurements.push({
        cases: Math.max(...runs.map(({ cases }) => cases)),
        rounds: runs.length,
        times: runs.map(({ cases, seconds }) => (seconds / cases) * 1e6),
        peak: median(runs.map(({ peak }) => peak ?? Number.NaN)),
        record: median(runs.map(({ record }) => record)),
      });
    }
    const [, small, , large] = measurements;
    return {
      title: 'Growth',
      method: `\`${GENERATED}\` with a growing number of cases at ${CONNECTIONS} connections against the reference store in its own process. Medians of the rounds, for the time also minimum and maximum. The time is that of the check, without starting the process; in shorter runs a larger part passes before the code is compiled.`,
      columns: ['cases', 'rounds', 'microseconds per case', 'peak memory', 'record'],
      rows: measurements.map(({ cases, rounds: done, times, peak, record }) => [
        cases.toLocaleString('en'),
        String(done),
        spread(times),
        megabytes(peak),
        `${figure(record / 1000)} kB`,
      ]),
      notes:
        small === undefined || large === undefined
          ? []
          : [
              `Peak memory at 10^6 cases : at 10^4 cases: ${figure(large.peak / small.peak)}.`,
              `Time per case at 10^6 cases : at 10^4 cases: ${figure(median(large.times) / median(small.times))}.`,
            ],
    };
  } finally {
    await store.stop();
  }
}
