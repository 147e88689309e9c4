import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

interface Import {
  readonly from: string;
  /** A file of the project, or the name of a package. */
  readonly to: string;
  /** Gone after compiling. */
  readonly typeOnly: boolean;
}

const slashed = (path: string) => path.split(sep).join('/');

const sources: readonly string[] = [
  ...['lib', 'suites', 'cli', 'reference'].flatMap((folder) =>
    readdirSync(`${ROOT}/${folder}`, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /(?<!\.d)\.tsx?$/.test(entry.name))
      .map((entry) => slashed(relative(ROOT, `${entry.parentPath}/${entry.name}`))),
  ),
  'index.ts',
  'vitest.ts',
];

const STATEMENT = /^(?:import|export)\s+(type\s+)?([^'";]*?)\s*from\s+'([^']+)';/gm;
const BARE = /^import\s+'([^']+)';/gm;
const DYNAMIC = /\bimport\(\s*'([^']+)'\s*\)/g;

/** Whether every name between the braces is a type. */
const namesTypesAlone = (names: string): boolean => {
  const inside = /^\{([^}]*)\}$/.exec(names.trim())?.[1];
  const parts = (inside ?? '').split(',').map((name) => name.trim());
  return inside !== undefined && parts.filter(Boolean).every((name) => name.startsWith('type '));
};

function importsIn(from: string, text: string): Import[] {
  const to = (specifier: string) =>
    specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : specifier;
  return [
    ...[...text.matchAll(STATEMENT)].map(([, type, names = '', specifier = '']) => ({
      from,
      to: to(specifier),
      typeOnly: type !== undefined || namesTypesAlone(names),
    })),
    ...[...text.matchAll(BARE), ...text.matchAll(DYNAMIC)].map(([, specifier = '']) => ({
      from,
      to: to(specifier),
      typeOnly: false,
    })),
  ];
}

const imports = sources.flatMap((file) => importsIn(file, readFileSync(`${ROOT}/${file}`, 'utf8')));
/** What a compiler puts in the place of JSX. */
const jsx = sources
  .filter((file) => file.endsWith('.tsx'))
  .map((from): Import => ({ from, to: 'preact', typeOnly: false }));
const internal = imports.filter(({ to }) => sources.includes(to));
const external = [...imports, ...jsx].filter(({ to }) => !/\.tsx?$/.test(to));

/** The stage that a file belongs to: `lib/judge`, `suites`, or the file itself where it stands alone. */
function stageOf(file: string): string {
  const [first = '', second = '', third] = file.split('/');
  if (first !== 'lib') return second === '' ? first : first;
  return third === undefined ? file : `lib/${second}`;
}

const told = ({ from, to, typeOnly }: Import) => `${from} -> ${to}${typeOnly ? ' (types)' : ''}`;

/**
 * Where the arrows may go. A stage may import from itself. An entry is a file or, with a slash at its end, a
 * whole folder; after `type ` its types alone.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'lib/package.ts': [],
  'lib/usage-error.ts': [],
  'lib/nearest.ts': [],
  'lib/groups.ts': [],
  'lib/read-text.ts': [],
  'lib/schema.ts': ['lib/package.ts'],
  'lib/contract': ['lib/read-text.ts', 'lib/nearest.ts'],
  'lib/wire': [],
  'lib/payloads': [
    'lib/groups.ts',
    'type lib/contract/',
    'lib/contract/document.ts',
    'lib/contract/schema.ts',
    'type lib/wire/exchange.ts',
  ],
  'lib/judge': ['type lib/contract/', 'lib/wire/codings.ts', 'type lib/wire/exchange.ts'],
  'lib/run': [
    'lib/groups.ts',
    'lib/contract/numeral.ts',
    'type lib/contract/contract.ts',
    'lib/judge/',
    'lib/payloads/',
    'lib/wire/wire.ts',
    'lib/wire/endpoint.ts',
    'lib/wire/probe.ts',
    'lib/wire/probe.ts',
    'lib/wire/exchange.ts',
  ],
  'lib/report': [
    'lib/groups.ts',
    'lib/package.ts',
    'lib/read-text.ts',
    'lib/schema.ts',
    'lib/usage-error.ts',
    'lib/payloads/case.ts',
    'lib/payloads/credentials.ts',
    'lib/payloads/json.ts',
    'lib/run/id-ranges.ts',
    'lib/run/keep.ts',
    'lib/run/result.ts',
    'lib/run/tally.ts',
    'lib/run/verdict.ts',
    'type lib/run/',
    'lib/wire/codings.ts',
    'type lib/wire/exchange.ts',
  ],
  'lib/config': [
    'lib/contract/document.ts',
    'lib/nearest.ts',
    'lib/schema.ts',
    'lib/usage-error.ts',
    'lib/report/explain.ts',
    'lib/report/formats.ts',
    'lib/report/gate.ts',
    'type lib/report/record.ts',
    'lib/run/plan.ts',
    'type lib/run/check.ts',
    'type lib/run/shard.ts',
  ],
  'lib/catalogue': [
    'lib/groups.ts',
    'type lib/contract/contract.ts',
    'lib/payloads/case.ts',
    'lib/payloads/random.ts',
    'lib/report/explain.ts',
    'type lib/run/check.ts',
    'lib/run/fill.ts',
    'lib/run/plan.ts',
    'lib/run/plants.ts',
  ],
  'lib/compare': [
    'lib/groups.ts',
    'type lib/contract/contract.ts',
    'lib/judge/signature.ts',
    'type lib/payloads/case.ts',
    'lib/payloads/random.ts',
    'lib/report/',
    'type lib/run/check.ts',
    'type lib/run/result.ts',
    'lib/run/estimate.ts',
    'lib/run/plants.ts',
    'lib/run/plan.ts',
    'lib/run/pool.ts',
    'lib/run/run.ts',
    'lib/usage-error.ts',
    'type lib/wire/exchange.ts',
  ],
  suites: [
    'lib/contract/numeral.ts',
    'lib/judge/reading.ts',
    'lib/judge/rules.ts',
    'lib/payloads/',
    'type lib/run/check.ts',
    'type lib/wire/exchange.ts',
  ],
  reference: [],
  'index.ts': [
    'lib/groups.ts',
    'lib/config/baseline.ts',
    'lib/config/given.ts',
    'type lib/config/options.ts',
    'lib/contract/contract.ts',
    'lib/contract/document.ts',
    'lib/nearest.ts',
    'lib/package.ts',
    'lib/read-text.ts',
    'lib/usage-error.ts',
    'lib/report/',
    'lib/run/run.ts',
    'lib/run/select.ts',
    'type lib/run/',
    'reference/store.ts',
    'suites/index.ts',
  ],
  'vitest.ts': ['index.ts', 'lib/config/', 'lib/report/', 'lib/run/run.ts'],
  cli: [
    'index.ts',
    'lib/compare/',
    'lib/catalogue/',
    'lib/config/',
    'lib/contract/contract.ts',
    'lib/contract/document.ts',
    'lib/nearest.ts',
    'lib/package.ts',
    'lib/usage-error.ts',
    'lib/report/',
    'lib/run/estimate.ts',
    'lib/run/run.ts',
    'lib/run/select.ts',
    'lib/run/verdict.ts',
    'suites/clauses.ts',
    'lib/wire/endpoint.ts',
    'reference/store.ts',
  ],
};

/** The binding to vitest, applied to the reference store: it stands in suites but above everything. */
const BINDING = 'suites/conformance.test.ts';

/** Which stage may use which package, and whether for its types alone. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  '@apidevtools/swagger-parser': ['lib/contract'],
  ajv: ['lib/contract', 'lib/schema.ts', 'type lib/config'],
  'ajv-formats': ['lib/contract', 'lib/schema.ts'],
  'json-p3': ['lib/contract'],
  yaml: ['lib/config', 'lib/contract'],
  undici: ['lib/wire'],
  '@eslint-community/regexpp': ['lib/payloads'],
  'fast-check': ['lib/payloads', 'suites', 'type lib/compare', 'type lib/run'],
  'pure-rand': ['lib/payloads'],
  commander: ['cli'],
  'fast-xml-builder': ['lib/report'],
  leven: ['lib/nearest.ts'],
  preact: ['lib/compare', 'lib/report'],
  'preact-render-to-string': ['lib/compare', 'lib/report'],
  vitest: ['vitest.ts'],
};

/** Modules of Node that a stage may use, where it is to have no other effect than its result. */
const PURE: Readonly<Record<string, readonly string[]>> = {
  'lib/payloads': ['node:crypto', 'node:vm', 'node:zlib'],
  'lib/judge': [],
  suites: [],
};

const EFFECTS =
  /^node:(?:fs|net|tls|http|https|http2|dns|dgram|child_process|worker_threads|cluster|readline)\b/;

function matches(entry: string, { to, typeOnly }: Import): boolean {
  const path = entry.replace(/^type /, '');
  return (typeOnly || path === entry) && (path.endsWith('/') ? to.startsWith(path) : to === path);
}

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

describe('the reader of imports', () => {
  test('tells values from types, over several lines too', () => {
    const text = [
      "import fc, { type Arbitrary } from 'fast-check';",
      "import type { A } from './a.ts';",
      'import {',
      '  type B,',
      '  type C,',
      "} from '../b/b.ts';",
      "import { type D, d } from './d.ts';",
      "export { e } from './e.ts';",
      "export type { F } from './f.ts';",
      "export * from './g.ts';",
      "import 'node:process';",
      "const h = await import('./h.ts');",
    ].join('\n');
    expect(importsIn('lib/x/x.ts', text).map(told)).toEqual([
      'lib/x/x.ts -> fast-check',
      'lib/x/x.ts -> lib/x/a.ts (types)',
      'lib/x/x.ts -> lib/b/b.ts (types)',
      'lib/x/x.ts -> lib/x/d.ts',
      'lib/x/x.ts -> lib/x/e.ts',
      'lib/x/x.ts -> lib/x/f.ts (types)',
      'lib/x/x.ts -> lib/x/g.ts',
      'lib/x/x.ts -> node:process',
      'lib/x/x.ts -> lib/x/h.ts',
    ]);
  });

  test('misses no statement and no file', () => {
    expect(sources.length).toBeGreaterThan(50);
    for (const stage of Object.keys(ALLOWED)) expect(sources.map(stageOf), stage).toContain(stage);
    for (const file of sources) {
      const text = readFileSync(`${ROOT}/${file}`, 'utf8');
      const every = [
        ...(text.match(/\bfrom '[^'\n]+';$/gm) ?? []),
        ...(text.match(/\bimport\(|^import '/gm) ?? []),
      ];
      expect(importsIn(file, text).length, file).toBe(every.length);
    }
  });

  test('every import leads to a source or to a package', () => {
    const lost = imports.filter(({ to }) => to.endsWith('.ts') && !sources.includes(to));
    expect(lost.map(told)).toEqual([]);
  });
});

describe('one way through', () => {
  test('every stage has its row', () => {
    expect([...new Set(sources.map(stageOf))].sort()).toEqual(Object.keys(ALLOWED).sort());
  });

  test.each(Object.keys(ALLOWED))('%s imports nothing but what its row allows', (stage) => {
    const strange = internal.filter(
      (one) =>
        stageOf(one.from) === stage &&
        stageOf(one.to) !== stage &&
        one.from !== BINDING &&
        !(ALLOWED[stage] ?? []).some((entry) => matches(entry, one)),
    );
    expect(strange.map(told)).toEqual([]);
  });

  test.each(Object.entries(ALLOWED))('%s uses everything that its row allows', (stage, row) => {
    const own = internal.filter(({ from }) => stageOf(from) === stage);
    expect(row.filter((entry) => !own.some((one) => matches(entry, one)))).toEqual([]);
  });

  test('the suite for vitest knows the binding, the options and the reference store, and nothing else', () => {
    const own = internal.filter(({ from }) => from === BINDING).map(({ to }) => to);
    expect(own.sort()).toEqual(['lib/config/given.ts', 'reference/store.ts', 'vitest.ts']);
  });

  test('nothing in lib imports what stands above it', () => {
    const backwards = internal.filter(({ from, to }) => from.startsWith('lib/') && !to.startsWith('lib/'));
    expect(backwards.map(told)).toEqual([]);
  });

  test('the reference store shares no code with the suite', () => {
    const shared = imports.filter(
      ({ from, to }) => from.startsWith('reference/') && !/^(?:reference\/|node:)/.test(to),
    );
    expect(shared.map(told)).toEqual([]);
  });

  test('only the doors import a door', () => {
    const doors = ['index.ts', 'vitest.ts'];
    const through = internal.filter(({ to }) => doors.includes(to) || to.startsWith('cli/'));
    expect(
      through.filter(({ from }) => !/^(?:cli\/|vitest\.ts$|suites\/conformance\.test\.ts$)/.test(from)),
    ).toEqual([]);
  });
});

describe('packages', () => {
  const named = external.filter(({ to }) => !to.startsWith('node:'));

  test('a module of Node is called with node: before its name', () => {
    expect(named.filter(({ to }) => builtinModules.includes(packageOf(to))).map(told)).toEqual([]);
  });

  test('each is used where it belongs', () => {
    const strange = named.filter((one) => {
      const stage = stageOf(one.from);
      const allowed = PACKAGES[packageOf(one.to)] ?? [];
      return !allowed.includes(stage) && !(one.typeOnly && allowed.includes(`type ${stage}`));
    });
    expect(strange.map(told)).toEqual([]);
  });

  test('each is used at all', () => {
    const used = new Set(named.map(({ to }) => packageOf(to)));
    expect([...used].sort()).toEqual(Object.keys(PACKAGES).sort());
  });

  test('the dependencies are those that the sources use', () => {
    const { dependencies } = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')) as {
      dependencies: Record<string, string>;
    };
    expect(Object.keys(dependencies).sort()).toEqual(
      Object.keys(PACKAGES)
        .filter((name) => name !== 'vitest')
        .sort(),
    );
  });

  test('undici is in one file, and ajv in one for documents and one for our own schemas', () => {
    const users = (name: string) =>
      named.filter(({ to, typeOnly }) => packageOf(to) === name && !typeOnly).map(({ from }) => from);
    expect(users('undici')).toEqual(['lib/wire/undici-connection.ts']);
    expect([...new Set(users('ajv'))].sort()).toEqual(['lib/contract/validator.ts', 'lib/schema.ts']);
  });

  test.each(Object.entries(PURE))('%s uses no module of Node but %j', (stage, allowed) => {
    const strange = external.filter(
      ({ from, to }) =>
        from !== BINDING && stageOf(from) === stage && to.startsWith('node:') && !allowed.includes(to),
    );
    expect(strange.map(told)).toEqual([]);
  });

  test('only documents, the package and saved records are read from files, and only the wire opens connections', () => {
    const effects = external.filter(({ from, to }) => EFFECTS.test(to) && from.startsWith('lib/'));
    const strange = effects.filter(({ from, to }) => {
      if (to === 'node:fs')
        return !['lib/package.ts', 'lib/read-text.ts', 'lib/contract/references.ts'].includes(from);
      return stageOf(from) !== 'lib/wire';
    });
    expect(strange.map(told)).toEqual([]);
  });
});

describe('cycles', () => {
  /** The first way from a file back to itself along some of the imports. */
  function cycle(edges: readonly Import[]): string[] | undefined {
    const done = new Set<string>();
    const visit = (file: string, way: readonly string[]): string[] | undefined => {
      const at = way.indexOf(file);
      if (at >= 0) return [...way.slice(at), file];
      if (done.has(file)) return undefined;
      for (const { to } of edges.filter(({ from }) => from === file)) {
        const found = visit(to, [...way, file]);
        if (found !== undefined) return found;
      }
      done.add(file);
      return undefined;
    };
    for (const file of new Set(edges.map(({ from }) => from))) {
      const found = visit(file, []);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  const edge = (from: string, to: string): Import => ({ from, to, typeOnly: false });

  test('would be seen', () => {
    expect(cycle([edge('a', 'b'), edge('b', 'c'), edge('c', 'b')])).toEqual(['b', 'c', 'b']);
    expect(cycle([edge('a', 'b'), edge('a', 'c'), edge('b', 'c')])).toBeUndefined();
  });

  test('there is none among what runs', () => {
    expect(cycle(internal.filter(({ typeOnly }) => !typeOnly))).toBeUndefined();
  });

  test('there is none among the stages, types included', () => {
    const stages = internal
      .map(({ from, to }) => edge(stageOf(from), stageOf(to)))
      .filter(({ from, to }, index) => from !== to && internal[index]?.from !== BINDING);
    expect(cycle(stages)).toBeUndefined();
  });

  test('there is none among files, types included', () => {
    expect(cycle(internal)).toBeUndefined();
  });
});
