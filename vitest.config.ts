import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // The tests wait for stores and for processes more than they compute.
    maxWorkers: 4,
    projects: [
      { test: { name: 'unit', include: ['test/**/*.test.ts'], testTimeout: 120_000, hookTimeout: 120_000 } },
      { test: { name: 'conformance', include: ['suites/conformance.test.ts'] } },
    ],
  },
});
