import { type ParseArgsConfig, parseArgs } from 'node:util';

/**
 * Parses the arguments of a command for contributors. Ends the process for `--help`, which prints `usage`, and
 * for arguments that the command does not know.
 */
export function argumentsOf<const T extends ParseArgsConfig>(
  usage: string,
  config: T,
): ReturnType<typeof parseArgs<T>> {
  if (process.argv.includes('--help')) {
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}\n`);
    process.exit(2);
  }
}
