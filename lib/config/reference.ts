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
 * What is written out of the rows: the schema that editors use for conformance.yaml, and the tables of
 * docs/configuration.md. `npm run docs` makes both anew.
 */

const sentence = ({ says, usually }: Row): string =>
  `${says.charAt(0).toUpperCase()}${says.slice(1)}${usually === undefined ? '' : `; by default ${usually}`}.`;

const propertiesOf = (rows: Rows): object =>
  Object.fromEntries(
    Object.entries(rows).map(([name, row]) => [name, { description: sentence(row), ...row.kind.schema }]),
  );

/** JSON Schema of conformance.yaml. */
export const configurationSchema = (): object => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'conformance.yaml: how a plant store is checked',
  description:
    'What the flags of run can say, and stores by name. Flags win over the environment, the environment over this file. Paths are relative to this file.',
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

const takesOf = ({ kind: { takes, many } }: Row): string => (many ? `${takes}; one, or a list` : takes);

const lineOf = ([name, row]: readonly [string, Row]): string => {
  const { says, usually, value, api = name, file } = row;
  const flag = value === undefined ? flagOf(name) : `${flagOf(name)} <${value}>`;
  const cells = [
    row.on === undefined ? '' : code(flag),
    code(variableOf(name, row)),
    code(file === false ? undefined : name),
    code(api === false ? undefined : api),
    says,
    value === undefined && row.on !== undefined ? '' : takesOf(row),
    String(usually ?? ''),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
};

const HEAD =
  '| flag | variable | file | code | what | takes | default |\n| --- | --- | --- | --- | --- | --- | --- |';

const SECTIONS: readonly (readonly [title: string, group: Group | undefined])[] = [
  ['The store: `run`, `compare`, `replay`', 'connection'],
  ['What is sent: `run`, `compare`', 'sampling'],
  ['Reports: `run`, `compare`, `merge`, `render`', 'reports'],
  ['`run` alone', 'run'],
  ['No flags', undefined],
];

/** All options as tables in Markdown. */
export const optionTables = (): string =>
  [
    ...SECTIONS.map(([title, group]) => {
      const rows = Object.entries<Row>(OPTIONS).filter(([, { on }]) => on === group);
      return `### ${title}\n\n${HEAD}\n${rows.map(lineOf).join('\n')}\n`;
    }),
    `### A target in a file\n\n| key | what | takes |\n| --- | --- | --- |\n${Object.entries<Row>(TARGET)
      .map(([name, row]) => `| ${code(name)} | ${row.says} | ${takesOf(row)} |`)
      .join('\n')}\n`,
  ].join('\n');
