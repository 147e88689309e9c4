/**
 * Thrown if the suite was called incorrectly. The message says how to correct the call. Neither the suite nor
 * the store is at fault.
 */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}
