import type { Command } from 'commander';
import type { RunOptions } from '../index.ts';
import { formats } from './output.ts';
import { count, each, header, id, positive, rate, seed } from './values.ts';

/** What every command that talks to a store takes. */
export interface Connection {
  readonly token?: string;
  readonly openapi?: string;
  readonly overlay?: string[];
  readonly header?: [string, string][];
  readonly timeout?: number;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly insecure?: boolean;
}

export const connectionOptions = (command: Command): Command =>
  command
    .option('--token <token>', 'the bearer token that the store takes; better: $PLANT_STORE_TOKEN')
    .option('--openapi <file>', "an OpenAPI 3.1 or 3.0 document in the place of the suite's own")
    .option('--overlay <file>', 'an OpenAPI Overlay 1.0 file to apply to it; may be repeated', each)
    .option('--header <header>', "a header for every request, 'Name: value'; may be repeated", header)
    .option('--timeout <ms>', 'for a connection, and for a whole answer (default: 15000)', count)
    .option('--ca <file>', "PEM certificates to trust beside the system's")
    .option('--cert <file>', 'a PEM certificate to show the store, with --key')
    .option('--key <file>', 'its private key, PEM without a passphrase')
    .option('--insecure', 'trust any certificate');

/** What every command that runs the catalogue takes. */
export type Sampling = Pick<
  RunOptions,
  | 'strict'
  | 'only'
  | 'skip'
  | 'cases'
  | 'seed'
  | 'firstId'
  | 'concurrency'
  | 'rate'
  | 'maxSeconds'
  | 'maxRequests'
>;

export const samplingOptions = (command: Command): Command =>
  command
    .option('--strict', 'a failed SHOULD makes a store nonconformant')
    .option('--only <glob>', 'carry out these checks alone, such as "auth/*"; may be repeated', each)
    .option('--skip <glob>', 'leave these checks out; may be repeated', each)
    .option('--cases <n>', 'random cases of a generated check (default: 120)', count)
    .option('--seed <n>', 'what random payloads follow from (default: another in each run)', seed)
    .option('--first-id <n>', 'the first id to send (default: anywhere below 2^31)', id)
    .option('--concurrency <n>', 'requests at a time (default: 24)', count)
    .option('--rate <n/s>', 'requests a second at most (default: as many as go)', rate)
    .option('--max-seconds <n>', 'cut the run off after this long', positive)
    .option('--max-requests <n>', 'cut the run off after so many requests', count);

export const reportOptions = (command: Command, names: string, usual: string): Command =>
  command
    .option('--out <dir>', 'write reports into this folder; - writes one to standard output')
    .option('--format <list>', `what to write: ${names} (default: ${usual})`, formats)
    .option('--force', 'overwrite files in it that are no reports of this suite');
