import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, which vitest cannot know in a fresh clone. */
const SLOWEST = [
  'explain-circumstances',
  'compare',
  'wrong-server',
  'run',
  'explain-conditions',
  'browser',
  'thorough',
  'diff-and-replay',
  'explain',
  'readme',
  'sequences',
  'compare-browser',
  'cli',
  'reproduce',
];

/** Starts the slowest files first, so that no worker is left with one of them at the end. */
class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSlow = ({ moduleId }: TestSpecification) =>
      SLOWEST.some((name) => moduleId.endsWith(`/test/${name}.test.ts`));
    return (await super.sort(files)).sort((one, other) => Number(isSlow(other)) - Number(isSlow(one)));
  }
}

export default defineConfig({
  test: {
    // The tests wait for stores and for processes more than they compute.
    maxWorkers: 4,
    // Files share the modules of their worker: loading and warming them up costs a second for each file.
    isolate: false,
    sequence: { sequencer: SlowestFirst },
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['test/*.test.ts'], testTimeout: 120_000, hookTimeout: 120_000 },
      },
      // Waits for many clocks and fills memory: `npm run hostile`, apart from the others.
      { test: { name: 'hostile', include: ['test/hostile/*.test.ts'], testTimeout: 300_000 } },
      { test: { name: 'conformance', include: ['suites/conformance.test.ts'] } },
    ],
  },
});
