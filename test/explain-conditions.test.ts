import { describe, expect, test } from 'vitest';
import { conditionalStores } from '../mutants/conditional/index.ts';
import { AND, brokenStoreOf, UNIQUE } from '../mutants/pairs.ts';
import { absent } from './helpers/bash.ts';
import { causesOf, recordOf, requireOneCause, requireStepsShow } from './helpers/causes.ts';
import { TOKEN } from './helpers/stores.ts';

/** Stores with one fault, and the one title that names it with its condition. */
const TITLES: Readonly<Record<string, RegExp>> = {
  'create-201': /^Answers 201 instead of 200$/,
  'create-202-long-name': /^Answers 202 instead of 200 when name is longer than 24 characters$/,
  'create-octets-large-id': /^Answers 200 with Content-Type application\/octet-stream when id is above 2\^30/,
  'rejects-nine-digits':
    /^Answers 400 to valid requests when id is between about 100,000,000 and about 1,000,000,000$/,
  'rejects-apostrophe': /^Answers 400 to valid requests when name contains an apostrophe$/,
  'crash-superscript-digit': /^Answers 500 when name ends with a superscript digit$/,
  'crash-surrogate': /^Answers 500 when name or tag contains a lone surrogate$/,
  'crash-undeclared-operator':
    /^Answers 500 when the name of an undeclared property (?:contains a full stop|begins with \$) or (?:contains a full stop|begins with \$)$/,
  // By chance, no other multiple of 256 than 0 may have been sent.
  'crash-shard-of-256': /^Answers 500 when id (?:is divisible by 256|is even|0)/,
  'rejects-even-id': /^Answers 400 to valid requests when id is even$/,
  'rejects-int16': /^Answers 400 to valid requests when id is 2\^15 \(32768\) or more$/,
  'rejects-id-last': /^Answers 400 to valid requests when id is the last property$/,
  'rejects-70-bytes': /^Answers 413 to valid requests when the body is longer than 70 bytes$/,
  'plant-name-null-long': /^Returns name as null when name is longer than 32 characters$/,
  'plant-in-data': /^Answers 200 with a Plant nested in "data"$/,
  'plant-tag-null': /^Returns tag as null when there is no tag$/,
  'body-debug-tail': /^Answers 200 with text after the JSON value$/,
  'missing-name-large-id': /^Accepts a plant without name when id is above 2\^30/,
  'any-case': /^Accepts property names in a different case$/,
  'any-coerced': /^Accepts values of a wrong type, such as null as any property, and converts them$/,
  'id-numeral-string': /^Accepts a numeric string such as "7" as id$/,
  'name-unchecked': /^Does not check the type of name$/,
  'tag-null': /^Accepts null as tag$/,
  'text-first-value': /^Accepts .*follow/,
  'error-html': /^Answers 400 with Content-Type text\/html$/,
  'error-code-string': /^Answers 400 with a string as "error"$/,
  'crash-apostrophe': /^Answers 500 when name or tag contains an apostrophe$/,
  'crash-null': /^Answers 500 when the body is null$/,
  'auth-none': /^Accepts requests without a valid token$/,
  'auth-any-token': /^Accepts any bearer token$/,
  'auth-guards-short': /^Does not check the token when name is longer than 20 characters$/,
  'http-chunked-500': /^Answers 500 to requests with a chunked body$/,
  'http-query-500': /^Answers 500 to requests with a query$/,
  'http-get-500': /^Answers 500 to requests with the method GET$/,
  'always-200-plain': /^Answers every request with 200 as text\/plain/,
  'id-not-object': /^Accepts a value of any type as id except an array or an object$/,
  'malformed-extra': /^Does not validate the body of requests with undeclared properties$/,
  'crash-undeclared': /^Answers 500 to requests with undeclared properties$/,
  'crash-id-missing': /^Answers 500 when id is missing \(but not when the body is an empty object\)$/,
  'crash-not-ascii': /^Answers 500 when name or tag is not ASCII or contains a control character$/,
  'auth-guards-odd': /^Does not check the token when id is even$/,
  'auth-guards-valid': /^Does not check the token when the body is not a NewPlant$/,
  'scheme-case': /^Answers 401 to valid requests with the scheme bearer$/,
  'body-tag-reference': /^Returns tag as an object when tag equals name$/,
  'left-octal-length': /^Answers 400 to valid requests with leading zeros in Content-Length$/,
  'auth-provider-502': /^Answers 502 when the token is wrong or the Authorization header is empty$/,
  'again-17th-id': /^Answers 500 when id is divisible by 17$/,
  'text-tag-not-last': /^Answers 500 when tag is not the last property$/,
  'one-down': /^Accepts properties nested one level down$/,
  'malformed-over-70': /^Does not validate the body when it is longer than 70 bytes$/,
  'rejects-long-pair':
    /^Answers 400 to valid requests when name is longer than 25 characters and tag is longer than 12 characters$/,
  'error-substatus':
    /^Answers 400 with a fraction as "error" when .* and more than one property is missing or wrong$/,
  'crash-utf8-in-tag': /^Answers 500 when tag is not valid UTF-8$/,
  'crash-id-by-pattern':
    /^Answers 500 to requests with white space before a colon or with \\u escapes in property names$/,
  'two-defects-cancel': /^Accepts any JSON object when more than one property is missing or wrong$/,
  'tag-empty-is-absent': /^Accepts a number, a falsy value, true, \[\] or \{\} as tag$/,
  'crash-deep-500': /^Answers 500 when the body is nested more than \d+ levels deep$/,
  'token-then-word': /^Accepts the token followed by another word$/,
};

describe('a store with one fault', () => {
  test.each(Object.entries(TITLES))(
    '%s has one cause, whose title names fault and condition',
    (name, title) => requireOneCause(name, title),
  );
});

/** Stores whose faults depend on a detail of a value that the model combines with others. */
const DETAILS: Readonly<Record<string, RegExp>> = {
  'media-parameter-unguarded':
    /^Does not check the token of requests with parameters other than charset in Content-Type$/,
  'media-tight-parameter-any-token':
    /^Accepts any bearer token in requests without a space after the semicolon in Content-Type$/,
  'accept-any-application-list':
    /^Answers 200 with a Plant in an array to requests with application\/\* in Accept$/,
  'target-slash-in-query-other-case':
    /^Accepts property names in a different case in requests with a slash in the query$/,
  'text-escaped-slash-number-tag': /^Accepts a number as tag in requests with \\\/ in a string$/,
};

describe('a store whose fault shows only under a condition', () => {
  test.each(Object.entries(DETAILS))('%s: the title names the detail that matters', async (name, title) => {
    const store = conditionalStores.find((one) => one.name === name);
    const running = await store?.start(TOKEN);
    try {
      const { causes } = await recordOf(running?.url ?? '', {
        only: ['combinations/*', 'invariants/*'],
        cases: 120,
      });
      expect(causes.map((cause) => cause.title)).toEqual([expect.stringMatching(title)]);
    } finally {
      await running?.stop();
    }
  });
});

describe('a store that also keeps ids and names unique', () => {
  test.each([
    ['tag-null', /^Accepts null as tag$/],
    ['rejects-hyphen', /^Answers 400 to valid requests when name contains a hyphen$/],
    ['name-trimmed', /^Returns name trimmed when name begins or ends with a space$/],
    ['crash-apostrophe', /^Answers 500 when name or tag contains an apostrophe$/],
  ])('%s has the same title as without that', async (name, title) => {
    const running = await brokenStoreOf(`${UNIQUE.name}${AND}${name}`)?.start(TOKEN);
    try {
      const { causes } = await recordOf(running?.url ?? '', { cases: 12 });
      expect(causes.map((cause) => cause.title)).toEqual([expect.stringMatching(title)]);
    } finally {
      await running?.stop();
    }
  });
});

describe('the steps of a cause', () => {
  test
    .skipIf(absent)
    .each([
      'create-201',
      'crash-apostrophe',
      'auth-any-token',
      'error-html',
      'http-chunked-500',
      'again-17th-id',
      'auth-same-length',
    ])('show the fault of a freshly started %s, and again on the same one', (name) =>
    requireStepsShow(name, 2),
  );
});

test.each([
  ['id-any-string', ['id']],
  ['crash-null', ['body']],
])('what matters of an invalid body at %s is %j', async (name, matters) => {
  const [cause] = await causesOf(name);
  expect(cause?.matters).toEqual(matters);
  // Another id shows the fault as well.
  if (name === 'id-any-string') expect(cause?.steps.join('\n')).toContain('$ID');
});
