import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // The tests wait for stores and for processes more than they compute.
    maxWorkers: 4,
    // Files share the modules of their worker: loading and warming them up costs a second for each file.
    isolate: false,
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
