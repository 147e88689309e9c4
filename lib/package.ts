import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the package, from the sources as from what is built of them. */
function findRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const above = dirname(folder);
    if (above === folder) throw new Error('the package has no package.json');
    folder = above;
  }
  return folder;
}

const root = findRoot();

/** A file of the package. */
export const packageFile = (name: string): string => join(root, name);

/** The text of a file of the package. */
export const packageText = (name: string): string => readFileSync(packageFile(name), 'utf8');

/** Name and version of the suite. */
export const suite: { readonly name: string; readonly version: string } = (() => {
  const { name, version } = JSON.parse(packageText('package.json')) as Record<string, string>;
  return { name: name ?? '', version: version ?? '' };
})();
