import { Command, CommanderError } from 'commander';
import { DocumentError } from '../lib/contract/document.ts';
import { suite } from '../lib/package.ts';
import { redactor } from '../lib/report/record/redact.ts';
import { TOKEN_VARIABLE } from '../lib/token-variable.ts';
import { UsageError } from '../lib/usage-error.ts';
import { ignoreClosedPipes, setExitCode } from './streams.ts';

type Load = () => Promise<() => Command>;

/** In the order in which the help lists them. */
const COMMANDS: Readonly<Record<string, Load>> = {
  run: async () => (await import('./run.ts')).runCommand,
  compare: async () => (await import('./compare.ts')).compareCommand,
  diff: async () => (await import('./diff.ts')).diffCommand,
  merge: async () => (await import('./merge.ts')).mergeCommand,
  replay: async () => (await import('./replay.ts')).replayCommand,
  render: async () => (await import('./render.ts')).renderCommand,
  init: async () => (await import('./init.ts')).initCommand,
  list: async () => (await import('./list.ts')).listCommand,
  serve: async () => (await import('./serve.ts')).serveCommand,
};

/** If the command line begins with a base URL, which no command resembles, `run` is implied. */
const wordsOf = (words: readonly string[]): readonly string[] =>
  /^[^-].*[:./]/.test(words[0] ?? '') ? ['run', ...words] : words;

/** Loads only the command that is called, or all of them for the general help. */
function loadersFor(first = ''): readonly Load[] {
  if (first === '--version' || first === '-V') return [];
  const named = Object.hasOwn(COMMANDS, first) ? COMMANDS[first] : undefined;
  return named === undefined ? Object.values(COMMANDS) : [named];
}

/** Exit codes: 0 conformant, 1 not conformant, 2 usage error, 3 could not be judged, 4 internal error. */
async function main(): Promise<void> {
  const printError = (text: string) => process.stderr.write(redactor(tokensGiven())(text));
  const program = new Command(suite.name)
    .description('Tests whether an implementation of the Plant Store HTTP API conforms to its interface.')
    .version(suite.version)
    .showHelpAfterError('(see --help)')
    .addHelpText(
      'after',
      `
plant-store-conformance URL is short for plant-store-conformance run URL.

Examples:
  plant-store-conformance run
  plant-store-conformance http://127.0.0.1:8080
  plant-store-conformance init
  plant-store-conformance list auth
  plant-store-conformance run --help`,
    )
    .configureOutput({ writeErr: printError })
    .exitOverride();
  const words = wordsOf(process.argv.slice(2));
  for (const load of loadersFor(words[0])) {
    const command = (await load())();
    program.addCommand(command.copyInheritedSettings(program));
  }
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return setExitCode(error.exitCode === 0 ? 0 : 2);
    if (error instanceof UsageError || error instanceof DocumentError) {
      printError(`${error.message}\n`);
      return setExitCode(2);
    }
    printError(
      `Internal error: the suite itself failed, and the store was not judged. Please report this:\n${(error as Error).stack}\n`,
    );
    setExitCode(4);
  }
}

/** The tokens given in this call, which an error message might quote. */
function tokensGiven(): string[] {
  const flags = process.argv.flatMap((word, index, words) =>
    word === '--token' ? [words[index + 1] ?? ''] : word.startsWith('--token=') ? [word.slice(8)] : [],
  );
  return [process.env[TOKEN_VARIABLE] ?? '', ...flags];
}

ignoreClosedPipes();
await main();
