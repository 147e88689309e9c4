import { authorization } from '../../helpers.ts';
import { about } from '../conditional.ts';
import type { History, Met, Outcome } from '../recorder.ts';

// --- History -------------------------------------------------------------------------------------------

const history = about('history');
const after = (outcome: Outcome) => history(({ inStore }) => inStore.last?.outcome === outcome);
const onSameConnectionAfter = (outcome: Outcome) =>
  history(({ onConnection }) => onConnection.last?.outcome === outcome);
const afterMany = (count: number, outcome: Outcome) =>
  history(({ inStore }) => inStore.counts[outcome] >= count);
const known = (holds: (met: Met, past: History) => boolean) =>
  history((met) => holds(met, met.inStore), 'payload');

export const firstOfAll = history(({ ordinal }) => ordinal === 1);
export const afterAccepted = after('accepted');
export const afterUnauthenticated = after('unauthenticated');
export const afterAborted = after('aborted');
export const onConnectionAfterRejected = onSameConnectionAfter('rejected');
export const onConnectionAfterAccepted = onSameConnectionAfter('accepted');
export const onConnectionAfterUnauthenticated = onSameConnectionAfter('unauthenticated');
export const onAnotherConnectionAfterRejected = history(
  ({ inStore, nth }) => nth === 1 && inStore.last?.outcome === 'rejected',
);
export const onConnectionAfterLarge = history(
  ({ onConnection }) => (onConnection.last?.length ?? 0) > 16_384,
);
export const onConnectionAfterLonger = history(
  ({ onConnection, request }) => (onConnection.last?.length ?? 0) > request.body.length,
);
export const after40Rejected = afterMany(40, 'rejected');
export const after100Accepted = afterMany(100, 'accepted');
export const after15Unauthenticated = afterMany(15, 'unauthenticated');
export const after3Aborted = afterMany(3, 'aborted');
export const sameId = known(({ id }, { ids }) => id !== undefined && ids.has(id));
export const sameName = known(({ name }, { names }) => name !== '' && names.has(name));
export const sameBytes = known(({ digest }, { digests }) => digests.has(digest));
/** The same bytes were rejected before, perhaps because they came without a token. */
export const bytesRejectedBefore = history(({ digest, inStore }) => inStore.rejectedDigests.has(digest));
export const idRejectedBefore = history(({ id, inStore }) => id !== undefined && inStore.rejectedIds.has(id));
export const caseTwin = known(
  ({ name }, { names, namesInLowerCase }) => !names.has(name) && namesInLowerCase.has(name.toLowerCase()),
);
export const normalFormTwin = known(
  ({ name }, { names, composedNames }) => !names.has(name) && composedNames.has(name.normalize()),
);
export const sameKey = known(({ request }, { idempotencyKeys }) =>
  (request.headers['idempotency-key'] ?? []).some((key) => idempotencyKeys.has(key)),
);

// --- Load ----------------------------------------------------------------------------------------------

const load = about('load');
const beside = (which: (other: Met, met: Met) => boolean) =>
  load((met) => met.beside.some((other) => which(other, met)));

export const concurrent = load((met) => met.beside.length > 0);
export const besideThree = load((met) => met.beside.length >= 3);
export const besideFive = load((met) => met.beside.length >= 5);
export const besideSameName = beside((other, { name }) => name !== '' && other.name === name);
export const besideSameBytes = beside((other, { digest }) => other.digest === digest);
export const besideSameId = beside((other, { id }) => id !== undefined && other.id === id);
export const besideInvalid = beside(({ fields }) => !fields.has('id') || !fields.has('name'));
export const besideValid = beside((other) => other.id !== undefined && other.name !== '');
export const besideLarge = beside(({ request }) => request.body.length > 8192);
export const besideUnauthorised = beside(({ request }) => authorization(request) === undefined);
export const besideSameToken = beside(
  (other, { request }) =>
    authorization(request) !== undefined && authorization(other.request) === authorization(request),
);
export const besideTagged = beside(({ fields }) => fields.has('tag'));

// --- Credentials: what is sent, not whether it is right -------------------------------------------------

const credential = about('credential');
const given =
  (holds: (header: string) => boolean) =>
  ({ request }: Met) =>
    holds(authorization(request) ?? '');

export const longCredential = credential(given((header) => header.length > 1024));
export const threeParts = credential(given((header) => /^bearer +[\w-]+\.[\w-]+\.[\w-]*$/i.test(header)));
export const placeholderWord = credential(
  given((header) => /^bearer +(?:null|undefined|none|nil)$/i.test(header)),
);
export const lowerCaseScheme = credential(
  given((header) => /^bearer /.test(header)),
  'head',
);
export const twoSpaces = credential(
  given((header) => /^bearer {2,}/i.test(header)),
  'head',
);
export const emptyHeader = credential(({ request }) => authorization(request) === '');
export const commaInCredential = credential(given((header) => header.includes(',')));
export const paddedCredential = credential(given((header) => /=$/.test(header)));
export const digitsAlone = credential(given((header) => /^bearer +\d+$/i.test(header)));
export const shortCredential = credential(given((header) => /^bearer +\S{1,4}$/i.test(header)));
export const beyondAsciiCredential = credential(given((header) => /[^\x20-\x7e]/.test(header)));
export const quoteInCredential = credential(given((header) => header.includes("'")));
export const basicScheme = credential(given((header) => /^basic /i.test(header)));
export const digestScheme = credential(given((header) => /^digest /i.test(header)));
export const unknownScheme = credential(given((header) => /^(?!bearer|basic|digest)\S+ /i.test(header)));
