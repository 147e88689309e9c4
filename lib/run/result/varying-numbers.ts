/** Conditions with a number that experiments estimate, and that therefore varies from run to run. */

export const aboutOneIn = (requests: number): string => `about one request in ${requests}`;

export const orMoreInFlight = (requests: number): string => `${requests} or more requests are in flight`;

/** The condition, the same in every run. */
export const withoutEstimates = (condition: string): string =>
  condition.replace(/(?<=about one request in )\d+|\d+(?= or more requests are in flight)/g, 'n');
