import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: '.',
    include: ['test/judge.test.ts', 'test/payloads.test.ts', 'test/shapes.test.ts', 'test/signature.test.ts'],
    setupFiles: ['test/mutation/setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
