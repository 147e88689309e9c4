import { createHash } from 'node:crypto';
import SwaggerParser from '@apidevtools/swagger-parser';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { expect, test } from 'vitest';
import { compiler, forCompiler } from '../lib/contract/compile.ts';
import { loadContract } from '../lib/contract/load-contract.ts';
import { packageFile, packageText } from '../lib/package.ts';
import { DEFAULTS } from '../lib/run/defaults.ts';
import { estimateCheck } from '../lib/run/plan/estimate.ts';
import type { Estimate } from '../lib/run/plan/typical-estimates.ts';
import { catalogue } from '../suites/index.ts';

const OWN = packageFile('openapi.yaml');

test('lib/contract/prepared.ts is the document of the suite; npm run docs regenerates it', async () => {
  await expect(await prepared()).toMatchFileSnapshot(packageFile('lib/contract/prepared.ts'));
});

test('lib/run/plan/estimates.json is what each check sends for it; npm run docs regenerates it', async () => {
  const contract = await loadContract(OWN);
  const estimates: Record<string, Estimate> = {};
  for (const check of catalogue) {
    const { requests, plants } = await estimateCheck(check, contract, {
      seed: 1,
      cases: DEFAULTS.cases,
      thorough: false,
      sampled: Number.POSITIVE_INFINITY,
    });
    estimates[check.id] = { requests: Math.round(requests), plants: Math.round(plants) };
  }
  await expect(`${JSON.stringify(estimates, null, 2)}\n`).toMatchFileSnapshot(
    packageFile('lib/run/plan/estimates.json'),
  );
});

/** The source of the prepared contract: the document without references, and the code of its validators. */
async function prepared(): Promise<string> {
  const api = await SwaggerParser.dereference(OWN);
  const { requestBody, responses } = Object(api).paths['/plants'].post;
  const schemas = [requestBody, responses['200'], responses['400']].map(
    ({ content }) => content['application/json'].schema as object,
  );
  const ajv = compiler({ source: true });
  const names = schemas.map((schema, index) => {
    ajv.addSchema(forCompiler(schema), `schema${index}`);
    return `schema${index}`;
  });
  const code = standaloneCode.default(ajv, Object.fromEntries(names.map((name) => [name, name])));
  return `// Generated from openapi.yaml by npm run docs. Do not edit.
// @ts-nocheck The code of the validators is not typed.
import type { ValidateFunction } from 'ajv/dist/2020.js';

/** Digest of the text of openapi.yaml. */
export const TEXT_SHA256 = '${createHash('sha256').update(packageText('openapi.yaml')).digest('hex')}';

export const DOCUMENT_SHA256 = '${(await loadContract(OWN)).document.sha256}';

/** The document without references, and so without the schemas that they refer to. */
export const API = ${JSON.stringify({ ...api, components: { ...Object(api).components, schemas: undefined } }, null, 2)};

${code
  .replace('"use strict";', '')
  .replaceAll(/export const schema(\d+) = /g, 'const code$1 = ')
  .replaceAll(';', ';\n')}

const { requestBody, responses } = API.paths['/plants'].post;

/** By their schemas in the document. */
export const VALIDATORS: ReadonlyMap<unknown, ValidateFunction> = new Map(
  [requestBody, responses['200'], responses['400']].map(({ content }, index) => [
    content['application/json'].schema,
    [${names.map((_, index) => `code${index}`).join(', ')}][index],
  ]),
);
`;
}
