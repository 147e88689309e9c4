import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadOptions, run, terminalReport } from '../index.ts';
import { packageFile } from '../lib/package.ts';
import { DEFAULTS } from '../lib/run/defaults.ts';
import { estimate } from '../lib/run/plan/estimate.ts';
import { brokenStores } from '../mutants/broken/index.ts';
import { rightStores } from '../mutants/right/index.ts';
import { type RunningStore, startStore } from '../reference/store.ts';
import { ended, start } from './helpers/command.ts';
import { TOKEN, withStore } from './helpers/stores.ts';

const read = (name: string) => readFileSync(packageFile(name), 'utf8');

const blocks = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, block = '']) => block,
  );

const MAIN = packageFile('dist/cli/main.js');

const QUICK = {
  PLANT_STORE_TOKEN: 'secret',
  PLANT_STORE_CASES: '2',
  PLANT_STORE_EXPLAIN: '0',
  SUITE: `node ${MAIN}`,
};
/** The commands are under test here, not the checks: three are enough, one of which fails with the overlay of the documents. */
const PARTIAL = { PLANT_STORE_ONLY: 'invalid/rejects-*v*l*' };

/** All pages except docs/checks.md, which is generated, and docs/ci.md, whose commands test/ci.test.ts executes. */
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(packageFile('docs'))
    .filter((name) => name.endsWith('.md') && !['checks.md', 'ci.md'].includes(name))
    .map((name) => `docs/${name}`),
];

/** Whether a command is executed elsewhere: a script of package.json that is slow or rewrites files, or a line of .ci/run. */
const isElsewhere = (line: string): boolean =>
  read('.ci/run').split('\n').includes(line) ||
  Object.keys((JSON.parse(read('package.json')) as { scripts: object }).scripts).some(
    (script) => script !== 'start' && script !== 'serve' && line.split(' -- ')[0] === `npm run ${script}`,
  );

/** The lines of the shell blocks of a page, and its commands in running text. */
const commandsOf = (text: string): readonly string[] => [
  ...blocks(text, 'sh')
    .flatMap((block) => block.trim().split('\n'))
    .map((line) => line.replace(/\s+#.*$/, '')),
  ...[...text.matchAll(/`(npx plant-store-conformance [^`\n]+)`/g)].flatMap(([, line = '']) =>
    // A command that is only mentioned has no arguments.
    /^npx plant-store-conformance \w+$/.test(line) ? [] : [line],
  ),
];

const executedOf = (page: string): readonly string[] =>
  commandsOf(read(page)).filter((line) => !isElsewhere(line));

/** The exit codes against the reference store, which enforces no limits and has nothing to replay. */
const codeOf = (line: string): number =>
  line.includes('--overlay ') ? 1 : line.includes(' replay ') ? 2 : 0;

/** The command as these tests run it: with the existing build, against a store on a free port. */
const prepared = (line: string, url: string) =>
  line
    .replace('npm start --', `node ${MAIN} run`)
    .replace('npm pack', `npm pack ${packageFile('.')} --ignore-scripts`)
    .replace('node_modules/plant-store-conformance', packageFile('.'))
    .replaceAll(/http:\/\/127\.0\.0\.1:808[01]/g, url)
    .replace('--port 8080', '--port 0')
    // Instead of an hour, only some requests.
    .replace('--max-seconds 3600', '--max-seconds 3600 --max-requests 1000')
    .replace('--max-requests 20000', '--max-requests 1000')
    .replaceAll('8099', String(20_000 + Math.floor(Math.random() * 12_000)));

describe('the commands of the documents', () => {
  let store: RunningStore;
  beforeAll(async () => {
    store = await startStore({ token: 'secret' });
  });
  afterAll(() => store.stop());

  test('are found', () => {
    expect(PAGES.flatMap(executedOf).length).toBeGreaterThan(30);
  });

  describe.each(PAGES.filter((page) => executedOf(page).length > 0))('%s', (page) => {
    const text = read(page);
    let folder: string;
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
      const place = JSON.stringify(packageFile('dist/reference/store.js'));
      const options = '{ token: process.env.PLANT_STORE_TOKEN, port: Number(process.env.PORT) }';
      writeFileSync(
        join(folder, 'server.js'),
        `import(${place}).then(({ startStore }) => startStore(${options}));\n`,
      );
      writeFileSync(join(folder, 'package.json'), '{"private":true}');
      writeFileSync(join(folder, 'openapi.yaml'), read('openapi.yaml'));
      const pages = text.includes('# limits.yaml') ? [text] : [text, read('docs/own-documents.md')];
      for (const block of pages.flatMap((one) => blocks(one, 'yaml'))) {
        const name = /^# (\w+\.yaml)\n/.exec(block)?.[1];
        if (name !== undefined)
          writeFileSync(join(folder, name), block.replaceAll(/http:\/\/127\.0\.0\.1:808[01]/g, store.url));
      }
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    test.each(executedOf(page))('%s', async (line) => {
      // After the README has installed the package, its commands run unchanged.
      const installed = page === 'README.md' && existsSync(join(folder, 'node_modules'));
      const command = installed
        ? prepared(line, store.url)
        : prepared(line, store.url).replace('npx plant-store-conformance', `node ${MAIN}`);
      const serves = line.includes(' serve ');
      const isVitest = line.includes('npx vitest');
      const child = start(
        'bash',
        ['-c', serves ? `exec ${command}` : command],
        { ...QUICK, ...(line.includes(' -t ') ? {} : PARTIAL) },
        isVitest ? packageFile('.') : folder,
      );
      if (serves) child.stdout?.once('data', () => child.kill('SIGINT'));
      const { code, stderr, stdout } = await ended(child);
      expect(code, stdout + stderr).toBe(codeOf(line));
    });
  });
});

test('the snippets of the documents compile', async () => {
  const folder = mkdtempSync(packageFile('reports/readme-'));
  try {
    const snippets = PAGES.flatMap((page) => blocks(read(page), 'ts'));
    const files = snippets.map((block, index) => {
      const file = join(folder, `snippet${index}.ts`);
      writeFileSync(file, block);
      return file;
    });
    expect(files.length).toBe(2);
    const flags = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--skipLibCheck',
      '--types',
      'node',
    ];
    const tsc = packageFile('node_modules/typescript/bin/tsc');
    const { code, stdout } = await ended(
      start(process.execPath, [tsc, ...flags, '--ignoreConfig', ...files]),
    );
    expect(code, stdout).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the sample report is what the suite prints', async () => {
  await withStore('id-numeral-string', async ({ url }) => {
    const options = { baseUrl: url, token: TOKEN, seed: 1596061188, firstId: 1564445685n };
    const report = terminalReport(await run(options).record, false)
      .replaceAll(url, 'http://127.0.0.1:8080')
      .replaceAll(/(?: \\\\)?\s+/g, ' ');
    const [, sample = ''] = /```\n(plant-store-conformance 0[^`]*)```/.exec(read('README.md')) ?? [];
    const parts = sample.split(/…|\n\n/).map((part) => part.replaceAll(/\s+/g, ' ').trim());
    expect(parts.length).toBeGreaterThan(5);
    // The time that a response took varies.
    for (const part of parts.flatMap((one) => one.split(/\(\d+ ms\)/))) expect(report).toContain(part.trim());
  });
});

test('the size of the fleet is what the README says', () => {
  const [broken, right] = [brokenStores.length, rightStores.length];
  expect(read('README.md').replaceAll(/\s+/g, ' ')).toContain(
    `against ${broken} stores with one fault each, all of which it detects, and runs an eighth of the checks against each of ${right} conforming stores`,
  );
});

test('a run sends about as many requests, and creates about as many plants, as the README says', async () => {
  const match =
    /sends about ([\d,]+) requests and creates about ([\d,]+) plants/.exec(read('README.md')) ?? [];
  const [requests = 0, plants = 0] = match.slice(1).map((count) => Number(count.replace(',', '')));
  // test/compare.test.ts compares the estimate with a run.
  const estimated = await estimate(
    await loadOptions({ baseUrl: 'http://127.0.0.1:1', token: 'secret', seed: 1 }),
  );
  expect(Math.abs(estimated.requests / requests - 1)).toBeLessThan(0.1);
  expect(Math.abs(estimated.plants / plants - 1)).toBeLessThan(0.1);
});

const linksOf = (name: string): readonly string[] =>
  [...read(name).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, target = '']) =>
    join(dirname(name), target.trim()),
  );

test('every relative link has a target', () => {
  const names = [
    ...PAGES,
    'docs/ci.md',
    'ARCHITECTURE.md',
    'CHANGELOG.md',
    'SECURITY.md',
    'reports/README.md',
  ];
  for (const name of names)
    for (const target of linksOf(name))
      expect(existsSync(packageFile(target)), `${name}: ${target}`).toBe(true);
});

test('every link of a page in the package leads to something that the package contains', () => {
  const { files } = JSON.parse(read('package.json')) as { files: readonly string[] };
  const isShipped = (target: string) =>
    target === 'README.md' || files.some((one) => target === one || target.startsWith(`${one}/`));
  const others = files.filter((file) => file.endsWith('.md') && !PAGES.includes(file));
  for (const name of ['docs/ci.md', ...others, ...PAGES])
    for (const target of linksOf(name)) expect(isShipped(target), `${name}: ${target}`).toBe(true);
});

test('every anchor that a link names is a heading of its page', () => {
  const anchors = (name: string) =>
    [...read(name).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\w\s-]/g, '')
        .replaceAll(' ', '-'),
    );
  for (const name of [...PAGES, 'docs/ci.md'])
    for (const [, target = '', anchor = ''] of read(name).matchAll(/\]\(([^)#:]*)#([^)]*)\)/g))
      expect(anchors(target === '' ? name : join(dirname(name), target)), name).toContain(anchor);
});

test('the covering arrays have as many dimensions and pairs as the documents say', () => {
  const arrays = [
    ...read('docs/checks.md').matchAll(/cover all ([\d,]+) pairs of values of (\d+) dimensions/g),
  ].map(([, pairs = '', dimensions]) => [Number(pairs.replaceAll(',', '')), Number(dimensions)] as const);
  const pairs = arrays.reduce((sum, [count]) => sum + count, 0).toLocaleString('en-US');
  const dimensions = arrays.map(([, count]) => count);
  expect(arrays).toHaveLength(4);
  expect(read('docs/how-it-works.md').replaceAll(/\s+/g, ' ')).toContain(
    `the four checks have ${Math.min(...dimensions)} to ${Math.max(...dimensions)} dimensions and cover ${pairs} pairs`,
  );
});

test('the documents name the actual defaults', () => {
  expect(DEFAULTS).toMatchObject({ cases: 120, concurrency: 24, timeout: 10_000, explain: 3000 });
  expect(read('docs/how-it-works.md')).toContain('default of 120 cases');
});
