// What this process remembers of secret keys, and the news that one has ended or changed, carried
// to every other process that may remember it.
// News can be lost: then the age that a line allows bounds the harm. On all lines but the hot ones
// there is none: whoever ends a key is answered when the last reading from before is too old.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import { monotonicMs } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { outageLog } from '../base/outage.ts';
import type { Gate } from '../doors/gate.ts';
import type { Freshness } from './authenticate.ts';
import { openHotCache } from './hot-cache.ts';
import type { Principal } from './principal.ts';
import type { ReadSecretKey } from './secret-key.ts';

const CHANNEL = 'kr_secret_keys';

/** How long any process takes a key for what it was when it was read. */
const RECENT_MS = 50;
/** Longer than that by what timers and clocks of other machines may differ. */
const SETTLED_AFTER_MS = 60;

type Ear = {
  channel: string;
  heard(message: string): void;
  onFault(error: unknown): void;
  onOpen(): void;
};

export type HotKeyParts = {
  gate: Gate;
  log: Log;
  clock: Clock;
  lifeMs: number;
  read: ReadSecretKey;
  /** Absent where there is no other process. */
  listen: ((ear: Ear) => { close(): Promise<void> }) | undefined;
};

export type HotKeys = {
  principalOf(token: string, freshness: Freshness): Promise<Principal> | Principal;
  /** Called after the commit. What it returns settles when no line but a hot one believes them. */
  forget(keyIds: readonly string[]): Promise<void> | null;
  close(): Promise<void>;
};

export function openHotKeys({ gate, log, clock, lifeMs, read, listen }: HotKeyParts): HotKeys {
  const withinMs: Record<Freshness, number> = { hot: lifeMs, recent: RECENT_MS, new: 0 };
  const cache = openHotCache({
    lifeMs: Math.max(lifeMs, RECENT_MS),
    read,
    nowMs: () => monotonicMs() + clock.shiftMs(),
  });
  const ear = outageLog(log, {
    begins: 'the ear for secret keys was lost',
    ends: 'changes of secret keys are heard again',
  });
  const listening = listen?.({
    channel: CHANNEL,
    heard: (keyId) => cache.evict(keyId),
    onFault(error) {
      cache.clear();
      ear.fault(error);
    },
    onOpen: ear.over,
  });
  return {
    principalOf: (token, freshness) => cache.principalOf(token, withinMs[freshness]),
    forget(keyIds) {
      if (keyIds.length === 0) return null;
      for (const keyId of keyIds) cache.evict(keyId);
      const settled = sleep(SETTLED_AFTER_MS);
      if (listening) {
        gate
          .callOut(CHANNEL, keyIds)
          .catch((error) => log.warn({ error }, 'a change of a secret key was not called out'));
      }
      return settled;
    },
    close: async () => listening?.close(),
  };
}
