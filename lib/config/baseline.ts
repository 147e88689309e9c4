import { Document } from 'yaml';
import { nearest } from '../nearest.ts';
import { visible } from '../report/explain.ts';
import { blocks, isExcused } from '../report/gate.ts';
import type { Baseline, BaselineEntry, RunRecord } from '../report/record.ts';
import type { About } from '../run/check.ts';
import { readSettings } from './settings-file.ts';

/**
 * Reads a file of known deviations.
 * @throws UsageError where an entry names no check, one that cannot fail, or one that is named already
 */
export function readBaseline(file: string, catalogue: readonly About[]): Baseline {
  const { value, refuse } = readSettings<BaselineEntry[]>(file, 'baseline.schema.json');
  const seen = new Set<string>();
  for (const [index, { id, fingerprint = '' }] of value.entries()) {
    const check = catalogue.find((one) => one.id === id);
    const close = nearest(
      id,
      catalogue.map((one) => one.id),
    );
    if (check === undefined)
      refuse(
        [index, 'id'],
        `no check is called ${id}; ${close === undefined ? '' : `name ${close}, or `}delete the entry`,
      );
    if (check?.level === 'OBSERVE') refuse([index, 'id'], `${id} only observes; delete the entry`);
    if (seen.has(`${id} ${fingerprint}`)) refuse([index], `${id} stands here twice; delete one of them`);
    seen.add(`${id} ${fingerprint}`);
  }
  return { file, entries: value };
}

/** The reason of an entry that nobody has explained yet. */
const UNEXPLAINED = 'Not explained yet.';

/**
 * The deviations that make the gate open for a record. What an earlier baseline says of those that are still
 * there is kept. A cause is named where it is the only one and the next run will meet the same requests:
 * what other kinds of checks send differs from run to run.
 */
export function baselineOf(record: RunRecord, file: string, before?: Baseline): Baseline {
  const entries = record.results
    .filter((result) => blocks(result, record))
    .flatMap((result): readonly BaselineEntry[] => {
      const { id, kind, causes } = result;
      const known = (before?.entries ?? []).filter(
        (entry) =>
          entry.id === id &&
          (entry.fingerprint === undefined ||
            causes.some((cause) => cause.fingerprint === entry.fingerprint)),
      );
      if (isExcused(result, known)) return known;
      const [only, ...others] = causes;
      return kind === 'cases' && only !== undefined && others.length === 0
        ? [{ id, reason: UNEXPLAINED, fingerprint: only.fingerprint }]
        : [{ id, reason: known[0]?.reason ?? UNEXPLAINED }];
    });
  return { file, entries };
}

/** A baseline as a file. */
export function baselineText({ entries }: Baseline, record: RunRecord): string {
  const document = new Document(entries);
  const { seed, cases } = record.options;
  document.commentBefore = [
    ` ${record.suite.name}: known deviations of ${visible(record.target.name)}; they do not close the gate.`,
    ` Made with --seed ${seed} --cases ${cases}. Checks that draw at random find what they meet: keep to a seed.`,
    ' An entry has id and reason, and may have issue, until (the last day it holds) and fingerprint.',
  ].join('\n');
  return document.toString({ lineWidth: 100 });
}
