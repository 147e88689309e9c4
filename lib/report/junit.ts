import XMLBuilder from 'fast-xml-builder';
import { areaOf, groupBy } from '../groups.ts';
import { entriesOf, entryName, knownBy, newFirst, novelty, unjudged, whyKnown } from './deviations.ts';
import { explain, short, visible } from './explain.ts';
import { blocks } from './gate.ts';
import type { RecordedResult, RunRecord } from './record.ts';

/** Children by their names, in the order of the schema; a name that begins with @_ is an attribute. */
interface Element {
  readonly [name: string]: string | Element | readonly Element[] | undefined;
}

/** A test case as it is counted. */
interface Case {
  readonly name: string;
  readonly seconds: number;
  readonly told: Told;
}

/** What a test case says beside its name: nothing where it passed. */
interface Told {
  readonly skipped?: Element;
  readonly error?: Element;
  readonly failure?: Element;
  readonly 'system-out'?: Element;
}

/** Characters of an explanation. */
const LONGEST = 8000;

/** What XML 1.0 cannot hold at all, not even escaped, and the controls that it would rather not. */
const ILLEGAL = /[^\t\n\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** Text as XML may hold it. GitLab and Jenkins would take [[ATTACHMENT|path]] as an order to link a file. */
const legal = (text: string): string =>
  text
    .replace(ILLEGAL, (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)
    .replace(/\[\[(?=ATTACHMENT\|)/gi, '[\\u005b');

const builder = new XMLBuilder({
  ignoreAttributes: false,
  format: true,
  suppressEmptyNode: true,
  // Else an attribute of the value "true" loses it.
  suppressBooleanAttributes: false,
  tagValueProcessor: (_name, value) => legal(String(value)),
  // A line feed in an attribute is read as a space: it is spelled out.
  attributeValueProcessor: (_name, value) => legal(visible(String(value))),
});

/**
 * The report of a run for what reads JUnit's XML: one suite for each area. It holds a failure or an error
 * exactly where the CI result is fail, so that whoever goes by the file comes to the same end as the exit code.
 */
export function junitReport(record: RunRecord): string {
  const suites = [
    ...groupBy(record.results, areaOf).map(([area, results]) =>
      suiteOf(
        area,
        results.map((result) => caseOf(result, record)),
        record,
      ),
    ),
    ...suitesUnless(baselineCases(record), 'baseline', record),
    ...suitesUnless(runCases(record), 'run', record),
  ];
  return builder.build({
    '?xml': { '@_version': '1.0', '@_encoding': 'UTF-8' },
    testsuites: {
      '@_name': record.suite.name,
      '@_tests': String(sum(suites, 'tests')),
      '@_failures': String(sum(suites, 'failures')),
      '@_errors': String(sum(suites, 'errors')),
      '@_time': record.seconds.toFixed(3),
      testsuite: suites.map(({ element }) => element),
    },
  } satisfies Element);
}

interface Suite {
  readonly tests: number;
  readonly failures: number;
  readonly errors: number;
  readonly element: Element;
}

const sum = (suites: readonly Suite[], name: 'tests' | 'failures' | 'errors') =>
  suites.reduce((total, suite) => total + suite[name], 0);

const suitesUnless = (cases: readonly Case[], name: string, record: RunRecord): Suite[] =>
  cases.length === 0 ? [] : [suiteOf(name, cases, record)];

function suiteOf(name: string, cases: readonly Case[], record: RunRecord): Suite {
  const having = (outcome: keyof Told) => cases.filter(({ told }) => outcome in told).length;
  const [tests, failures, errors] = [cases.length, having('failure'), having('error')];
  return {
    tests,
    failures,
    errors,
    element: {
      '@_name': name,
      '@_tests': String(tests),
      '@_failures': String(failures),
      '@_errors': String(errors),
      '@_skipped': String(having('skipped')),
      '@_time': cases.reduce((total, { seconds }) => total + seconds, 0).toFixed(3),
      // Without milliseconds and zone: the form that every reader of these files takes.
      '@_timestamp': record.startedAt.slice(0, 19),
      properties: { property: propertiesOf(record) },
      testcase: cases.map((one) => ({
        '@_name': one.name,
        '@_classname': `${record.suite.name}.${name}`,
        '@_time': one.seconds.toFixed(3),
        ...one.told,
      })),
    },
  };
}

const propertiesOf = ({ suite, target, document, options, outcome, gate }: RunRecord): Element[] =>
  Object.entries({
    'suite.version': suite.version,
    'target.name': target.name,
    'target.baseUrl': target.baseUrl,
    'target.server': target.server ?? '',
    'document.version': document.version,
    'document.sha256': document.sha256,
    seed: String(options.seed),
    'first-id': options.firstId,
    cases: String(options.cases),
    ...(options.thorough === true ? { thorough: 'true' } : {}),
    strict: String(options.strict),
    shard: options.shard ?? '',
    outcome,
    'ci.result': `${gate.exitCode === 0 ? 'pass' : 'fail'} (exit code ${gate.exitCode}: ${gate.reason})`,
  }).map(([name, value]) => ({ '@_name': name, '@_value': short(value) }));

const caseOf = (result: RecordedResult, record: RunRecord): Case => ({
  name: result.id,
  seconds: result.seconds,
  told: toldOf(result, record),
});

function toldOf(result: RecordedResult, record: RunRecord): Told {
  const { level, verdict, reason = '', blockedBy = '' } = result;
  switch (verdict) {
    case 'skipped':
      return { skipped: { '@_message': short(reason) } };
    case 'untestable':
      // Not every check has to be testable for the CI result to be pass.
      return record.gate.exitCode === 0
        ? { skipped: { '@_message': short(`could not be tested: ${reason}`) } }
        : { error: { '@_message': short(reason), '@_type': blockedBy, '#text': untried(result) } };
    case 'fail': {
      const known = knownBy(result, record);
      if (known.length > 0) {
        return {
          skipped: { '@_message': `known deviation: ${known.map(whyKnown).join('; ')}` },
          ...out(bounded(explain(result))),
        };
      }
      const news = novelty(result, record);
      const text = bounded(
        [...(news === undefined ? [] : [news]), explain(newFirst(result, record))].join('\n'),
      );
      return blocks(result, record)
        ? { failure: { '@_message': news ?? messageOf(result), '@_type': level, '#text': text } }
        : out(`WARNING (SHOULD)\n${text}`);
    }
    default:
      return out(observed(result));
  }
}

const out = (text: string): Told => (text === '' ? {} : { 'system-out': { '#text': text } });

/** The one line that a viewer shows without being asked. */
const messageOf = ({ statement, expected, actual }: RecordedResult) =>
  expected === undefined || actual === undefined
    ? statement
    : `${statement} Expected: ${short(expected)}; actual: ${short(actual)}`;

const untried = ({ level, statement, reason = '' }: RecordedResult) =>
  `${level}  ${statement}\ncould not be tested: ${short(reason)}`;

const observed = ({ observations }: RecordedResult) =>
  bounded(
    Object.entries(observations)
      .map(([key, value]) => `${visible(key)}: ${short(String(value))}`)
      .join('\n'),
  );

const bounded = (text: string) =>
  text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${text.length} characters)` : text;

/** What the baseline says that no longer holds makes the CI result fail as a failure does. */
const baselineCases = (record: RunRecord): readonly Case[] =>
  entriesOf(record, 'stale', 'expired').map((entry) => ({
    name: short(entryName(entry), 200),
    seconds: 0,
    told: { failure: { '@_message': short(entry.remedy ?? ''), '@_type': entry.state } },
  }));

/** A run that ended early may have left nothing untestable, and be without a verdict all the same. */
function runCases(record: RunRecord): readonly Case[] {
  const reason = unjudged(record);
  if (reason === undefined) return [];
  const kind = record.gate.exitCode === 2 ? 'nothing-judged' : 'untestable';
  const error = { '@_message': reason, '@_type': record.stop?.kind ?? kind };
  return [{ name: 'run/can-be-judged', seconds: 0, told: { error } }];
}
