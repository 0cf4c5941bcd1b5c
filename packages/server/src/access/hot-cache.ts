// Secret keys that were read a moment ago, so that a busy one is not looked up on every request.
// How old a reading may be is for each line to say. Its age is counted from when the read began, so
// a revocation is obeyed everywhere after that age at the latest, whatever else goes wrong.
//
// What could outlive a revocation, and why it does not: a read that began before it is not
// remembered after it (the generation has moved on), nor joined by requests that come after it.
import { monotonicMs } from '../base/clock.ts';
import type { Principal } from './principal.ts';

/** A principal that was just read, and for how long it may be believed at most. */
export type ReadKey = { id: string; principal: Principal; expiresInMs: number | null };

export type HotCache = {
  /** Of a reading that began less than so long ago, or else of a new one. */
  principalOf(token: string, withinMs: number): Promise<Principal> | Principal;
  /** Called after the commit of whatever ended or changed a key. */
  evict(keyId: string): void;
  /** When news of other processes may have been missed. */
  clear(): void;
};

export type HotCacheParts = {
  /** What is older than this is of use to no line. */
  lifeMs: number;
  /** Throws the refusal of a key that is not active. */
  read(token: string): Promise<ReadKey>;
  nowMs?(): number;
};

export const HOT_KEYS_MAX = 10_000;

type Entry = { keyId: string; principal: Principal; readAtMs: number; endsAtMs: number };
type Reading = { startedAtMs: number; principal: Promise<Principal> };

export function openHotCache({ lifeMs, read, nowMs = monotonicMs }: HotCacheParts): HotCache {
  // Lives are equally long, so that the oldest entries are the first to end.
  const entries = new Map<string, Entry>();
  const readings = new Map<string, Reading>();
  let generation = 0;

  function remember(token: string, entry: Entry): void {
    entries.delete(token);
    entries.set(token, entry);
    for (const [oldest, { endsAtMs }] of entries) {
      if (endsAtMs > nowMs() && entries.size <= HOT_KEYS_MAX) break;
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

  /** Those who ask for the same key at the same time share one read. */
  function share(token: string, startedAtMs: number): Promise<Principal> {
    const principal = fill(token, startedAtMs).finally(() => {
      if (readings.get(token) === reading) readings.delete(token);
    });
    const reading = { startedAtMs, principal };
    readings.set(token, reading);
    return principal;
  }

  function moveOn(): void {
    generation += 1;
    readings.clear();
  }

  return {
    principalOf(token, withinMs) {
      const now = nowMs();
      const entry = entries.get(token);
      if (entry && entry.endsAtMs > now && entry.readAtMs + withinMs > now) return entry.principal;
      const reading = readings.get(token);
      if (reading && reading.startedAtMs + withinMs > now) return reading.principal;
      return share(token, now);
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
