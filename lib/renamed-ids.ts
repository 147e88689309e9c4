import { matcherOf } from './check-ids.ts';

/** Renamed checks: ids of earlier versions with their current ids. */
const RENAMED_IDS: Readonly<Record<string, string>> = {
  'create/answers-200': 'ordinary/answers-200',
  'create/answers-json': 'ordinary/answers-json',
  'create/answers-a-plant': 'ordinary/answers-a-plant',
  'create/takes-any-ordinary-plant': 'ordinary/accepts-any-plant',
  'create/takes-names-of-every-length': 'ordinary/accepts-names-of-every-length',
  'create/takes-names-of-many-kinds': 'ordinary/accepts-names-of-many-kinds',
  'create/takes-tags-of-every-length': 'ordinary/accepts-tags-of-every-length',
  'create/takes-ids-of-every-magnitude': 'ordinary/accepts-ids-of-every-magnitude',
  'create/takes-properties-in-any-order': 'ordinary/accepts-any-property-order',
  'create/takes-white-space': 'ordinary/accepts-white-space',
  'create/takes-escaped-values': 'ordinary/accepts-escaped-strings',
  'create/takes-escaped-names': 'ordinary/accepts-escaped-property-names',
  'create/takes-many-at-once': 'ordinary/accepts-concurrent-requests',
  'create/echoes-name': 'ordinary/echoes-name',
  'create/echoes-tag': 'ordinary/echoes-tag',
  'create/takes-charset-parameter': 'ordinary/accepts-charset-parameter',
  'create/takes-media-type-in-any-case': 'ordinary/accepts-media-type-in-any-case',
  'create/takes-chunked-body': 'ordinary/accepts-chunked-body',
  'create/answers-whatever-accept-allows-json': 'ordinary/accepts-any-accept-that-allows-json',
  'refuse/not-an-object': 'invalid/rejects-non-objects',
  'refuse/missing-property': 'invalid/rejects-missing-property',
  'refuse/property-under-another-name': 'invalid/rejects-misnamed-property',
  'refuse/nested-property': 'invalid/rejects-nested-property',
  'refuse/inherited-property': 'invalid/rejects-inherited-property',
  'refuse/null': 'invalid/rejects-null',
  'refuse/fraction': 'invalid/rejects-fractional-id',
  'refuse/numeral-in-a-string': 'invalid/rejects-numeric-string-id',
  'refuse/wrong-type': 'invalid/rejects-wrong-type',
  'refuse/constraint': 'invalid/rejects-constraint-violation',
  'refuse/any-defect': 'invalid/rejects-any-defect',
  'refuse/any-wrong-type': 'invalid/rejects-any-wrong-type',
  'refuse/no-body': 'invalid/rejects-missing-body',
  'refuse/white-space-only': 'invalid/rejects-white-space-only',
  'refuse/truncated': 'invalid/rejects-truncated-json',
  'refuse/garbage': 'invalid/rejects-non-json',
  'refuse/several-values': 'invalid/rejects-several-values',
  'refuse/form': 'invalid/rejects-forms',
  'refuse/properties-in-the-query': 'invalid/rejects-properties-in-query',
  'refuse/any-spoilt-text': 'invalid/rejects-any-malformed-json',
  'refuse/deeply-nested': 'invalid/rejects-deep-nesting',
  'refuse/survives-huge-numbers': 'invalid/answers-huge-numbers',
  'refuse/with-status-400': 'invalid/answers-400',
  'refuse/foreign-media-type': 'invalid/rejects-other-media-types',
  'refuse/id-beyond-int64': 'invalid/rejects-id-beyond-int64',
  'refuse/invalid-utf-8': 'invalid/rejects-invalid-utf-8',
  'whole-shape/answers-any-plant': 'unconstrained/answers-any-plant',
  'whole-shape/answers-hostile-names': 'unconstrained/answers-hostile-names',
  'whole-shape/answers-hostile-tags': 'unconstrained/answers-hostile-tags',
  'whole-shape/answers-any-id': 'unconstrained/answers-any-id',
  'whole-shape/answers-undeclared-properties': 'unconstrained/answers-undeclared-properties',
  'whole-shape/answers-large-plants': 'unconstrained/answers-large-plants',
  'whole-shape/takes-any-name': 'unconstrained/accepts-any-name',
  'whole-shape/takes-any-tag': 'unconstrained/accepts-any-tag',
  'whole-shape/echoes-any-name': 'unconstrained/echoes-any-name',
  'whole-shape/echoes-any-tag': 'unconstrained/echoes-any-tag',
  'whole-shape/takes-ids-above-2^31': 'unconstrained/accepts-ids-above-2^31',
  'whole-shape/takes-ids-above-2^53': 'unconstrained/accepts-ids-above-2^53',
  'whole-shape/takes-negative-ids': 'unconstrained/accepts-negative-ids',
  'auth/decides-each-request-alone': 'auth/rejects-after-an-accepted-request',
  'auth/takes-scheme-in-any-case': 'auth/accepts-scheme-in-any-case',
  'auth/rejects-words-after-the-token': 'auth/rejects-text-after-the-token',
  'auth/refuses-with-401': 'auth/answers-401',
  'auth/challenges': 'auth/answers-with-a-challenge',
  'auth/observe-refusals': 'auth/observe-rejections',
  'observe/refusals': 'observe/rejections',
  'observe/coded-body': 'observe/compressed-body',
  'observe/odd-content-types': 'observe/unusual-content-types',
  'observe/odd-headers': 'observe/unusual-headers',
  'serving/any-sequence': 'state/answers-any-sequence',
  'serving/alternates': 'state/answers-alternating-requests',
  'serving/after-a-barrage': 'state/accepts-among-many-rejections',
  'serving/to-the-end': 'state/answers-at-the-end',
  'always/answers': 'invariants/answers',
  'always/no-server-error': 'invariants/no-server-error',
  'always/creates-ordinary-plants': 'invariants/accepts-ordinary-plants',
  'always/200-is-a-plant': 'invariants/200-is-a-plant',
  'always/400-is-json': 'invariants/400-is-json',
  'always/400-is-an-error': 'invariants/400-is-an-error',
  'always/message-says-something': 'invariants/message-is-not-empty',
  'always/keeps-internals-to-itself': 'invariants/leaks-no-internals',
  'always/keeps-the-credential-to-itself': 'invariants/leaks-no-token',
  'always/no-byte-order-mark': 'invariants/no-byte-order-mark',
  'always/405-says-what-is-allowed': 'invariants/405-carries-allow',
};

/** Renamed areas with their current names. */
const RENAMED_AREAS: Readonly<Record<string, string>> = {
  create: 'ordinary',
  refuse: 'invalid',
  'whole-shape': 'unconstrained',
  serving: 'state',
  always: 'invariants',
};

const lookUp = (names: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(names, name) ? names[name] : undefined;

/** Maximum number of renamed checks that a message lists. */
const MAX_LISTED = 3;

/**
 * Explains why an id, an area or a glob matches no check, if that is due to renaming.
 *
 * @returns a sentence without its full stop, such as "refuse/null is now called invalid/rejects-null"
 */
export function renamingOf(wanted: string): string | undefined {
  const exact = lookUp(RENAMED_IDS, wanted);
  if (exact !== undefined) return `${wanted} is now called ${exact}`;
  const [area = ''] = wanted.split('/');
  const newArea = lookUp(RENAMED_AREAS, area);
  if (newArea !== undefined) return `the area ${area} is now called ${newArea}`;
  const matching = Object.entries(RENAMED_IDS).filter(([id]) => matcherOf([wanted])(id));
  if (matching.length === 0) return undefined;
  const listed = matching.slice(0, MAX_LISTED).map(([id, now]) => `${id} is now called ${now}`);
  const more = matching.length - listed.length;
  return `${listed.join(', ')}${more > 0 ? `, and ${more} more have new names` : ''}`;
}
