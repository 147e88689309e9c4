import type { RunRecord } from '../../record/record.ts';
import { About } from './about.tsx';
import { Baseline } from './baseline.tsx';
import { Checks } from './checks.tsx';
import { Failures } from './failures.tsx';
import { page } from './kit/page.tsx';
import { Latency } from './latency.tsx';
import { Profile } from './profile.tsx';
import { titleOf, Verdict } from './verdict.tsx';

export const htmlReport = (record: RunRecord): string =>
  page({
    title: titleOf(record),
    suite: record.suite,
    files: ['lib/report/formats/html/page.js'],
    sections: {
      failures: 'What to fix',
      checks: 'Every check',
      profile: 'Observed',
      latency: 'Times',
      run: 'The run',
    },
    skip: 'Skip to the verdict',
    children: [Verdict, Failures, Baseline, Checks, Profile, Latency, About].map((Part) => (
      <Part record={record} />
    )),
  });
