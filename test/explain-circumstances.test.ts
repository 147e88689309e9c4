import { describe, test } from 'vitest';
import { absent } from './helpers/bash.ts';
import { requireOneCause, requireStepsShow } from './helpers/causes.ts';

/** Stores with one fault that other requests bring about, and the one title that names it with them. */
const TITLES: Readonly<Record<string, RegExp>> = {
  'state-25th-500': /^Answers 500 to every 25th request, whatever it contains$/,
  'load-4-500': /^Answers 500 when 5 or more requests are in flight$/,
  'load-2-409': /^Answers 409 to valid requests when 2 or more requests are in flight$/,
  'state-rising-ids': /^Answers 500 to requests after a plant with a higher id$/,
  'state-full': /^Answers 507 to every request with a valid token from some point in the run on$/,
  'state-pool': /^Answers 500 to every request with a valid token from some point in the run on$/,
  'state-next-500': /^Answers 500 to requests after a rejected request$/,
  'state-breaker': /^Answers 503 to requests after 5 rejected requests( in a row)?$/,
  'connection-16th-503': /^Answers 503 to requests after 15 others on the same connection$/,
  'left-malformed-text':
    /^Parses the body of a request with malformed JSON as the next request on the connection$/,
  'load-scratch-buffer': /^Answers 200 with .+ when requests with (longer|shorter) plants are in flight/,
  'state-name-leaks': /^Accepts a plant without name and answers with values of the previous plant$/,
  'auth-gives-up': /^Does not check the token of requests after 8 requests without a token in a row$/,
  'auth-address': /^Does not check the token of requests soon after an accepted plant$/,
  'state-409-then-500': /^Answers 500 to requests after a plant whose id is in use$/,
  'again-never': /^Answers 500 once, not reproduced$/,
  'error-empty-again':
    /^Answers 400 without a body to requests after a rejected request .*on the same connection/,
  'auth-second-try': /^Accepts .* when the same wrong token was sent before$/,
  'state-idle-500': /^Answers 500 to requests after a pause of 1\.2 seconds$/,
  'state-10th-tagged-202': /^Answers 202 instead of 200 to every 10th request with a tag$/,
};

describe('a store with one fault', () => {
  test.each(Object.entries(TITLES))(
    '%s has one cause, whose title names fault and circumstances',
    (name, title) => requireOneCause(name, title),
  );
});

describe('the steps of a cause', () => {
  test.skipIf(absent).each(['state-breaker', 'connection-16th-503', 'state-name-leaks', 'auth-second-try'])(
    'show the fault of a freshly started %s, and again on the same one',
    (name) => requireStepsShow(name, 2),
  );

  // A store that has its clients wait would answer the second time with 429.
  test.skipIf(absent)('show the fault of a freshly started state-idle-500', () =>
    requireStepsShow('state-idle-500', 1),
  );

  // A full store stays full.
  test.skipIf(absent)('show the fault of a freshly started state-full', () =>
    requireStepsShow('state-full', 1),
  );
});
