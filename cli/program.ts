import { Command, CommanderError } from 'commander';
import { DocumentError } from '../lib/contract/document.ts';
import { suite } from '../lib/package.ts';
import { redactor } from '../lib/report/record/redact.ts';
import { TOKEN_VARIABLE } from '../lib/token-variable.ts';
import { UsageError } from '../lib/usage-error.ts';
import { ignoreClosedPipes, setExitCode } from './streams.ts';

interface Listed {
  readonly description: string;
  readonly load: () => Promise<Command>;
}

/** In the order in which the help lists them. */
const COMMANDS: Readonly<Record<string, Listed>> = {
  run: {
    description: 'Runs the checks against a store, or against the reference store if no base URL is given.',
    load: async () => (await import('./run.ts')).runCommand(),
  },
  compare: {
    description: 'Sends the same requests to several stores and shows the results side by side.',
    load: async () => (await import('./compare.ts')).compareCommand(),
  },
  diff: {
    description: 'Compares two runs: what regressed, what was fixed, what still fails, and what changed.',
    load: async () => (await import('./diff.ts')).diffCommand(),
  },
  merge: {
    description: 'Joins the records of all shards of a run into one record.',
    load: async () => (await import('./merge.ts')).mergeCommand(),
  },
  replay: {
    description:
      'Resends the requests that reproduce the causes of a run, or those of one failed check, and says what still fails.',
    load: async () => (await import('./replay.ts')).replayCommand(),
  },
  render: {
    description: 'Renders a saved record or comparison in another format, exactly as the run itself would.',
    load: async () => (await import('./render.ts')).renderCommand(),
  },
  init: {
    description:
      'Writes a configuration file with comments. At a terminal, it asks for whatever is not given.',
    load: async () => (await import('./init.ts')).initCommand(),
  },
  list: {
    description:
      'Lists the checks: all of them, an area, or those that match a glob; shows a single check in full.',
    load: async () => (await import('./list.ts')).listCommand(),
  },
  serve: {
    description: 'Starts the reference store on 127.0.0.1 and runs it until interrupted.',
    load: async () => (await import('./serve.ts')).serveCommand(),
  },
};

const OF_THE_PROGRAM = ['-h', '--help', '-V', '--version'];

/**
 * `run` is implied if the command line begins with a base URL, which no command resembles, or with an option
 * of `run`. `help` with an unknown command is read as that command, so that it is reported as unknown.
 */
function withImpliedCommand(words: readonly string[]): readonly string[] {
  const [first = '', second] = words;
  const isOfRun = first.startsWith('-') && !OF_THE_PROGRAM.includes(first);
  if (isOfRun || /[:./]/.test(first)) return ['run', ...words];
  const isUnknown = second !== undefined && second !== 'help' && !Object.hasOwn(COMMANDS, second);
  return first === 'help' && isUnknown ? [second] : words;
}

/** Loads only the commands that are called or asked about. The help lists the others without their options. */
const commandsFor = (words: readonly string[]): Promise<readonly Command[]> =>
  Promise.all(
    Object.entries(COMMANDS).map(async ([name, { description, load }]) => {
      const command = words.includes(name) ? await load() : new Command(name);
      return command.description(description);
    }),
  );

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
If the first word is a URL or an option of run, run may be omitted.

Examples:
  plant-store-conformance run
  plant-store-conformance http://127.0.0.1:8080
  plant-store-conformance init
  plant-store-conformance list auth
  plant-store-conformance run --help`,
    )
    .configureOutput({ writeErr: printError })
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .exitOverride();
  const words = withImpliedCommand(process.argv.slice(2));
  for (const command of await commandsFor(words))
    program.addCommand(
      command.copyInheritedSettings(program).showHelpAfterError(`(see ${command.name()} --help)`),
    );
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
