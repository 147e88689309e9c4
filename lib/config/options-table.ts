import { capitalised } from '../text.ts';
import { flag } from './option-types.ts';
import {
  describe,
  GROUPS,
  IN_A_FILE,
  OPTIONS,
  type OptionRow,
  ROWS,
  type Rows,
  TARGET,
  usageOf,
  variableOf,
} from './options.ts';

/*
 * What `npm run docs` writes: the schema that editors use for conformance.yaml, and the tables of
 * configuration.md.
 */

export const sentence = (row: OptionRow): string => `${capitalised(describe(row))}.`;

const propertiesOf = (rows: Rows): object =>
  Object.fromEntries(
    Object.entries(rows).map(([name, row]) => [name, { description: sentence(row), ...row.type.schema }]),
  );

export const configurationSchema = (): object => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'conformance.yaml: configuration of the plant store conformance suite',
  description:
    'Options of run, and stores by name. Flags override environment variables, which override this file. Paths are relative to this file.',
  type: ['object', 'null'],
  additionalProperties: false,
  properties: {
    ...propertiesOf(IN_A_FILE),
    targets: {
      description: sentence(OPTIONS.targets),
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['name', 'baseUrl'],
        properties: propertiesOf(TARGET),
      },
    },
  },
});

const code = (text: string | undefined | false): string => (text ? `\`${text}\`` : '');

const acceptsOf = ({ type: { accepts, many } }: OptionRow): string =>
  many ? `${accepts}; or a list of them` : accepts;

const hasFlag = (name: string): boolean => Object.values(GROUPS).some((rows) => Object.hasOwn(rows, name));

function lineOf([name, row]: readonly [string, OptionRow]): string {
  const { type, description, defaultsTo = '', api = name, file } = row;
  const cells = [
    code(hasFlag(name) && usageOf(name, row)),
    code(variableOf(name, row)),
    code(file !== false && name),
    code(api),
    description,
    type === flag ? '' : acceptsOf(row),
    String(defaultsTo),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

const HEAD =
  '| flag | variable | file | code | description | value | default |\n| --- | --- | --- | --- | --- | --- | --- |';

const SECTIONS: readonly (readonly [title: string, rows: Rows])[] = [
  ['The store: `run`, `compare`, `replay`', GROUPS.connection],
  ['The configuration: `run`, `replay`', GROUPS.target],
  ['What is sent: `run`, `compare`', GROUPS.sampling],
  ['Reports: `run`, `compare`, `merge`, `render`', GROUPS.reports],
  ['Only `run`', GROUPS.run],
  ['Options without a flag', Object.fromEntries(ROWS.filter(([name]) => !hasFlag(name)))],
];

export const optionTables = (): string =>
  [
    ...SECTIONS.map(
      ([title, rows]) => `### ${title}\n\n${HEAD}\n${Object.entries(rows).map(lineOf).join('\n')}\n`,
    ),
    `### A target in a file\n\nA target may have every key of the file, which it overrides, and these:\n\n| key | description | value |\n| --- | --- | --- |\n${Object.entries<OptionRow>(
      TARGET,
    )
      .filter(([name]) => !Object.hasOwn(IN_A_FILE, name))
      .map(([name, row]) => `| ${code(name)} | ${row.description} | ${acceptsOf(row)} |`)
      .join('\n')}\n`,
  ].join('\n');
