import { renderToStaticMarkup } from 'preact-render-to-string';
import { assetsOf } from '../../report/formats/html/kit/assets.ts';
import { Shell } from '../../report/formats/html/kit/shell.tsx';
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

/** A comparison as one self-contained page, readable without a script. */
export const comparisonPage = (comparison: Comparison): string =>
  `<!doctype html>\n${renderToStaticMarkup(<Page comparison={comparison} />)}\n`;

const Page = ({ comparison }: Readonly<{ comparison: Comparison }>) => (
  <Shell
    title={resultSentence(comparison)}
    suite={comparison.suite}
    assets={assetsOf(['lib/compare/html/compare.css'], ['lib/compare/html/compare.js'])}
    sections={SECTIONS}
    skip="Skip to the result"
    class={comparison.columns.length > MIN_WIDE_COLUMNS ? 'wide' : undefined}
  >
    <Verdict comparison={comparison} />
    <Stores comparison={comparison} />
    <Causes comparison={comparison} />
    <Checks comparison={comparison} />
    <Behaviour comparison={comparison} />
    <Disagreements comparison={comparison} />
    <Latency comparison={comparison} />
    <About comparison={comparison} />
  </Shell>
);

const SECTIONS: Readonly<Record<string, string>> = {
  stores: 'Stores',
  causes: 'Causes',
  checks: 'Checks',
  behaviour: 'Behaviour',
  disagreements: 'Disagreements',
  latency: 'Times',
  compared: 'What was compared',
};
