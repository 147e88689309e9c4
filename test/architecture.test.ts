import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from '@babel/parser';
import type { Node } from '@babel/types';
import { describe, expect, test } from 'vitest';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const read = (file: string) => readFileSync(`${ROOT}/${file}`, 'utf8');

interface Import {
  readonly from: string;
  /** A file of the project, or the name of a package or of a module of Node. */
  readonly to: string;
  /** Erased by the compiler. */
  readonly typeOnly: boolean;
}

/** The binding to vitest, applied to the reference store: it is in suites/ but uses an entry point. */
const BINDING = 'suites/conformance.test.ts';
const TOP = ['index.ts', 'vitest.ts'];

const sources: readonly string[] = [
  ...['lib', 'suites', 'cli', 'reference'].flatMap((folder) =>
    readdirSync(`${ROOT}/${folder}`, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /(?<!\.d)\.tsx?$/.test(entry.name))
      .map((entry) => relative(ROOT, `${entry.parentPath}/${entry.name}`).split(sep).join('/')),
  ),
  ...TOP,
].filter((file) => file !== BINDING);

function importsOf(from: string, text: string): Import[] {
  const one = (specifier: string, typeOnly: boolean): Import => ({
    from,
    to: specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : packageOf(specifier),
    typeOnly,
  });
  const { program } = parse(text, {
    sourceType: 'module',
    createImportExpressions: true,
    plugins: from.endsWith('x') ? ['typescript', 'jsx'] : ['typescript'],
  });
  return [
    ...nodesIn(program).flatMap((node): Import[] => {
      switch (node.type) {
        case 'ImportDeclaration':
          return [
            one(node.source.value, node.importKind === 'type' || areTypes(node.specifiers, 'importKind')),
          ];
        case 'ExportNamedDeclaration':
          return node.source == null
            ? []
            : [one(node.source.value, node.exportKind === 'type' || areTypes(node.specifiers, 'exportKind'))];
        case 'ExportAllDeclaration':
          return [one(node.source.value, node.exportKind === 'type')];
        case 'ImportExpression':
          return node.source.type === 'StringLiteral' ? [one(node.source.value, false)] : [];
        default:
          return [];
      }
    }),
    // The compiler adds an import for JSX.
    ...(from.endsWith('x') ? [one('preact', false)] : []),
  ];
}

const areTypes = (specifiers: readonly object[], kind: string): boolean =>
  specifiers.length > 0 && specifiers.every((one) => kind in one && Object(one)[kind] === 'type');

/** A node and all nodes below it. */
function nodesIn(node: Node): readonly Node[] {
  const below = Object.values(node).flat().filter(isNode);
  return [node, ...below.flatMap(nodesIn)];
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value;

function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

const imports = sources.flatMap((file) => importsOf(file, read(file)));
const internal = imports.filter(({ to }) => /\.tsx?$/.test(to));
const external = imports.filter(({ to }) => !/\.tsx?$/.test(to));

/** The folder of a file, as ARCHITECTURE.md lists it: `lib/judge`, `lib`, `suites`, or a file of the top level. */
function folderOf(file: string): string {
  const parts = file.split('/');
  if (parts.length === 1) return file;
  return parts[0] === 'lib' && parts.length > 2 ? `lib/${parts[1]}` : (parts[0] ?? '');
}

const text = ({ from, to, typeOnly }: Import) => `${from} -> ${to}${typeOnly ? ' (types)' : ''}`;

/** The names in backticks in a column of the rows of a table whose head begins with `title`. */
function column(title: string, index: number): ReadonlyMap<string, readonly string[]> {
  const lines = read('ARCHITECTURE.md').split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${title}`));
  if (start < 0) throw new Error(`ARCHITECTURE.md has no table of ${title}`);
  const rows = lines.slice(start + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return new Map(
    rows.slice(0, end).flatMap((line) => {
      const cells = line.split('|').map((cell) => cell.trim());
      const names = [...(cells[index] ?? '').matchAll(/`([^`]+)`(?: \(types\))?/g)].map(([whole, name]) =>
        whole.endsWith('(types)') ? `${name} (types)` : (name ?? ''),
      );
      return [...(cells[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => [name, names] as const);
    }),
  );
}

const allowed = column('folder', 3);
const packages = column('package', 2);
const parts = column('part', 2);

/** Whether an entry of a row, such as `lib/judge`, `lib/groups.ts` or `lib/wire (types)`, allows an import. */
function allows(entry: string, { to, typeOnly }: Import): boolean {
  const path = entry.replace(' (types)', '');
  return (typeOnly || path === entry) && (to === path || folderOf(to) === path);
}

describe('the table of folders in ARCHITECTURE.md', () => {
  test('has a row for every folder', () => {
    expect(sources.length).toBeGreaterThan(100);
    expect([...allowed.keys()]).toEqual(expect.arrayContaining([...new Set(sources.map(folderOf))]));
  });

  test.each([...new Set(sources.map(folderOf))])('%s imports only what its row allows', (folder) => {
    const row = allowed.get(folder) ?? [];
    const others = internal.filter(({ from, to }) => folderOf(from) === folder && folderOf(to) !== folder);
    expect(others.filter((one) => !row.some((entry) => allows(entry, one))).map(text)).toEqual([]);
    expect(row.filter((entry) => !others.some((one) => allows(entry, one)))).toEqual([]);
  });

  test('resolves every import to a source file', () => {
    expect(internal.filter(({ to }) => !sources.includes(to)).map(text)).toEqual([]);
  });

  test('the parser distinguishes types from values', () => {
    const source = `import a, { type B } from './a.ts'; import type { C } from './c.ts'; import { type D } from './d.ts';
      export { e } from './e.ts'; export type { F } from './f.ts'; export * from './g.ts'; await import('./h.ts');`;
    expect(importsOf('lib/x/x.ts', source).map(({ to, typeOnly }) => [to.at(-4), typeOnly])).toEqual([
      ['a', false],
      ['c', true],
      ['d', true],
      ['e', false],
      ['f', true],
      ['g', false],
      ['h', false],
    ]);
  });
});

describe('the table of parts in ARCHITECTURE.md', () => {
  test('has a row for every part of lib/run, lib/explain and lib/report', () => {
    const below = sources.map((file) => /^lib\/(?:run|explain|report)\/[^/]+(?=\/)/.exec(file)?.[0]);
    expect([...parts.keys()].sort()).toEqual([...new Set(below.filter((one) => one !== undefined))].sort());
  });

  test('lists the parts of lib/explain in the order in which they may call one another', () => {
    const order = [...parts.keys()].filter((part) => part.startsWith('lib/explain/'));
    const independent = order.slice(-4);
    const partOf = (file: string) => order.find((part) => file.startsWith(`${part}/`));
    const upward = internal.filter(({ from, to, typeOnly }) => {
      const [caller, called] = [partOf(from), partOf(to)];
      if (caller === undefined || typeOnly || caller === called) return false;
      if (called === undefined) return to.startsWith('lib/explain/');
      const areBothLast = independent.includes(caller) && independent.includes(called);
      return areBothLast || order.indexOf(called) > order.indexOf(caller);
    });
    expect(order.length).toBeGreaterThan(5);
    expect(upward.map(text)).toEqual([]);
  });
});

describe('the table of packages in ARCHITECTURE.md', () => {
  const named = external.filter(({ to }) => !to.startsWith('node:'));

  test('says where each package is used', () => {
    const strange = named.filter(({ to, from, typeOnly }) => {
      const row = packages.get(to) ?? [];
      return ![from, folderOf(from)].some(
        (place) => row.includes(place) || (typeOnly && row.includes(`${place} (types)`)),
      );
    });
    expect(strange.map(text)).toEqual([]);
  });

  test('lists the dependencies, and vitest', () => {
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
    expect([...packages.keys()].sort()).toEqual([...Object.keys(dependencies), 'vitest'].sort());
    expect([...new Set(named.map(({ to }) => to))].sort()).toEqual([...packages.keys()].sort());
  });
});

describe('modules of Node', () => {
  test('are imported with the prefix node:', () => {
    expect(external.filter(({ to }) => builtinModules.includes(to)).map(text)).toEqual([]);
  });

  test.each([
    ['lib/payloads', ['node:crypto', 'node:vm', 'node:zlib']],
    ['lib/judge', []],
    ['suites', []],
  ])('%s imports only %j, so its only effect is its result', (folder, modules: readonly string[]) => {
    const strange = external.filter(
      ({ from, to }) => folderOf(from) === folder && to.startsWith('node:') && !modules.includes(to),
    );
    expect(strange.map(text)).toEqual([]);
  });

  test('in lib, only three files read files, and only lib/wire opens connections', () => {
    const EFFECTS = /^node:(?:fs|net|tls|http|https|http2|dns|dgram|child_process|worker_threads|cluster)\b/;
    const READERS = ['lib/package.ts', 'lib/read-text.ts', 'lib/contract/references.ts'];
    const strange = external.filter(
      ({ from, to }) =>
        from.startsWith('lib/') &&
        EFFECTS.test(to) &&
        !(to === 'node:fs' ? READERS.includes(from) : folderOf(from) === 'lib/wire'),
    );
    expect(strange.map(text)).toEqual([]);
  });
});
