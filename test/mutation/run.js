import { Stryker } from '@stryker-mutator/core';

/**
 * The areas one after the other. In payloads, what is made while the module loads is a table of data, and no
 * single test covers it: its mutants would take most of the time and say least.
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
    `lib/${area}: ${found} of ${tried} mutants found, ${((100 * found) / tried).toFixed(1)} %; ${of('Ignored')} left out`,
  );
}
