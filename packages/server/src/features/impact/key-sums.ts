// The sums over the keys that a dry run has looked at so far.
import type { Env } from '../../doors/reach.ts';
import type { KeyCounts } from './rows.ts';

export type KeySums = {
  /** Keys that were looked at; some are not concerned by the change. */
  read: number;
  /** There are more keys than the dry run looks at. */
  isCut: boolean;
  keys: number;
  activeKeys: number;
  tenantIds: ReadonlySet<string>;
  projectIds: ReadonlySet<string>;
  envs: ReadonlySet<Env>;
  /** Requests of today, of yesterday, of the last seven days, and of the day before those. */
  today: number;
  yesterday: number;
  week: number;
  beforeWeek: number;
  lastUsedAt: Date | null;
};

export const NO_KEYS: KeySums = {
  read: 0,
  isCut: false,
  keys: 0,
  activeKeys: 0,
  tenantIds: new Set(),
  projectIds: new Set(),
  envs: new Set(),
  today: 0,
  yesterday: 0,
  week: 0,
  beforeWeek: 0,
  lastUsedAt: null,
};

/** Secret keys have neither a tenant nor telemetry. */
type Counts = Pick<KeyCounts, 'read' | 'keys' | 'activeKeys' | 'lastUsedAt'> & Partial<KeyCounts>;

/** Adds what one statement counted; null if it found no key. */
export function addKeys(sums: KeySums, more: Counts | null, envs: readonly Env[]): KeySums {
  if (more === null) return sums;
  const { today = 0, yesterday = 0, week = 0, beforeWeek = 0 } = more;
  return {
    read: sums.read + more.read,
    isCut: false,
    keys: sums.keys + more.keys,
    activeKeys: sums.activeKeys + more.activeKeys,
    tenantIds: new Set([...sums.tenantIds, ...(more.tenantIds ?? [])]),
    projectIds: new Set([...sums.projectIds, ...(more.projectIds ?? [])]),
    envs: new Set([...sums.envs, ...(more.keys > 0 ? envs : [])]),
    today: sums.today + today,
    yesterday: sums.yesterday + yesterday,
    week: sums.week + week,
    beforeWeek: sums.beforeWeek + beforeWeek,
    lastUsedAt: latest(sums.lastUsedAt, more.lastUsedAt),
  };
}

const latest = (one: Date | null, other: Date | null): Date | null =>
  one === null || (other !== null && other > one) ? other : one;
