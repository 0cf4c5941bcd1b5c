// Secret keys on the busiest lines, remembered for a few seconds so that they need no look-up. A
// life is fixed and begins when the read begins, so a revocation is obeyed everywhere after one
// life at the latest, whatever else goes wrong.
//
// What could outlive a revocation, and why it does not: a read that began before it is not
// remembered after it (the generation has moved on), nor joined by requests that come after it.
import { monotonicMs } from '../base/clock.ts';
import type { Principal } from './principal.ts';

/** A principal that was just read, and for how long it may be believed at most. */
export type ReadKey = { id: string; principal: Principal; expiresInMs: number | null };

export type HotCache = {
  principalOf(token: string): Promise<Principal> | Principal;
  /** Called after the commit of whatever ended or changed a key. */
  evict(keyId: string): void;
  /** When news of other processes may have been missed. */
  clear(): void;
};

export type HotCacheParts = {
  lifeMs: number;
  /** Throws the refusal of a key that is not active. */
  read(token: string): Promise<ReadKey>;
  nowMs?(): number;
};

export const HOT_KEYS_MAX = 10_000;

type Entry = { keyId: string; principal: Principal; endsAtMs: number };

export function openHotCache({ lifeMs, read, nowMs = monotonicMs }: HotCacheParts): HotCache {
  // Lives are equally long, so that the oldest entries are the first to end.
  const entries = new Map<string, Entry>();
  const reading = new Map<string, Promise<Principal>>();
  let generation = 0;

  function remember(token: string, entry: Entry): void {
    entries.delete(token);
    entries.set(token, entry);
    for (const [oldest, { endsAtMs }] of entries) {
      if (endsAtMs > nowMs() && entries.size <= HOT_KEYS_MAX) break;
      entries.delete(oldest);
    }
  }

  async function fill(token: string): Promise<Principal> {
    const [startedAtMs, startedIn] = [nowMs(), generation];
    const { id, principal, expiresInMs } = await read(token);
    const endsAtMs = startedAtMs + Math.min(lifeMs, expiresInMs ?? lifeMs);
    if (generation === startedIn && endsAtMs > nowMs()) {
      remember(token, { keyId: id, principal, endsAtMs });
    }
    return principal;
  }

  /** Those who ask for the same key at the same time share one read. */
  function share(token: string): Promise<Principal> {
    const shared = fill(token).finally(() => {
      if (reading.get(token) === shared) reading.delete(token);
    });
    reading.set(token, shared);
    return shared;
  }

  function moveOn(): void {
    generation += 1;
    reading.clear();
  }

  return {
    principalOf(token) {
      const entry = entries.get(token);
      if (entry && entry.endsAtMs > nowMs()) return entry.principal;
      return reading.get(token) ?? share(token);
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
