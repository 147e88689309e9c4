/**
 * The suite was called wrongly; the message says how to fix the call. Neither the suite nor the store is at
 * fault.
 */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}
