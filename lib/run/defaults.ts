/** The options that apply unless the user sets them: requests, requests in flight, and milliseconds. */
export const DEFAULTS = {
  cases: 120,
  concurrency: 24,
  maxConcurrency: 192,
  timeout: 10_000,
  explain: 3000,
} as const;
