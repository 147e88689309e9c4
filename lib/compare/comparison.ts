import { pick } from '../collections.ts';
import {
  constant,
  described,
  either,
  list,
  mapOf,
  named,
  nonNegativeInteger,
  nullable,
  type Of,
  object,
  optional,
  positiveInteger,
  text,
} from '../json-schema.ts';
import {
  about,
  body,
  CREATED,
  comparedCause,
  exitCode,
  OPTIONS,
  PROPERTIES,
  verdict,
} from '../report/record/record.ts';

/** The output of `compare`: its JSON Schema and the types derived from it, as for the record. */

const cell = named(
  'cell',
  object({
    verdict,
    cases: nonNegativeInteger,
    failed: nonNegativeInteger,
    problem: optional(text),
    expected: optional(text),
    actual: optional(text),
    reason: optional(text, 'Why it was not tested.'),
    command: optional(text),
  }),
);
export interface Cell extends Of<typeof cell> {}

const cause = named(
  'cause',
  object(comparedCause),
  'One fault of a store: what explains one failed check or many. Stores with the same fingerprint share it.',
);

const implementation = named(
  'implementation',
  object({ language: text, framework: text, version: text, note: text }),
);
export interface ImplementationInfo extends Of<typeof implementation> {}

const store = { name: text, implementation: optional(implementation) };

const run = object({
  ...store,
  state: constant('run'),
  exitCode,
  causes: described(list(cause), 'What is to be fixed, in the order in which to fix it.'),
  cells: mapOf(cell),
  // Comparisons of earlier versions did not list the ids.
  created: optional(object({ ...CREATED, ids: optional(CREATED.ids) })),
  ...pick(PROPERTIES, 'target', 'outcome', 'stop', 'advice', 'summary'),
  ...pick(PROPERTIES, 'latency', 'observations', 'requests', 'seconds'),
});

const notRun = object({ ...store, state: constant('not-run'), reason: text });

const column = either(run, notRun);
/** A store: the results of its run, or the reason why it was not run. */
export type Column = Of<typeof column>;

const answer = named(
  'answer',
  object({
    name: text,
    status: optional(nonNegativeInteger),
    contentType: optional(text),
    body: optional(body),
    fault: optional(text),
  }),
);
export interface Answer extends Of<typeof answer> {}

const disagreement = named(
  'disagreement',
  object({
    label: text,
    request: object({ contentType: text, body, command: text }),
    payloads: described(positiveInteger, 'How many payloads divide the stores in this way.'),
    shrinks: nonNegativeInteger,
    ways: described(
      list(object({ signature: text, answers: list(answer, { minItems: 1 }) }), { minItems: 2 }),
      'The different answers, that of the most stores first.',
    ),
  }),
);
/** A shrunk payload on which stores disagree, and the answer of each. */
export interface Disagreement extends Of<typeof disagreement> {}

export const COMPARISON = object({
  ...pick(PROPERTIES, 'schemaVersion'),
  kind: constant('comparison'),
  ...pick(PROPERTIES, 'suite', 'document'),
  options: object(pick(OPTIONS, 'seed', 'cases', 'thorough', 'strict')),
  ...pick(PROPERTIES, 'startedAt', 'seconds'),
  exitCode,
  checks: list(object(about), { minItems: 1 }),
  columns: list(column, { minItems: 1 }),
  differential: described(
    nullable(
      object({
        payloads: described(nonNegativeInteger, 'Payloads that every store was sent.'),
        disagreements: list(disagreement),
        more: described(nonNegativeInteger, 'Disagreements beyond those listed.'),
      }),
    ),
    'Null for a comparison of saved records.',
  ),
});
export interface Comparison extends Of<typeof COMPARISON> {}
