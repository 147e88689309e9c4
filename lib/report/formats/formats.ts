import type { RunRecord } from '../record/record.ts';
import { withoutCommands } from '../wording/format-text.ts';
import { badge } from './badge.ts';
import { htmlReport } from './html/page.tsx';
import { junitReport } from './junit.ts';
import { markdownReport } from './markdown.ts';
import { terminalReport } from './terminal.ts';

/** Renders JSON that may be logged. */
export const json = (record: object) => withoutCommands(`${JSON.stringify(record, null, 2)}\n`);

/** Every format is a pure function of the record and has its own file name. */
export const FORMATS = {
  terminal: { file: 'report.txt', render: (record: RunRecord) => terminalReport(record, false) },
  json: { file: 'report.json', render: json },
  html: { file: 'report.html', render: htmlReport },
  junit: { file: 'report.junit.xml', render: junitReport },
  markdown: { file: 'report.md', render: markdownReport },
  badge: { file: 'badge.svg', render: badge },
} as const;

export type Format = keyof typeof FORMATS;
