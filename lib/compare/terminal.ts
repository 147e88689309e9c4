import { documentName } from '../report/document.ts';
import { leftBehind, type Paint, short } from '../report/explain.ts';
import type { Column, Comparison, Disagreement } from './comparison.ts';
import { differing, differingObservations, kinds, MARKS, ran, reasonOf, verdictOf } from './table.ts';

/** Disagreements that are shown. */
const SHOWN = 8;

/** Several stores side by side, for a person at a terminal. Ends with a line feed. */
export function comparisonText(comparison: Comparison, paint: Paint): string {
  const { suite, document, options, checks, columns, differential } = comparison;
  const rows = differing(comparison);
  const moved = differingObservations(comparison).length;
  return `${[
    paint('bold', `${suite.name} ${suite.version}`),
    `document  ${documentName(document, (file) => short(file, 200))}, version ${short(document.version, 40)}, sha256 ${document.sha256.slice(0, 12)}`,
    `run       --seed ${options.seed} --cases ${options.cases}${options.thorough === true ? ' --thorough' : ''}; ${columns.length} stores`,
    '',
    ...summary(columns, paint),
    '',
    ...(rows.length === 0
      ? ['All checks came out alike.']
      : [
          paint('bold', `${rows.length} of ${checks.length} checks did not come out alike`),
          `   columns as above: ${Object.entries(MARKS)
            .map(([verdict, mark]) => `${mark} ${verdict}`)
            .join(', ')}`,
          ...matrix(comparison, rows, paint),
        ]),
    '',
    `${moved} things that the interface leaves open are done differently (--format html --out DIR shows them side by side)`,
    ...(differential === null ? [] : ['', ...disagreements(differential, paint)]),
    ...left(columns),
  ].join('\n')}\n`;
}

function summary(columns: readonly Column[], paint: Paint): string[] {
  const names = columns.map(({ name }) => short(name, 32));
  const width = Math.max(5, ...names.map(({ length }) => length));
  const rows = columns.map((column, index) => {
    const number = String(index + 1).padStart(3);
    const name = (names[index] ?? '').padEnd(width);
    const verdict = verdictOf(column);
    const told = paint(
      ({ conformant: 'green', partial: 'yellow', 'not conformant': 'red' } as const)[
        verdict as 'conformant'
      ] ?? 'magenta',
      verdict.padEnd(20),
    );
    if (column.state === 'not-run' || column.stop !== null)
      return `${number}  ${name}  ${told}${short(reasonOf(column) ?? '', 120)}`;
    const { MUST, SHOULD } = column.summary;
    const numbers = [MUST.pass, MUST.fail, MUST.untestable, SHOULD.pass, SHOULD.fail];
    const counts = numbers.map((count, place) => String(count).padStart(place === 3 ? 9 : 7));
    const median = column.latency === null ? '' : column.latency.median.toFixed(1);
    return `${number}  ${name}  ${told}${counts.join('')}${median.padStart(9)}`;
  });
  const heads = ['MUST +', 'F', '?', 'SHOULD +', 'F']
    .map((head, place) => head.padStart(place === 3 ? 9 : 7))
    .join('');
  return [
    paint('dim', `     ${'store'.padEnd(width)}  ${'verdict'.padEnd(20)}${heads}${'ms'.padStart(9)}`),
    ...rows,
  ];
}

const leftSome = ({ plants = 0 }: { readonly plants?: number }): boolean => plants > 0;

/** What each of the stores was left with. */
function left(columns: readonly Column[]): string[] {
  const lines = columns.flatMap((column) =>
    column.state === 'run' && column.created !== undefined && leftSome(column.created)
      ? [`   ${short(column.name, 32)}: ${leftBehind(column.created)}`]
      : [],
  );
  return lines.length === 0 ? [] : ['', 'Left behind in the stores', ...lines];
}

function matrix(comparison: Comparison, rows: readonly string[], paint: Paint): string[] {
  const columns = ran(comparison);
  const numbers = columns.map((column) => comparison.columns.indexOf(column) + 1);
  const width = Math.max(...rows.map(({ length }) => length));
  return [
    paint(
      'dim',
      `   ${''.padEnd(width)}        ${numbers.map((number) => String(number).padStart(3)).join('')}`,
    ),
    ...rows.map((id) => {
      const level = comparison.checks.find((check) => check.id === id)?.level ?? '';
      const cells = columns.map(({ cells: own }) => MARKS[own[id]?.verdict ?? 'skipped'].padStart(3));
      return `   ${id.padEnd(width)}  ${level.padEnd(6)}${cells.map((cell) => (cell.endsWith('F') ? paint('red', cell) : cell)).join('')}`;
    }),
  ];
}

function disagreements(
  { payloads, disagreements: list, more }: NonNullable<Comparison['differential']>,
  paint: Paint,
): string[] {
  if (list.length === 0) return [`${payloads} generated payloads were answered alike by all.`];
  const left = list.length - SHOWN + more;
  return [
    paint('bold', `${kinds(list.length + more)} of disagreement among ${payloads} generated payloads`),
    ...list.slice(0, SHOWN).flatMap((one) => ['', ...told(one)]),
    ...(left > 0 ? ['', `and ${left} more`] : []),
  ];
}

function told({ label, request, payloads, ways }: Disagreement): string[] {
  const body = 'text' in request.body ? short(request.body.text, 160) : `(${request.body.bytes} bytes)`;
  return [
    `   ${short(label, 100)}: ${body}  (${payloads} ${payloads === 1 ? 'payload' : 'payloads'})`,
    ...ways.map(
      ({ signature, answers }) =>
        `     ${signature}: ${answers.map(({ name, status }) => `${short(name, 32)}${status === undefined ? '' : ` ${status}`}`).join(', ')}`,
    ),
  ];
}
