import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { packageFile, packageText } from '../lib/package.ts';
import { ended, start } from './helpers/command.ts';

interface Manifest {
  readonly license?: string;
  readonly engines?: { readonly node?: string };
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** One package of a lock file. */
interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly inBundle?: boolean;
  readonly hasInstallScript?: boolean;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly engines?: { readonly node?: string };
}

const json = (file: string): unknown => JSON.parse(packageText(file));

/** The packages of a lock file, by installation folder. */
const lockedIn = (file: string): [place: string, locked: Locked][] => {
  const { packages } = json(file) as { packages: Readonly<Record<string, Locked>> };
  return Object.entries(packages).filter(([place]) => place !== '');
};

const own = json('package.json') as Manifest;
const locked = lockedIn('package-lock.json');
/** Packages that users install together with this one. */
const runtime = locked.filter(([, { dev }]) => dev !== true);
const manifestOf = (place: string) => json(`${place}/package.json`) as Manifest;

/** Licences that only require attribution. */
const PERMISSIVE = ['MIT', 'ISC', 'BSD-3-Clause', 'Python-2.0'];

/** Licences of development tools, which are not distributed with the package. */
const TOOL_LICENCES = [
  ...PERMISSIVE,
  'BSD-2-Clause',
  'CC0-1.0',
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'MIT OR Apache-2.0',
  'MPL-2.0',
];

/** Exceptions: a program that a test runs and data that a tool reads, neither linked nor distributed. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'node_modules/@action-validator/core': 'GPL-3.0-only',
  'node_modules/caniuse-lite': 'CC-BY-4.0',
};

describe.each(['package-lock.json', 'test/mutation/package-lock.json'])(
  'every package that %s locks',
  (file) => {
    const all = lockedIn(file);

    test('comes from the registry, with a hash of its content', () => {
      expect(all.length).toBeGreaterThan(20);
      const strange = all.filter(
        ([, one]) =>
          one.link === true ||
          one.inBundle === true ||
          !/^sha512-/.test(one.integrity ?? '') ||
          // Without a URL, npm uses the configured registry.
          one.resolved !== undefined,
      );
      expect(strange).toEqual([]);
    });

    test('has a known licence', () => {
      const strange = all.filter(
        ([place, { license = '' }]) => !TOOL_LICENCES.includes(license) && EXCEPTIONS[place] !== license,
      );
      expect(strange.map(([place, { license }]) => `${place}: ${license}`)).toEqual([]);
    });
  },
);

describe('the packages that users install', () => {
  test('are all installed here', () => {
    expect(runtime.length).toBeGreaterThanOrEqual(Object.keys(own.dependencies ?? {}).length);
    for (const [place] of runtime) expect(existsSync(packageFile(place)), place).toBe(true);
  });

  test('run no install scripts', () => {
    // The lock file of a mirror may omit this flag, so the packages themselves are checked too.
    const running = runtime.filter(([place, { hasInstallScript }]) => {
      const scripts = Object.keys(manifestOf(place).scripts ?? {});
      const native = existsSync(packageFile(`${place}/binding.gyp`));
      return (
        hasInstallScript === true || native || scripts.some((name) => /^(?:pre|post)?install$/.test(name))
      );
    });
    expect(running.map(([place]) => place)).toEqual([]);
  });

  test('have a licence that only requires attribution, in the lock file and in their manifest', () => {
    for (const [place, { license }] of runtime) {
      expect(PERMISSIVE, place).toContain(license);
      expect(manifestOf(place).license, place).toBe(license);
    }
    const used = runtime.map(([, { license }]) => license);
    expect(PERMISSIVE.filter((license) => !used.includes(license))).toEqual([]);
  });

  test.each(['20.19.0', '20.20.2', '22.12.0', '24.0.0'])('run on Node %s', (version) => {
    for (const [place, { engines }] of [['this', own] as const, ...runtime])
      expect(satisfies(engines?.node ?? '*', version), `${place}: ${engines?.node}`).toBe(true);
  });
});

describe('this package', () => {
  test('names exact versions', () => {
    for (const manifest of [own, json('test/mutation/package.json') as Manifest]) {
      const versions = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
      expect(versions.length).toBeGreaterThan(0);
      for (const [name, version] of versions) expect(version, name).toMatch(/^\d+\.\d+\.\d+$/);
    }
  });

  test('is locked at the versions that it names', () => {
    const versions = new Map(locked.map(([place, { version }]) => [place, version]));
    for (const [name, version] of Object.entries({ ...own.dependencies, ...own.devDependencies }))
      expect(versions.get(`node_modules/${name}`), name).toBe(version);
  });

  test('has no install scripts: prepack is for npm pack', () => {
    const names = Object.keys(own.scripts ?? {});
    expect(names.filter((name) => /install\b|prepare|publish|^postpack/.test(name))).toEqual([]);
  });

  test('contains SECURITY.md, and neither tests nor reports', async () => {
    const { stdout } = await ended(start('npm', ['pack', '--dry-run', '--ignore-scripts', '--json']));
    const [{ files = [] } = {}] = JSON.parse(stdout) as { files?: { path: string }[] }[];
    const paths = files.map(({ path }) => path);
    expect(paths).toContain('SECURITY.md');
    expect(paths.filter((path) => /^(?:test|node_modules|reports)\//.test(path))).toEqual([]);
  });

  test('gives a reason for each dependency in CONTRIBUTING.md, and for no other', () => {
    const [, section = ''] = packageText('CONTRIBUTING.md').split('## Dependencies\n');
    const rows = [...section.matchAll(/^\| `([^`]+)` +\| (.*\S) +\|$/gm)];
    const reasons = Object.fromEntries(rows.map(([, name = '', reason = '']) => [name, reason]));
    expect(Object.keys(reasons)).toEqual(Object.keys(own.dependencies ?? {}));
    for (const [name, reason] of Object.entries(reasons))
      expect(reason.split(' ').length, name).toBeGreaterThan(3);
  });
});

/** Whether a range contains a version. Supports only the forms of ranges that occur here; throws for others. */
function satisfies(range: string, version: string): boolean {
  const numbers = (text: string) => [0, 1, 2].map((place) => Number(text.split('.')[place] ?? 0));
  const [major = 0, minor = 0, patch = 0] = numbers(version);
  return range.split('||').some((part) => {
    const [, sign, least = ''] = /^(\^|>=) ?(\d+(?:\.\d+){0,2})$/.exec(part.trim()) ?? [];
    if (part.trim() === '*') return true;
    if (sign === undefined) throw new Error(`unsupported form of version range: ${range}`);
    const [a = 0, b = 0, c = 0] = numbers(least);
    if (major !== a) return sign === '>=' && major > a;
    return minor > b || (minor === b && patch >= c);
  });
}

test.each([
  ['>=20.19.0', '20.19.0', true],
  ['>=20.19.0', '20.18.9', false],
  ['>= 14.6', '20.0.0', true],
  ['^20.19.0 || >=22.12.0', '21.0.0', false],
  ['^20.19.0 || >=22.12.0', '22.12.1', true],
  ['^12.20.0 || >=16', '13.0.0', false],
])('the range %s, the version %s: %s', (range, version, expected) => {
  expect(satisfies(range, version)).toBe(expected);
});
