import type { CheckIds } from '../plan/ids.ts';

/** On whose behalf requests are sent: a check, or a part of the run that belongs to no check. */
export interface RequestContext {
  /** The id of the check, or a name such as `preflight`. */
  readonly id: string;
  readonly ids: CheckIds;
  /** Number of requests that were cut off or timed out. */
  broken: number;
  /** Number of requests that are waiting for the store to come back. */
  away: number;
  ordinariness: number;
}

export const requestContext = (id: string, ids: CheckIds): RequestContext => ({
  id,
  ids,
  broken: 0,
  away: 0,
  ordinariness: 2,
});
