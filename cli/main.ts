#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { DocumentError } from '../lib/contract/document.ts';
import { suite } from '../lib/package.ts';
import { redactor } from '../lib/report/redact.ts';
import { UsageError } from '../lib/usage-error.ts';
import { endWith, outliveReaders } from './streams.ts';

type Load = () => Promise<(exitWith: (code: number) => void) => Command>;

/** In the order of the help. */
const COMMANDS: Readonly<Record<string, Load>> = {
  run: async () => (await import('./run.ts')).runCommand,
  compare: async () => (await import('./compare.ts')).compareCommand,
  diff: async () => (await import('./diff.ts')).diffCommand,
  merge: async () => (await import('./merge.ts')).mergeCommand,
  replay: async () => (await import('./replay.ts')).replayCommand,
  render: async () => (await import('./render.ts')).renderCommand,
  list: async () => (await import('./list.ts')).listCommand,
  serve: async () => (await import('./serve.ts')).serveCommand,
};

/** A call loads the command that it names; only one that names none needs all of them. */
function loadersFor(first = ''): readonly Load[] {
  if (first === '--version' || first === '-V') return [];
  const named = Object.hasOwn(COMMANDS, first) ? COMMANDS[first] : undefined;
  return named === undefined ? Object.values(COMMANDS) : [named];
}

/** 0 conformant, 1 not conformant, 2 the call is wrong, 3 could not be judged, 4 fault of the suite. */
async function main(): Promise<number> {
  const say = (text: string) => process.stderr.write(redactor(tokensGiven())(text));
  let code = 0;
  const exitWith = (status: number) => {
    code = status;
  };
  const program = new Command(suite.name)
    .description('Checks an implementation of the Plant Store HTTP API against its interface.')
    .version(suite.version)
    .showHelpAfterError('(--help shows what there is)')
    .addHelpText(
      'after',
      `
Examples:
  plant-store-conformance run
  plant-store-conformance run http://127.0.0.1:8080
  plant-store-conformance list auth
  plant-store-conformance run --help`,
    )
    .configureOutput({ writeErr: say })
    .exitOverride();
  for (const load of loadersFor(process.argv[2])) {
    const command = (await load())(exitWith);
    program.addCommand(command.copyInheritedSettings(program));
  }
  try {
    await program.parseAsync();
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof UsageError || error instanceof DocumentError) {
      say(`${error.message}\n`);
      return 2;
    }
    say(`The suite itself failed; this says nothing about the store.\n${(error as Error).stack}\n`);
    return 4;
  }
}

/** The tokens of this call; a message about a call that is wrong may quote them. */
function tokensGiven(): string[] {
  const flags = process.argv.flatMap((word, index, words) =>
    word === '--token' ? [words[index + 1] ?? ''] : word.startsWith('--token=') ? [word.slice(8)] : [],
  );
  return [process.env.PLANT_STORE_TOKEN ?? '', ...flags];
}

outliveReaders();
endWith(await main());
