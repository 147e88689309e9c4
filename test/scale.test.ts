import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validateWorkflow } from '@action-validator/core';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { PersistentVolumeClaim } from 'kubernetes-models/v1/PersistentVolumeClaim';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import type { RunRecord } from '../index.ts';
import { packageFile, packageText } from '../lib/package.ts';
import { ended, start } from './command.ts';
import { TOKEN, withStore } from './stores.ts';

/** The suite as a shell calls it here. */
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

describe('parts side by side on one machine', () => {
  test.each([
    ['reference', 0, 'conformant'],
    ['id-numeral-string', 1, 'nonconformant'],
  ])('of %s end in %d, as the whole does', async (name, code, outcome) => {
    await withStore(name, ({ url }) =>
      inFolder(async (folder) => {
        const script = packageFile('docs/scale/shards.sh');
        const env = { SUITE, OUT: folder, PLANT_STORE_TOKEN: TOKEN, PLANT_STORE_CASES: '12' };
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

  test('is one that GitHub takes', () => {
    expect(validateWorkflow(text).errors).toEqual([]);
  });

  test('has as many shards as its commands say', () => {
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
  type Spec = NonNullable<ConstructorParameters<typeof Job>[0]>;

  test('are ones that Kubernetes takes', () => {
    new PersistentVolumeClaim(claim as ConstructorParameters<typeof PersistentVolumeClaim>[0]).validate();
    for (const job of [shards, merge]) new Job(job as Spec).validate();
  });

  /** Carries out what a container does, with the volumes in a folder and the suite that is built here. */
  async function carryOut(job: unknown, folder: string, env: Readonly<Record<string, string>>) {
    const [container] = (job as Spec).spec?.template.spec?.containers ?? [];
    const [script = ''] = container?.args ?? [];
    const here = script
      .replace(/^npm install .*\n/, '')
      .replaceAll('npx plant-store-conformance', SUITE)
      .replaceAll('/reports', folder)
      .replace('--cases 100000', '--cases 12');
    expect(here).not.toContain('npm');
    return ended(start('sh', ['-c', here], { ...env, PLANT_STORE_TOKEN: TOKEN }, folder));
  }

  test('carry a run out in as many parts as there are pods, and join them', async () => {
    const { completions = 0, completionMode } = (shards as Spec).spec ?? {};
    expect(completionMode).toBe('Indexed');
    await withStore('reference', ({ url }) =>
      inFolder(async (folder) => {
        const indexes = Array.from({ length: completions }, (_, index) => String(index));
        for (const index of indexes) {
          const ran = await carryOut(shards, folder, { PLANT_STORE_URL: url, JOB_COMPLETION_INDEX: index });
          expect(ran.code, ran.stderr).toBe(0);
        }
        const merged = await carryOut(merge, folder, {});
        expect(merged.code, merged.stderr).toBe(0);
        expect(recordIn(folder).outcome).toBe('conformant');
      }),
    );
  });
});
