// The secret key cache, and the notifications that evict revoked or changed keys in every process.
// If a notification is lost, the endpoint's maximum cache age limits how long a revoked key keeps
// working. Once a revocation has been confirmed, only hot endpoints can still accept the key,
// because the response waits until every other cached copy has expired (decision 0018).
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import { monotonicMs } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { createOutageLog } from '../base/outage.ts';
import type { Gate } from '../doors/gate.ts';
import type { Freshness } from './authenticate.ts';
import type { Principal } from './principal.ts';
import type { ReadSecretKey } from './secret-key.ts';
import { createSecretKeyCache } from './secret-key-cache.ts';

const CHANNEL = 'kr_secret_keys';

/** How old a cached key may be on endpoints that are not hot. */
const RECENT_MS = 50;
/** RECENT_MS plus a margin for other machines' timers and clocks. */
const SETTLED_AFTER_MS = 60;

type Listener = {
  channel: string;
  heard(message: string): void;
  onFault(error: unknown): void;
  onOpen(): void;
};

export type SecretKeyAuthParts = {
  gate: Pick<Gate, 'notifyAll'>;
  log: Log;
  clock: Clock;
  lifeMs: number;
  read: ReadSecretKey;
  /** Undefined if there are no other processes. */
  listen: ((listener: Listener) => { close(): Promise<void> }) | undefined;
};

export type SecretKeyAuth = {
  principalOf(token: string, freshness: Freshness): Promise<Principal> | Principal;
  /**
   * Called after the commit. Settles when the keys can no longer be accepted, except by hot
   * endpoints.
   */
  forget(keyIds: readonly string[]): Promise<void> | null;
  close(): Promise<void>;
};

export function openSecretKeyAuth({
  gate,
  log,
  clock,
  lifeMs,
  read,
  listen,
}: SecretKeyAuthParts): SecretKeyAuth {
  const withinMs: Record<Freshness, number> = { hot: lifeMs, recent: RECENT_MS, new: 0 };
  const cache = createSecretKeyCache({
    lifeMs: Math.max(lifeMs, RECENT_MS),
    read,
    nowMs: () => monotonicMs() + clock.shiftMs(),
  });
  const outage = createOutageLog(log, {
    begins: 'lost the LISTEN connection for secret-key changes',
    ends: 'resumed listening for secret-key changes',
  });
  const listening = listen?.({
    channel: CHANNEL,
    heard: (keyId) => cache.evict(keyId),
    onFault(error) {
      cache.clear();
      outage.fault(error);
    },
    onOpen: outage.over,
  });
  return {
    principalOf: (token, freshness) => cache.principalOf(token, withinMs[freshness]),
    forget(keyIds) {
      if (keyIds.length === 0) return null;
      for (const keyId of keyIds) cache.evict(keyId);
      const settled = sleep(SETTLED_AFTER_MS);
      if (listening) {
        gate
          .notifyAll(CHANNEL, keyIds)
          .catch((error) =>
            log.warn({ error }, 'failed to notify other processes of a secret-key change'),
          );
      }
      return settled;
    },
    close: async () => listening?.close(),
  };
}
