import { fields, statusOf } from '../lib/judge/reading.ts';
import { acceptsOrdinary, challengesBearer, notSuccess, plantBody, refusesWith } from '../lib/judge/rules.ts';
import { bearer, type Case, type Credential, type Draft, nothing } from '../lib/payloads/case.ts';
import {
  everyImpostor,
  type Impostor,
  moreWords,
  noToken,
  otherCarriers,
  otherSchemes,
  twice,
  wrongTokens,
} from '../lib/payloads/credentials.ts';
import type { Bench, Check, Plants } from '../lib/run/check.ts';
import { as, creating, must, observe, posting, should } from './vocabulary.ts';

const refuseIt =
  'Look at the whole credential before anything else, and answer 401 with WWW-Authenticate: Bearer.';

/** Each credential with an ordinary plant and nothing else. */
const eachOnce = (plants: Plants, impostors: readonly Impostor[]): Case[] =>
  impostors.map(({ name, credential }) => ({
    label: name,
    population: 'other',
    draft: as(credential, posting(plants.plain())),
    twin: creating(plants.plain()),
  }));

const [random, , after] = wrongTokens;
const swapped = wrongTokens.find(({ name }) => name === 'the token in the other case');

const rejects = (id: string, statement: string, hint: string, test: Check['test']): Check =>
  must(
    id,
    { statement, basis: ['section 5, rule 1', 'section 5, rule 2', 'RFC 6750 section 2.1'], hint },
    test,
  );

const notJsonAtAll: Draft = { body: { bytes: new TextEncoder().encode('{') } };

const endless: Credential = {
  values: () => [`Bearer ${'x'.repeat(16 * 1024)}`],
  shell: ['Bearer <16 KiB of x>'],
};

/** Whether the token or the body is looked at first, as far as the statuses show it. */
function orderOf(statuses: ReadonlyMap<string, number | string>): string {
  const [missing, invalid] = [statuses.get('missing-token'), statuses.get('not-json-with-token')];
  const both = statuses.get('not-json-without-token');
  if (missing === invalid) return 'cannot be told apart';
  if (both === missing) return 'before validation';
  return both === invalid ? 'after validation' : 'neither';
}

const [wrong = nothing, near = nothing, alike = nothing] = [random, after, swapped].map(
  (one) => one?.credential,
);

/** Credentials in turn: each follows one that was let in, on the same connection as far as the store keeps it open. */
const IN_TURN = [
  bearer,
  nothing,
  bearer,
  wrong,
  bearer,
  // A cache of header fields may know the one before it by its letters alone.
  alike,
  bearer,
  near,
  nothing,
  bearer,
  wrong,
  wrong,
  nothing,
  bearer,
];
const LET_IN = IN_TURN.filter((credential) => credential === bearer).length;

async function oneAfterTheOther(bench: Bench): Promise<void> {
  const plain = () => creating(bench.plants.plain());
  await bench.control(plain());
  for (const credential of IN_TURN) {
    const draft = credential === bearer ? plain() : as(credential, plain());
    const exchange = await bench.send(draft);
    if (credential === bearer)
      bench.judge(exchange, draft, 'with the token, after one without', [acceptsOrdinary, plantBody]);
    else bench.judge(exchange, draft, 'without the token, after one with it', [notSuccess]);
  }
}

export const auth: readonly Check[] = [
  rejects(
    'auth/rejects-missing-token',
    'Nothing is created without a token: no Authorization header, an empty one, Bearer alone.',
    `Require the header for every request and every body. ${refuseIt}`,
    { kind: 'cases', cases: (plants) => eachOnce(plants, noToken), rules: [notSuccess] },
  ),
  rejects(
    'auth/rejects-other-schemes',
    'The right token under another scheme, or under none, lets nobody in.',
    `Take the credential of the scheme Bearer alone. ${refuseIt}`,
    { kind: 'cases', cases: (plants) => eachOnce(plants, otherSchemes), rules: [notSuccess] },
  ),
  rejects(
    'auth/rejects-wrong-tokens',
    'A token that is not the right one lets nobody in, however much it resembles it.',
    `Compare the whole token, character for character. ${refuseIt}`,
    { kind: 'cases', cases: (plants) => eachOnce(plants, wrongTokens), rules: [notSuccess] },
  ),
  rejects(
    'auth/rejects-other-carriers',
    'The right token in a cookie or in another header than Authorization lets nobody in.',
    `Take the token from the Authorization header alone. ${refuseIt}`,
    { kind: 'cases', cases: (plants) => eachOnce(plants, otherCarriers), rules: [notSuccess] },
  ),
  rejects(
    'auth/decides-each-request-alone',
    'A request is judged by its own header, not by one that came before it.',
    `Keep nothing of a credential between requests. ${refuseIt}`,
    {
      kind: 'procedure',
      sends: `${IN_TURN.length} ordinary plants, one after the other, on one connection where the store keeps it open: ${LET_IN} with the right token, and between them others without a token, with a random one, with the letters of the right one in the other case, and with the right one and something after it.`,
      run: oneAfterTheOther,
      alone: true,
    },
  ),
  should(
    'auth/takes-scheme-in-any-case',
    {
      statement: 'The scheme is compared without regard to case.',
      basis: ['RFC 9110 section 11.1'],
      hint: 'Put the scheme, and only the scheme, in lower case before comparing it.',
    },
    {
      kind: 'cases',
      cases: (plants) =>
        ['bearer', 'BEARER'].map((scheme) => ({
          label: scheme,
          population: 'ordinary' as const,
          draft: as(
            { values: (token) => [`${scheme} ${token}`], shell: [`${scheme} $PLANT_STORE_TOKEN`] },
            posting(plants.plain()),
          ),
          twin: creating(plants.plain()),
        })),
      rules: [acceptsOrdinary],
    },
  ),
  should(
    'auth/rejects-words-after-the-token',
    {
      statement: 'The right token followed by another word is not enough.',
      basis: ['section 5, rule 2', 'RFC 6750 section 2.1'],
      hint: 'Compare everything that follows the scheme, not the first word of it.',
    },
    { kind: 'cases', cases: (plants) => eachOnce(plants, moreWords), rules: [notSuccess] },
  ),
  should(
    'auth/refuses-with-401',
    {
      statement: 'A missing or refused token is answered 401, or the declared 400.',
      basis: ['RFC 6750 section 3.1', 'RFC 9110 section 15.5.2', 'section 7'],
      hint: refuseIt,
    },
    {
      kind: 'cases',
      cases: (plants) => eachOnce(plants, everyImpostor),
      rules: [refusesWith(401, 400)],
      explainedBy: 'auth/rejects-missing-token',
    },
  ),
  should(
    'auth/challenges',
    {
      statement: 'A 401 names the scheme Bearer in WWW-Authenticate.',
      basis: ['RFC 9110 section 11.6.1', 'RFC 6750 section 3'],
      hint: 'Send WWW-Authenticate: Bearer with every 401.',
    },
    {
      kind: 'standing',
      applies: (exchange) => exchange.request.method === 'POST' && statusOf(exchange) === 401,
      lacking: 'the store never answered 401',
      rules: [challengesBearer],
    },
  ),
  should(
    'auth/rejects-token-in-query',
    {
      statement: 'A token in the query of the URL is not enough.',
      basis: ['section 5, rule 2', 'section 4, parameters', 'RFC 6750 section 2.3'],
      hint: 'Take the token from the Authorization header alone; URLs end up in logs.',
    },
    {
      kind: 'cases',
      cases: (plants) =>
        ['access_token', 'token'].map((parameter) => ({
          label: parameter,
          population: 'other' as const,
          draft: posting(plants.plain(), { credential: nothing, tokenIn: parameter }),
          twin: creating(plants.plain()),
        })),
      rules: [notSuccess],
    },
  ),
  should(
    'auth/rejects-token-in-form',
    {
      statement: 'A token in a form or in the plant is not enough.',
      basis: ['section 5, rule 2', 'RFC 6750 section 2.2'],
      hint: 'Take the token from the Authorization header alone.',
    },
    {
      kind: 'cases',
      cases: (plants) => {
        return [
          {
            label: 'a form',
            population: 'other',
            draft: {
              credential: nothing,
              contentType: 'application/x-www-form-urlencoded',
              body: {
                secret: (token, id) => `id=${id}&name=Aloe&access_token=${encodeURIComponent(token)}`,
              },
            },
            twin: creating(plants.plain()),
          },
          {
            label: 'a property of the plant',
            population: 'other',
            draft: {
              credential: nothing,
              body: {
                secret: (token, id) => `{"id":${id},"name":"Aloe","access_token":${JSON.stringify(token)}}`,
              },
            },
            twin: creating(plants.plain()),
          },
        ];
      },
      rules: [notSuccess],
    },
  ),
  observe(
    'auth/observe-refusals',
    {
      statement: 'How missing and wrong credentials are answered.',
      basis: ['section 7, not shown', 'section 5, rule 3'],
      hint: 'Nothing to mend: the interface leaves this open.',
    },
    {
      kind: 'procedure',
      sends:
        'An ordinary plant with each of these: no token, a random one, an empty Authorization header, Bearer alone, the scheme Basic, the bare token, two Authorization headers with the right token first and last, a token of 16 KiB; and an opening brace alone, with the token and without.',
      async run(bench) {
        const asked: readonly (readonly [key: string, draft: Draft])[] = [
          ...Object.entries({
            'missing-token': nothing,
            'wrong-token': random?.credential ?? nothing,
            'empty-authorization': { values: () => [''], shell: [''] },
            'bearer-alone': { values: () => ['Bearer'], shell: ['Bearer'] },
            'basic-scheme': otherSchemes[0]?.credential ?? nothing,
            'bare-token': { values: (token: string) => [token], shell: ['$PLANT_STORE_TOKEN'] },
            'two-authorization-headers/right-one-first': twice('f3a91c07d2', 'first'),
            'two-authorization-headers/right-one-last': twice('f3a91c07d2', 'last'),
          }).map(([key, credential]) => [key, as(credential, posting(bench.plants.plain()))] as const),
          ['not-json-without-token', as(nothing, notJsonAtAll)],
          ['not-json-with-token', notJsonAtAll],
          ['token-of-16-kib', { ...as(endless, posting(bench.plants.plain())), beyond: true }],
        ];
        const exchanges = await bench.sendAll(asked.map(([, draft]) => draft));
        const statuses = new Map(
          asked.map(([key], index) => [key, exchanges[index]?.response?.status ?? 'no answer']),
        );
        for (const [key, status] of statuses)
          if (!key.startsWith('not-json')) bench.note(`${key}/status`, status);
        for (const [index, key] of ['missing-token', 'wrong-token'].entries()) {
          const response = exchanges[index]?.response;
          bench.note(
            `${key}/challenge`,
            response === undefined ? '' : fields(response, 'www-authenticate').join(', '),
          );
          bench.note(
            `${key}/content-type`,
            response === undefined ? '' : fields(response, 'content-type').join(', '),
          );
        }
        bench.note('authentication/order', orderOf(statuses));
      },
    },
  ),
];
