import { page } from '../../report/formats/html/kit/page.tsx';
import type { Comparison } from '../comparison.ts';
import { resultSentence } from '../result.ts';
import { About } from './about.tsx';
import { Behaviour } from './behaviour.tsx';
import { Causes } from './causes.tsx';
import { Checks } from './checks.tsx';
import { Disagreements } from './disagreements.tsx';
import { Latency } from './latency.tsx';
import { MIN_WIDE_COLUMNS } from './page-parts.tsx';
import { Stores } from './stores.tsx';
import { Verdict } from './verdict.tsx';

export const comparisonPage = (comparison: Comparison): string =>
  page({
    title: resultSentence(comparison),
    suite: comparison.suite,
    files: ['lib/compare/html/compare.css', 'lib/compare/html/compare.js'],
    sections: {
      stores: 'Stores',
      causes: 'Causes',
      checks: 'Checks',
      behaviour: 'Behaviour',
      disagreements: 'Disagreements',
      latency: 'Times',
      compared: 'What was compared',
    },
    skip: 'Skip to the result',
    class: comparison.columns.length >= MIN_WIDE_COLUMNS ? 'wide' : undefined,
    children: [Verdict, Stores, Causes, Checks, Behaviour, Disagreements, Latency, About].map((Part) => (
      <Part comparison={comparison} />
    )),
  });
