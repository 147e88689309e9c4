import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validateAction, validateWorkflow } from '@action-validator/core';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { packageFile, packageText } from '../lib/package.ts';
import { type Ended, ended, start } from './helpers/command.ts';
import { TOKEN, withStore } from './helpers/stores.ts';

const folder = () => mkdtempSync(join(tmpdir(), 'plant-store-'));

/** The code blocks below a heading of the page. */
const blocksOf = (heading: string, page = 'docs/ci.md'): string[] => {
  const section =
    packageText(page)
      .split(/^## /m)
      .find((one) => one.startsWith(heading)) ?? '';
  return [...section.matchAll(/^```\w+\n([\s\S]*?)^```/gm)].map(([, block = '']) => block);
};

const REPORTS = ['report.json', 'report.html', 'report.junit.xml', 'report.md'];

/** A project with a server, as in the examples, in its own folder. */
function project(): string {
  const cwd = folder();
  const store = JSON.stringify(packageFile('dist/reference/store.js'));
  writeFileSync(
    join(cwd, 'server.mjs'),
    `import(${store}).then(({ startStore }) => startStore({ token: process.env.PLANT_STORE_TOKEN, port: Number(process.env.PORT) }));\n`,
  );
  writeFileSync(join(cwd, 'package.json'), '{"private":true}');
  return cwd;
}

/** The commands and scripts are under test here, not the checks. */
const FEW_CHECKS = { PLANT_STORE_TOKEN: TOKEN, PLANT_STORE_CASES: '1', PLANT_STORE_ONLY: 'ordinary/*' };

const freePort = () => String(20_000 + Math.floor(Math.random() * 12_000));

/** The package as npm installs it, without files that are only in the repository. */
let tarball: string;
beforeAll(async () => {
  const where = folder();
  const { stdout } = await ended(
    start('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', where]),
  );
  const [{ filename = '' } = {}] = JSON.parse(stdout) as { filename?: string }[];
  tarball = join(where, filename);
});

describe('the action', () => {
  interface Step {
    readonly name: string;
    readonly shell: string;
    readonly run: string;
    readonly env?: Readonly<Record<string, string>>;
  }
  const action = parse(packageText('action.yml')) as {
    readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
    readonly runs: { readonly steps: readonly Step[] };
  };

  test('is valid for GitHub', () => {
    expect(validateAction(packageText('action.yml')).errors).toEqual([]);
  });

  /** Runs a step as the GitHub runner does: with expressions evaluated, and bash with its usual flags. */
  async function runStep(step: Step, inputs: Readonly<Record<string, string>>, cwd: string): Promise<Ended> {
    const inputOf = (name: string) => inputs[name] ?? action.inputs[name]?.default ?? '';
    const filled = Object.fromEntries(
      Object.entries(step.env ?? {}).map(([name, value]) => [
        name,
        value.replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, input: string) => inputOf(input)),
      ]),
    );
    expect(step.run).not.toContain('${{');
    const github = {
      GITHUB_ACTIONS: 'true',
      GITHUB_ACTION_PATH: packageFile('.'),
      GITHUB_OUTPUT: join(cwd, 'output'),
      GITHUB_STEP_SUMMARY: join(cwd, 'summary.md'),
    };
    const flags = ['--noprofile', '--norc', '-eo', 'pipefail', '-c'];
    return ended(start('bash', [...flags, step.run], { ...FEW_CHECKS, ...filled, ...github }, cwd));
  }

  test('installs and builds the suite in the folder of the action', () => {
    expect(action.runs.steps[0]?.run).toMatch(
      /^npm ci --prefix "\$GITHUB_ACTION_PATH" .*\nnpm run --prefix "\$GITHUB_ACTION_PATH" --silent build\n$/,
    );
  });

  test.each([
    ['reference', '0', 'PASSED THE SELECTED CHECKS'],
    ['always-400', '1', 'NOT CONFORMANT'],
  ])(
    'ends a run against %s with exit code %s, and writes reports, a summary and an output',
    async (name, code, verdict) => {
      const [, step] = action.runs.steps;
      if (step === undefined) throw new Error('the action has no second step');
      await withStore(name, async ({ url }) => {
        const cwd = folder();
        const ran = await runStep(step, { 'base-url': url, token: TOKEN, seed: '7' }, cwd);
        expect(String(ran.code), ran.stderr).toBe(code);
        expect(readFileSync(join(cwd, 'output'), 'utf8')).toBe(`exit-code=${code}\n`);
        for (const file of REPORTS)
          expect(readFileSync(join(cwd, 'conformance-reports', file)).length).toBeGreaterThan(500);
        expect(readFileSync(join(cwd, 'summary.md'), 'utf8')).toContain(verdict);
        expect(ran.stderr.includes('::error')).toBe(code === '1');
      });
    },
  );

  test('accepts a target with its configuration', async () => {
    const [, step] = action.runs.steps;
    if (step === undefined) throw new Error('the action has no second step');
    await withStore('reference', async ({ url }) => {
      const cwd = folder();
      writeFileSync(
        join(cwd, 'stores.yaml'),
        `targets:\n  - {name: a, baseUrl: "${url}"}\n  - {name: b, baseUrl: "${url}"}\n`,
      );
      const inputs = { target: 'b', config: 'stores.yaml', token: TOKEN };
      const { code, stdout } = await runStep(step, inputs, cwd);
      expect([code, stdout]).toEqual([0, expect.stringContaining('target    b  ')]);
    });
  });
});

describe('the examples', () => {
  // Shared by those that install the package, so that the first one installs it for all.
  const installed = project();

  test('of GitHub: the workflow is valid and uses existing inputs', () => {
    const [text = ''] = blocksOf('GitHub Actions');
    expect(validateWorkflow(text).errors).toEqual([]);
    const { inputs } = parse(packageText('action.yml')) as { inputs: object };
    const workflow = parse(text) as {
      jobs: { conformance: { steps: { id?: string; with?: object }[] } };
    };
    const step = workflow.jobs.conformance.steps.find(({ id }) => id === 'conformance');
    expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(step?.with ?? {})));
  });

  test('of GitLab: the script runs and writes the artifacts that the job names', async () => {
    const [text = ''] = blocksOf('GitLab CI');
    const { conformance } = parse(text) as {
      conformance: {
        script: string[];
        artifacts: { paths: string[]; reports: { junit: string } };
      };
    };
    const port = freePort();
    const script = conformance.script
      .join('\n')
      .replace(':8080', `:${port}`)
      .replace('node server.js', 'node server.mjs');
    const env = { ...FEW_CHECKS, SUITE: tarball, PORT: port };
    const { code, stdout, stderr } = await ended(start('bash', ['-e', '-c', script], env, installed));
    expect(code, stdout + stderr).toBe(0);
    const { paths, reports } = conformance.artifacts;
    for (const file of REPORTS)
      expect(readFileSync(join(installed, paths[0] ?? '', file)).length).toBeGreaterThan(500);
    expect(readFileSync(join(installed, reports.junit), 'utf8')).toContain('<testsuites');
  });

  test.each([
    ['reference', 0, 'the CI result is pass'],
    ['always-400', 1, 'does not conform'],
    ['always-401', 3, 'could not be judged'],
  ])('of a shell script: against %s it ends with exit code %i', async (name, wanted, message) => {
    await withStore(name, async ({ url }) => {
      const [script = ''] = blocksOf('Any other pipeline');
      const npm = existsSync(join(installed, 'node_modules')) ? 'npm() { :; }\n' : '';
      const env = { ...FEW_CHECKS, PLANT_STORE_URL: url, SUITE: tarball };
      const { code, stdout, stderr } = await ended(start('sh', ['-c', `${npm}${script}`], env, installed));
      expect(code, stdout + stderr).toBe(wanted);
      expect(stdout).toContain(message);
    });
  });

  test('of a baseline, of diff and of replay', async () => {
    await withStore('id-numeral-string', async ({ url }) => {
      const cwd = project();
      const suite = `npx() { shift; node '${packageFile('dist/cli/main.js')}' "$@"; }`;
      const env = { ...FEW_CHECKS, PLANT_STORE_ONLY: 'invalid/rejects-num*' };
      const bash = (script: string) => {
        const here = script.replaceAll('http://127.0.0.1:8080', url);
        return ended(start('bash', ['-e', '-c', `${suite}\n${here}`], env, cwd));
      };
      const [adopt = '', entry = ''] = blocksOf('Adopting', 'docs/baselines.md');
      const adopted = await bash(adopt);
      expect(adopted.code, adopted.stdout + adopted.stderr).toBe(0);
      const { entries } = parse(entry) as { entries: object[] };
      expect(Object.keys(entries[0] ?? {})).toEqual(['cause', 'reason', 'issue', 'until']);
      const [later = ''] = blocksOf('Comparing two runs', 'docs/reports.md');
      const [diff = '', replay = ''] = later.trim().split('\n');
      expect((await bash(`mkdir before && cp reports/report.json before && ${diff}`)).code).toBe(0);
      expect((await bash(replay)).code).toBe(1);
    });
  });
});
