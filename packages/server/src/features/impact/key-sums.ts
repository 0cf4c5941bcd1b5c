// Sums over the keys that a dry run has examined so far.
import type { Env } from '../../doors/reach.ts';
import type { KeyCounts } from './rows.ts';

type Place = { projectId: string; env: Env };

export type KeySums = {
  /** The number of keys examined so far. The change may not affect all of them. */
  read: number;
  /** Whether there are more keys than the dry run examines. If so, the sums are lower bounds. */
  isCapped: boolean;
  keys: number;
  activeKeys: number;
  tenantIds: ReadonlySet<string>;
  /** The projects and environments that the keys are in, without duplicates. */
  places: readonly Place[];
  /**
   * The number of requests today, yesterday, in the last seven days, and on the day before those
   * seven.
   */
  today: number;
  yesterday: number;
  week: number;
  beforeWeek: number;
  lastUsedAt: Date | null;
};

export const NO_KEYS: KeySums = {
  read: 0,
  isCapped: false,
  keys: 0,
  activeKeys: 0,
  tenantIds: new Set(),
  places: [],
  today: 0,
  yesterday: 0,
  week: 0,
  beforeWeek: 0,
  lastUsedAt: null,
};

/** Adds the counts from one statement, which are null if it found no keys. */
export function addKeys(sums: KeySums, more: KeyCounts | null, env: Env): KeySums {
  if (more === null) return sums;
  const isKnown = (id: string) =>
    sums.places.some((place) => place.projectId === id && place.env === env);
  const added = more.projectIds.filter((id) => !isKnown(id));
  return {
    ...addSecretKeys(sums, more),
    tenantIds: new Set([...sums.tenantIds, ...more.tenantIds]),
    places: [...sums.places, ...added.map((projectId) => ({ projectId, env }))],
    today: sums.today + more.today,
    yesterday: sums.yesterday + more.yesterday,
    week: sums.week + more.week,
    beforeWeek: sums.beforeWeek + more.beforeWeek,
  };
}

/** Secret keys have neither a tenant nor telemetry. */
export const addSecretKeys = (
  sums: KeySums,
  more: Pick<KeySums, 'read' | 'keys' | 'activeKeys' | 'lastUsedAt'>,
): KeySums => ({
  ...sums,
  read: sums.read + more.read,
  keys: sums.keys + more.keys,
  activeKeys: sums.activeKeys + more.activeKeys,
  lastUsedAt: latest(sums.lastUsedAt, more.lastUsedAt),
});

const latest = (one: Date | null, other: Date | null): Date | null =>
  one === null || (other !== null && other > one) ? other : one;
