/** Conditions with a number that experiments estimate, so that it varies from run to run. */

export const aboutOneIn = (requests: number): string => `about one request in ${requests}`;

export const orMoreInFlight = (requests: number): string => `${requests} or more requests are in flight`;

/** Removes estimated numbers from a condition, so that it is the same in every run. */
export const withoutEstimates = (condition: string): string =>
  condition.replace(
    /(?<=about one (?:request )?in )\d+|(?<= after about )\d+|\d+(?= or more requests are in flight)|\d+ of \d+(?= tried)|\d+(?= other (?:values|cases|ways)\b)/g,
    'n',
  );
