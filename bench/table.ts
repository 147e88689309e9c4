/** The findings of one part of the benchmark. */
export interface Findings {
  readonly title: string;
  /** How the part was measured, in a sentence or two. */
  readonly method: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Conclusions from the figures. */
  readonly notes: readonly string[];
}

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const [low, high] = [
    sorted[Math.floor((sorted.length - 1) / 2)],
    sorted[Math.ceil((sorted.length - 1) / 2)],
  ];
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2;
}

/** Formats with three significant digits, or with all digits before the point. */
export const figure = (number: number): string =>
  Math.abs(number) >= 100
    ? Math.round(number).toLocaleString('en')
    : Math.abs(number) >= 10
      ? number.toFixed(1)
      : number.toFixed(2);

/** Formats a count, as an integer if possible. */
export const count = (number: number): string =>
  Number.isInteger(number) ? number.toLocaleString('en') : figure(number);

export const megabytes = (bytes: number | undefined): string =>
  bytes === undefined || Number.isNaN(bytes) ? 'not measured' : `${figure(bytes / 1e6)} MB`;

/** The median, followed by the range of all rounds. */
export const spread = (numbers: readonly number[]): string =>
  numbers.length < 2
    ? figure(median(numbers))
    : `${figure(median(numbers))} (${figure(Math.min(...numbers))} to ${figure(Math.max(...numbers))})`;

/** A Markdown table that can also be read as plain text. */
export function tableText({ columns, rows }: Pick<Findings, 'columns' | 'rows'>): string {
  const all = [columns, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = columns.map((_, at) => Math.max(3, ...all.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${widths.map((width, at) => (row[at] ?? '').padEnd(width)).join(' | ')} |`;
  const [head = [], ...body] = all;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}

/** The findings of a part, as Markdown. */
export const findingsText = (findings: Findings): string =>
  [
    `## ${findings.title}`,
    findings.method,
    tableText(findings),
    ...(findings.notes.length > 0 ? [findings.notes.map((note) => `- ${note}`).join('\n')] : []),
  ].join('\n\n');
