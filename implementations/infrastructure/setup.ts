import { basename } from 'node:path';
import type { Outcome } from '../../lib/run/verdict.ts';
import { type Manifest, manifestsIn } from '../manifest.ts';

/** What a manifest may say of a set-up. */
interface Choices {
  /** By default http. */
  readonly scheme?: 'http' | 'https';
  /** What stands in the places of templates and commands. */
  readonly with?: Readonly<Record<string, string>>;
  /** Executables without which it cannot be had, beside those of its server. */
  readonly needs?: readonly string[];
  /** How it is started, where not as the others of its server. */
  readonly start?: string;
  /** Stores behind it; by default one. */
  readonly replicas?: number;
  /** Whether the store behind it is away for a second in the middle of the run. */
  readonly restart?: boolean;
  /** More options of the run. */
  readonly flags?: readonly string[];
  /** What a run comes to, and words of what it says then; by default the set-up is conformant. */
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

/** All set-ups of all servers, the store by itself first. */
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
 * Puts values into the places of a text, `${NAME}`; what is put there may have places itself.
 * @throws Error for a place without a value
 */
export const fill = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\$\{([A-Z_\d]+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`nothing says what stands in the place \${${name}}`);
    return fill(value, values);
  });
