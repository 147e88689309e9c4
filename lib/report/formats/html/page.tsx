import { renderToStaticMarkup } from 'preact-render-to-string';
import type { RunRecord } from '../../record/record.ts';
import { About } from './about.tsx';
import { Baseline } from './baseline.tsx';
import { Checks } from './checks.tsx';
import { Failures } from './failures.tsx';
import { assetsOf } from './kit/assets.ts';
import { Shell } from './kit/shell.tsx';
import { Latency } from './latency.tsx';
import { Profile } from './profile.tsx';
import { titleOf, Verdict } from './verdict.tsx';

/** The report of a run as one self-contained page, readable without a script. */
export const htmlReport = (record: RunRecord): string =>
  `<!doctype html>\n${renderToStaticMarkup(<Page record={record} />)}\n`;

const Page = ({ record }: Readonly<{ record: RunRecord }>) => (
  <Shell
    title={titleOf(record)}
    suite={record.suite}
    assets={assetsOf([], ['lib/report/formats/html/page.js'])}
    sections={SECTIONS}
    skip="Skip to the verdict"
  >
    <Verdict record={record} />
    <Failures record={record} />
    <Baseline record={record} />
    <Checks record={record} />
    <Profile record={record} />
    <Latency record={record} />
    <About record={record} />
  </Shell>
);

const SECTIONS: Readonly<Record<string, string>> = {
  failures: 'What to fix',
  checks: 'Every check',
  profile: 'Observed',
  latency: 'Times',
  run: 'The run',
};
