import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the package, whether run from the sources or from the build. */
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

export const suite: { readonly name: string; readonly version: string } = (() => {
  const { name, version } = JSON.parse(packageText('package.json')) as Record<string, string>;
  return { name: name ?? '', version: version ?? '' };
})();
