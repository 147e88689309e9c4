import { ownSchema } from '../../own-schemas.ts';
import { readText } from '../../read-text.ts';
import { presentId } from '../../renamed-ids.ts';
import { UsageError } from '../../usage-error.ts';
import { visible } from '../wording/text.ts';
import { coarseFingerprint, problemText } from './fingerprint.ts';
import type { EntryState, RecordedResult, RunRecord } from './record.ts';
import { withUnexplained } from './unexplained.ts';

/** Many times the size of what this suite writes. */
const MAX_MEGABYTES = 64;

/**
 * Reads a record that a run has written.
 * @throws UsageError if it cannot be read, is not a record, or has a later schema version
 */
export const readRecord = (file: string): RunRecord => recordIn(readSaved(file), file);

/**
 * Validates the parsed content of a file as a record.
 * @throws UsageError if it is not one
 */
export function recordIn(value: unknown, file: string): RunRecord {
  const schema = 'lib/report/record/record.schema.json';
  const record = validated<RunRecord>(withCauses(renamed(value)), file, schema, 'the record of a run');
  return { ...record, causes: withUnexplained(record.causes, record.results) };
}

/** Earlier versions recorded no causes but those of each check. */
const withCauses = (value: unknown): unknown =>
  isFields(value) && !Object.hasOwn(value, 'causes') ? { ...value, causes: [] } : value;

const STATES = new Map<unknown, EntryState>([
  ['excuses', 'known'],
  ['mended', 'stale'],
  ['past', 'expired'],
  ['unseen', 'not-evaluated'],
]);

const KINDS = new Map<unknown, RecordedResult['kind']>([
  ['standing', 'invariant'],
  ['procedure', 'scenario'],
]);

type Fields = Record<string, unknown>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const fieldsIn = (list: unknown): readonly Fields[] =>
  Array.isArray(list) ? (list as unknown[]).filter(isFields) : [];

/** A record with the keys, values and check ids of this version; the schema rejects values of the wrong type. */
function renamed(value: unknown): unknown {
  if (!isFields(value)) return value;
  const record = withKey(value, 'gate', 'ciResult');
  const fingerprints = new Map<unknown, string>();
  record.results = eachWithKey(record.results, 'causes', 'problems');
  for (const result of fieldsIn(record.results)) {
    for (const list of ['problems', 'exchanges'])
      result[list] = eachWithKey(result[list], 'cause', 'problem');
    for (const [old, present] of renamedFingerprints(result)) fingerprints.set(old, present);
    for (const problem of fieldsIn(result.problems))
      problem.fingerprint = fingerprints.get(problem.fingerprint) ?? problem.fingerprint;
    for (const key of ['id', 'blockedBy']) renameCheck(result, key);
    if (KINDS.has(result.kind)) result.kind = KINDS.get(result.kind);
    for (const exchange of fieldsIn(result.exchanges))
      for (const one of [exchange, ...fieldsIn(exchange.before)])
        if (isFields(one.request)) one.request = withKey(one.request, 'verbatim', 'rawBytes');
  }
  const baseline = isFields(record.ciResult) ? record.ciResult.baseline : undefined;
  for (const entry of fieldsIn(isFields(baseline) ? baseline.entries : undefined)) {
    const { id, remedy, fingerprint, fingerprints: several, checks } = entry;
    if (typeof id === 'string' && typeof remedy === 'string')
      entry.remedy = remedy.replaceAll(id, presentId(id));
    renameCheck(entry, 'id');
    if (STATES.has(entry.state)) entry.state = STATES.get(entry.state);
    if (fingerprints.has(fingerprint)) entry.fingerprint = fingerprints.get(fingerprint);
    if (Array.isArray(several))
      entry.fingerprints = (several as unknown[]).map((one) => fingerprints.get(one) ?? one);
    if (isFields(checks))
      entry.checks = Object.fromEntries(
        Object.entries(checks).map(([check, names]) => [
          presentId(check),
          typeof names === 'string' ? names.replace(/\S+/g, (one) => fingerprints.get(one) ?? one) : names,
        ]),
      );
  }
  return record;
}

/** The same fields in the same order, one of them under its present name. */
export const withKey = (fields: Fields, old: string, present: string): Fields =>
  Object.hasOwn(fields, old)
    ? Object.fromEntries(Object.entries(fields).map(([key, value]) => [key === old ? present : key, value]))
    : fields;

const eachWithKey = (list: unknown, old: string, present: string): unknown =>
  Array.isArray(list) ? list.map((one: unknown) => (isFields(one) ? withKey(one, old, present) : one)) : list;

function renameCheck(fields: Fields, key: string): void {
  const id = fields[key];
  if (typeof id === 'string') fields[key] = presentId(id);
}

/** Fingerprints depend on the id of their check: those of a renamed check, each with the one under its present id. */
function renamedFingerprints({ id, problems }: Fields): readonly (readonly [old: string, present: string])[] {
  if (typeof id !== 'string' || presentId(id) === id) return [];
  return fieldsIn(problems).flatMap(({ problem, request }) => {
    if (typeof problem !== 'string') return [];
    const texts = typeof request === 'string' ? [problem, problemText({ problem, request })] : [problem];
    return texts.map(
      (text) =>
        [
          coarseFingerprint(id, { problem: text }),
          coarseFingerprint(presentId(id), { problem: text }),
        ] as const,
    );
  });
}

/**
 * Reads JSON that this suite has written.
 * @throws UsageError if it cannot be read or has a later schema version
 */
export function readSaved(file: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(readText(file, MAX_MEGABYTES));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UsageError(
      code === 'ENOENT'
        ? `${file} does not exist; a run writes one with --out DIR`
        : `${file} cannot be read: ${visible(message)}`,
    );
  }
  const version = (value as { schemaVersion?: unknown } | null)?.schemaVersion;
  if (typeof version === 'number' && version > 1)
    throw new UsageError(
      `${file} has schema version ${version}, but this is an older suite, which reads only version 1; update the suite`,
    );
  return value;
}

/**
 * Validates a value against a schema of the package.
 * @throws UsageError with the first violation
 */
export function validated<T>(value: unknown, file: string, schema: string, what: string): T {
  const validate = ownSchema<T>(schema);
  if (validate(value)) return value;
  const [error] = validate.errors ?? [];
  throw new UsageError(
    `${file} is not ${what}: ${error?.instancePath || '(root)'} ${error?.message ?? ''}; pass a file that the suite has written`,
  );
}
