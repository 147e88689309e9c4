/** The call is wrong, and its message says what to do about it. No fault of the suite, none of the store. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}
