import XMLBuilder from 'fast-xml-builder';
import { areaOf } from '../../check-ids.ts';
import { compact, groupBy, sum } from '../../collections.ts';
import { entryName } from '../baseline/baseline-entry.ts';
import { blocks } from '../baseline/ci-result.ts';
import {
  entriesOf,
  knownBy,
  newProblemsText,
  openCauses,
  whyKnown,
  withNewProblemFirst,
} from '../baseline/deviations.ts';
import type { RecordedResult, RunRecord } from '../record/record.ts';
import { escaped, failureText, shownText, visible } from '../wording/format-text.ts';
import { unjudged } from '../wording/headline.ts';

/** Child elements by name, in the order of the schema. Names that begin with @_ denote attributes. */
interface Element {
  readonly [name: string]: string | Element | readonly Element[] | undefined;
}

interface JUnitCase {
  readonly name: string;
  readonly seconds: number;
  readonly body: JUnitBody;
}

/** The children of a test case; none if it passed. */
type JUnitBody = Readonly<Partial<Record<'skipped' | 'error' | 'failure' | 'system-out', Element>>>;

const MAX_MESSAGE_CHARACTERS = 8000;

/** Characters that XML 1.0 forbids, even escaped, and the control characters that it discourages. */
const ILLEGAL = /[^\t\n\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** Text that is legal in XML. GitLab and Jenkins would link [[ATTACHMENT|path]] to a file. */
const legal = (text: string): string =>
  text.replace(ILLEGAL, escaped).replace(/\[\[(?=ATTACHMENT\|)/gi, '[\\u005b');

const builder = new XMLBuilder({
  ignoreAttributes: false,
  format: true,
  suppressEmptyNode: true,
  // By default, an attribute with the value "true" would lose its value.
  suppressBooleanAttributes: false,
  tagValueProcessor: (_name, value) => legal(String(value)),
  // XML parsers read a line feed in an attribute as a space, so escape it.
  attributeValueProcessor: (_name, value) => legal(visible(String(value))),
});

/** Renders JUnit XML. It contains a failure or an error if and only if the CI result is fail. */
export function junitReport(record: RunRecord): string {
  const suites: readonly (readonly [name: string, cases: readonly JUnitCase[]])[] = [
    ...groupBy(record.results, areaOf).map(
      ([area, results]) => [area, results.map((result) => caseOf(result, record))] as const,
    ),
    ['baseline', baselineCases(record)],
    ['run', runCases(record)],
  ];
  return builder.build({
    '?xml': { '@_version': '1.0', '@_encoding': 'UTF-8' },
    testsuites: {
      '@_name': record.suite.name,
      ...countsOf(suites.flatMap(([, cases]) => cases)),
      '@_time': record.seconds.toFixed(3),
      testsuite: suites.flatMap(([name, cases]) =>
        cases.length === 0 ? [] : [suiteOf(name, cases, record)],
      ),
    },
  } satisfies Element);
}

const count = (outcome: keyof JUnitBody, cases: readonly JUnitCase[]) =>
  String(cases.filter(({ body }) => outcome in body).length);

const countsOf = (cases: readonly JUnitCase[]): Element => ({
  '@_tests': String(cases.length),
  '@_failures': count('failure', cases),
  '@_errors': count('error', cases),
});

const suiteOf = (name: string, cases: readonly JUnitCase[], record: RunRecord): Element => ({
  '@_name': name,
  ...countsOf(cases),
  '@_skipped': count('skipped', cases),
  '@_time': sum(cases, ({ seconds }) => seconds).toFixed(3),
  // Every reader of these files accepts the form without milliseconds and time zone.
  '@_timestamp': record.startedAt.slice(0, 19),
  properties: { property: propertiesOf(record) },
  testcase: cases.map((one) => ({
    '@_name': one.name,
    '@_classname': `${record.suite.name}.${name}`,
    '@_time': one.seconds.toFixed(3),
    ...one.body,
  })),
});

const propertiesOf = ({ suite, target, document, options, outcome, ciResult }: RunRecord): Element[] =>
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
    'ci.result': `${ciResult.exitCode === 0 ? 'pass' : 'fail'} (exit code ${ciResult.exitCode}: ${ciResult.reason})`,
  }).map(([name, value]) => ({ '@_name': name, '@_value': shownText(value) }));

const caseOf = (result: RecordedResult, record: RunRecord): JUnitCase => ({
  name: result.id,
  seconds: result.seconds,
  body: outcomeElement(result, record),
});

function outcomeElement(result: RecordedResult, record: RunRecord): JUnitBody {
  const { level, verdict, reason = '', blockedBy = '' } = result;
  switch (verdict) {
    case 'skipped':
      return { skipped: { '@_message': shownText(reason) } };
    case 'untestable':
      // The CI result can be pass even if some checks are untestable.
      return record.ciResult.exitCode === 0
        ? { skipped: { '@_message': shownText(`could not be tested: ${reason}`) } }
        : { error: { '@_message': shownText(reason), '@_type': blockedBy, '#text': untestable(result) } };
    case 'fail': {
      const known = knownBy(result, record);
      if (known.length > 0) {
        return {
          skipped: { '@_message': `known deviation: ${known.map(whyKnown).join('; ')}` },
          ...withOutput(bounded(failureText(result))),
        };
      }
      const news = newProblemsText(result, record);
      const title = titleFor(result, record);
      const text = bounded(compact(title, news, failureText(withNewProblemFirst(result, record))).join('\n'));
      const message = bounded(compact(title, news ?? messageOf(result)).join(': '));
      return blocks(result, record)
        ? { failure: { '@_message': message, '@_type': level, '#text': text } }
        : withOutput(`FAILED SHOULD (advisory)\n${text}`);
    }
    default:
      return withOutput(observed(result));
  }
}

const withOutput = (text: string): JUnitBody => (text === '' ? {} : { 'system-out': { '#text': text } });

/** The title of the first cause, among those to be fixed, that explains a failed check. */
function titleFor({ id }: RecordedResult, record: RunRecord): string | undefined {
  const found = openCauses(record).find(({ cause }) => cause.checks.includes(id));
  return found && visible(found.cause.title);
}

const messageOf = ({ statement, expected, actual }: RecordedResult) =>
  expected === undefined || actual === undefined
    ? `Requirement: ${statement}`
    : `Requirement: ${statement} Expected: ${shownText(expected)}; actual: ${shownText(actual)}`;

const untestable = ({ level, statement, reason = '' }: RecordedResult) =>
  `${level}  ${statement}\ncould not be tested: ${shownText(reason)}`;

const observed = ({ observations }: RecordedResult) =>
  bounded(
    Object.entries(observations)
      .map(([key, value]) => `${visible(key)}: ${shownText(String(value))}`)
      .join('\n'),
  );

const bounded = (text: string) =>
  text.length > MAX_MESSAGE_CHARACTERS
    ? `${text.slice(0, MAX_MESSAGE_CHARACTERS)}… (${text.length} characters)`
    : text;

/** Outdated baseline entries fail the CI result, so they are failures here as well. */
const baselineCases = (record: RunRecord): readonly JUnitCase[] =>
  entriesOf(record, 'stale', 'expired').map((entry) => ({
    name: shownText(entryName(entry), 200),
    seconds: 0,
    body: { failure: { '@_message': shownText(entry.remedy ?? ''), '@_type': entry.state } },
  }));

/** A run that ended early may lack a verdict although no check is untestable. */
function runCases(record: RunRecord): readonly JUnitCase[] {
  const reason = unjudged(record);
  if (reason === undefined) return [];
  const kind = record.ciResult.exitCode === 2 ? 'nothing-judged' : 'untestable';
  const error = { '@_message': reason, '@_type': record.stop?.kind ?? kind };
  return [{ name: 'run/can-be-judged', seconds: 0, body: { error } }];
}
