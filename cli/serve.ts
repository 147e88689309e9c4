import { randomBytes } from 'node:crypto';
import { Command } from 'commander';
import { token as tokenType, whole } from '../lib/config/option-types.ts';
import { suite } from '../lib/package.ts';
import { TOKEN_VARIABLE } from '../lib/token-variable.ts';
import { UsageError } from '../lib/usage-error.ts';
import { startStore } from '../reference/store.ts';
import { reader } from './options.ts';

export function serveCommand(): Command {
  return new Command('serve')
    .option('--port <n>', 'port; 0 picks a free one', reader(whole(0, 65_535)), 0)
    .option(
      '--token <token>',
      'token to accept (default: $PLANT_STORE_TOKEN, else a new one)',
      reader(tokenType),
    )
    .addHelpText('after', '\nExample:\n  PLANT_STORE_TOKEN=secret plant-store-conformance serve --port 8080')
    .action(async (options: { port: number; token?: string }) => {
      const given = options.token ?? process.env[TOKEN_VARIABLE];
      const token = given ?? randomBytes(18).toString('base64url');
      const store = await startStore({ token, port: options.port }).catch((error: NodeJS.ErrnoException) => {
        throw new UsageError(
          `Cannot listen on port ${options.port} (${error.code}); choose another with --port.`,
        );
      });
      const interrupted = new Promise<void>((resolve) => {
        for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
      });
      process.stdout.write(`${store.url}\n`);
      if (given === undefined) process.stdout.write(`PLANT_STORE_TOKEN=${token}\n`);
      process.stderr.write(
        `To test it from another terminal, set ${TOKEN_VARIABLE} there and run: ${suite.name} run ${store.url}\nCtrl+C stops it.\n`,
      );
      await interrupted;
      await store.stop();
    });
}
