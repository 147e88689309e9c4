/** The checks that the conditional stores must fail: named here alone, so that they can be mapped to others. */
export const ACCEPTS_ORDINARY = 'combinations/accepts-ordinary-plants';
export const REJECTS_BODIES = 'combinations/rejects-invalid-bodies';
export const REJECTS_CREDENTIALS = 'combinations/rejects-invalid-credentials';
export const ANSWERS_UNCONSTRAINED = 'combinations/answers-unconstrained-plants';
export const ERROR_SHAPE = 'always/400-is-an-error';
export const ERROR_JSON = 'always/400-is-json';
export const NO_SERVER_ERROR = 'always/no-server-error';
export const ANSWERS = 'always/answers';
export const ANY_SEQUENCE = 'serving/any-sequence';
