import { Stryker } from '@stryker-mutator/core';

/**
 * The areas one after the other. In payloads, what is made while the module loads is a table of data, and no
 * single test covers it: its mutants would take most of the time and say least.
 */
const areas = [{ mutate: ['lib/judge/*.ts'] }, { mutate: ['lib/payloads/*.ts'], ignoreStatic: true }];

const counts = {};
for (const area of areas) {
  const mutants = await new Stryker({
    configFile: 'test/mutation/stryker.config.json',
    ...area,
  }).runMutationTest();
  for (const { status } of mutants) counts[status] = (counts[status] ?? 0) + 1;
}

const { Killed = 0, Timeout = 0, Survived = 0, NoCoverage = 0, Ignored = 0 } = counts;
const found = Killed + Timeout;
const valid = found + Survived + NoCoverage;
console.log(
  `${found} of ${valid} mutants found, ${((100 * found) / valid).toFixed(1)} %; ${Ignored} left out`,
);
