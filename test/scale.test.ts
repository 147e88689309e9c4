import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validateWorkflow } from '@action-validator/core';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import type { RunRecord } from '../index.ts';
import { packageFile, packageText } from '../lib/package.ts';
import { ended, start } from './helpers/command.ts';
import { isJob, isVolumeClaim } from './helpers/kubernetes.ts';
import { TOKEN, withStore } from './helpers/stores.ts';

/** The shell command that runs the suite. */
const SUITE = `${process.execPath} ${packageFile('dist/cli/main.js')}`;

async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'scale-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const recordIn = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as RunRecord;

describe('shards in parallel on one machine', () => {
  test.each([
    ['reference', 0, 'conformant', {}],
    ['id-numeral-string', 1, 'nonconformant', { PLANT_STORE_ONLY: 'invalid/rejects-n*' }],
  ])('against %s end with exit code %d, as an unsharded run does', async (name, code, outcome, more) => {
    await withStore(name, ({ url }) =>
      inFolder(async (folder) => {
        const script = packageFile('docs/scale/shards.sh');
        const env = { SUITE, OUT: folder, PLANT_STORE_TOKEN: TOKEN, PLANT_STORE_CASES: '3', ...more };
        const ran = await ended(start('sh', [script, url, '3'], env, folder));
        expect(ran.code, ran.stdout + ran.stderr).toBe(code);
        const record = recordIn(folder);
        expect([record.outcome, record.options.shard]).toEqual([outcome, null]);
      }),
    );
  });
});

describe('the workflow with a matrix', () => {
  const text = packageText('docs/scale/github.yml');

  test('is valid for GitHub', () => {
    expect(validateWorkflow(text).errors).toEqual([]);
  });

  test('has as many shards as its commands name', () => {
    const workflow = parse(text) as { jobs: { shard: { strategy: { matrix: { shard: number[] } } } } };
    const { shard } = workflow.jobs.shard.strategy.matrix;
    expect(shard).toEqual(Array.from({ length: shard.length }, (_, index) => index + 1));
    expect(text).toContain(`--shard \${{ matrix.shard }}/${shard.length} `);
  });
});

describe('the jobs of Kubernetes', () => {
  const [claim, shards, merge] = parseAllDocuments(packageText('docs/scale/kubernetes.yaml')).map(
    (document): unknown => document.toJS(),
  );

  test('are valid for Kubernetes', () => {
    expect(isVolumeClaim(claim), JSON.stringify(isVolumeClaim.errors)).toBe(true);
    for (const one of [shards, merge]) expect(isJob(one), JSON.stringify(isJob.errors)).toBe(true);
  });

  /** Runs the script of a container, with a folder as its volume and the existing build of the suite. */
  async function runJob(job: unknown, folder: string, env: Readonly<Record<string, string>>) {
    const [container] = isJob(job) ? job.spec.template.spec.containers : [];
    const [script = ''] = container?.args ?? [];
    const here = script
      .replace(/^npm install .*\n/, '')
      .replaceAll('npx plant-store-conformance', SUITE)
      .replaceAll('/reports', folder)
      .replace('--cases 100000', '--cases 3');
    expect(here).not.toContain('npm');
    // The script is under test here, not the checks.
    const few = { PLANT_STORE_TOKEN: TOKEN, PLANT_STORE_ONLY: 'ordinary/*' };
    return ended(start('sh', ['-c', here], { ...env, ...few }, folder));
  }

  test('run one shard per pod, and join their records', async () => {
    const { completions = 0, completionMode = '' } = isJob(shards) ? shards.spec : {};
    expect(completionMode).toBe('Indexed');
    await withStore('reference', ({ url }) =>
      inFolder(async (folder) => {
        const indexes = Array.from({ length: completions }, (_, index) => String(index));
        for (const index of indexes) {
          const ran = await runJob(shards, folder, { PLANT_STORE_URL: url, JOB_COMPLETION_INDEX: index });
          expect(ran.code, ran.stderr).toBe(0);
        }
        const merged = await runJob(merge, folder, {});
        expect(merged.code, merged.stderr).toBe(0);
        const { outcome, options } = recordIn(folder);
        expect([outcome, options.shard]).toEqual(['partial', null]);
      }),
    );
  });
});
