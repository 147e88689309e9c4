import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadContract } from '../lib/contract/load-contract.ts';
import { ordinaryRequests } from '../lib/explain/experiment/ordinary-requests.ts';
import { fullText } from '../lib/explain/explanation/condition.ts';
import { differences } from '../lib/explain/explanation/request-parts.ts';
import { isIn } from '../lib/explain/values/candidates.ts';
import { credentialCandidates, credentialSweep } from '../lib/explain/values/credentials.ts';
import { defectSweep } from '../lib/explain/values/defects.ts';
import { headerSweep, withHeader } from '../lib/explain/values/headers.ts';
import { modelSweep } from '../lib/explain/values/model.ts';
import { orderSweep } from '../lib/explain/values/order.ts';
import { ADVICE } from '../lib/explain/wording/advice-table.ts';
import { defectWords } from '../lib/explain/wording/request-words.ts';
import { packageFile } from '../lib/package.ts';
import { defectsOf } from '../lib/payloads/defects.ts';
import { modelsOf } from '../lib/payloads/model/model.ts';
import { TOKEN } from './helpers/stores.ts';

const contract = await loadContract(packageFile('openapi.yaml'));
const [ordinary] = ordinaryRequests(contract);
const proxied = withHeader(withHeader(ordinary, 'x-forwarded-for', '::1'), 'x-real-ip', '::1');
const sweeps = [
  credentialSweep(TOKEN),
  defectSweep(contract, ordinary.plant, true),
  orderSweep(ordinary.plant),
  ...differences(proxied, ordinary).map(({ name }) => headerSweep(name, '::1', [])),
  ...Object.values(modelsOf(contract)).flatMap((model) =>
    model.dimensions.flatMap(({ name }) => modelSweep(model, name) ?? []),
  ),
];
const conditions = [
  ...sweeps.flatMap(({ candidates, classes }) => [
    ...[...candidates, ...classes].map(({ condition }) => condition),
    ...classes.flatMap((one) => candidates.filter(isIn(one)).flatMap((first) => one.some?.(first) ?? [])),
  ]),
  ...credentialCandidates(TOKEN).map(({ condition }) => condition),
  ...defectsOf(contract.newPlant.shape).map(({ name }) => defectWords(name, contract)),
];
const titles: readonly string[] = Object.values(
  JSON.parse(readFileSync(packageFile('mutants/titles.json'), 'utf8')),
);
const words = [
  ...titles.map((title) => title.charAt(0).toLowerCase() + title.slice(1)),
  ...conditions.map((condition) => `accepts ${fullText(condition)}`),
  // Experiments outside the sweeps word these.
  ...['the length of the body is a multiple of 64 bytes', 'the body has 71 bytes'],
  ...['the body is longer than 70 bytes', 'the body is shorter than 40 bytes'],
];

test.each(ADVICE.flatMap(({ says = [] }) => says))(
  'the words for which there is advice are words of causes: %s',
  (pattern) => {
    expect(words.filter((text) => pattern.test(text))).not.toEqual([]);
  },
);
