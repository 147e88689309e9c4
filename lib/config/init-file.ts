import { stringify } from 'yaml';
import { OPTIONS } from './options.ts';
import { sentence } from './options-table.ts';
import { schemaLine } from './schema-line.ts';

export interface Answers {
  readonly baseUrl: string;
  readonly tokenEnv: string;
  /** The command that starts the store; undefined if it is already running. */
  readonly start: string | undefined;
}

/** Options that many teams set, with an example for each. */
const EXAMPLES = [
  ['seed', 7],
  ['cases', 300],
  ['strict', true],
  ['skip', ['observe/*']],
  ['out', 'reports'],
  ['format', ['json', 'html']],
  ['baseline', 'baseline.yaml'],
  ['overlay', 'limits.yaml'],
] as const;

const yamlOf = (name: string, value: unknown): string =>
  stringify({ [name]: value }, { lineWidth: 0, collectionStyle: 'flow' })
    .trim()
    .replace(/^\{ (.*) \}$/, '$1');

export function initialConfiguration(file: string, { baseUrl, tokenEnv, start }: Answers): string {
  const examples = EXAMPLES.map(([name, value]) => `# ${sentence(OPTIONS[name])}\n# ${yamlOf(name, value)}`);
  const target = [
    yamlOf('name', 'local'),
    yamlOf('baseUrl', baseUrl),
    `${yamlOf('tokenEnv', tokenEnv)} # the environment variable that holds the token (never put the token itself in this file)`,
    ...(start === undefined ? ['# start: node server.js'] : [yamlOf('start', start)]),
    '# wait: 30',
  ];
  return `#${schemaLine(file, 'conformance.schema.json')}
# Options of the conformance suite for the Plant Store API. Flags and the environment override them, and a
# target overrides the options above it. docs/configuration.md in the package lists every option.

${examples.join('\n\n')}

targets:
  - ${target.join('\n    ')}
`;
}
