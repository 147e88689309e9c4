import { Stryker } from '@stryker-mutator/core';

/**
 * The areas, one after the other. In payloads, values created at load time are tables of data that no single test
 * covers: their mutants would take most of the time and show the least.
 */
const areas = [
  { area: 'judge', ignoreStatic: false },
  { area: 'payloads', ignoreStatic: true },
];

for (const { area, ignoreStatic } of areas) {
  const mutants = await new Stryker({
    configFile: 'test/mutation/stryker.config.json',
    incrementalFile: `reports/mutation/${area}.json`,
    mutate: [`lib/${area}/*.ts`],
    ignoreStatic,
  }).runMutationTest();
  const of = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length;
  const found = of('Killed', 'Timeout');
  const tried = found + of('Survived', 'NoCoverage');
  console.log(
    `lib/${area}: ${found} of ${tried} mutants found, ${((100 * found) / tried).toFixed(1)}%; ${of('Ignored')} left out`,
  );
}
