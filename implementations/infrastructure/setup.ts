import { basename } from 'node:path';
import type { Outcome } from '../../lib/run/result/verdict.ts';
import { type Manifest, manifestsIn } from '../manifest.ts';

/** The settings of a set-up in a manifest. */
interface Choices {
  /** http by default. */
  readonly scheme?: 'http' | 'https';
  /** Values of the placeholders in templates and commands. */
  readonly with?: Readonly<Record<string, string>>;
  /** Required executables in addition to those of the server. */
  readonly needs?: readonly string[];
  /** How it is started, if unlike the others of its server. */
  readonly start?: string;
  /** Stores behind it; one by default. */
  readonly replicas?: number;
  /** Whether the store behind it is stopped for a second in the middle of the run. */
  readonly restart?: boolean;
  /** More options of the run. */
  readonly flags?: readonly string[];
  /** The expected outcome, and text that the run must report; conformant by default. */
  readonly expect?: { readonly outcome: Outcome; readonly says: string };
}

/** The `about.yaml` of a server. */
interface Server extends Manifest {
  /** A command that prints it. */
  readonly version: string;
  /** The template of its configuration. */
  readonly config?: string;
  readonly with?: Readonly<Record<string, string>>;
  readonly setups: Readonly<Record<string, Choices & { readonly note: string }>>;
}

/** A server in one of its set-ups. */
export interface Setup extends Required<Choices> {
  /** `nginx/https` */
  readonly name: string;
  readonly note: string;
  readonly server: Server;
}

const HOME = 'implementations/infrastructure';
const REFERENCE = `${HOME}/reference`;

/** All set-ups of all servers, beginning with the store on its own. */
export const allSetups = (): Setup[] =>
  manifestsIn<Server>(HOME)
    .toSorted((a, b) => Number(b.folder === REFERENCE) - Number(a.folder === REFERENCE))
    .flatMap((server) =>
      Object.entries(server.setups).map(([name, choices]) => ({
        scheme: 'http',
        replicas: 1,
        restart: false,
        flags: [],
        expect: { outcome: 'conformant', says: '' },
        start: server.start,
        ...choices,
        name: `${basename(server.folder)}/${name}`,
        server,
        with: { ...server.with, ...choices.with },
        needs: [
          ...server.needs,
          ...(choices.needs ?? []),
          ...(choices.scheme === 'https' ? ['openssl'] : []),
        ],
      })),
    );

/** `nginx, https` */
export const titleOf = ({ name, server }: Setup): string => `${server.title}, ${basename(name)}`;

/**
 * Replaces the placeholders `${NAME}` in a text; their values may contain placeholders themselves.
 * @throws Error for a placeholder without a value
 */
export const fill = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\$\{([A-Z_\d]+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`no value for the placeholder \${${name}}`);
    return fill(value, values);
  });
