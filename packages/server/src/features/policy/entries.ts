// What the feed reads of a key, and where a reading goes on.
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

/** How many versions a delta can lead over: each costs a look-up, though it may hold no key. */
export const VERSIONS_PER_DELTA_MAX = 10_000;

/** Before every id: nothing of a shelf has been told yet. */
export const BEFORE_ALL_IDS = '00000000-0000-0000-0000-000000000000';
