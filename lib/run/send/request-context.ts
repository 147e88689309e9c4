import type { CheckIds } from '../plan/ids.ts';

/** On whose behalf requests are sent: a check, or a part of the run that belongs to none. */
export interface RequestContext {
  /** The id of the check, or a name such as `preflight`. */
  readonly id: string;
  readonly ids: CheckIds;
  /** Requests that were broken off, or not answered in time. */
  broken: number;
  /** Requests that are waiting for the store to come back. */
  away: number;
  /** How ordinary the least ordinary of these requests is. */
  ordinariness: number;
}

export const requestContext = (id: string, ids: CheckIds): RequestContext => ({
  id,
  ids,
  broken: 0,
  away: 0,
  ordinariness: 2,
});
