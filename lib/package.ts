import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the package, whether the code runs from source or from the build. */
function findRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const above = dirname(folder);
    if (above === folder) throw new Error('cannot find package.json');
    folder = above;
  }
  return folder;
}

const root = findRoot();

export const packageFile = (name: string): string => join(root, name);

export const packageText = (name: string): string => readFileSync(packageFile(name), 'utf8');

const about = JSON.parse(packageText('package.json')) as Readonly<Record<string, string>>;

export const suite: { readonly name: string; readonly version: string } = {
  name: about.name ?? '',
  version: about.version ?? '',
};

/** Returns the anchor that Markdown renderers generate for a check's heading. */
export const anchorOf = (id: string): string => id.toLowerCase().replace(/[^\w-]/g, '');

/**
 * Returns the address of a check's description; undefined as long as the package has no `homepage`. It is
 * absolute, because reports may be opened anywhere.
 */
export const docsOf = (id: string, homepage = about.homepage): string | undefined =>
  homepage === undefined ? undefined : `${homepage}/blob/HEAD/docs/checks.md#${anchorOf(id)}`;

/** Returns the command that prints a check's description. */
export const listCommandLine = (id: string): string => `npx ${suite.name} list ${id}`;
