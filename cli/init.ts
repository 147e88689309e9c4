import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Command } from 'commander';
import { type Answers, initialConfiguration } from '../lib/config/init-file.ts';
import { InvalidValueError, type OptionType, readTextAs } from '../lib/config/option-types.ts';
import { TARGET } from '../lib/config/options.ts';
import { suite } from '../lib/package.ts';
import { TOKEN_VARIABLE } from '../lib/token-variable.ts';
import { UsageError } from '../lib/usage-error.ts';
import { warn } from './announce.ts';
import { baseUrlReader, reader } from './options.ts';
import { writeAtomically } from './output.ts';
import { DEFAULT_FILE } from './target.ts';

type Given = { readonly [K in keyof Answers]?: Answers[K] | undefined };

const DEFAULT_URL = 'http://127.0.0.1:8080';

export function initCommand(): Command {
  return new Command('init')
    .argument('[base-url]', TARGET.baseUrl.description, baseUrlReader)
    .option(
      '--token-env <variable>',
      `environment variable that holds the token (default: ${TOKEN_VARIABLE})`,
      reader(TARGET.tokenEnv.type),
    )
    .option('--start <command>', TARGET.start.description, reader(TARGET.start.type))
    .option('--config <file>', 'file to write', DEFAULT_FILE)
    .addHelpText(
      'after',
      `
An existing file is never overwritten.

Examples:
  plant-store-conformance init
  plant-store-conformance init http://127.0.0.1:8080 --token-env STORE_TOKEN`,
    )
    .action(async (baseUrl: string | undefined, flags: Given & { readonly config: string }) => {
      const { config: file, ...given } = { ...flags, baseUrl };
      if (existsSync(file))
        throw new UsageError(`${file} already exists; edit it, or name another file with --config.`);
      const answers = process.stdin.isTTY === true ? await asked(given) : given;
      const { baseUrl: url, tokenEnv = TOKEN_VARIABLE, start } = answers;
      if (url === undefined)
        throw new UsageError(`No base URL; give one as the argument of init, such as ${DEFAULT_URL}.`);
      writeAtomically(file, initialConfiguration(file, { baseUrl: url, tokenEnv, start }));
      if (url.endsWith('/plants'))
        warn([`requests will go to ${url}/plants, since /plants is added to the base URL`]);
      const where = file === DEFAULT_FILE ? '' : ` --config ${file}`;
      process.stdout.write(
        `Wrote ${file}. Set ${tokenEnv} to the token, then run: npx ${suite.name} run${where}\n`,
      );
    });
}

/** Asks for what was not given. @throws UsageError if the terminal is closed before everything is answered */
async function asked({ baseUrl, tokenEnv, start }: Given): Promise<Given> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const lines = terminal[Symbol.asyncIterator]();
  const ask = async <V>(question: string, type: OptionType<V>, usual: string): Promise<V | undefined> => {
    for (;;) {
      process.stderr.write(`${question} [${usual || 'none'}] `);
      const { done, value } = await lines.next();
      if (done === true) throw new UsageError('\nNothing was written, because a question was not answered.');
      const text = value.trim() || usual;
      if (text === '') return undefined;
      try {
        return readTextAs(type, text);
      } catch (error) {
        if (!(error instanceof InvalidValueError)) throw error;
        process.stderr.write(`It ${error.message}.\n`);
      }
    }
  };
  try {
    return {
      baseUrl:
        baseUrl ?? (await ask('Base URL of the store, without /plants?', TARGET.baseUrl.type, DEFAULT_URL)),
      tokenEnv:
        tokenEnv ??
        (await ask('Environment variable that holds the token?', TARGET.tokenEnv.type, TOKEN_VARIABLE)),
      start: start ?? (await ask('Command that starts the store?', TARGET.start.type, '')),
    };
  } finally {
    terminal.close();
  }
}
