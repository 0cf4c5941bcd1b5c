// A cache of secret keys, so that a busy key isn't looked up on every request. Each endpoint sets
// how old an entry may be. An entry's age is measured from the start of its read, so a revocation
// takes effect everywhere within that time, even if a notification is lost.
//
// If a key is revoked while it is being read, the result is not cached (the generation has
// changed), and later requests do not join that read.
import { monotonicMs } from '../base/clock.ts';
import { sharedWithin } from '../base/coalesce.ts';
import type { Principal } from './principal.ts';

/** A principal from the database, and the time until its key expires. */
export type ReadKey = { id: string; principal: Principal; expiresInMs: number | null };

export type SecretKeyCache = {
  /**
   * The principal from a read that began less than `withinMs` ago, or otherwise from a new read.
   */
  principalOf(token: string, withinMs: number): Promise<Principal> | Principal;
  /** Called after the commit that revoked or changed a key. */
  evict(keyId: string): void;
  /** Called when notifications from other processes may have been lost. */
  clear(): void;
};

type SecretKeyCacheParts = {
  /** How long an entry is kept: the longest maximum age that any endpoint allows. */
  lifeMs: number;
  /** Throws a 401 if the key is not active. */
  read(token: string): Promise<ReadKey>;
  nowMs?(): number;
};

export const CACHED_KEYS_MAX = 10_000;

type Entry = { keyId: string; principal: Principal; readAtMs: number; endsAtMs: number };

export function createSecretKeyCache({
  lifeMs,
  read,
  nowMs = monotonicMs,
}: SecretKeyCacheParts): SecretKeyCache {
  // Entries are in insertion order. All have the same lifetime, so the oldest expire first.
  const entries = new Map<string, Entry>();
  /** Concurrent requests for the same key share one database read. */
  const reads = sharedWithin<Principal>(nowMs);
  let generation = 0;

  function remember(token: string, entry: Entry): void {
    entries.delete(token);
    entries.set(token, entry);
    for (const [oldest, { endsAtMs }] of entries) {
      if (endsAtMs > nowMs() && entries.size <= CACHED_KEYS_MAX) break;
      entries.delete(oldest);
    }
  }

  async function fill(token: string, readAtMs: number): Promise<Principal> {
    const startedIn = generation;
    const { id, principal, expiresInMs } = await read(token);
    const endsAtMs = readAtMs + Math.min(lifeMs, expiresInMs ?? lifeMs);
    if (generation === startedIn && endsAtMs > nowMs()) {
      remember(token, { keyId: id, principal, readAtMs, endsAtMs });
    }
    return principal;
  }

  function moveOn(): void {
    generation += 1;
    reads.forget();
  }

  return {
    principalOf(token, withinMs) {
      const now = nowMs();
      const entry = entries.get(token);
      if (entry && entry.endsAtMs > now && entry.readAtMs + withinMs > now) return entry.principal;
      return reads.run(token, withinMs, () => fill(token, now));
    },
    evict(keyId) {
      moveOn();
      for (const [token, entry] of entries) if (entry.keyId === keyId) entries.delete(token);
    },
    clear() {
      moveOn();
      entries.clear();
    },
  };
}
