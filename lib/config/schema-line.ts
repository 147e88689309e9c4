import { dirname, relative, resolve } from 'node:path';
import { suite } from '../package.ts';

/**
 * Returns a comment that tells editors the schema of a YAML file. `schema` is a file of this folder, and the
 * comment refers to where a project has it installed.
 */
export function schemaLine(file: string, schema: string): string {
  const installed = resolve('node_modules', suite.name, 'lib/config', schema);
  return ` yaml-language-server: $schema=${relative(dirname(resolve(file)), installed).replaceAll('\\', '/')}`;
}
