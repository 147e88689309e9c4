import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { build } from 'rolldown';

/**
 * Bundles the command line with the packages that it uses: to find and load some 400 modules takes longer than a
 * short run. The API and the vitest binding stay as the compiler wrote them.
 */
const { output } = await build({
  input: ['cli/main.ts', 'cli/job.ts'],
  platform: 'node',
  output: { dir: 'dist/cli', chunkFileNames: 'chunks/[name]-[hash].js' },
  plugins: [
    {
      name: 'licences',
      /** Adds the licences of the bundled packages, as they ask for. */
      generateBundle(_options, bundle) {
        const modules = Object.values(bundle).flatMap(({ moduleIds = [] }) => moduleIds);
        const folders = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []);
        const source = [...new Set(folders)].sort().map(licenceOf).join('\n');
        this.emitFile({ type: 'asset', fileName: 'LICENCES.txt', source });
      },
    },
  ],
});

// Chunks of an earlier build would be packed. They go last, as a command may be loading them.
const fileNames = output.map(({ fileName }) => fileName);
for (const name of readdirSync('dist/cli/chunks'))
  if (!fileNames.includes(`chunks/${name}`)) rmSync(`dist/cli/chunks/${name}`);

/** @throws Error if the package has no licence file */
function licenceOf(folder) {
  const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  if (!file) throw new Error(`${name} has no licence file to include in the bundle`);
  return `${name} ${version}\n\n${readFileSync(`${folder}/${file}`, 'utf8').trim()}\n`;
}
