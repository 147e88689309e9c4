import { statusOf } from '../lib/judge/reading.ts';
import { acceptsOrdinary, challengesBearer, notSuccess, plantBody, rejectsWith } from '../lib/judge/rules.ts';
import {
  type InvalidCredential,
  invalidCredentials,
  moreWords,
  noToken,
  otherCarriers,
  otherSchemes,
  rightAndWrong,
  wrongToken,
  wrongTokens,
} from '../lib/payloads/credentials.ts';
import {
  type Credential,
  noCredential,
  type RequestTemplate,
  type TestCase,
  validCredential,
} from '../lib/payloads/test-case.ts';
import type { About, Check, CheckContext, PlantFactory } from '../lib/run/check.ts';
import {
  caseWithControl,
  headerText,
  must,
  namedCases,
  observe,
  ordinaryRequest,
  requestWith,
  requestWithText,
  should,
  unusuallySent,
} from './define.ts';

const REJECT_HINT =
  'Check the whole credential before anything else; if it is missing or wrong, answer 401 with WWW-Authenticate: Bearer.';

const BASIS = ['section 5, rule 1', 'section 5, rule 2', 'RFC 6750 section 2.1'] as const;

const eachOnce = (plants: PlantFactory, invalid: readonly InvalidCredential[]): TestCase[] =>
  invalid.map(({ name, credential }) => unusuallySent(plants, name, { credential }));

const random = wrongToken('a random token of the same length');
const longer = wrongToken('the token with characters appended');
const swapped = wrongToken('the token with upper and lower case swapped');

interface CredentialCheck extends Pick<About, 'statement' | 'hint'> {
  readonly invalid: readonly InvalidCredential[];
}

const rejectsCredentials = (id: string, { statement, hint, invalid }: CredentialCheck): Check =>
  must(id, {
    statement,
    basis: BASIS,
    hint: `${hint} ${REJECT_HINT}`,
    test: namedCases([notSuccess], (plants) => eachOnce(plants, invalid)),
  });

/** A test case that contains the token in its body, and nowhere else. */
const secretBody = (
  plants: PlantFactory,
  label: string,
  secret: (token: string, id: bigint) => string,
  more: RequestTemplate = {},
): TestCase =>
  caseWithControl(label, { ...more, credential: noCredential, body: { secret } }, plants.plain());

const notJsonAtAll = requestWithText('{');

const endless: Credential = {
  values: () => [`Bearer ${'x'.repeat(16 * 1024)}`],
  shell: ['Bearer <16 KiB of x>'],
};

/** Says whether the store checks the token before or after the body, as far as the statuses show. */
function orderOf(statuses: ReadonlyMap<string, number | string>): string {
  const [missing, invalid] = [statuses.get('missing-token'), statuses.get('not-json-with-token')];
  const both = statuses.get('not-json-without-token');
  if (missing === invalid) return 'cannot be told apart';
  if (both === missing) return 'before validation';
  return both === invalid ? 'after validation' : 'neither';
}

/** Alternates right and wrong credentials, on the same connection if the store keeps it open. */
const ALTERNATING = [
  ...[validCredential, noCredential, validCredential, random, validCredential],
  // A cache of header fields may ignore letter case.
  ...[swapped, validCredential, longer, noCredential, validCredential],
  ...[random, random, noCredential, validCredential],
];
const ACCEPTED_COUNT = ALTERNATING.filter((credential) => credential === validCredential).length;

const nameOf = (credential: Credential): string =>
  invalidCredentials.find((one) => one.credential === credential)?.name ?? 'a wrong credential';

async function alternates(context: CheckContext): Promise<void> {
  const plain = () => ordinaryRequest(context.plants.plain());
  await context.control(plain());
  for (const credential of ALTERNATING) {
    const isValid = credential === validCredential;
    const template = isValid ? plain() : { ...plain(), credential, ordinary: false };
    const label = isValid ? 'with the token, after a request without it' : nameOf(credential);
    const rules = isValid ? [acceptsOrdinary, plantBody] : [notSuccess];
    await context.judgeAll([{ label, template, rules }]);
  }
}

export const authChecks: readonly Check[] = [
  rejectsCredentials('auth/rejects-missing-token', {
    statement:
      'A request without a token is rejected: no Authorization header, an empty one, or Bearer without a token.',
    hint: 'Require the Authorization header for every request, regardless of the body.',
    invalid: noToken,
  }),
  rejectsCredentials('auth/rejects-other-schemes', {
    statement: 'The right token with another scheme, or without a scheme, is rejected.',
    hint: 'Accept only the scheme Bearer.',
    invalid: otherSchemes,
  }),
  rejectsCredentials('auth/rejects-wrong-tokens', {
    statement: 'A wrong token is rejected, however similar it is to the right one.',
    hint: 'Compare the whole token, character by character.',
    invalid: wrongTokens,
  }),
  rejectsCredentials('auth/rejects-other-carriers', {
    statement:
      'The right token in a cookie or a header other than Authorization is rejected, as is a cookie set by the store.',
    hint: 'Read the token from the Authorization header only.',
    invalid: otherCarriers,
  }),
  must('auth/rejects-after-an-accepted-request', {
    statement: 'A request is authenticated by its own header, not by that of an earlier request.',
    basis: BASIS,
    hint: `Do not keep credentials between requests. ${REJECT_HINT}`,
    test: {
      kind: 'scenario',
      sends: `${ALTERNATING.length} ordinary plants, one after the other, on one connection if the store keeps it open: ${ACCEPTED_COUNT} with the right token, and between them others with no token, a random one, the right one in swapped case, or the right one followed by more characters.`,
      run: alternates,
      exclusive: 'unless-distant',
    },
  }),
  should('auth/accepts-scheme-in-any-case', {
    statement: 'The scheme Bearer is case-insensitive.',
    basis: ['RFC 9110 section 11.1'],
    hint: 'Convert the scheme, and only the scheme, to lower case before comparing it.',
    test: namedCases([acceptsOrdinary], (plants) =>
      ['bearer', 'BEARER'].map((scheme) => {
        const credential: Credential = {
          values: (token) => [`${scheme} ${token}`],
          shell: [`${scheme} $PLANT_STORE_TOKEN`],
        };
        return unusuallySent(plants, scheme, { credential });
      }),
    ),
  }),
  should('auth/rejects-text-after-the-token', {
    statement: 'The right token followed by another word is rejected.',
    basis: ['section 5, rule 2', 'RFC 6750 section 2.1'],
    hint: 'Compare everything after the scheme, not only the first word.',
    test: namedCases([notSuccess], (plants) => eachOnce(plants, moreWords)),
  }),
  should('auth/answers-401', {
    statement: 'A missing or invalid token is answered with 401, or with the declared 400.',
    basis: ['RFC 6750 section 3.1', 'RFC 9110 section 15.5.2', 'section 7'],
    hint: REJECT_HINT,
    test: {
      ...namedCases([rejectsWith(401, 400)], (plants) => eachOnce(plants, invalidCredentials)),
      untestableBecauseOf: 'auth/rejects-missing-token',
    },
  }),
  should('auth/answers-with-a-challenge', {
    statement: 'A 401 names the scheme Bearer in WWW-Authenticate.',
    basis: ['RFC 9110 section 11.6.1', 'RFC 6750 section 3'],
    hint: 'Send WWW-Authenticate: Bearer with every 401.',
    test: {
      kind: 'invariant',
      applies: (exchange) => exchange.request.method === 'POST' && statusOf(exchange) === 401,
      absent: 'the store never answered with 401',
      rules: [challengesBearer],
    },
  }),
  should('auth/rejects-token-in-query', {
    statement: 'A token in the query of the URL is rejected.',
    basis: ['section 5, rule 2', 'section 4, parameters', 'RFC 6750 section 2.3'],
    hint: 'Read the token from the Authorization header only; URLs end up in logs.',
    test: namedCases([notSuccess], (plants) =>
      ['access_token', 'token'].map((tokenIn) =>
        unusuallySent(plants, tokenIn, { credential: noCredential, tokenIn }),
      ),
    ),
  }),
  should('auth/rejects-token-in-form', {
    statement: 'A token in a form or in the plant is rejected.',
    basis: ['section 5, rule 2', 'RFC 6750 section 2.2'],
    hint: 'Read the token from the Authorization header only.',
    test: namedCases([notSuccess], (plants) => [
      secretBody(
        plants,
        'the token in a form',
        (token, id) => `id=${id}&name=Aloe&access_token=${encodeURIComponent(token)}`,
        { contentType: 'application/x-www-form-urlencoded' },
      ),
      secretBody(
        plants,
        'the token in a property of the plant',
        (token, id) => `{"id":${id},"name":"Aloe","access_token":${JSON.stringify(token)}}`,
      ),
    ]),
  }),
  observe('auth/observe-rejections', {
    statement: 'How the store answers missing and invalid credentials.',
    basis: ['section 7, unspecified', 'section 5, rule 3'],
    test: {
      kind: 'scenario',
      sends:
        'An ordinary plant with each of these: no token, a random one, an empty Authorization header, Bearer without a token, the scheme Basic, the bare token, two Authorization headers with the right token first or last, and a token of 16 KiB; and a body that is only an opening brace, with and without the token.',
      async run(context) {
        const plain = (more: RequestTemplate) => requestWith(context.plants.plain(), more);
        const requests: readonly (readonly [key: string, template: RequestTemplate])[] = [
          ...Object.entries({
            'missing-token': noCredential,
            'wrong-token': random,
            'empty-authorization': { values: () => [''], shell: [''] },
            'bearer-alone': { values: () => ['Bearer'], shell: ['Bearer'] },
            'basic-scheme': otherSchemes[0]?.credential ?? noCredential,
            'bare-token': { values: (token: string) => [token], shell: ['$PLANT_STORE_TOKEN'] },
            'two-authorization-headers/right-one-first': rightAndWrong('f3a91c07d2', 'first'),
            'two-authorization-headers/right-one-last': rightAndWrong('f3a91c07d2', 'last'),
          }).map(([key, credential]) => [key, plain({ credential })] as const),
          ['not-json-without-token', { ...notJsonAtAll, credential: noCredential }],
          ['not-json-with-token', notJsonAtAll],
          ['token-of-16-kib', plain({ credential: endless, outsideContract: true })],
        ];
        const exchanges = await context.sendAll(requests.map(([, template]) => template));
        const statuses = new Map(
          requests.map(([key], index) => [key, exchanges[index]?.response?.status ?? 'no response']),
        );
        for (const [key, status] of statuses)
          if (!key.startsWith('not-json')) context.recordObservation(`${key}/status`, status);
        for (const [index, exchange] of exchanges.slice(0, 2).entries()) {
          const key = requests[index]?.[0];
          context.recordObservation(`${key}/challenge`, headerText(exchange, 'www-authenticate'));
          context.recordObservation(`${key}/content-type`, headerText(exchange, 'content-type'));
        }
        context.recordObservation('authentication/order', orderOf(statuses));
      },
    },
  }),
];
