import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Comparison } from '../lib/compare/comparison.ts';
import { COMPARISON_FORMATS } from '../lib/compare/formats.ts';
import { summaryTable } from '../lib/compare/markdown.ts';
import { readEither } from '../lib/compare/read-comparison.ts';
import { packageFile, packageText } from '../lib/package.ts';

const folders = readdirSync(packageFile('implementations'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(`${entry.parentPath}/${entry.name}/about.yaml`))
  .map(({ name }) => name);

const aboutOf = (folder: string) =>
  parse(packageText(`implementations/${folder}/about.yaml`)) as Record<string, unknown>;

/** Files that pin the dependencies of an implementation; the standard library of Go needs only go.mod. */
const LOCKS = ['package-lock.json', 'requirements.txt', 'go.sum', 'go.mod', 'Cargo.lock', 'pom.xml'];

const published = (() => {
  const saved = readEither(packageFile('reports/implementations.json'));
  if (saved.kind !== 'comparison') throw new Error('reports/implementations.json is not a comparison');
  return saved.comparison;
})();

describe('each implementation', () => {
  test.each(folders)('%s describes itself and how to install it, and pins its dependencies', (folder) => {
    const about = aboutOf(folder);
    for (const key of ['title', 'language', 'framework', 'version', 'install', 'start', 'note'])
      expect(about[key], key).toMatch(/\S/);
    expect(about.needs).toEqual(expect.arrayContaining([expect.any(String)]));
    expect(LOCKS.some((file) => existsSync(packageFile(`implementations/${folder}/${file}`)))).toBe(true);
    expect(packageText('implementations/README.md')).toContain(`(${folder})`);
  });

  test('is a column of the published comparison', () => {
    expect(published.columns.map(({ name }) => name).sort()).toEqual(
      folders.map((folder) => aboutOf(folder).title).sort(),
    );
  });
});

describe('the published comparison', () => {
  test.each(['json', 'markdown', 'html'] as const)('as %s is generated from the record', (format) => {
    const file = { json: 'json', markdown: 'md', html: 'html' }[format];
    const whole: Comparison = published;
    expect(COMPARISON_FORMATS[format].render(whole)).toBe(
      readFileSync(packageFile(`reports/implementations.${file}`), 'utf8'),
    );
  });

  test('is the table of docs/comparing.md', () => {
    const [, table] =
      /<!-- implementations -->\n([\s\S]*?)\n<!--/.exec(packageText('docs/comparing.md')) ?? [];
    expect(table).toBe(summaryTable(published));
  });

  test('has the checks of this catalogue', () => {
    const { checks } = published;
    const ids = packageText('docs/checks.md').match(/^### \S+$/gm) ?? [];
    expect(checks.map(({ id }) => `### ${id}`)).toEqual(ids);
  });

  test('has a finding for every failure', () => {
    const sections = packageText('implementations/FINDINGS.md').split(/^## /m).slice(1);
    for (const column of published.columns) {
      const section = sections.find((one) => one.startsWith(`${column.name}\n`)) ?? '';
      expect(section, column.name).not.toBe('');
      if (column.state !== 'run') continue;
      const failed = Object.entries(column.cells).filter(([, { verdict }]) => verdict === 'fail');
      const missing = failed.map(([id]) => id).filter((id) => !section.includes(`\`${id}\``));
      expect(missing, column.name).toEqual([]);
    }
  });
});
