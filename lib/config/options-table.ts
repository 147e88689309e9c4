import {
  flagOf,
  type Group,
  IN_A_FILE,
  OPTIONS,
  type Row,
  type Rows,
  TARGET,
  variableOf,
} from './options.ts';

/*
 * Generated from the rows: the schema that editors use for conformance.yaml, and the tables of docs/configuration.md.
 * `npm run docs` regenerates both.
 */

/** The description of an option as a sentence. */
export const sentence = ({ description, defaultsTo }: Row): string =>
  `${description.charAt(0).toUpperCase()}${description.slice(1)}${defaultsTo === undefined ? '' : ` (default: ${defaultsTo})`}.`;

const propertiesOf = (rows: Rows): object =>
  Object.fromEntries(
    Object.entries(rows).map(([name, row]) => [name, { description: sentence(row), ...row.kind.schema }]),
  );

/** JSON Schema of conformance.yaml. */
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

const code = (text: string | undefined): string => (text === undefined ? '' : `\`${text}\``);

const acceptsOf = ({ kind: { accepts, many } }: Row): string =>
  many ? `${accepts}; or a list of them` : accepts;

const lineOf = ([name, row]: readonly [string, Row]): string => {
  const { group, description, defaultsTo, placeholder, api = name, file } = row;
  const flag = placeholder === undefined ? flagOf(name) : `${flagOf(name)} <${placeholder}>`;
  const cells = [
    group === undefined ? '' : code(flag),
    code(variableOf(name, row)),
    code(file === false ? undefined : name),
    code(api === false ? undefined : api),
    description,
    placeholder === undefined && group !== undefined ? '' : acceptsOf(row),
    String(defaultsTo ?? ''),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
};

const HEAD =
  '| flag | variable | file | code | description | value | default |\n| --- | --- | --- | --- | --- | --- | --- |';

const SECTIONS: readonly (readonly [title: string, group: Group | undefined])[] = [
  ['The store: `run`, `compare`, `replay`', 'connection'],
  ['The configuration: `run`, `replay`', 'target'],
  ['What is sent: `run`, `compare`', 'sampling'],
  ['Reports: `run`, `compare`, `merge`, `render`', 'reports'],
  ['`run` only', 'run'],
  ['Without a flag', undefined],
];

/** All options as tables in Markdown. */
export const optionTables = (): string =>
  [
    ...SECTIONS.map(([title, group]) => {
      const rows = Object.entries<Row>(OPTIONS).filter(([, row]) => row.group === group);
      return `### ${title}\n\n${HEAD}\n${rows.map(lineOf).join('\n')}\n`;
    }),
    `### A target in a file\n\nEvery key of the file, which it overrides, and:\n\n| key | description | value |\n| --- | --- | --- |\n${Object.entries<Row>(
      TARGET,
    )
      .filter(([name]) => !Object.hasOwn(IN_A_FILE, name))
      .map(([name, row]) => `| ${code(name)} | ${row.description} | ${acceptsOf(row)} |`)
      .join('\n')}\n`,
  ].join('\n');
