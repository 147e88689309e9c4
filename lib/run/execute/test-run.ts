/** How the test of one check is run: in one go, or, if it is generated, in several. */
export interface TestRun {
  /** Tries at most `limit` more cases. */
  run(limit: number): Promise<void>;
  /** Whether nothing is left to be tried. */
  readonly ended: boolean;
  /** Retries what was left without an answer, with nothing else in flight. */
  retryInIsolation?(): Promise<void>;
}
