import { expect, test } from 'vitest';
import { COMPARISON } from '../lib/compare/comparison.ts';
import { BASELINE } from '../lib/config/baseline-schema.ts';
import { documentOf } from '../lib/json-schema.ts';
import { packageFile } from '../lib/package.ts';
import { RECORD } from '../lib/report/record/record.ts';

test.each([
  {
    file: 'lib/report/record/record.schema.json',
    schema: RECORD,
    head: {
      $id: 'urn:plant-store-conformance:record:1',
      title: 'The record of a conformance run against a plant store',
      description: 'Everything a run found, and the only source of all reports. It never contains the token.',
    },
  },
  {
    file: 'lib/compare/comparison.schema.json',
    schema: COMPARISON,
    head: {
      title: 'Several plant stores side by side',
      description:
        'The output of `compare`: a column for each store, a cell for each check, and the disagreements.',
    },
  },
  {
    file: 'lib/config/baseline.schema.json',
    schema: BASELINE,
    head: {
      title: 'Known deviations of a plant store from its interface',
      description:
        'Failures that do not make the CI result fail, each with a reason: under entries, or as a plain list.',
    },
  },
])('$file is generated from the types; npm run docs regenerates it', async ({ file, schema, head }) => {
  await expect(documentOf(schema, head)).toMatchFileSnapshot(packageFile(file));
});
