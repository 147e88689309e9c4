import { areaOf, groupBy } from '../groups.ts';
import { countOf, type Entry, type Ground, LEVELS } from './entry.ts';

const INTRODUCTION = [
  '# The checks',
  '',
  'What `plant-store-conformance` checks, in the order of the run, as `plant-store-conformance list` tells it.',
  'A MUST is what the interface states; a SHOULD is what a standard says that it leans on, or what follows from',
  'the document; an OBSERVE records what the interface leaves open, and is never judged. The words of the',
  'interface are quoted beside its sections.',
  '',
  'The requests are those of `--seed 1`, with ids from 1000001 on; control characters in them are spelled out.',
  'One check is carried out alone with `plant-store-conformance run URL --only auth/rejects-missing-token`; one',
  'that sends nothing of its own needs others beside it.',
  '',
  'Made with `npm run docs`.',
  '',
];

/** The whole reference: an introduction, the counts of each area, and a section for each check. */
export function reference(entries: readonly Entry[]): string {
  const areas = groupBy(entries, areaOf);
  const counts = (title: string, members: readonly Entry[]) =>
    row(title, ...LEVELS.map((level) => String(countOf(members, level))), String(members.length));
  return [
    ...INTRODUCTION,
    row('area', ...LEVELS, 'in all'),
    row('---', ...LEVELS.map(() => '--:'), '--:'),
    ...areas.map(([area, members]) => counts(`[${area}](#${area})`, members)),
    counts('in all', entries),
    ...areas.flatMap(([area, members]) => [
      '',
      `## ${area}`,
      '',
      row('check', 'level', 'statement'),
      row('---', '---', '---'),
      ...members.map(({ id, level, statement }) => row(`[${id}](#${anchor(id)})`, level, prose(statement))),
      '',
      sections(members).trimEnd(),
    ]),
    '',
  ].join('\n');
}

/** A section for each check. */
export const sections = (entries: readonly Entry[]): string => entries.map(section).join('\n');

const section = ({ id, level, statement, basis, sends, hint }: Entry): string =>
  [
    `### ${id}`,
    '',
    `**${level}** ${prose(statement)}`,
    '',
    'Basis:',
    '',
    ...basis.map(ground),
    '',
    `Sends: ${prose(sends.text)}`,
    '',
    ...(sends.examples.length > 0 ? ['```text', ...sends.examples, '```', ''] : []),
    `To mend: ${prose(hint)}`,
    '',
  ].join('\n');

const ground = ({ ref, text }: Ground) => {
  const [, number, place] = /^RFC (\d+) section ([\d.]+)$/.exec(ref) ?? [];
  if (text !== undefined) return `- ${ref}: "${prose(text)}"`;
  if (ref.startsWith('openapi.yaml')) return `- \`${ref}\``;
  return number === undefined
    ? `- ${prose(ref)}`
    : `- [${ref}](https://www.rfc-editor.org/rfc/rfc${number}.html#section-${place})`;
};

const row = (...cells: readonly string[]) => `| ${cells.join(' | ')} |`;

/** The anchor that renderers of Markdown give to the heading of a check. */
export const anchor = (id: string): string => id.toLowerCase().replace(/[^\w-]/g, '');

/** Text in which nothing means anything to Markdown. */
const prose = (text: string): string => text.replace(/[`*_~[<|&$]|\\(?=[^\w\s])/g, '\\$&');
