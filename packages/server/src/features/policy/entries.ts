// The columns of a key that the feed reads, and the positions at which a read continues.
import type { RateLimit } from '@keyrail/protocol/validators.ts';
import type { Env } from '../../doors/reach.ts';

export type EntryRow = {
  id: string;
  tenantId: string;
  env: Env;
  lookupHash: string;
  displayPrefix: string;
  scopes: string[];
  expiresAt: Date | null;
  rateLimits: RateLimit[] | null;
  shelf: number;
  createdAt: Date;
};

export type EntryPosition = { shelf: number; createdAt: Date; id: string };

export type EntryRange = { after: EntryPosition | null; limit: number };

export type ChangeRow = EntryRow & { version: number; isRevoked: boolean; isRetired: boolean };

export type ChangeRange = { since: number; after: ChangeRow | null; limit: number };

/** The most versions that one delta spans: each costs an index lookup, even without a key. */
export const VERSIONS_PER_DELTA_MAX = 10_000;

/** Sorts before every id: the start of a list partition. */
export const BEFORE_ALL_IDS = '00000000-0000-0000-0000-000000000000';
