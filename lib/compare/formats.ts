import { json } from '../report/formats/formats.ts';
import type { Comparison } from './comparison.ts';
import { comparisonPage } from './html/page.tsx';
import { comparisonMarkdown } from './markdown.ts';
import { comparisonText } from './terminal.ts';

/** Every format is a pure function of the comparison, and has its own file name. */
export const COMPARISON_FORMATS = {
  terminal: { file: 'comparison.txt', render: (comparison: Comparison) => comparisonText(comparison) },
  json: { file: 'comparison.json', render: json },
  html: { file: 'comparison.html', render: comparisonPage },
  markdown: { file: 'comparison.md', render: comparisonMarkdown },
} as const;
