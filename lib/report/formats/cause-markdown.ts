import { compact } from '../../collections.ts';
import { docsOf, listCommandLine, suite } from '../../package.ts';
import type { ExplainedChecks } from '../baseline/deviations.ts';
import type { RecordedCause, RecordedResult, RunRecord } from '../record/record.ts';
import { confirmedText, countsLabel } from '../wording/confirmed.ts';
import {
  answerLine,
  beforeLine,
  requestLine,
  shownText,
  timesBefore,
  visible,
} from '../wording/format-text.ts';
import { code, fenced, inBlocks, lines } from './markdown-text.ts';

export const MAX_TITLE_CHARACTERS = 1000;

const MAX_BEFORE = 6;

const MAX_STEPS_CHARACTERS = 2400;

/** Renders request, response, advice and steps. Text from the store appears only in code blocks. */
export function causeBlocks(cause: RecordedCause): readonly string[] {
  const { counterexample: shown } = cause;
  const steps = cause.steps.map(visible);
  const what = compact(
    `${countsLabel(cause).padEnd(9)} ${confirmedText(cause)}`,
    ...(shown?.before ?? [])
      .slice(-MAX_BEFORE)
      .map((one) => `before    ${beforeLine(one, { times: timesBefore(shown) })}`),
    shown && `request   ${requestLine(shown.request, { matters: cause.matters })}`,
    shown && `response  ${answerLine(shown)}`,
    cause.expected && `expected  ${shownText(cause.expected)}`,
    `fix       ${shownText(cause.advice, 1000)}`,
  );
  // Incomplete steps would be useless.
  const fits = steps.length > 0 && lines(steps).length <= MAX_STEPS_CHARACTERS;
  return [fenced(what, 'text'), fits ? fenced(steps, 'sh') : ''];
}

/**
 * Renders a cause for an issue tracker.
 * @param addressOf returns the address of a check's description, if it has one
 */
export function issueMarkdown(
  { cause, checks }: ExplainedChecks,
  { document, startedAt }: RunRecord,
  addressOf: (id: string) => string | undefined = (id) => docsOf(id),
): string {
  const isLinked = checks.every(({ id }) => addressOf(id) !== undefined);
  return `${inBlocks([
    `## ${code(cause.title, MAX_TITLE_CHARACTERS)}`,
    ...causeBlocks(cause),
    `Failed checks${isLinked ? '' : ` (\`${listCommandLine('ID')}\` describes one)`}:`,
    lines(checks.map((check) => checkItem(check, addressOf(check.id)))),
    `Found by ${suite.name} ${suite.version} on ${startedAt.slice(0, 10)}, document version ${code(document.version, 40)}. The commands need the token in \`PLANT_STORE_TOKEN\`.`,
  ])}\n`;
}

const checkItem = ({ id, level }: RecordedResult, address: string | undefined): string =>
  `- ${address === undefined ? `\`${id}\`` : `[\`${id}\`](${address})`}, ${level}`;
