/** The ids of the checks that catch conditional stores, defined in one place. */
export const ACCEPTS_ORDINARY = 'combinations/accepts-ordinary-plants';
export const REJECTS_BODIES = 'combinations/rejects-invalid-bodies';
export const REJECTS_CREDENTIALS = 'combinations/rejects-invalid-credentials';
export const ANSWERS_UNCONSTRAINED = 'combinations/answers-unconstrained-plants';
export const ERROR_SHAPE = 'invariants/400-is-an-error';
export const ERROR_JSON = 'invariants/400-is-json';
export const NO_SERVER_ERROR = 'invariants/no-server-error';
export const ANSWERS = 'invariants/answers';
export const ANY_SEQUENCE = 'state/answers-any-sequence';
